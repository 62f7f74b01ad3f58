#pragma once

#include <cstdint>
#include <string>

#include "tests/support/events.h"

// Events whose content is derived from a number, so that a reader can check any event it finds.
namespace cairn::test {

inline std::string numbered_data(std::uint64_t n, std::size_t bytes) {
  std::string data;
  data.reserve(bytes);
  std::uint64_t state = n * 0x9E3779B97F4A7C15ull + 1;
  while (data.size() < bytes) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    for (int shift = 0; shift < 64 && data.size() < bytes; shift += 8)
      data += static_cast<char>(state >> shift);
  }
  return data;
}

inline NewEvent numbered_event(std::uint64_t n, std::size_t bytes) {
  NewEvent made = event(id(n), "T" + std::to_string(n % 5), numbered_data(n, bytes));
  made.metadata =
      R"({"n":)" + std::to_string(n) + R"(,"correlationId":"c-)" + std::to_string(n / 4) + R"("})";
  if (n % 3 == 0) made.tags = {"n:" + std::to_string(n), "third"};
  return made;
}

// The number from which an id was made.
inline std::uint64_t number_of(const Uuid& id) { return id.low() & 0x7FFF'FFFF'FFFF'FFFFull; }

// Whether a stored event has the content that belongs to its id.
inline bool is_as_numbered(const Event& stored) {
  const NewEvent made = numbered_event(number_of(stored.id), stored.data.size());
  return stored.id == *made.id && stored.type == made.type && stored.data == made.data &&
         stored.metadata == made.metadata && stored.tags == made.tags;
}

}  // namespace cairn::test
