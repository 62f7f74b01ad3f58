#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

#include "eventstore/base/mutex.h"
#include "eventstore/log/block_copy.h"

namespace cairn {

// The blocks that are durable in the journal and not yet in LMDB, in log order and without gaps. Thread-safe.
class UnsettledBlocks {
 public:
  using Block = std::shared_ptr<const BlockCopy>;

  // REQUIRES: `block` follows the last one, if there is one.
  void add(Block block) CAIRN_EXCLUDES(mutex_);

  // The last block that does not begin above `position`, or null.
  Block find(GlobalPosition position) const CAIRN_EXCLUDES(mutex_);
  // The block that ends at `place`, or null.
  Block ending_at(const LogPlace& place) const CAIRN_EXCLUDES(mutex_);
  // The block that follows `place`, or null.
  Block after(const LogPlace& place) const CAIRN_EXCLUDES(mutex_);
  Block last() const CAIRN_EXCLUDES(mutex_);
  std::vector<Block> all() const CAIRN_EXCLUDES(mutex_);

  // Removes the blocks that end at or before `place`. Call it when they are in LMDB.
  void drop_through(const LogPlace& place) CAIRN_EXCLUDES(mutex_);

  // The size of the blocks in the journal. Takes no lock.
  std::size_t bytes() const { return bytes_.load(); }

 private:
  mutable Mutex mutex_;
  std::deque<Block> blocks_ CAIRN_GUARDED_BY(mutex_);
  // The first position, or the maximum when there are no blocks. Readers of settled positions, which are
  // most, compare it and take no lock.
  std::atomic<std::uint64_t> first_ = ~std::uint64_t{0};
  std::atomic<std::size_t> bytes_ = 0;
};

}  // namespace cairn
