#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>

#include "eventstore/base/result.h"
#include "eventstore/types.h"

namespace cairn {

// One block as the engine keeps it. The bytes live as long as the cursor stays where it is.
struct RawBlock {
  GlobalPosition first_position;
  std::span<const std::byte> bytes;
};

// A way through the log. Short-lived: an engine may have to keep old pages while one is open. Sees every
// block that was appended before the call. Belongs to one thread.
class BlockCursor {
 public:
  virtual ~BlockCursor() = default;

  // The block that holds `position`: the last whose first position is not above it. nullopt when there is
  // none. Whether the block reaches that far is for its header to say.
  virtual Result<std::optional<RawBlock>> seek(GlobalPosition position) = 0;
  virtual Result<std::optional<RawBlock>> last() = 0;

  // The one after the block last returned. REQUIRES: the call before returned a block.
  virtual Result<std::optional<RawBlock>> next() = 0;
};

// The storage seam: everything the store keeps for ever passes through here, and everything else is made from
// it.
class BlockLog {
 public:
  virtual ~BlockLog() = default;

  // Adds one block and returns when it is durable. `first_position` and `epoch` are the caller's belief about
  // the log: the block is refused (kFailedPrecondition) unless the log ends just before `first_position` and
  // no block has a later epoch, so a writer that was replaced while it slept cannot write. kDiskFull: nothing
  // was written. kOutcomeUnknown: the block may or may not be there; no further append may be tried.
  // REQUIRES: one caller at a time.
  virtual Status append(GlobalPosition first_position, std::uint64_t epoch,
                        std::span<const std::byte> block) = 0;

  virtual Result<std::unique_ptr<BlockCursor>> cursor() = 0;

  virtual std::uint64_t used_bytes() const = 0;
  virtual unsigned open_readers() const = 0;

  // Now and then, from any one thread: frees what dead processes hold.
  virtual void tidy() = 0;
};

}  // namespace cairn
