#include "eventstore/base/checksum.h"

#include <string>

#include <gtest/gtest.h>

#include "eventstore/base/checksum_avx2.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace cairn {
namespace {

TEST(ChecksumTest, IsXxh3ForEverySizeWithAndWithoutAvx2) {
  std::string bytes;
  for (int i = 0; i < 5'000; ++i) bytes += static_cast<char>(i * 37);
  for (std::size_t size = 0; size <= bytes.size(); size += size < 1'100 ? 1 : 97) {
    ASSERT_EQ(checksum64(bytes.data(), size, 42), XXH3_64bits_withSeed(bytes.data(), size, 42)) << size;
    if (has_avx2()) {
      ASSERT_EQ(checksum64_avx2(bytes.data(), size, 7), XXH3_64bits_withSeed(bytes.data(), size, 7)) << size;
    }
  }
}

TEST(ChecksumTest, Sha256MatchesTheStandardTestVector) {
  EXPECT_EQ(to_hex(sha256("abc")), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

}  // namespace
}  // namespace cairn
