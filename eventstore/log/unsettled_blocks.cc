#include "eventstore/log/unsettled_blocks.h"

#include <algorithm>
#include <utility>

#include "eventstore/base/assert.h"

namespace cairn {

void UnsettledBlocks::add(Block block) {
  const MutexLock lock(mutex_);
  CAIRN_ASSERT(blocks_.empty() || block->header().follows(blocks_.back()->end()),
               block->first_position().value);
  if (blocks_.empty()) first_.store(block->first_position().value);
  bytes_ += block->pages().size();
  blocks_.push_back(std::move(block));
}

UnsettledBlocks::Block UnsettledBlocks::find(GlobalPosition position) const {
  if (position.value < first_.load()) return nullptr;
  const MutexLock lock(mutex_);
  const auto after =
      std::upper_bound(blocks_.begin(), blocks_.end(), position,
                       [](GlobalPosition p, const Block& block) { return p < block->first_position(); });
  return after == blocks_.begin() ? nullptr : *std::prev(after);
}

UnsettledBlocks::Block UnsettledBlocks::ending_at(const LogPlace& place) const {
  const MutexLock lock(mutex_);
  const auto found = std::lower_bound(blocks_.begin(), blocks_.end(), place,
                                      [](const Block& block, const LogPlace& p) { return block->end() < p; });
  return found != blocks_.end() && (*found)->end() == place ? *found : nullptr;
}

UnsettledBlocks::Block UnsettledBlocks::after(const LogPlace& place) const {
  if (place.position.value + 1 < first_.load()) return nullptr;
  const MutexLock lock(mutex_);
  const auto found = std::upper_bound(blocks_.begin(), blocks_.end(), place,
                                      [](const LogPlace& p, const Block& block) { return p < block->end(); });
  return found != blocks_.end() && (*found)->header().follows(place) ? *found : nullptr;
}

UnsettledBlocks::Block UnsettledBlocks::last() const {
  const MutexLock lock(mutex_);
  return blocks_.empty() ? nullptr : blocks_.back();
}

std::vector<UnsettledBlocks::Block> UnsettledBlocks::all() const {
  const MutexLock lock(mutex_);
  return {blocks_.begin(), blocks_.end()};
}

void UnsettledBlocks::drop_through(const LogPlace& place) {
  std::vector<Block> dropped;  // freed after the lock is released
  const MutexLock lock(mutex_);
  while (!blocks_.empty() && blocks_.front()->end() <= place) {
    bytes_ -= blocks_.front()->pages().size();
    dropped.push_back(std::move(blocks_.front()));
    blocks_.pop_front();
  }
  first_.store(blocks_.empty() ? ~std::uint64_t{0} : blocks_.front()->first_position().value);
}

}  // namespace cairn
