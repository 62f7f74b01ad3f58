#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "eventstore/base/checksum.h"
#include "eventstore/base/result.h"
#include "eventstore/types.h"

namespace cairn {

// The place between two blocks: behind the event at `position`, and behind `number` blocks of notes that
// follow it. Blocks without events have no positions of their own, so places and not positions order the
// blocks of a log.
struct LogPlace {
  GlobalPosition position;
  std::uint64_t number = 0;
  friend auto operator<=>(const LogPlace&, const LogPlace&) = default;
};

// The fixed header before a block's Cap'n Proto message. Little-endian:
//
//   0  u32  magic "CRNB"          24  u64  epoch of the writer
//   4  u32  format, 1 or 2        32  i64  recorded at, microseconds since 1970
//   8  u64  first position        40  32 B SHA-256 of the previous block (first block: see chain_anchor())
//  16  u32  number of events      72  u64  XXH3-64 of the bytes from 80 on, seeded with that of bytes 0–71
//  20  u32  words of the message  80       format 1: the message, in Cap'n Proto's flat-array framing
//
//  Format 2:                      80  u64  number of the block without events; of a block with events: of the
//                                          blocks without events between it and the event before
//                                 88  u64  position, and
//                                 96  u64  number of the place up to which the log was known to be durable
//                                104       the message
struct BlockHeader {
  LogFormat format = LogFormat::k2;
  GlobalPosition first_position;  // of a block without events: the position of the next event
  std::uint32_t event_count = 0;  // 0: the block has notes only
  std::uint32_t message_words = 0;
  std::uint64_t epoch = 0;
  Timestamp recorded_at;
  Sha256 previous_hash{};
  std::uint64_t checksum = 0;
  std::uint64_t number = 0;
  LogPlace durable;

  static constexpr std::size_t kBytesMin = 80;
  static constexpr std::size_t kChecksumOffset = 72;
  static constexpr std::uint32_t kMagic = 0x424E5243;  // "CRNB"

  // The bytes of a header of this format.
  static constexpr std::size_t bytes_of(LogFormat format) { return format == LogFormat::k1 ? 80 : 104; }
  std::size_t bytes() const { return bytes_of(format); }

  bool has_events() const { return event_count > 0; }

  // Of a block without events: the last position before it.
  GlobalPosition last_position() const { return {first_position.value + event_count - 1}; }

  LogPlace end() const { return {last_position(), has_events() ? 0 : number}; }

  // Whether the block may follow one that ends at `place`.
  bool follows(const LogPlace& place) const {
    return first_position.value == place.position.value + 1 &&
           number == place.number + (has_events() ? 0 : 1);
  }

  void write_to(std::byte* to) const;

  // The size of the block that begins with these bytes, as its header says; 0 if there is no header of a
  // known format. REQUIRES: at least 24 bytes.
  static std::uint64_t claimed_bytes(std::span<const std::byte> bytes);

  // Reads the header and checks everything but the checksum: magic, format, and that the sizes match
  // `block`.
  // Fails with kCorruption.
  static Result<BlockHeader> read(std::span<const std::byte> block);
};

// Computes the checksum of a block. REQUIRES: `block` has a whole header.
std::uint64_t block_checksum(std::span<const std::byte> block);

// The previous hash of a store's first block, made from the store's id: it ties the log to its store.
Sha256 chain_anchor(const Uuid& store_id);

}  // namespace cairn
