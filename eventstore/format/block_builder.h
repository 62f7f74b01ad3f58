#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include "eventstore/base/checksum.h"
#include "eventstore/format/stored_event.h"

namespace cairn {

// What one block is made of. The views must live until build() returns.
struct BlockContents {
  GlobalPosition first_position;
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
};

// Writes blocks, keeping its buffer from one to the next. Belongs to one thread.
class BlockBuilder {
 public:
  BlockBuilder();
  ~BlockBuilder();
  BlockBuilder(const BlockBuilder&) = delete;
  BlockBuilder& operator=(const BlockBuilder&) = delete;

  // The finished block, header and checksum included. It lives until the next call.
  // REQUIRES: at least one event.
  std::span<const std::byte> build(const BlockContents& contents);

 private:
  struct Buffer;
  std::unique_ptr<Buffer> buffer_;
};

}  // namespace cairn
