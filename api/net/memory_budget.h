#pragma once

#include <cstddef>
#include <unordered_map>

#include "api/http/fair_queue.h"
#include "eventstore/base/mutex.h"

namespace cairn::api {

// How much of a bound on memory is in use, and by which clients. A value.
class MemoryUse {
 public:
  explicit MemoryUse(std::size_t bytes_max) : bytes_max_(bytes_max) {}

  enum class Grown {
    kYes,
    kFull,       // the bound is reached
    kOverShare,  // it is nearly reached, mostly by this client
  };

  // Whether the client may have so many bytes more.
  Grown check(std::size_t bytes, ClientId client) const {
    if (bytes > bytes_max_ - used_) return Grown::kFull;
    const auto held = held_.find(client);
    const std::size_t before = held == held_.end() ? 0 : held->second;
    const std::size_t clients = held_.size() + (held == held_.end() ? 1 : 0);
    return exceeds_share(before + bytes, used_ + bytes, bytes_max_, clients) ? Grown::kOverShare
                                                                             : Grown::kYes;
  }

  // REQUIRES: check() is kYes.
  void add(std::size_t bytes, ClientId client) {
    used_ += bytes;
    held_[client] += bytes;
  }

  // Bytes that the client does not have are ignored.
  void remove(std::size_t bytes, ClientId client) {
    const auto held = held_.find(client);
    if (held == held_.end()) return;
    const std::size_t removed = bytes < held->second ? bytes : held->second;
    used_ -= removed;
    held->second -= removed;
    if (held->second == 0) held_.erase(held);
  }

 private:
  std::size_t bytes_max_;
  std::size_t used_ = 0;
  std::unordered_map<ClientId, std::size_t> held_;  // only clients that hold some
};

// A bound on memory that all connections share. Thread-safe.
class MemoryBudget {
 public:
  explicit MemoryBudget(std::size_t bytes_max) : use_(bytes_max) {}

  using Grown = MemoryUse::Grown;

  // The part of the budget that one connection holds; its destructor gives it back. Not thread-safe.
  class Reservation {
   public:
    explicit Reservation(MemoryBudget& budget) : budget_(budget) {}
    ~Reservation() { release(); }
    Reservation(const Reservation&) = delete;
    Reservation& operator=(const Reservation&) = delete;

    // Reserves `bytes` in all for this client, unless more is reserved already. If the answer is not kYes, the
    // reservation is unchanged. REQUIRES: the client is the same until release().
    Grown grow_to(std::size_t bytes, ClientId client) {
      if (bytes <= bytes_) return Grown::kYes;
      const Grown grown = budget_.take(bytes - bytes_, client);
      if (grown != Grown::kYes) return grown;
      bytes_ = bytes;
      client_ = client;
      return grown;
    }

    void release() {
      if (bytes_ > 0) budget_.give_back(bytes_, client_);
      bytes_ = 0;
    }

    std::size_t bytes() const { return bytes_; }

   private:
    MemoryBudget& budget_;
    std::size_t bytes_ = 0;
    ClientId client_ = 0;
  };

  // As of now: other threads reserve and give back meanwhile.
  MemoryUse use() const CAIRN_EXCLUDES(mutex_) {
    const MutexLock lock(mutex_);
    return use_;
  }

 private:
  Grown take(std::size_t bytes, ClientId client) CAIRN_EXCLUDES(mutex_) {
    const MutexLock lock(mutex_);
    const Grown grown = use_.check(bytes, client);
    if (grown == Grown::kYes) use_.add(bytes, client);
    return grown;
  }

  void give_back(std::size_t bytes, ClientId client) CAIRN_EXCLUDES(mutex_) {
    const MutexLock lock(mutex_);
    use_.remove(bytes, client);
  }

  mutable Mutex mutex_;
  MemoryUse use_ CAIRN_GUARDED_BY(mutex_);
};

}  // namespace cairn::api
