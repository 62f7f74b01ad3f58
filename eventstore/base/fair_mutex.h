#pragma once

#include <condition_variable>
#include <cstdint>
#include <mutex>

namespace cairn {

// A mutex that is handed on in the order in which it was asked for. With std::mutex a thread that lets go and
// asks again at once nearly always has it again, and who waits may do so for as long as that thread goes on.
// For work that takes milliseconds: every turn wakes all who wait.
class FairMutex {
 public:
  void lock() {
    std::unique_lock lock(mutex_);
    const std::uint64_t mine = asked_++;
    changed_.wait(lock, [&] { return mine == turn_; });
  }

  void unlock() {
    {
      const std::lock_guard lock(mutex_);
      ++turn_;
    }
    changed_.notify_all();
  }

  // How many wait for it.
  std::uint64_t waiting() const {
    const std::lock_guard lock(mutex_);
    return asked_ > turn_ ? asked_ - turn_ - 1 : 0;
  }

 private:
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::uint64_t asked_ = 0;  // how often it was asked for
  std::uint64_t turn_ = 0;   // whose it is, counted like `asked_`
};

}  // namespace cairn
