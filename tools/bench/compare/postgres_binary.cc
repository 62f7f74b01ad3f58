#include "tools/bench/compare/postgres_binary.h"

#include "eventstore/base/assert.h"

namespace cairn::bench {
namespace {

// "PGCOPY\n\377\r\n\0", then flags and the length of an extension, both 0.
constexpr std::string_view kCopyHead("PGCOPY\n\377\r\n\0\0\0\0\0\0\0\0\0", 19);

template <typename Number>
void add_number(std::string& bytes, Number value) {
  for (int shift = static_cast<int>(sizeof value) * 8 - 8; shift >= 0; shift -= 8) {
    bytes += static_cast<char>((value >> shift) & 0xFF);
  }
}

template <typename Number>
Number take_number(std::string_view& bytes) {
  CAIRN_ASSERT(bytes.size() >= sizeof(Number), bytes.size());
  Number value = 0;
  for (std::size_t i = 0; i < sizeof value; ++i) {
    value = static_cast<Number>(value << 8 | static_cast<unsigned char>(bytes[i]));
  }
  bytes.remove_prefix(sizeof value);
  return value;
}

}  // namespace

void PostgresBinary::add_int16(std::uint16_t value) { add_number(bytes_, value); }
void PostgresBinary::add_int32(std::uint32_t value) { add_number(bytes_, value); }
void PostgresBinary::add_int64(std::uint64_t value) { add_number(bytes_, value); }

void PostgresBinary::add_field(std::string_view value) {
  add_int32(static_cast<std::uint32_t>(value.size()));
  bytes_ += value;
}

void PostgresBinary::add_int64_field(std::uint64_t value) {
  add_int32(sizeof value);
  add_int64(value);
}

void PostgresBinary::start_array(std::uint32_t element_oid, std::uint32_t count) {
  add_int32(1);  // dimensions
  add_int32(0);  // no nulls
  add_int32(element_oid);
  add_int32(count);
  add_int32(1);  // index of the first element
}

void PostgresBinary::start_copy() { bytes_ += kCopyHead; }

PostgresRow::PostgresRow(std::string_view row, bool first) : rest_(row) {
  if (first) rest_.remove_prefix(kCopyHead.size());
  fields_ = take_number<std::uint16_t>(rest_);
}

std::string_view PostgresRow::text() {
  const std::uint32_t size = int32();
  CAIRN_ASSERT(size <= rest_.size(), size, rest_.size());
  const std::string_view value = rest_.substr(0, size);
  rest_.remove_prefix(size);
  return value;
}

std::uint64_t PostgresRow::int64() {
  int32();  // its length, 8
  return take_number<std::uint64_t>(rest_);
}

std::uint32_t PostgresRow::int32() { return take_number<std::uint32_t>(rest_); }

}  // namespace cairn::bench
