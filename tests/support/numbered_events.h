#pragma once

#include <cstdint>
#include <string>

#include "tests/support/events.h"

// Events that follow from a number alone, so that whoever finds one in a store knows what it must look like.
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
  made.metadata = R"({"n":)" + std::to_string(n) + "}";
  if (n % 3 == 0) made.tags = {"n:" + std::to_string(n)};
  return made;
}

// The number an id was made of.
inline std::uint64_t number_of(const Uuid& id) { return id.low() & 0x7FFF'FFFF'FFFF'FFFFull; }

// Whether a stored event is what its id says it must be.
inline bool is_as_numbered(const Event& stored) {
  const NewEvent made = numbered_event(number_of(stored.id), stored.data.size());
  return stored.id == *made.id && stored.type == made.type && stored.data == made.data &&
         stored.metadata == made.metadata && stored.tags == made.tags;
}

}  // namespace cairn::test
