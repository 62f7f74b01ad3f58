#include "projections/runner/retry_delay.h"

#include <gtest/gtest.h>

namespace cairn::test {
namespace {

using std::chrono::milliseconds;

TEST(RetryDelayTest, BacksOffExponentiallyWithFullJitter) {
  const milliseconds first(100), most(30'000);
  for (unsigned attempt = 0; attempt < 8; ++attempt) {
    EXPECT_EQ(retry_delay(first, most, attempt, 0), milliseconds(1)) << "jitter covers the whole delay";
    EXPECT_EQ(retry_delay(first, most, attempt, 0.5), milliseconds(1 + (50 << attempt)));
  }
}

TEST(RetryDelayTest, IsBoundedByTheMaximum) {
  for (const unsigned attempt : {9u, 20u, 64u, 4'000'000'000u}) {
    EXPECT_LE(retry_delay(milliseconds(100), milliseconds(30'000), attempt, 0.999'999), milliseconds(30'000));
    EXPECT_GE(retry_delay(milliseconds(100), milliseconds(30'000), attempt, 0.999'999), milliseconds(29'900));
  }
}

}  // namespace
}  // namespace cairn::test
