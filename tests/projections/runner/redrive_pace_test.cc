#include "projections/runner/redrive_pace.h"

#include <gtest/gtest.h>

namespace cairn {
namespace {

using std::chrono::milliseconds;

Timestamp at(std::int64_t ms) { return {ms * 1'000}; }

TEST(RedrivePaceTest, GrowsWhileStepsAreShortAndFull) {
  RedrivePace pace;
  pace.applied(10, milliseconds(1));
  EXPECT_EQ(pace.events_max(), RedrivePace::kEventsFirst) << "it was not full";
  for (int i = 0; i < 20; ++i) pace.applied(pace.events_max(), milliseconds(1));
  EXPECT_EQ(pace.events_max(), RedrivePace::kEventsMax);
}

TEST(RedrivePaceTest, ShrinksToOneEventOfASlowScript) {
  RedrivePace pace;
  for (int i = 0; i < 20; ++i) pace.applied(pace.events_max(), milliseconds(500));
  EXPECT_EQ(pace.events_max(), 1u);
  pace.interrupted();
  EXPECT_EQ(pace.events_max(), 1u) << "never none";
}

TEST(RedriveRateTest, WithoutALimitAKeyIsAlwaysDue) {
  RedriveRate rate(std::nullopt, at(0));
  rate.took_key(at(0));
  EXPECT_FALSE(rate.wait(at(0)));
}

TEST(RedriveRateTest, SpreadsKeysAndCatchesUpATenthOfASecond) {
  RedriveRate rate(20, at(1'000));
  EXPECT_FALSE(rate.wait(at(1'000)));
  rate.took_key(at(1'000));
  EXPECT_EQ(rate.wait(at(1'000)), milliseconds(50));
  EXPECT_EQ(rate.wait(at(1'049)), milliseconds(1));
  EXPECT_FALSE(rate.wait(at(1'050)));
  // After a minute without a step two keys are due besides the next one, not 1,200.
  int due = 0;
  for (; !rate.wait(at(61'000)); ++due) rate.took_key(at(61'000));
  EXPECT_EQ(due, 3);
}

}  // namespace
}  // namespace cairn
