#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "eventstore/base/checksum.h"
#include "eventstore/base/result.h"
#include "eventstore/types.h"

namespace cairn {

// The fixed header before a block's Cap'n Proto message. Little-endian:
//
//   0  u32  magic "CRNB"          24  u64  epoch of the writer
//   4  u32  format version, 1     32  i64  recorded at, microseconds since 1970
//   8  u64  first position        40  32 B SHA-256 of the previous block (first block: see chain_anchor())
//  16  u32  number of events      72  u64  XXH3-64 of the message, seeded with the XXH3-64 of bytes 0–71
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

  // Reads the header and checks everything but the checksum: magic, version, and that the sizes match
  // `block`.
  // Fails with kCorruption.
  static Result<BlockHeader> read(std::span<const std::byte> block);
};

// Computes the checksum of a block. REQUIRES: `block` has a whole header.
std::uint64_t block_checksum(std::span<const std::byte> block);

// The previous hash of a store's first block, made from the store's id: it ties the log to its store.
Sha256 chain_anchor(const Uuid& store_id);

}  // namespace cairn
