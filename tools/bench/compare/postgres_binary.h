#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace cairn::bench {

// Encodes values in PostgreSQL's binary format, for parameters, arrays and COPY.
class PostgresBinary {
 public:
  void clear() { bytes_.clear(); }
  const std::string& bytes() const { return bytes_; }

  void add_int16(std::uint16_t value);
  void add_int32(std::uint32_t value);
  void add_int64(std::uint64_t value);
  void add_raw(std::string_view bytes) { bytes_ += bytes; }

  // A value with its length before it, as a field of a COPY row or an element of an array.
  void add_field(std::string_view value);
  void add_int64_field(std::uint64_t value);

  // The head of a one-dimensional array without nulls; `count` fields follow.
  void start_array(std::uint32_t element_oid, std::uint32_t count);

  // The head of a COPY stream, and its end.
  void start_copy();
  void end_copy() { add_int16(0xFFFF); }

 private:
  std::string bytes_;
};

// Decodes the fields of one COPY row. REQUIRES: the row is well formed, as the server sends it.
class PostgresRow {
 public:
  // `first` is whether this row has the head of the whole COPY before it.
  PostgresRow(std::string_view row, bool first);

  bool is_end() const { return fields_ == 0xFFFF; }
  std::string_view text();
  std::uint64_t int64();

 private:
  std::uint32_t int32();

  std::string_view rest_;
  std::uint16_t fields_ = 0;
};

inline constexpr std::uint32_t kByteaOid = 17;
inline constexpr std::uint32_t kInt8Oid = 20;
inline constexpr std::uint32_t kTextOid = 25;
inline constexpr std::uint32_t kUuidOid = 2950;

}  // namespace cairn::bench
