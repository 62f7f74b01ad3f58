#pragma once

#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

#include "eventstore/base/mutex.h"
#include "upcasters/shaping/shaper.h"

namespace cairn {

// A pool of shapers, which keep their scripts loaded between uses. Thread-safe.
class ShaperPool {
 public:
  // The use of one shaper by one thread; returns it to the pool when it is destroyed. Keep it short: while it
  // lives, another reader may have to make a new shaper and load its scripts.
  class Lease {
   public:
    Lease(ShaperPool& pool, std::unique_ptr<Shaper> shaper) : pool_(&pool), shaper_(std::move(shaper)) {}
    ~Lease() {
      if (shaper_ != nullptr) pool_->give_back(std::move(shaper_));
    }
    Lease(Lease&& other) noexcept = default;
    Lease& operator=(Lease&&) = delete;

    Shaper* operator->() const { return shaper_.get(); }
    Shaper& operator*() const { return *shaper_; }

   private:
    ShaperPool* pool_;
    std::unique_ptr<Shaper> shaper_;
  };

  // REQUIRES: `chains` outlives it.
  explicit ShaperPool(Chains& chains, LuaHost::Log log = {}) : chains_(chains), log_(std::move(log)) {}

  // A shaper that knows all schemas and upcasters of now. REQUIRES: the pool outlives the lease.
  Lease lease() {
    std::unique_ptr<Shaper> shaper;
    {
      const MutexLock lock(mutex_);
      if (!free_.empty()) {
        shaper = std::move(free_.back());
        free_.pop_back();
      }
    }
    if (shaper == nullptr) shaper = std::make_unique<Shaper>(chains_, log_);
    shaper->refresh();
    return {*this, std::move(shaper)};
  }

 private:
  // Shapers that are returned beyond this number are destroyed.
  static constexpr std::size_t kKept = 16;

  void give_back(std::unique_ptr<Shaper> shaper) {
    shaper->watch(nullptr);
    const MutexLock lock(mutex_);
    if (free_.size() < kKept) free_.push_back(std::move(shaper));
  }

  Chains& chains_;
  LuaHost::Log log_;
  Mutex mutex_;
  std::vector<std::unique_ptr<Shaper>> free_ CAIRN_GUARDED_BY(mutex_);
};

}  // namespace cairn
