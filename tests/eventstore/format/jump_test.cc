#include "eventstore/format/jump.h"

#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

namespace cairn {
namespace {

TEST(JumpTest, GoesBackByTheSmallestSkewBinaryWeight) {
  const std::vector<std::uint64_t> expected{0, 0, 1, 0, 3, 4, 3, 0, 7, 8, 7, 10, 11, 10, 7, 0, 15};
  for (std::uint64_t version = 1; version < expected.size(); ++version) {
    EXPECT_EQ(jump_version(version), expected[version]) << version;
  }
}

TEST(JumpTest, ThePathGivesTheJumpOfEveryNextEvent) {
  JumpPath path;
  const auto position_of = [](std::uint64_t version) { return version == 0 ? 0 : version * 10; };
  for (std::uint64_t version = 0; version < 5'000; ++version) {
    ASSERT_EQ(path.head(), position_of(version));
    ASSERT_EQ(path.next_jump(version), position_of(jump_version(version + 1))) << version;
    path.push(version, position_of(version + 1));
  }
}

TEST(JumpTest, ThePathContainsTheJumpsOfTheHead) {
  JumpPath path;
  for (std::uint64_t version = 0; version < 1'000; ++version) path.push(version, version + 1);
  std::uint64_t version = 1'000;
  for (const std::uint64_t position : path.positions()) {
    EXPECT_EQ(position, version);
    version = jump_version(version);
  }
  EXPECT_EQ(version, 0u);
}

TEST(JumpTest, EveryVersionIsReachedInLogarithmicSteps) {
  constexpr std::uint64_t kHead = 1'000'000;
  for (const std::uint64_t target :
       {std::uint64_t{1}, std::uint64_t{2}, std::uint64_t{499'999}, kHead - 1, kHead}) {
    int steps = 0;
    for (std::uint64_t at = kHead; at != target; ++steps)
      at = jump_version(at) >= target ? jump_version(at) : at - 1;
    EXPECT_LE(steps, 45) << target;
  }
}

}  // namespace
}  // namespace cairn
