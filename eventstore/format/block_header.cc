#include "eventstore/format/block_header.h"

#include <cstring>
#include <string>

#include <fmt/format.h>

#include "eventstore/base/assert.h"
#include "eventstore/base/endian.h"

namespace cairn {
namespace {

Error bad_header(const std::string& what) { return make_error(Errc::kCorruption, "block header: " + what); }

constexpr std::size_t kFormatOffset = 4;
constexpr std::size_t kWordsOffset = 20;

std::uint32_t format_number(std::span<const std::byte> bytes) {
  return load_le<std::uint32_t>(bytes.data() + kFormatOffset);
}

bool is_known(std::uint32_t format) {
  return format == static_cast<std::uint32_t>(LogFormat::k1) ||
         format == static_cast<std::uint32_t>(kNewestLogFormat);
}

}  // namespace

void BlockHeader::write_to(std::byte* to) const {
  store_le<std::uint32_t>(to, kMagic);
  store_le<std::uint32_t>(to + kFormatOffset, static_cast<std::uint32_t>(format));
  store_le<std::uint64_t>(to + 8, first_position.value);
  store_le<std::uint32_t>(to + 16, event_count);
  store_le<std::uint32_t>(to + kWordsOffset, message_words);
  store_le<std::uint64_t>(to + 24, epoch);
  store_le<std::int64_t>(to + 32, recorded_at.micros);
  std::memcpy(to + 40, previous_hash.data(), previous_hash.size());
  store_le<std::uint64_t>(to + kChecksumOffset, checksum);
  if (format == LogFormat::k1) return;
  store_le<std::uint64_t>(to + 80, number);
  store_le<std::uint64_t>(to + 88, durable.position.value);
  store_le<std::uint64_t>(to + 96, durable.number);
}

std::uint64_t BlockHeader::claimed_bytes(std::span<const std::byte> bytes) {
  CAIRN_ASSERT(bytes.size() >= kWordsOffset + 4, bytes.size());
  if (load_le<std::uint32_t>(bytes.data()) != kMagic || !is_known(format_number(bytes))) return 0;
  return bytes_of(static_cast<LogFormat>(format_number(bytes))) +
         std::uint64_t{load_le<std::uint32_t>(bytes.data() + kWordsOffset)} * 8;
}

Result<BlockHeader> BlockHeader::read(std::span<const std::byte> block) {
  if (block.size() < kBytesMin) return bad_header(fmt::format("only {} bytes", block.size()));
  const std::byte* from = block.data();
  if (load_le<std::uint32_t>(from) != kMagic) return bad_header("magic number is wrong");
  if (!is_known(format_number(block))) {
    return bad_header(fmt::format("format {}, this program reads formats 1 to {}", format_number(block),
                                  static_cast<std::uint32_t>(kNewestLogFormat)));
  }
  BlockHeader header;
  header.format = static_cast<LogFormat>(format_number(block));
  header.first_position = {load_le<std::uint64_t>(from + 8)};
  header.event_count = load_le<std::uint32_t>(from + 16);
  header.message_words = load_le<std::uint32_t>(from + kWordsOffset);
  header.epoch = load_le<std::uint64_t>(from + 24);
  header.recorded_at = {load_le<std::int64_t>(from + 32)};
  std::memcpy(header.previous_hash.data(), from + 40, header.previous_hash.size());
  header.checksum = load_le<std::uint64_t>(from + kChecksumOffset);
  if (const std::uint64_t claimed = claimed_bytes(block); block.size() != claimed) {
    return bad_header(fmt::format("says {} bytes, has {}", claimed, block.size()));
  }
  if (header.format != LogFormat::k1) {
    header.number = load_le<std::uint64_t>(from + 80);
    header.durable = {{load_le<std::uint64_t>(from + 88)}, load_le<std::uint64_t>(from + 96)};
  }
  if (header.first_position.value == 0 || (!header.has_events() && header.number == 0)) {
    return bad_header(fmt::format("{} events at position {}, number {}", header.event_count,
                                  header.first_position.value, header.number));
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
