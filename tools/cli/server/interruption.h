#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <stop_token>

#include "eventstore/base/background_thread.h"
#include "eventstore/base/mutex.h"
#include "tools/cli/server/stop_signal.h"

namespace cairn::cli {

// Lets SIGINT and SIGTERM cancel long work. After the first signal, a background thread calls `interrupt`
// repeatedly until the destructor: work that begins just after one call is cancelled by the next. A second
// signal ends the process.
class Interruption {
 public:
  explicit Interruption(std::function<void()> interrupt);
  Interruption(const Interruption&) = delete;
  Interruption& operator=(const Interruption&) = delete;

  // Whether a signal has arrived. Thread-safe.
  bool arrived() const { return arrived_; }

  // Sleeps that long, or until a signal arrives.
  void pause(std::chrono::milliseconds time);

 private:
  void watch(const std::stop_token& stop);

  std::function<void()> interrupt_;
  StopSignal signal_;
  std::atomic<bool> arrived_ = false;  // written with mutex_ held, so that pause() loses no wake-up
  Mutex mutex_;
  CondVar changed_;
  BackgroundThread thread_;  // last: its body uses the other members
};

}  // namespace cairn::cli
