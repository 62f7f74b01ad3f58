#include "projections/runner/batch_pace.h"

#include <gtest/gtest.h>

namespace cairn {
namespace {

using std::chrono::milliseconds;

constexpr std::uint64_t kMost = 16'384;

TEST(BatchPaceTest, AFastProjectionIsNotLimited) {
  BatchPace pace;
  pace.applied(kMost, milliseconds(999), kMost);
  EXPECT_FALSE(pace.positions_max());
}

TEST(BatchPaceTest, ABatchThatTookLongIsFollowedByOneOfASecond) {
  BatchPace pace;
  pace.applied(kMost, milliseconds(4'000), kMost);
  EXPECT_EQ(pace.positions_max(), kMost / 4);
  pace.applied(1, milliseconds(3'000), kMost);
  EXPECT_EQ(pace.positions_max(), 1u) << "never none";
}

TEST(BatchPaceTest, AnInterruptedBatchIsFollowedByAMuchShorterOne) {
  BatchPace pace;
  pace.interrupted(kMost);
  EXPECT_EQ(pace.positions_max(), kMost / 16);
  pace.interrupted(3);
  EXPECT_EQ(pace.positions_max(), 1u);
}

TEST(BatchPaceTest, BatchesGrowAgainUntilTheyAreNotLimited) {
  BatchPace pace;
  pace.interrupted(kMost);
  pace.applied(kMost / 16, milliseconds(700), kMost);
  EXPECT_EQ(pace.positions_max(), kMost / 16) << "between half a second and a second it stays";
  for (std::uint64_t positions = kMost / 16; positions < kMost / 2; positions *= 2) {
    pace.applied(positions, milliseconds(10), kMost);
    ASSERT_EQ(pace.positions_max(), positions * 2);
  }
  pace.applied(kMost / 2, milliseconds(10), kMost);
  EXPECT_FALSE(pace.positions_max());
}

}  // namespace
}  // namespace cairn
