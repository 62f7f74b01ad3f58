#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace cairn {

static_assert(std::endian::native == std::endian::little,
              "Avro's floating point numbers are copied as they are");

// Appends a number in Avro's zigzag varint encoding: small absolute values take few bytes.
inline void append_avro_long(std::string& to, std::int64_t value) {
  auto bits = (static_cast<std::uint64_t>(value) << 1) ^ static_cast<std::uint64_t>(value >> 63);
  char bytes[10];
  std::size_t size = 0;
  while (bits >= 0x80) {
    bytes[size++] = static_cast<char>(bits | 0x80);
    bits >>= 7;
  }
  bytes[size++] = static_cast<char>(bits);
  to.append(bytes, size);
}

// Appends a string or bytes: the length, then the bytes.
inline void append_avro_bytes(std::string& to, std::string_view bytes) {
  append_avro_long(to, static_cast<std::int64_t>(bytes.size()));
  to += bytes;
}

template <typename Float>
void append_avro_float(std::string& to, Float value) {
  char bytes[sizeof value];
  std::memcpy(bytes, &value, sizeof value);
  to.append(bytes, sizeof bytes);
}

// Decodes Avro values from the front of a buffer. Never reads outside it, whatever the bytes are: false means
// that the buffer does not begin with such a value.
class AvroBytes {
 public:
  explicit AvroBytes(std::string_view bytes) : at_(bytes.data()), end_(bytes.data() + bytes.size()) {}

  const char* at() const { return at_; }
  std::size_t left() const { return static_cast<std::size_t>(end_ - at_); }
  void go_to(const char* place) { at_ = place; }

  // Most lengths and many numbers have one byte.
  [[gnu::always_inline]] bool take_long(std::int64_t& value) {
    if (at_ != end_ && static_cast<signed char>(*at_) >= 0) [[likely]] {
      const auto bits = static_cast<unsigned char>(*at_++);
      value = (bits >> 1) ^ -static_cast<std::int64_t>(bits & 1);
      return true;
    }
    return take_long_long(value);
  }

  // Of any length.
  bool take_long_long(std::int64_t& value) {
    std::uint64_t bits = 0;
    for (unsigned shift = 0; shift < 64 && at_ != end_; shift += 7) {
      const auto byte = static_cast<unsigned char>(*at_++);
      if (shift == 63 && byte > 1) return false;  // more than 64 bits
      bits |= static_cast<std::uint64_t>(byte & 0x7f) << shift;
      if (byte < 0x80) {
        value = static_cast<std::int64_t>((bits >> 1) ^ (0 - (bits & 1)));
        return true;
      }
    }
    return false;
  }

  bool take_int(std::int64_t& value) { return take_long(value) && value == static_cast<std::int32_t>(value); }

  bool take_raw(std::size_t size, std::string_view& bytes) {
    if (size > left()) return false;
    bytes = {at_, size};
    at_ += size;
    return true;
  }

  // Inlined like take_long(): a decoder calls it for every string.
  [[gnu::always_inline]] bool take_bytes(std::string_view& bytes) {
    std::int64_t size = 0;
    return take_long(size) && size >= 0 && take_raw(static_cast<std::size_t>(size), bytes);
  }

  bool take_boolean(bool& value) {
    if (at_ == end_ || static_cast<unsigned char>(*at_) > 1) return false;
    value = *at_++ == 1;
    return true;
  }

  template <typename Float>
  bool take_float(Float& value) {
    if (left() < sizeof value) return false;
    std::memcpy(&value, at_, sizeof value);
    at_ += sizeof value;
    return true;
  }

 private:
  const char* at_;
  const char* end_;
};

}  // namespace cairn
