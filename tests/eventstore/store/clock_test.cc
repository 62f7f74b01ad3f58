// The wall clock gives events their time. Order does not depend on it.

#include <string>
#include <vector>

#include "tests/support/store_fixture.h"

namespace cairn::test {
namespace {

class ClockTest : public SettledStoreTest {};
CAIRN_FOR_EVERY_SETTLED(ClockTest);

TEST_P(ClockTest, AClockThatGoesBackChangesNoOrder) {
  std::vector<std::string> types;
  for (int i = 0; i < 30; ++i) {
    types.push_back("T" + std::to_string(i));
    append(i % 2 == 0 ? "cart-1" : "cart-2", {event(id(i + 1), types.back())});
    if (i == 10) clock().advance(-ManualClock::kHour);
    if (i == 15) halfway();
    if (i == 20) clock().advance_days(-400);
    if (i == 25) clock().advance_days(800);
  }
  settle();
  EXPECT_EQ(types_of(log()), types);
  std::vector<std::string> reversed(types.rbegin(), types.rend());
  EXPECT_EQ(types_of(log({}, Direction::kBackward, 7)), reversed);
  EXPECT_EQ(types_of(log({{"cart"}, {}}, Direction::kForward, 4)), types);
  EXPECT_EQ(version_of("cart-1"), 15u);
  auto events = events_in("cart-2");
  for (std::size_t i = 0; i < events.size(); ++i) EXPECT_EQ(events[i].version, i + 1);
  expect_sound();
}

TEST_P(ClockTest, RecordedAtIsTheTimeOfTheAppend) {
  append("cart-1", {"A"});
  const auto first = clock().now().micros;
  halfway();
  clock().advance(ManualClock::kHour);
  append("cart-1", {"B"});
  settle();
  auto events = events_in("cart-1");
  ASSERT_EQ(events.size(), 2u);
  EXPECT_EQ(events[0].recorded_at, first);
  EXPECT_EQ(events[1].recorded_at, first + ManualClock::kHour);
}

TEST_P(ClockTest, ARepeatIsRecognisedThoughTheClockWentBack) {
  append("cart-1", {event(id(1), "A")});
  settle();
  clock().advance_days(-30);
  auto repeated = append_expecting("cart-1", ExpectedVersion::any(), {event(id(1), "A")});
  ASSERT_THAT(repeated, succeeds());
  EXPECT_TRUE(repeated->already_applied);
  EXPECT_EQ(version_of("cart-1"), 1u);
}

TEST_P(ClockTest, AStoreOpenedWithAnEarlierClockAppendsAsBefore) {
  append("cart-1", {"A"});
  settle();
  close();
  clock().advance_days(-3'000);
  append("cart-1", {"B"});
  EXPECT_EQ(types_in("cart-1"), (std::vector<std::string>{"A", "B"}));
  EXPECT_EQ(head(), 2u);
}

}  // namespace
}  // namespace cairn::test
