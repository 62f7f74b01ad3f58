#pragma once

#include <bit>
#include <cstdint>
#include <initializer_list>

namespace cairn {

struct SipKey {
  std::uint64_t low = 0;
  std::uint64_t high = 0;
  friend bool operator==(const SipKey&, const SipKey&) = default;
};

// SipHash-2-4 (Aumasson and Bernstein) of the 16 bytes of two little-endian words: a pseudorandom function of
// the key, in some 15 ns. A client that sees many results cannot compute another one.
inline std::uint64_t siphash(const SipKey& key, std::uint64_t first, std::uint64_t second) {
  constexpr std::uint64_t kLength = std::uint64_t{16} << 56;
  std::uint64_t v0 = key.low ^ 0x736F6D6570736575ull;
  std::uint64_t v1 = key.high ^ 0x646F72616E646F6Dull;
  std::uint64_t v2 = key.low ^ 0x6C7967656E657261ull;
  std::uint64_t v3 = key.high ^ 0x7465646279746573ull;
  const auto round = [&] {
    v0 += v1;
    v2 += v3;
    v1 = std::rotl(v1, 13) ^ v0;
    v3 = std::rotl(v3, 16) ^ v2;
    v0 = std::rotl(v0, 32);
    v2 += v1;
    v0 += v3;
    v1 = std::rotl(v1, 17) ^ v2;
    v3 = std::rotl(v3, 21) ^ v0;
    v2 = std::rotl(v2, 32);
  };
  for (const std::uint64_t word : {first, second, kLength}) {
    v3 ^= word;
    round();
    round();
    v0 ^= word;
  }
  v2 ^= 0xFF;
  for (int i = 0; i < 4; ++i) round();
  return v0 ^ v1 ^ v2 ^ v3;
}

}  // namespace cairn
