#pragma once

#include <cstddef>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "upcasters/shaping/shaper.h"

namespace cairn {

// Shapers that are lent and come back with their scripts loaded. Any thread.
class ShaperPool {
 public:
  // A shaper on loan. It has taken notice of what is new. Give it back soon: another reader makes a new one
  // meanwhile.
  class Loan {
   public:
    Loan(ShaperPool& pool, std::unique_ptr<Shaper> shaper) : pool_(&pool), shaper_(std::move(shaper)) {}
    ~Loan() {
      if (shaper_ != nullptr) pool_->give_back(std::move(shaper_));
    }
    Loan(Loan&& other) noexcept = default;
    Loan& operator=(Loan&&) = delete;

    Shaper* operator->() const { return shaper_.get(); }
    Shaper& operator*() const { return *shaper_; }

   private:
    ShaperPool* pool_;
    std::unique_ptr<Shaper> shaper_;
  };

  // REQUIRES: `chains` outlives it.
  explicit ShaperPool(Chains& chains, LuaHost::Log log = {}) : chains_(chains), log_(std::move(log)) {}

  Loan lend() {
    std::unique_ptr<Shaper> shaper;
    {
      const std::lock_guard lock(mutex_);
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
  // Beyond this many, those that come back are let go.
  static constexpr std::size_t kKept = 16;

  void give_back(std::unique_ptr<Shaper> shaper) {
    shaper->watch(nullptr);
    const std::lock_guard lock(mutex_);
    if (free_.size() < kKept) free_.push_back(std::move(shaper));
  }

  Chains& chains_;
  LuaHost::Log log_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<Shaper>> free_;
};

}  // namespace cairn
