#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include "eventstore/base/checksum.h"
#include "eventstore/format/block_header.h"
#include "eventstore/format/stored_event.h"

namespace cairn {

// The content of one block. The views must stay valid until build() returns.
struct BlockContents {
  LogFormat format = kNewestLogFormat;
  GlobalPosition first_position;  // of the next event, if there is none
  std::uint64_t epoch = 0;
  Timestamp recorded_at;
  Sha256 previous_hash{};
  std::span<const std::string_view> streams;
  std::span<const std::string_view> types;

  struct Event {
    std::uint32_t stream = 0;  // index into `streams`
    std::uint32_t type = 0;    // index into `types`
    StoredEvent stored;
  };
  std::span<const Event> events;

  // In format 2 only.
  std::span<const Note> notes = {};
  std::uint64_t number = 0;  // see BlockHeader
  LogPlace durable = {};
};

// Builds blocks, and reuses its buffer from one to the next. Not thread-safe.
class BlockBuilder {
 public:
  BlockBuilder();
  ~BlockBuilder();
  BlockBuilder(const BlockBuilder&) = delete;
  BlockBuilder& operator=(const BlockBuilder&) = delete;

  // Returns the block with its header and checksum, valid until the next call.
  // REQUIRES: at least one event or note; positions are consecutive from first_position on.
  std::span<const std::byte> build(const BlockContents& contents);

 private:
  struct Buffer;
  std::unique_ptr<Buffer> buffer_;
};

}  // namespace cairn
