#include "api/status/growth.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/store_fixture.h"

namespace cairn::test {
namespace {

using api::growth_of;
using ::testing::Eq;

constexpr double kDay = 24 * 3600;

TEST(GrowthTest, EventsOfTheDayHaveTheAverageSize) {
  // 1,000 events take 100,000 bytes, and 300 of them came in a day: 30,000 bytes a day.
  const auto growth = growth_of({.events = 300, .seconds = kDay}, 1'000, 100'000, 300'000);
  EXPECT_THAT(growth.bytes_per_day, Eq(30'000u));
  EXPECT_DOUBLE_EQ(*growth.days_until_full, 10);
}

TEST(GrowthTest, AShorterTimeIsScaledToADay) {
  EXPECT_THAT(growth_of({.events = 100, .seconds = kDay / 2}, 100, 1'000, 1).bytes_per_day, Eq(2'000u));
}

TEST(GrowthTest, ALogOfLessThanAnHourSaysNothing) {
  const auto growth = growth_of({.events = 100, .seconds = 3'599}, 100, 1'000, 1);
  EXPECT_THAT(growth.bytes_per_day, Eq(std::nullopt));
  EXPECT_THAT(growth.days_until_full, Eq(std::nullopt));
  EXPECT_THAT(growth_of({}, 0, 0, 1).bytes_per_day, Eq(std::nullopt));
}

TEST(GrowthTest, WithoutEventsTheDiskDoesNotFill) {
  const auto growth = growth_of({.events = 0, .seconds = kDay}, 100, 1'000, 1);
  EXPECT_THAT(growth.bytes_per_day, Eq(0u));
  EXPECT_THAT(growth.days_until_full, Eq(std::nullopt));
}

class RecentEventsTest : public StoreTest {
 protected:
  api::RecentEvents recent() {
    const auto recent = api::recent_events(store(), clock().now());
    EXPECT_THAT(recent, succeeds());
    return recent.ok() ? *recent : api::RecentEvents{};
  }
};

TEST_F(RecentEventsTest, AnEmptyLogHasNone) {
  EXPECT_EQ(recent().events, 0u);
  EXPECT_EQ(recent().seconds, 0);
}

TEST_F(RecentEventsTest, OfAYoungLogAllCount) {
  append("a-1", {event("A"), event("B")});
  clock().advance(2 * ManualClock::kHour);
  append("a-1", {event("C")});
  EXPECT_EQ(recent().events, 3u);
  EXPECT_EQ(recent().seconds, 2 * 3600);
}

TEST_F(RecentEventsTest, OfAnOlderLogThoseOfTheLastDayCount) {
  append("a-1", {event("A"), event("B")});
  clock().advance(30 * ManualClock::kHour);
  append("a-1", {event("C")});
  clock().advance(ManualClock::kHour);
  EXPECT_EQ(recent().events, 1u);
  EXPECT_EQ(recent().seconds, kDay);
  clock().advance_days(2);
  EXPECT_EQ(recent().events, 0u);
}

}  // namespace
}  // namespace cairn::test
