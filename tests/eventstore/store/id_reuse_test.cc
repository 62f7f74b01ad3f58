// An id belongs to one event: another event with the same id is refused.

#include <string>
#include <vector>

#include "tests/support/idempotency_fixture.h"

namespace cairn::test {
namespace {

class IdReuseTest : public IdempotencyTest {
 protected:
  // "cart-1" has an unrelated event at version 1 and full_event(1) at version 2.
  void given() {
    append("cart-1", {"Before"});
    expect_new(one(any(), {full_event(1)}));
    halfway();
    append("cart-1", {"After"});
    settle();
  }
};
CAIRN_FOR_EVERY_SETTLED(IdReuseTest);

TEST_P(IdReuseTest, WithOtherData) {
  given();
  NewEvent other = full_event(1);
  other.data = R"({"item":"pear"})";
  for (auto mode : {any(), exists(), exactly(1)}) expect_reused(one(mode, {other}), id(1), "cart-1", 2);
}

TEST_P(IdReuseTest, WithAnotherType) {
  given();
  NewEvent other = full_event(1);
  other.type = "ItemRemoved";
  for (auto mode : {any(), exists(), exactly(1)}) expect_reused(one(mode, {other}), id(1), "cart-1", 2);
}

TEST_P(IdReuseTest, WithOtherMetadata) {
  given();
  NewEvent other = full_event(1);
  other.metadata = R"({"correlationId":"d"})";
  for (auto mode : {any(), exists(), exactly(1)}) expect_reused(one(mode, {other}), id(1), "cart-1", 2);
  other.metadata = "";
  expect_reused(one(any(), {other}), id(1), "cart-1", 2);
}

TEST_P(IdReuseTest, WithOtherTags) {
  given();
  NewEvent other = full_event(1);
  other.tags = {"customer:7"};
  for (auto mode : {any(), exists(), exactly(1)}) expect_reused(one(mode, {other}), id(1), "cart-1", 2);
}

TEST_P(IdReuseTest, WithBytesMovedBetweenFields) {
  given();
  NewEvent other = full_event(1);
  other.data = full_event(1).data + full_event(1).metadata;
  other.metadata = "";
  expect_reused(one(any(), {other}), id(1), "cart-1", 2);
  other = full_event(1);
  other.tags = {"customer:7region:eu"};
  expect_reused(one(any(), {other}), id(1), "cart-1", 2);
}

TEST_P(IdReuseTest, InAnotherStream) {
  given();
  append("cart-2", {"X"});
  for (auto mode : {any(), exists(), exactly(1)})
    expect_reused(one(mode, {full_event(1)}, "cart-2"), id(1), "cart-1", 2);
  expect_reused(one(any(), {full_event(1)}, "cart-3"), id(1), "cart-1", 2);
  EXPECT_EQ(version_of("cart-2"), 1u);
  EXPECT_EQ(version_of("cart-3"), 0u);
}

TEST_P(IdReuseTest, OfAnIdAppendedWithAnExactVersion) {
  auto first = expect_new(one(exactly(0), {full_event(5)}));
  halfway();
  settle();
  expect_reused(one(any(), {full_event(5)}, "cart-2"), id(5), "cart-1", 1);
  expect_repeat_of(first, one(any(), {full_event(5)}));
}

TEST_P(IdReuseTest, AtTheCurrentVersionIsNoNewEvent) {
  given();
  expect_reused(one(exactly(3), {full_event(1)}), id(1), "cart-1", 2);
}

TEST_P(IdReuseTest, InABatchWithNewEvents) {
  given();
  expect_nothing_added(one(any(), {full_event(1), full_event(9)}));
  expect_nothing_added(one(any(), {full_event(9), full_event(1)}));
  expect_nothing_added(one(exactly(1), {full_event(1), full_event(9)}));
  expect_nothing_added(one(exactly(3), {full_event(9), full_event(1)}));
  expect_new(one(any(), {full_event(9)}));
}

TEST_P(IdReuseTest, ABatchThatOverlapsAnEarlierOne) {
  expect_new(one(exactly(0), {full_event(1), full_event(2), full_event(3)}));
  halfway();
  settle();
  expect_nothing_added(one(exactly(0), {full_event(1), full_event(2), full_event(3), full_event(4)}));
  expect_nothing_added(one(exactly(2), {full_event(3), full_event(4)}));
  expect_nothing_added(one(any(), {full_event(2), full_event(3), full_event(4)}));
  expect_nothing_added(one(any(), {full_event(3), full_event(2), full_event(1)}));
  expect_nothing_added(one(any(), {full_event(1), full_event(3)}));
  EXPECT_EQ(version_of("cart-1"), 3u);
}

TEST_P(IdReuseTest, APartOfAnEarlierBatchIsNeverWrittenAgain) {
  expect_new(one(exactly(0), {full_event(1), full_event(2), full_event(3)}));
  halfway();
  settle();
  for (auto& part : {one(any(), {full_event(1)}), one(any(), {full_event(2), full_event(3)}),
                     one(exactly(1), {full_event(2)})}) {
    auto result = submit(part);
    if (result.ok()) {
      EXPECT_TRUE(result->already_applied);
    } else {
      EXPECT_THAT(result, fails_with_either(Errc::kEventIdReused, Errc::kVersionConflict));
    }
  }
  EXPECT_EQ(version_of("cart-1"), 3u);
}

TEST_P(IdReuseTest, SeveralStreamsOfWhichOneIsARepeat) {
  given();
  append("cart-2", {"X"});
  expect_nothing_added(request({to("cart-1", any(), {full_event(1)}), to("cart-2", any(), {full_event(7)})}));
  expect_nothing_added(request({to("cart-2", any(), {full_event(7)}), to("cart-1", any(), {full_event(1)})}));
  expect_nothing_added(
      request({to("cart-2", exactly(1), {full_event(7)}), to("cart-1", exactly(1), {full_event(1)})}));
  EXPECT_EQ(version_of("cart-2"), 1u);
}

TEST_P(IdReuseTest, RepeatsOfTwoRequestsSentAsOneAddNothing) {
  expect_new(one(any(), {full_event(1)}, "a-1"));
  expect_new(one(any(), {full_event(2)}, "b-1"));
  halfway();
  settle();
  const std::uint64_t before = head();
  (void)submit(request({to("a-1", any(), {full_event(1)}), to("b-1", any(), {full_event(2)})}));
  EXPECT_EQ(head(), before);
  EXPECT_EQ(version_of("a-1"), 1u);
  EXPECT_EQ(version_of("b-1"), 1u);
}

TEST_P(IdReuseTest, ARepeatWithAStaleVersionIsNoConflict) {
  given();
  auto stale = submit(one(exactly(1), {full_event(1)}));
  ASSERT_THAT(stale, succeeds());
  EXPECT_TRUE(stale->already_applied);
  auto wrong = submit(one(exactly(0), {full_event(1)}));
  EXPECT_THAT(wrong, fails_with_either(Errc::kVersionConflict, Errc::kEventIdReused))
      << "it is at version 2, not at 1";
}

}  // namespace
}  // namespace cairn::test
