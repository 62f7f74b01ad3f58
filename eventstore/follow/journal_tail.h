#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <span>

#include "eventstore/base/result.h"
#include "eventstore/log/block_copy.h"
#include "eventstore/log/journal.h"

namespace cairn {

// Reads on in a journal that another process writes, and reads each block once. Belongs to one thread.
//
// What the writer does, and what a reader may rely on for that:
//  1. A half is written from its start, block behind block, and one block after the other: a block is begun
//     when the one before it is synced. So the positions rise along a half until the place the writer has
//     come to. What stands behind that place is of an earlier round and has lower positions.
//  2. Each round of a half begins with a position of its own. So a look at the first page tells whether there
//     is a new round, and everything of the old one is in LMDB then.
//  3. A block that is being written is not sound, or not all there: its checksum says so, and it is found by
//     a later look. Pages are copied once and judged by the copy.
//  4. Bytes of a client may lie at the start of a page, where an old block was, and look like a sound block.
//     Nothing here proves that a block belongs to the log; only the chain of hashes does, and whoever takes
//     the block holds it against that. A wrong block found here can only hide a right one until LMDB has it.
class JournalTail {
 public:
  static Result<std::unique_ptr<JournalTail>> open(const std::filesystem::path& file);

  using Block = std::shared_ptr<const BlockCopy>;

  // Finds the blocks written since the last call; those that end at or before `known` are passed over, and
  // forgotten. Costs one fstat while nobody writes.
  Status look(GlobalPosition known);

  // The block found at this first position, or null.
  Block at(GlobalPosition first) const;
  void forget(GlobalPosition first) { found_.erase(first.value); }

  // Makes durable what was found.
  Status sync() const { return journal_->sync(); }

  int file_descriptor() const { return journal_->file_descriptor(); }

 private:
  struct Half {
    std::uint64_t start = 0;   // the position that its round begins with; 0 = not known
    std::uint64_t offset = 0;  // where the next block will be
    GlobalPosition last;       // of the block before that place
  };
  struct Found {
    Block block;
    unsigned half = 0;
  };
  struct Free {
    void operator()(std::byte* pages) const;
  };

  explicit JournalTail(std::unique_ptr<Journal> journal);
  Result<bool> may_have_grown();
  Status look_at(unsigned half, GlobalPosition known);
  Status begin_round(unsigned half);
  Result<std::span<const std::byte>> block_at(unsigned half, std::uint64_t offset);
  Status load(unsigned half, std::uint64_t offset, std::uint64_t bytes);

  std::unique_ptr<Journal> journal_;
  std::array<Half, 2> halves_;
  std::map<std::uint64_t, Found> found_;  // by first position

  // A copy of some pages of the half that is being looked at.
  std::unique_ptr<std::byte, Free> window_;
  std::uint64_t window_capacity_ = 0;
  std::uint64_t window_offset_ = 0;
  std::uint64_t window_bytes_ = 0;

  std::int64_t written_at_ = 0;  // the file's time at the last look, in nanoseconds
  bool at_rest_ = false;         // it was old enough then: a later write gives another one
  std::chrono::steady_clock::time_point read_at_{};
};

}  // namespace cairn
