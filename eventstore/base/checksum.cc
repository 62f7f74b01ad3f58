#include "eventstore/base/checksum.h"

#include <openssl/evp.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "eventstore/base/assert.h"
#include "eventstore/base/checksum_avx2.h"

namespace cairn {

std::uint64_t checksum64(const void* data, std::size_t size, std::uint64_t seed) {
  // For short inputs, such as names, AVX2 is not faster.
  constexpr std::size_t kLargeBytes = 512;
  if (size >= kLargeBytes && has_avx2()) return checksum64_avx2(data, size, seed);
  return XXH3_64bits_withSeed(data, size, seed);
}

Sha256 sha256(std::span<const std::byte> bytes) {
  Sha256 hash;
  unsigned length = 0;
  const int done = EVP_Digest(bytes.data(), bytes.size(), hash.data(), &length, EVP_sha256(), nullptr);
  CAIRN_ASSERT(done == 1 && length == hash.size(), length);
  return hash;
}

std::string to_hex(std::span<const std::uint8_t> bytes) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text;
  text.reserve(bytes.size() * 2);
  for (const std::uint8_t byte : bytes) {
    text += kDigits[byte >> 4];
    text += kDigits[byte & 15];
  }
  return text;
}

}  // namespace cairn
