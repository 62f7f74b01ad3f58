#pragma once

#include <cstddef>
#include <unordered_map>

#include "api/http/fair_queue.h"
#include "eventstore/base/mutex.h"

namespace cairn::api {

// A bound on memory that all connections share. Thread-safe.
class MemoryBudget {
 public:
  explicit MemoryBudget(std::size_t bytes_max) : bytes_max_(bytes_max) {}

  enum class Grown {
    kYes,
    kFull,       // the budget is exhausted
    kOverShare,  // it is nearly exhausted, mostly by this client
  };

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

   private:
    MemoryBudget& budget_;
    std::size_t bytes_ = 0;
    ClientId client_ = 0;
  };

 private:
  Grown take(std::size_t bytes, ClientId client) CAIRN_EXCLUDES(mutex_) {
    const MutexLock lock(mutex_);
    if (bytes > bytes_max_ - used_) return Grown::kFull;
    const auto held = held_.find(client);
    const std::size_t before = held == held_.end() ? 0 : held->second;
    const std::size_t clients = held_.size() + (held == held_.end() ? 1 : 0);
    if (exceeds_share(before + bytes, used_ + bytes, bytes_max_, clients)) return Grown::kOverShare;
    used_ += bytes;
    held_[client] = before + bytes;
    return Grown::kYes;
  }

  void give_back(std::size_t bytes, ClientId client) CAIRN_EXCLUDES(mutex_) {
    const MutexLock lock(mutex_);
    used_ -= bytes;
    const auto held = held_.find(client);
    held->second -= bytes;
    if (held->second == 0) held_.erase(held);
  }

  const std::size_t bytes_max_;
  Mutex mutex_;
  std::size_t used_ CAIRN_GUARDED_BY(mutex_) = 0;
  std::unordered_map<ClientId, std::size_t> held_ CAIRN_GUARDED_BY(mutex_);  // only clients that hold some
};

}  // namespace cairn::api
