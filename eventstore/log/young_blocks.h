#pragma once

#include <atomic>
#include <cstddef>
#include <deque>
#include <memory>
#include <mutex>
#include <vector>

#include "eventstore/log/block_copy.h"

namespace cairn {

// The blocks that are durable in the journal but not in LMDB yet, in order. Any thread.
class YoungBlocks {
 public:
  using Block = std::shared_ptr<const BlockCopy>;

  // REQUIRES: follows the last one, if there is one.
  void add(Block block);

  // The last block that does not begin above `position`, or null.
  Block find(GlobalPosition position) const;
  Block last() const;
  std::vector<Block> all() const;

  // The blocks up to the one that ends at `position` are in LMDB now.
  void drop_through(GlobalPosition position);

  std::size_t bytes() const { return bytes_.load(); }

 private:
  mutable std::mutex mutex_;
  std::deque<Block> blocks_;
  std::atomic<std::uint64_t> first_ =
      ~std::uint64_t{0};  // position; a look at it spares most readers the lock
  std::atomic<std::size_t> bytes_ = 0;
};

}  // namespace cairn
