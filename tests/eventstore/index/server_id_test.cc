#include "eventstore/index/server_id.h"

#include <random>

#include <gtest/gtest.h>

namespace cairn {
namespace {

constexpr SipKey kKey{0x0706050403020100, 0x0F0E0D0C0B0A0908};

// The authors' test vector for 16 bytes.
TEST(SiphashTest, IsTheOneOfItsAuthors) {
  EXPECT_EQ(siphash(kKey, 0x0706050403020100, 0x0F0E0D0C0B0A0908), 0x3F2ACC7F57C29BDBull);
}

TEST(ServerIdTest, NamesItsTimeAndPosition) {
  constexpr std::int64_t kMs = 1'700'000'000'123;
  for (const std::uint64_t position :
       {1ull, 42ull, 0xFFFFFFFFull, 0x100000000ull, (1ull << server_id::kPositionBits) - 1}) {
    const Uuid id = server_id::make(kKey, Timestamp{kMs * 1000 + 999}, {position});
    EXPECT_EQ(id.high() >> 16, static_cast<std::uint64_t>(kMs));
    EXPECT_EQ(id.to_string()[14], '7');
    EXPECT_EQ(server_id::named_position(id), GlobalPosition{position});
    EXPECT_EQ(server_id::position_of(kKey, id), GlobalPosition{position});
    EXPECT_EQ(server_id::position_of({1, 2}, id), std::nullopt) << "another store's key";
  }
}

TEST(ServerIdTest, IdsSortByTimeAndThenByPosition) {
  const Timestamp time{1'700'000'000'123'456};
  EXPECT_LT(server_id::make(kKey, time, {7}), server_id::make(kKey, time, {8}));
  EXPECT_LT(server_id::make(kKey, time, {0xFFFFFFFF}), server_id::make(kKey, time, {0x100000000}));
  EXPECT_LT(server_id::make(kKey, time, {8}), server_id::make(kKey, {time.micros + 1'000}, {7}));
}

TEST(ServerIdTest, AChangedBitIsNoIdOfTheStore) {
  const Uuid id = server_id::make(kKey, Timestamp{1'700'000'000'123'456}, {123'456});
  for (unsigned bit = 0; bit < 128; ++bit) {
    Uuid changed = id;
    changed.bytes[bit / 8] = static_cast<std::uint8_t>(changed.bytes[bit / 8] ^ (1u << bit % 8));
    EXPECT_EQ(server_id::position_of(kKey, changed), std::nullopt) << bit;
  }
}

TEST(ServerIdTest, RandomIdsAreNoIdsOfTheStore) {
  std::mt19937_64 random(42);
  for (int i = 0; i < 10'000; ++i) {
    const Uuid id = make_uuid_v7(1'700'000'000'123, random(), random());
    EXPECT_EQ(server_id::position_of(kKey, id), std::nullopt) << id.to_string();
  }
}

}  // namespace
}  // namespace cairn
