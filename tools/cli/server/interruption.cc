#include "tools/cli/server/interruption.h"

#include <utility>

namespace cairn::cli {

namespace {

constexpr std::chrono::milliseconds kBetweenInterrupts{50};

}  // namespace

Interruption::Interruption(std::function<void()> interrupt) : interrupt_(std::move(interrupt)) {
  thread_.start({.name = "cairn-signals",
                 .wake =
                     [this] {
                       wake_all(mutex_, changed_)();
                       signal_.report_fatal("over");  // Ends the wait for a signal.
                     }},
                [this](const std::stop_token& stop) { watch(stop); });
}

void Interruption::pause(std::chrono::milliseconds time) {
  MutexLock lock(mutex_);
  changed_.wait_for(lock, time, [this] { return arrived(); });
}

void Interruption::watch(const std::stop_token& stop) {
  if (signal_.wait().fatal) return;
  MutexLock lock(mutex_);
  arrived_ = true;
  changed_.notify_all();
  while (!stop.stop_requested()) {
    lock.unlock();
    interrupt_();
    lock.lock();
    changed_.wait_for(lock, kBetweenInterrupts, [&stop] { return stop.stop_requested(); });
  }
}

}  // namespace cairn::cli
