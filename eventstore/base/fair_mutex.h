#pragma once

#include <cstdint>

#include "eventstore/base/mutex.h"

namespace cairn {

// A ticket lock: threads acquire it in the order in which they called lock(). With std::mutex a thread that
// unlocks and locks again at once nearly always wins, and the other threads starve as long as it goes on.
// Each unlock() wakes all waiters (a thundering herd), so it is meant for critical sections of milliseconds.
class CAIRN_CAPABILITY("mutex") FairMutex {
 public:
  FairMutex() = default;
  FairMutex(const FairMutex&) = delete;
  FairMutex& operator=(const FairMutex&) = delete;

  void lock() CAIRN_ACQUIRE() {
    MutexLock lock(mutex_);
    const std::uint64_t ticket = next_ticket_++;
    changed_.wait(lock, [&]() CAIRN_REQUIRES(mutex_) { return ticket == serving_; });
  }

  void unlock() CAIRN_RELEASE() {
    {
      const MutexLock lock(mutex_);
      ++serving_;
    }
    changed_.notify_all();
  }

  // The number of threads that wait in lock().
  std::uint64_t waiting() const CAIRN_EXCLUDES(mutex_) {
    const MutexLock lock(mutex_);
    return next_ticket_ > serving_ ? next_ticket_ - serving_ - 1 : 0;
  }

 private:
  mutable Mutex mutex_;
  CondVar changed_;
  std::uint64_t next_ticket_ CAIRN_GUARDED_BY(mutex_) = 0;
  std::uint64_t serving_ CAIRN_GUARDED_BY(mutex_) = 0;  // the ticket that holds the lock, or gets it next
};

// Holds a FairMutex until the end of its scope.
class CAIRN_SCOPED_CAPABILITY FairMutexLock {
 public:
  explicit FairMutexLock(FairMutex& mutex) CAIRN_ACQUIRE(mutex) : mutex_(mutex) { mutex_.lock(); }
  ~FairMutexLock() CAIRN_RELEASE() { mutex_.unlock(); }
  FairMutexLock(const FairMutexLock&) = delete;
  FairMutexLock& operator=(const FairMutexLock&) = delete;

 private:
  FairMutex& mutex_;
};

}  // namespace cairn
