#include "eventstore/log/young_blocks.h"

#include <algorithm>
#include <utility>

#include "eventstore/base/assert.h"

namespace cairn {

void YoungBlocks::add(Block block) {
  std::lock_guard lock(mutex_);
  CAIRN_ASSERT(blocks_.empty() || blocks_.back()->last_position().value + 1 == block->first_position().value);
  if (blocks_.empty()) first_.store(block->first_position().value);
  bytes_ += block->pages().size();
  blocks_.push_back(std::move(block));
}

YoungBlocks::Block YoungBlocks::find(GlobalPosition position) const {
  if (position.value < first_.load()) return nullptr;
  std::lock_guard lock(mutex_);
  const auto after =
      std::upper_bound(blocks_.begin(), blocks_.end(), position,
                       [](GlobalPosition p, const Block& block) { return p < block->first_position(); });
  return after == blocks_.begin() ? nullptr : *std::prev(after);
}

YoungBlocks::Block YoungBlocks::last() const {
  std::lock_guard lock(mutex_);
  return blocks_.empty() ? nullptr : blocks_.back();
}

std::vector<YoungBlocks::Block> YoungBlocks::all() const {
  std::lock_guard lock(mutex_);
  return {blocks_.begin(), blocks_.end()};
}

void YoungBlocks::drop_through(GlobalPosition position) {
  std::vector<Block> dropped;  // freed after the lock
  std::lock_guard lock(mutex_);
  while (!blocks_.empty() && blocks_.front()->last_position() <= position) {
    bytes_ -= blocks_.front()->pages().size();
    dropped.push_back(std::move(blocks_.front()));
    blocks_.pop_front();
  }
  first_.store(blocks_.empty() ? ~std::uint64_t{0} : blocks_.front()->first_position().value);
}

}  // namespace cairn
