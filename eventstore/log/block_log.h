#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>

#include "eventstore/base/result.h"
#include "eventstore/format/block_header.h"
#include "eventstore/types.h"

namespace cairn {

// One block as the storage engine keeps it. The bytes are valid until the cursor moves.
struct RawBlock {
  GlobalPosition first_position;  // as in its header, if that is not damaged
  std::span<const std::byte> bytes;
  std::uint64_t number = 0;  // of a block without events; else 0
};

// Iterates over the blocks of the log. Sees every block that was appended before the call. Keep it short: an
// engine may have to keep old pages while a cursor is open. Not thread-safe.
class BlockCursor {
 public:
  virtual ~BlockCursor() = default;

  // The last block whose first position is not above `position`; nullopt when there is none. The block may
  // end before `position`: its header tells.
  virtual Result<std::optional<RawBlock>> seek(GlobalPosition position) = 0;
  virtual Result<std::optional<RawBlock>> last() = 0;

  // The block after the one last returned. REQUIRES: the previous call returned a block.
  virtual Result<std::optional<RawBlock>> next() = 0;

  // The first block behind `place`, at which a block ends or the log begins.
  virtual Result<std::optional<RawBlock>> after(const LogPlace& place) = 0;
};

// The blocks of a log, for reading. Thread-safe.
class BlockSource {
 public:
  virtual ~BlockSource() = default;

  virtual Result<std::unique_ptr<BlockCursor>> cursor() = 0;
};

// The interface of a storage engine: every block of the log is written and read through it; the index and the
// read models are built from the blocks.
class BlockLog : public BlockSource {
 public:
  // Adds one block and returns when it is durable. `end` and `epoch` are the caller's belief about the log:
  // the block is refused (kFailedPrecondition) unless the log ends at `end` and no block has a later epoch,
  // so a writer that was replaced while it slept cannot write. kDiskFull: nothing was written.
  // kOutcomeUnknown: the block may or may not be there; no further append may be tried.
  // REQUIRES: one caller at a time.
  virtual Status append(const LogPlace& end, std::uint64_t epoch, std::span<const std::byte> block) = 0;

  virtual std::uint64_t used_bytes() const = 0;
  virtual unsigned open_readers() const = 0;

  // Frees the reader slots of processes that died. Call it from time to time, from one thread at a time.
  virtual void clear_dead_readers() = 0;
};

}  // namespace cairn
