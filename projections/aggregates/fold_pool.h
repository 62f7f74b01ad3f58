#pragma once

#include <cstddef>
#include <memory>
#include <mutex>
#include <utility>
#include <variant>
#include <vector>

#include "projections/aggregates/stream_fold.h"

namespace cairn {

// Folds that are lent and come back with their scripts loaded. Any thread.
class FoldPool {
 public:
  // A fold on loan. It has taken notice of what is new. One that is spent does not come back.
  class Loan {
   public:
    Loan(FoldPool& pool, std::unique_ptr<StreamFold> fold) : pool_(&pool), fold_(std::move(fold)) {}
    ~Loan() {
      if (fold_ != nullptr && !fold_->is_spent()) pool_->give_back(std::move(fold_));
    }
    Loan(Loan&& other) noexcept = default;
    Loan& operator=(Loan&&) = delete;

    StreamFold* operator->() const { return fold_.get(); }
    StreamFold& operator*() const { return *fold_; }

   private:
    FoldPool* pool_;
    std::unique_ptr<StreamFold> fold_;
  };

  // REQUIRES: `chains` outlives it.
  explicit FoldPool(Chains& chains, LuaHost::Log log = {}) : chains_(chains), log_(std::move(log)) {}

  std::variant<Loan, ScriptError> lend(const std::shared_ptr<const Aggregate>& aggregate) {
    std::unique_ptr<StreamFold> fold = take(*aggregate);
    if (fold == nullptr) {
      auto made = StreamFold::make(aggregate, chains_, log_);
      if (auto* error = std::get_if<ScriptError>(&made)) return std::move(*error);
      fold = std::get<std::unique_ptr<StreamFold>>(std::move(made));
    }
    fold->refresh();
    return Loan(*this, std::move(fold));
  }

 private:
  // Beyond this many, those that lie longest are let go; also those of aggregates that were replaced.
  static constexpr std::size_t kKept = 32;

  std::unique_ptr<StreamFold> take(const Aggregate& aggregate) {
    const std::lock_guard lock(mutex_);
    for (auto fold = free_.rbegin(); fold != free_.rend(); ++fold) {
      if (&(*fold)->aggregate() != &aggregate) continue;
      std::unique_ptr<StreamFold> taken = std::move(*fold);
      free_.erase(std::next(fold).base());
      return taken;
    }
    return nullptr;
  }

  void give_back(std::unique_ptr<StreamFold> fold) {
    std::unique_ptr<StreamFold> old;  // Declared first: it ends, which may take a while, without the lock.
    const std::lock_guard lock(mutex_);
    if (free_.size() == kKept) {
      old = std::move(free_.front());
      free_.erase(free_.begin());
    }
    free_.push_back(std::move(fold));
  }

  Chains& chains_;
  LuaHost::Log log_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<StreamFold>> free_;  // the one that came back last is the last
};

}  // namespace cairn
