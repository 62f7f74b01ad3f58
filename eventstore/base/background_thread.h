#pragma once

#include <chrono>
#include <functional>
#include <stop_token>
#include <thread>

#include "eventstore/base/mutex.h"

namespace cairn {

// A worker thread with a name for `top -H`, a priority, and one way to stop. The destructor stops and joins
// it.
//
//   class Flusher {
//     Mutex mutex_;
//     CondVar changed_;
//     BackgroundThread thread_;          // last: it uses the other members, so it is destroyed first
//   };
//   thread_.start({.name = "cairn-flush", .niceness = 10, .wake = wake_all(mutex_, changed_)},
//                 [this](const std::stop_token& stop) { run(stop); });
//
// The body checks `stop` before each wait, with the mutex of that wait held, and returns when stop is
// requested. Not thread-safe: the owner calls start() and stop() from one thread at a time.
class BackgroundThread {
 public:
  struct Settings {
    const char* name;  // at most 15 characters, which is what Linux keeps
    int niceness = 0;  // added to the process's niceness; above 0 is a lower priority
    // Above 0: the time slice, see set_thread_slice().
    std::chrono::microseconds slice{0};
    std::function<void()> wake;  // makes a waiting body check `stop` again; called after stop is requested
  };

  BackgroundThread() = default;
  ~BackgroundThread() { stop(); }
  BackgroundThread(const BackgroundThread&) = delete;
  BackgroundThread& operator=(const BackgroundThread&) = delete;

  // REQUIRES: !runs().
  void start(Settings settings, std::function<void(const std::stop_token& stop)> body);

  bool runs() const { return thread_.joinable(); }

  // Requests a stop, wakes the body, and joins the thread. Does nothing if it does not run.
  // REQUIRES: not called from the body.
  void stop();

 private:
  std::function<void()> wake_;
  std::jthread thread_;
};

// The usual `wake`. It locks the mutex because the body may have checked `stop` and not begun to wait yet; a
// notification in between would be a lost wake-up.
inline std::function<void()> wake_all(Mutex& mutex, CondVar& changed) {
  return [&mutex, &changed] {
    { const MutexLock lock(mutex); }
    changed.notify_all();
  };
}

// Sets the name of the calling thread, as `top -H` shows it. REQUIRES: at most 15 characters.
void name_this_thread(const char* name);

}  // namespace cairn
