#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <span>
#include <utility>

#include "eventstore/base/result.h"
#include "eventstore/log/block_copy.h"
#include "eventstore/log/journal.h"

namespace cairn {

// Reads the blocks that another process appends to its journal, each block once. Not thread-safe.
//
// What the writer does, and what a reader may conclude:
//  1. A half is written from its start, block after block; a block is begun when the one before is synced.
//     So places in the log rise along a half up to the place of the writer. What follows that is of an
//     earlier round and has lower places.
//  2. Each round of a half begins with another block. So the first header tells whether there is a new
//     round, and then every block of the old one is in LMDB.
//  3. A block that is being written is torn: its checksum does not match, and a later poll finds it. Pages
//     are copied once, and the copy is checked.
//  4. Data of a client may be at the start of a page, where an old block was, and look like a valid block.
//     So a block found here need not belong to the log; only the hash chain proves that, and the caller
//     checks it. A forged block can only hide a valid one until LMDB has that.
class JournalTail {
 public:
  static Result<std::unique_ptr<JournalTail>> open(const std::filesystem::path& file);

  using Block = std::shared_ptr<const BlockCopy>;

  // Finds the blocks written since the last call; skips and drops those that end at or before `known`. Costs
  // one fstat while the journal does not change.
  Status poll(const LogPlace& known);

  // The block that follows `place`, if it was found, or null.
  Block after(const LogPlace& place) const;
  void forget(const Block& block) { found_.erase(key_of(block->header())); }

  // Makes the blocks that were found durable.
  Status sync() const { return journal_->sync(); }

  int file_descriptor() const { return journal_->file_descriptor(); }

 private:
  struct Half {
    std::uint64_t start = 0;   // a checksum of the header that begins its round; 0 = not known
    std::uint64_t offset = 0;  // where the next block will be
    LogPlace last;             // where the block before `offset` ends
  };
  struct Found {
    Block block;
    unsigned half = 0;
  };
  struct Free {
    void operator()(std::byte* pages) const;
  };

  explicit JournalTail(std::unique_ptr<Journal> journal);
  Result<bool> may_have_changed();
  Status read_half(unsigned half, const LogPlace& known);
  Status begin_round(unsigned half);
  Result<std::span<const std::byte>> block_at(unsigned half, std::uint64_t offset);
  Status load(unsigned half, std::uint64_t offset, std::uint64_t bytes);

  std::unique_ptr<Journal> journal_;
  std::array<Half, 2> halves_;

  // The first position; and the number of a block without events, which comes before the block of events.
  using Key = std::pair<std::uint64_t, std::uint64_t>;
  static Key key_of(const BlockHeader& header) { return {header.first_position.value, header.end().number}; }
  std::map<Key, Found> found_;

  // A copy of some pages of the half that is being read.
  std::unique_ptr<std::byte, Free> window_;
  std::uint64_t window_capacity_ = 0;
  std::uint64_t window_offset_ = 0;
  std::uint64_t window_bytes_ = 0;

  std::int64_t written_at_ = 0;  // the file's mtime at the last poll, in nanoseconds
  bool at_rest_ = false;         // it was old enough then: a later write changes it
  std::chrono::steady_clock::time_point read_at_{};
};

}  // namespace cairn
