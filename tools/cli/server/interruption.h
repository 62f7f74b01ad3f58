#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>

#include "tools/cli/server/stop_signal.h"

namespace cairn::cli {

// Lets Ctrl-C and SIGTERM end long work in order. From the first signal on, `interrupt` is called on a thread
// of its own, and again and again until this is destroyed: work that began just after one call is met by the
// next. A second signal ends the process as signals do.
class Interruption {
 public:
  explicit Interruption(std::function<void()> interrupt);
  ~Interruption();
  Interruption(const Interruption&) = delete;
  Interruption& operator=(const Interruption&) = delete;

  // Whether a signal has come. Any thread.
  bool came() const { return came_; }

  // Waits that long, or until a signal comes.
  void pause(std::chrono::milliseconds time);

 private:
  void watch();

  std::function<void()> interrupt_;
  StopSignal signal_;
  std::atomic<bool> came_ = false;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool over_ = false;
  std::thread thread_;
};

}  // namespace cairn::cli
