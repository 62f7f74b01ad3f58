#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <shared_mutex>

#include "eventstore/base/thread_annotations.h"

namespace cairn {

// std::mutex with the attributes of clang's thread safety analysis.
class CAIRN_CAPABILITY("mutex") Mutex {
 public:
  Mutex() = default;
  Mutex(const Mutex&) = delete;
  Mutex& operator=(const Mutex&) = delete;

  void lock() CAIRN_ACQUIRE() { mutex_.lock(); }
  void unlock() CAIRN_RELEASE() { mutex_.unlock(); }
  bool try_lock() CAIRN_TRY_ACQUIRE(true) { return mutex_.try_lock(); }

 private:
  friend class MutexLock;
  std::mutex mutex_;
};

// Holds a mutex until the end of its scope. unlock() and lock() may release it in between.
class CAIRN_SCOPED_CAPABILITY MutexLock {
 public:
  explicit MutexLock(Mutex& mutex) CAIRN_ACQUIRE(mutex) : lock_(mutex.mutex_) {}
  ~MutexLock() CAIRN_RELEASE() = default;
  MutexLock(const MutexLock&) = delete;
  MutexLock& operator=(const MutexLock&) = delete;

  void unlock() CAIRN_RELEASE() { lock_.unlock(); }
  void lock() CAIRN_ACQUIRE() { lock_.lock(); }

 private:
  friend class CondVar;
  std::unique_lock<std::mutex> lock_;
};

// std::condition_variable for a Mutex. A condition that reads guarded members says so:
//   changed_.wait(lock, [this]() CAIRN_REQUIRES(mutex_) { return stopping_; });
// The analysis is off in the waits: they call the condition with the mutex held, which it cannot see there.
class CondVar {
 public:
  void notify_one() { changed_.notify_one(); }
  void notify_all() { changed_.notify_all(); }

  void wait(MutexLock& lock) { changed_.wait(lock.lock_); }

  template <typename Condition>
  void wait(MutexLock& lock, Condition condition) CAIRN_NO_THREAD_SAFETY_ANALYSIS {
    changed_.wait(lock.lock_, condition);
  }

  // Return whether the condition holds.
  template <typename Duration, typename Condition>
  bool wait_for(MutexLock& lock, Duration timeout, Condition condition) CAIRN_NO_THREAD_SAFETY_ANALYSIS {
    return changed_.wait_for(lock.lock_, timeout, condition);
  }
  template <typename Time, typename Condition>
  bool wait_until(MutexLock& lock, Time deadline, Condition condition) CAIRN_NO_THREAD_SAFETY_ANALYSIS {
    return changed_.wait_until(lock.lock_, deadline, condition);
  }

 private:
  std::condition_variable changed_;
};

// std::shared_mutex: one writer or many readers.
class CAIRN_CAPABILITY("shared mutex") SharedMutex {
 public:
  SharedMutex() = default;
  SharedMutex(const SharedMutex&) = delete;
  SharedMutex& operator=(const SharedMutex&) = delete;

  void lock() CAIRN_ACQUIRE() { mutex_.lock(); }
  void unlock() CAIRN_RELEASE() { mutex_.unlock(); }
  void lock_shared() CAIRN_ACQUIRE_SHARED() { mutex_.lock_shared(); }
  void unlock_shared() CAIRN_RELEASE_GENERIC() { mutex_.unlock_shared(); }

 private:
  std::shared_mutex mutex_;
};

class CAIRN_SCOPED_CAPABILITY WriterLock {
 public:
  explicit WriterLock(SharedMutex& mutex) CAIRN_ACQUIRE(mutex) : mutex_(mutex) { mutex_.lock(); }
  ~WriterLock() CAIRN_RELEASE() { mutex_.unlock(); }
  WriterLock(const WriterLock&) = delete;
  WriterLock& operator=(const WriterLock&) = delete;

 private:
  SharedMutex& mutex_;
};

class CAIRN_SCOPED_CAPABILITY ReaderLock {
 public:
  explicit ReaderLock(SharedMutex& mutex) CAIRN_ACQUIRE_SHARED(mutex) : mutex_(mutex) {
    mutex_.lock_shared();
  }
  ~ReaderLock() CAIRN_RELEASE_GENERIC() { mutex_.unlock_shared(); }
  ReaderLock(const ReaderLock&) = delete;
  ReaderLock& operator=(const ReaderLock&) = delete;

 private:
  SharedMutex& mutex_;
};

}  // namespace cairn
