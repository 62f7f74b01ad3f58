#include "api/net/log_throttle.h"

#include <gtest/gtest.h>

namespace cairn::api {
namespace {

TEST(LogThrottleTest, LinesBeyondTheRateAreCounted) {
  LogThrottle throttle;
  auto now = LogThrottle::Clock::now();
  for (unsigned i = 0; i < LogThrottle::kLinesPerSecond; ++i) EXPECT_EQ(throttle.take(now), 0u);
  EXPECT_EQ(throttle.take(now), std::nullopt);
  EXPECT_EQ(throttle.take(now), std::nullopt);
  now += std::chrono::seconds(1);
  EXPECT_EQ(throttle.take(now), 2u);
  EXPECT_EQ(throttle.take(now), 0u);
}

}  // namespace
}  // namespace cairn::api
