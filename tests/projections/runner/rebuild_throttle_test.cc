#include "projections/runner/rebuild_throttle.h"

#include <gtest/gtest.h>

namespace cairn::test {
namespace {

Timestamp after_ms(std::int64_t ms) { return {1'000'000 + ms * 1'000}; }

TEST(RebuildThrottleTest, AllowsTheRateAndNoMore) {
  RebuildThrottle throttle;
  throttle.start(after_ms(0));
  EXPECT_EQ(throttle.allowed(100, after_ms(0)), 0u);
  EXPECT_EQ(throttle.allowed(100, after_ms(500)), 50u);
  throttle.took(50, after_ms(500));
  EXPECT_EQ(throttle.allowed(100, after_ms(500)), 0u);
  EXPECT_EQ(throttle.allowed(100, after_ms(600)), 10u);
}

TEST(RebuildThrottleTest, AllowsOneSecondAtMost) {
  RebuildThrottle throttle;
  EXPECT_EQ(throttle.allowed(100, after_ms(0)), 100u) << "before start()";
  throttle.start(after_ms(0));
  EXPECT_EQ(throttle.allowed(100, after_ms(60'000)), 100u);
}

TEST(RebuildThrottleTest, UnusedAllowanceExpires) {
  RebuildThrottle throttle;
  throttle.start(after_ms(0));
  throttle.took(0, after_ms(5'000));
  EXPECT_EQ(throttle.allowed(100, after_ms(5'100)), 10u);
}

}  // namespace
}  // namespace cairn::test
