#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "eventstore/base/checksum.h"
#include "eventstore/base/result.h"
#include "eventstore/types.h"

namespace cairn {

// The fixed part in front of a block's Cap'n Proto message. Little-endian:
//
//   0  u32  magic "CRNB"          24  u64  epoch of the writer
//   4  u32  format version, 1     32  i64  recorded at, microseconds since 1970
//   8  u64  first position        40  32 B SHA-256 of the block before (of the store's id for the first)
//  16  u32  number of events      72  u64  XXH3-64 of what follows, seeded with that of bytes 0–71
//  20  u32  words of the message  80       the message, in Cap'n Proto's flat-array framing
struct BlockHeader {
  GlobalPosition first_position;
  std::uint32_t event_count = 0;
  std::uint32_t message_words = 0;
  std::uint64_t epoch = 0;
  Timestamp recorded_at;
  Sha256 previous_hash{};
  std::uint64_t checksum = 0;

  static constexpr std::size_t kBytes = 80;
  static constexpr std::size_t kChecksumOffset = 72;
  static constexpr std::uint32_t kMagic = 0x424E5243;  // "CRNB"
  static constexpr std::uint32_t kFormatVersion = 1;

  GlobalPosition last_position() const { return {first_position.value + event_count - 1}; }

  void write_to(std::byte* to) const;

  // Reads and checks everything but the checksum: magic, version, and that the sizes agree with `block`.
  static Result<BlockHeader> read(std::span<const std::byte> block);
};

// The checksum a block should carry.
std::uint64_t block_checksum(std::span<const std::byte> block);

// What the first block of a store names as the hash before it, so that a log belongs to one store.
Sha256 chain_anchor(const Uuid& store_id);

}  // namespace cairn
