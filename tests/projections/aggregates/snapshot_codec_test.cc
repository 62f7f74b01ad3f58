// The bytes of a snapshot, as described in docs/format.md.

#include "projections/aggregates/snapshot_codec.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <string>
#include <string_view>

namespace cairn::test {
namespace {

const std::string kAggregate = "89" + std::string(30, '0');
const std::string kChain = "f3" + std::string(30, '0');
const std::string kState("\x09{\"a\":[1]}\x01", 11);

// The worked example.
const std::string kGolden = std::string("\x01\x07\x81\x80\xf9\xc0\xc1\xc4\x82\x03", 10) + "\x20" +
                            kAggregate + "\x01\x05Order\x03\x20" + kChain + std::string(1, '\0') + kState;

Snapshot example() {
  Snapshot snapshot;
  snapshot.position = {7};
  snapshot.recorded_at = {1'700'000'000'000'001};
  snapshot.aggregate = kAggregate;
  snapshot.chains.emplace_back();
  snapshot.chains.back().type = "Order";
  snapshot.chains.back().schema = {3};
  snapshot.chains.back().fingerprint = kChain;
  snapshot.state = kState;
  return snapshot;
}

std::string digits_of(std::string_view bytes) {
  std::string text;
  for (const char byte : bytes) {
    char digits[3];
    std::snprintf(digits, sizeof digits, "%02x", static_cast<unsigned char>(byte));
    text += digits;
  }
  return text;
}

TEST(SnapshotCodecTest, BytesMatchTheDocument) {
  EXPECT_EQ(encode_snapshot(example()), kGolden);
  EXPECT_EQ(digits_of(kGolden),
            "01"
            "078180f9c0c1c48203"
            "203839303030303030303030303030303030303030303030303030303030303030"
            "01"
            "054f7264657203"
            "206633303030303030303030303030303030303030303030303030303030303030"
            "00"
            "097b2261223a5b315d7d"
            "01");
}

TEST(SnapshotCodecTest, DecodesWhatWasEncoded) {
  const auto read = decode_snapshot(kGolden);
  ASSERT_TRUE(read.has_value());
  EXPECT_EQ(read->position, GlobalPosition{7});
  EXPECT_EQ(read->aggregate, kAggregate);
  ASSERT_EQ(read->chains.size(), 1u);
  EXPECT_EQ(read->chains[0].type, "Order");
  EXPECT_EQ(read->chains[0].fingerprint, kChain);
  EXPECT_EQ(read->state, kState);
}

TEST(SnapshotCodecTest, RefusesOtherFormatsAndTruncatedBytes) {
  EXPECT_FALSE(decode_snapshot("\x02" + kGolden.substr(1)).has_value());
  for (std::size_t size = 0; size < kGolden.size() - kState.size(); ++size) {
    EXPECT_FALSE(decode_snapshot(std::string_view(kGolden).substr(0, size)).has_value()) << size;
  }
}

}  // namespace
}  // namespace cairn::test
