#include "eventstore/index/stream_head.h"

#include <cstdint>
#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "eventstore/base/checksum.h"
#include "eventstore/base/sealed.h"
#include "tests/support/matchers.h"

namespace cairn::record {
namespace {

using test::fails_with;

StreamHead head_of(std::uint64_t version) {
  StreamHead head;
  for (std::uint64_t i = 1; i <= version; ++i) {
    head.advance({i * 3}, {1'700'000'000'000'000 + static_cast<std::int64_t>(i)});
  }
  return head;
}

std::string hex_of(const std::string& bytes) {
  return to_hex({reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()});
}

TEST(RecordTest, VarintsRoundTrip) {
  for (const std::uint64_t number : {std::uint64_t{0}, std::uint64_t{127}, std::uint64_t{128},
                                     std::uint64_t{300}, std::numeric_limits<std::uint64_t>::max()}) {
    std::string out;
    put_varint(out, number);
    std::string_view in = out;
    EXPECT_EQ(take_varint(in), number);
    EXPECT_TRUE(in.empty());
  }
}

TEST(RecordTest, AnUnterminatedVarintIsRefused) {
  std::string_view cut = "\xFF\xFF";
  EXPECT_EQ(take_varint(cut), std::nullopt);
  const std::string endless(20, '\xFF');
  std::string_view in = endless;
  EXPECT_EQ(take_varint(in), std::nullopt);
}

TEST(RecordTest, HeadsRoundTrip) {
  for (const std::uint64_t version : {1u, 2u, 3u, 100u, 4'711u}) {
    EXPECT_EQ(decode_head(encode_head(head_of(version))), head_of(version)) << version;
  }
}

// A stream head as in indexes of format 1.
TEST(RecordTest, AHeadMatchesTheGoldenBytes) {
  EXPECT_EQ(hex_of(seal("order-2", encode_head(head_of(5)))), "05038180f9c0c1c4820304030f030309f01e4d");
}

TEST(RecordTest, AFlippedBitOrAnotherKeyFailsTheChecksum) {
  std::string sealed = seal("order-2", encode_head(head_of(5)));
  EXPECT_THAT(unseal("order-3", sealed), fails_with(Errc::kCorruption));
  for (std::size_t bit = 0; bit < sealed.size() * 8; ++bit) {
    sealed[bit / 8] = static_cast<char>(sealed[bit / 8] ^ (1 << (bit % 8)));
    EXPECT_THAT(unseal("order-2", sealed), fails_with(Errc::kCorruption)) << bit;
    sealed[bit / 8] = static_cast<char>(sealed[bit / 8] ^ (1 << (bit % 8)));
  }
  EXPECT_THAT(unseal("order-2", std::string_view(sealed).substr(0, 3)), fails_with(Errc::kCorruption));
}

}  // namespace
}  // namespace cairn::record
