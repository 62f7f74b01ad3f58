// How long a retry is recognised: for ever with exact versions, within the window otherwise.

#include <string>
#include <vector>

#include "tests/support/idempotency_fixture.h"

namespace cairn::test {
namespace {

class DedupWindowTest : public IdempotencyTest {
 protected:
  DedupWindowTest() { options().dedup_window_days = 7; }

  // Advances the clock by days, with an append and a flush on each.
  void pass_days(int days) {
    for (int day = 0; day < days; ++day) {
      clock().advance_days(1);
      append("daily-1", {"Noise"});
      if (day % 3 == 2) halfway();
    }
    settle();
  }
};
CAIRN_FOR_EVERY_SETTLED(DedupWindowTest);

TEST_P(DedupWindowTest, ExactVersionsAreRecognisedForEver) {
  auto sent = one(exactly(0), {full_event(1), full_event(2)});
  auto first = expect_new(sent);
  halfway();
  pass_days(20);
  expect_repeat_of(first, sent);
  clock().advance_days(4'000);
  settle();
  expect_repeat_of(first, sent);
}

TEST_P(DedupWindowTest, OtherBodiesAreRefusedForEverWhereAnExactVersionPoints) {
  expect_new(one(exactly(0), {full_event(1)}));
  pass_days(20);
  NewEvent other = full_event(1);
  other.data = "{}";
  expect_reused(one(exactly(0), {other}), id(1), "cart-1", 1);
}

TEST_P(DedupWindowTest, AnyIsRecognisedOnTheLastDayOfTheWindow) {
  auto sent = one(any(), {full_event(1)});
  auto first = expect_new(sent);
  pass_days(6);
  expect_repeat_of(first, sent);
  auto exists_sent = one(exists(), {full_event(1)});
  expect_repeat_of(first, exists_sent);
}

// Both uses may be in one tail, and the index has both: verify() compares it with the log.
TEST_P(DedupWindowTest, AnIdThatIsUsedAgainLaterIsInTheIndexTwice) {
  auto sent = one(any(), {full_event(1)});
  expect_new(sent);
  for (int day = 0; day < 9; ++day) {
    clock().advance_days(1);
    append("daily-1", {"Noise"});
  }
  expect_new(sent);
  settle();
  expect_sound();
}

TEST_P(DedupWindowTest, AnyIsNewWhenTheWindowHasPassed) {
  auto sent = one(any(), {full_event(1)});
  expect_new(sent);
  pass_days(9);
  auto second = expect_new(sent);
  EXPECT_EQ(second.streams.at(0).first_version, StreamVersion{2});
  expect_repeat_of(second, sent);
  EXPECT_EQ(version_of("cart-1"), 2u);
}

// A pause cannot be told from a clock that is wrong for a moment, so the ids stay until there were appends on
// enough days.
TEST_P(DedupWindowTest, APauseDropsNoIds) {
  auto sent = one(any(), {full_event(1)});
  auto first = expect_new(sent);
  halfway();
  clock().advance_days(30);
  settle();
  expect_repeat_of(first, sent);
  pass_days(9);
  expect_new(sent);
}

// One append at a time far ahead once dropped every id.
TEST_P(DedupWindowTest, AClockThatWasFarAheadDropsNoIds) {
  pass_days(9);
  auto oldest = one(any(), {full_event(1)});
  auto first = expect_new(oldest);
  pass_days(7);
  auto newest = one(any(), {full_event(2)});
  auto second = expect_new(newest);
  settle();
  clock().advance_days(20'000);
  append("daily-1", {"Noise"});
  settle();
  expect_repeat_of(first, oldest);
  clock().advance_days(-20'000);
  append("daily-1", {"Noise"});
  halfway();
  settle();
  expect_repeat_of(first, oldest);
  expect_repeat_of(second, newest);
}

TEST_P(DedupWindowTest, AnotherStreamMayTakeTheIdWhenTheWindowHasPassed) {
  expect_new(one(any(), {full_event(1)}));
  pass_days(9);
  expect_new(one(any(), {full_event(1)}, "cart-2"));
}

TEST_P(DedupWindowTest, NewerIdsStayWhenOlderOnesAreDropped) {
  expect_new(one(any(), {full_event(1)}));
  pass_days(5);
  auto young = expect_new(one(any(), {full_event(2)}));
  pass_days(4);
  expect_repeat_of(young, one(any(), {full_event(2)}));
  expect_new(one(any(), {full_event(1)}));
}

TEST_P(DedupWindowTest, AnUnlimitedWindowKeepsIdsForEver) {
  options().dedup_window_days = std::nullopt;
  auto sent = one(any(), {full_event(1)});
  auto first = expect_new(sent);
  pass_days(12);
  clock().advance_days(4'000);
  settle();
  expect_repeat_of(first, sent);
}

TEST_P(DedupWindowTest, DroppedDaysLeaveASoundStore) {
  for (int day = 0; day < 15; ++day) {
    expect_new(one(any(), {full_event(100 + day)}));
    pass_days(1);
  }
  EXPECT_EQ(version_of("cart-1"), 15u);
  expect_sound();
}

}  // namespace
}  // namespace cairn::test
