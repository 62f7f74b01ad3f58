#pragma once

#include <functional>
#include <stop_token>
#include <thread>

#include "eventstore/base/mutex.h"

namespace cairn {

// A thread that works behind its owner until the owner goes: a name for `top -H`, a priority, and one way to end.
//
//   class Flusher {
//     Mutex mutex_;
//     CondVar changed_;
//     BackgroundThread thread_;          // last: it uses the others, and goes first
//   };
//   thread_.start({.name = "cairn-flush", .niceness = 10, .wake = wake_all(mutex_, changed_)},
//                 [this](const std::stop_token& stop) { run(stop); });
//
// The body looks at `stop` whenever it is about to wait, with the mutex of that wait held, and returns when stop
// is requested. The owner's thread calls start() and stop(); nothing else is called on it.
class BackgroundThread {
 public:
  struct Settings {
    const char* name;            // at most 15 characters, which is what Linux keeps
    int niceness = 0;            // added to the process's: above 0 lets other threads go first
    std::function<void()> wake;  // makes a waiting body look at `stop` again; called after stop is requested
  };

  BackgroundThread() = default;
  ~BackgroundThread() { stop(); }
  BackgroundThread(const BackgroundThread&) = delete;
  BackgroundThread& operator=(const BackgroundThread&) = delete;

  // REQUIRES: it does not run.
  void start(Settings settings, std::function<void(const std::stop_token& stop)> body);

  bool runs() const { return thread_.joinable(); }

  // Asks the body to end, wakes it, and waits for its end. Nothing if it does not run. Not from the body.
  void stop();

 private:
  std::function<void()> wake_;
  std::jthread thread_;
};

// The usual wake-up. Taking the mutex orders it after a body that has looked at `stop` but does not wait yet;
// without it that wake-up would be lost.
inline std::function<void()> wake_all(Mutex& mutex, CondVar& changed) {
  return [&mutex, &changed] {
    { const MutexLock lock(mutex); }
    changed.notify_all();
  };
}

// Gives the calling thread the name that tools show for it.
void name_this_thread(const char* name);

}  // namespace cairn
