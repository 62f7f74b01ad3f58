#pragma once

#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

#include "eventstore/base/mutex.h"
#include "projections/aggregates/stream_fold.h"

namespace cairn {

// A pool of folds, which keep their scripts loaded between two uses. Thread-safe.
class FoldPool {
 public:
  // Exclusive use of a fold, which knows the current schemas and upcasters. Returns it to the pool when it
  // ends, unless a failure left the fold unusable.
  class Lease {
   public:
    Lease(FoldPool& pool, std::unique_ptr<StreamFold> fold) : pool_(&pool), fold_(std::move(fold)) {}
    ~Lease() {
      if (fold_ != nullptr && !fold_->is_broken()) pool_->put_back(std::move(fold_));
    }
    Lease(Lease&& other) noexcept = default;
    Lease& operator=(Lease&&) = delete;

    StreamFold* operator->() const { return fold_.get(); }
    StreamFold& operator*() const { return *fold_; }

   private:
    FoldPool* pool_;
    std::unique_ptr<StreamFold> fold_;
  };

  // REQUIRES: `chains` outlives it.
  explicit FoldPool(Chains& chains, LuaHost::Log log = {}) : chains_(chains), log_(std::move(log)) {}

  ScriptResult<Lease> lend(const std::shared_ptr<const Aggregate>& aggregate) {
    std::unique_ptr<StreamFold> fold = take(*aggregate);
    if (fold == nullptr) {
      CAIRN_TRY(fold, StreamFold::make(aggregate, chains_, log_));
    }
    fold->refresh();
    return Lease(*this, std::move(fold));
  }

 private:
  // Beyond this many, the fold that was not used for the longest time is destroyed. Folds of aggregates that
  // were replaced go the same way.
  static constexpr std::size_t kIdleMax = 32;

  std::unique_ptr<StreamFold> take(const Aggregate& aggregate) {
    const MutexLock lock(mutex_);
    for (auto fold = idle_.rbegin(); fold != idle_.rend(); ++fold) {
      if (&(*fold)->aggregate() != &aggregate) continue;
      std::unique_ptr<StreamFold> taken = std::move(*fold);
      idle_.erase(std::next(fold).base());
      return taken;
    }
    return nullptr;
  }

  void put_back(std::unique_ptr<StreamFold> fold) {
    std::unique_ptr<StreamFold> old;  // Declared first: destroying it takes time and needs no lock.
    const MutexLock lock(mutex_);
    if (idle_.size() == kIdleMax) {
      old = std::move(idle_.front());
      idle_.erase(idle_.begin());
    }
    idle_.push_back(std::move(fold));
  }

  Chains& chains_;
  LuaHost::Log log_;
  Mutex mutex_;
  std::vector<std::unique_ptr<StreamFold>> idle_ CAIRN_GUARDED_BY(mutex_);  // most recently used last
};

}  // namespace cairn
