#include "eventstore/append/disk_full_episode.h"

#include <gtest/gtest.h>

#include "tests/support/manual_clock.h"

namespace cairn::test {
namespace {

class DiskFullEpisodeTest : public ::testing::Test {
 protected:
  ManualClock clock_;
  DiskFullEpisode episode_;
};

TEST_F(DiskFullEpisodeTest, OneLineAtTheBeginningAndOneAtTheEndWithTimeAndNumber) {
  EXPECT_FALSE(episode_.written(clock_.now()).has_value()) << "the disk was not full";
  EXPECT_TRUE(episode_.refused(2, clock_.now()));
  for (int i = 0; i < 100; ++i) {
    clock_.advance(ManualClock::kSecond);
    EXPECT_FALSE(episode_.refused(1, clock_.now())) << i;
  }
  const auto end = episode_.written(clock_.now());
  ASSERT_TRUE(end.has_value());
  EXPECT_EQ(end->lasted.count(), 100'000);
  EXPECT_EQ(end->refused, 102u);
  EXPECT_FALSE(episode_.written(clock_.now()).has_value());
}

TEST_F(DiskFullEpisodeTest, ADiskThatIsNearlyFullCausesTwoLinesAMinute) {
  int lines = 0;
  std::uint64_t refused = 0;
  for (int i = 0; i < 600; ++i) {  // ten minutes: a large append fails, a small one is stored
    clock_.advance(ManualClock::kSecond);
    lines += episode_.refused(1, clock_.now()) ? 1 : 0;
    if (const auto end = episode_.written(clock_.now())) {
      ++lines;
      refused += end->refused;
    }
  }
  EXPECT_EQ(lines, 20);
  EXPECT_GE(refused, 541u) << "all but those since the last line are counted";
}

TEST_F(DiskFullEpisodeTest, AnEpisodeThatLastsIsLoggedWhenTheMinuteIsOver) {
  EXPECT_TRUE(episode_.refused(1, clock_.now()));
  EXPECT_TRUE(episode_.written(clock_.now()).has_value());
  EXPECT_FALSE(episode_.refused(1, clock_.now()));
  clock_.advance(60 * ManualClock::kSecond);
  EXPECT_TRUE(episode_.refused(1, clock_.now()));
}

}  // namespace
}  // namespace cairn::test
