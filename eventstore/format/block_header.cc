#include "eventstore/format/block_header.h"

#include <cstring>
#include <string>

#include <fmt/format.h>

#include "eventstore/base/assert.h"
#include "eventstore/base/endian.h"

namespace cairn {
namespace {

Error bad_header(const std::string& what) { return make_error(Errc::kCorruption, "block header: " + what); }

}  // namespace

void BlockHeader::write_to(std::byte* to) const {
  store_le<std::uint32_t>(to, kMagic);
  store_le<std::uint32_t>(to + 4, kFormatVersion);
  store_le<std::uint64_t>(to + 8, first_position.value);
  store_le<std::uint32_t>(to + 16, event_count);
  store_le<std::uint32_t>(to + 20, message_words);
  store_le<std::uint64_t>(to + 24, epoch);
  store_le<std::int64_t>(to + 32, recorded_at.micros);
  std::memcpy(to + 40, previous_hash.data(), previous_hash.size());
  store_le<std::uint64_t>(to + kChecksumOffset, checksum);
}

Result<BlockHeader> BlockHeader::read(std::span<const std::byte> block) {
  if (block.size() < kBytes) return bad_header(fmt::format("only {} bytes", block.size()));
  const std::byte* from = block.data();
  if (load_le<std::uint32_t>(from) != kMagic) return bad_header("magic number is wrong");
  if (const auto version = load_le<std::uint32_t>(from + 4); version != kFormatVersion) {
    return bad_header(fmt::format("format version {}, this program reads {}", version, kFormatVersion));
  }
  BlockHeader header;
  header.first_position = {load_le<std::uint64_t>(from + 8)};
  header.event_count = load_le<std::uint32_t>(from + 16);
  header.message_words = load_le<std::uint32_t>(from + 20);
  header.epoch = load_le<std::uint64_t>(from + 24);
  header.recorded_at = {load_le<std::int64_t>(from + 32)};
  std::memcpy(header.previous_hash.data(), from + 40, header.previous_hash.size());
  header.checksum = load_le<std::uint64_t>(from + kChecksumOffset);
  if (header.event_count == 0 || header.first_position.value == 0) return bad_header("no events");
  const std::size_t expected = kBytes + std::size_t{header.message_words} * 8;
  if (block.size() != expected) {
    return bad_header(fmt::format("says {} bytes, has {}", expected, block.size()));
  }
  return header;
}

std::uint64_t block_checksum(std::span<const std::byte> block) {
  constexpr std::size_t kAfter = BlockHeader::kChecksumOffset + sizeof(std::uint64_t);
  CAIRN_ASSERT(block.size() >= kAfter, block.size());
  const std::uint64_t head = checksum64(block.data(), BlockHeader::kChecksumOffset);
  return checksum64(block.data() + kAfter, block.size() - kAfter, head);
}

Sha256 chain_anchor(const Uuid& store_id) { return sha256("cairn store " + store_id.to_string()); }

}  // namespace cairn
