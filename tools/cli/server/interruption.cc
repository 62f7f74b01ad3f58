#include "tools/cli/server/interruption.h"

#include <utility>

namespace cairn::cli {

namespace {

constexpr std::chrono::milliseconds kBetweenInterrupts{50};

}  // namespace

Interruption::Interruption(std::function<void()> interrupt)
    : interrupt_(std::move(interrupt)), thread_([this] { watch(); }) {}

Interruption::~Interruption() {
  {
    std::lock_guard lock(mutex_);
    over_ = true;
  }
  changed_.notify_all();
  signal_.report_fatal("over");  // Wakes the thread when no signal came.
  thread_.join();
}

void Interruption::pause(std::chrono::milliseconds time) {
  std::unique_lock lock(mutex_);
  changed_.wait_for(lock, time, [this] { return came(); });
}

void Interruption::watch() {
  if (signal_.wait().fatal) return;
  std::unique_lock lock(mutex_);
  came_ = true;
  changed_.notify_all();
  while (!over_) {
    lock.unlock();
    interrupt_();
    lock.lock();
    changed_.wait_for(lock, kBetweenInterrupts, [this] { return over_; });
  }
}

}  // namespace cairn::cli
