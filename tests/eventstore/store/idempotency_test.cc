// Appends are idempotent: a retry of a request gets the first answer, and the events are written once.

#include <condition_variable>
#include <mutex>
#include <string>
#include <vector>

#include "tests/support/idempotency_fixture.h"

namespace cairn::test {
namespace {

class RepeatTest : public IdempotencyTest {};
CAIRN_FOR_EVERY_SETTLED(RepeatTest);

TEST_P(RepeatTest, WithTheExactVersion) {
  append("cart-1", {"Before"});
  auto sent = one(exactly(1), {full_event(1), full_event(2)});
  auto first = expect_new(sent);
  halfway();
  settle();
  expect_repeat_of(first, sent);
  append("cart-1", {"After"});
  expect_repeat_of(first, sent);
  expect_repeat_of(first, sent);
}

TEST_P(RepeatTest, WithNoStream) {
  auto sent = one(exactly(0), {full_event(1)});
  auto first = expect_new(sent);
  halfway();
  append("cart-1", {"After", "After"});
  settle();
  expect_repeat_of(first, sent);
}

TEST_P(RepeatTest, WithAny) {
  append("cart-1", {"Before"});
  auto sent = one(any(), {full_event(1), full_event(2), full_event(3)});
  auto first = expect_new(sent);
  halfway();
  append("cart-1", {"After"});
  settle();
  expect_repeat_of(first, sent);
  expect_repeat_of(first, sent);
}

TEST_P(RepeatTest, WithExists) {
  append("cart-1", {"Before"});
  auto sent = one(exists(), {full_event(1)});
  auto first = expect_new(sent);
  halfway();
  append("cart-1", {"After"});
  settle();
  expect_repeat_of(first, sent);
}

TEST_P(RepeatTest, InAnotherModeThanTheFirst) {
  auto first = expect_new(one(any(), {full_event(1), full_event(2)}));
  halfway();
  append("cart-1", {"After"});
  settle();
  expect_repeat_of(first, one(exactly(0), {full_event(1), full_event(2)}));
  expect_repeat_of(first, one(exists(), {full_event(1), full_event(2)}));
  auto exact = expect_new(one(exactly(3), {full_event(3)}));
  expect_repeat_of(exact, one(any(), {full_event(3)}));
  expect_repeat_of(exact, one(exists(), {full_event(3)}));
}

TEST_P(RepeatTest, AfterManyOtherEvents) {
  auto sent_any = one(any(), {full_event(1)});
  auto sent_exact = one(exactly(0), {full_event(2)}, "cart-2");
  auto first_any = expect_new(sent_any);
  auto first_exact = expect_new(sent_exact);
  halfway();
  for (int i = 0; i < 50; ++i) append("cart-1", std::vector<NewEvent>(40, event("Noise")));
  for (int i = 0; i < 50; ++i) append("cart-2", std::vector<NewEvent>(40, event("Noise")));
  settle();
  expect_repeat_of(first_any, sent_any);
  expect_repeat_of(first_exact, sent_exact);
}

TEST_P(RepeatTest, OfSeveralStreams) {
  append("b-1", {"Before"});
  auto sent = request({to("a-1", exactly(0), {full_event(1), full_event(2)}),
                       to("b-1", any(), {full_event(3)}), to("c-1", any(), {full_event(4)})});
  auto first = expect_new(sent);
  halfway();
  append("a-1", {"After"});
  append("b-1", {"After"});
  settle();
  expect_repeat_of(first, sent);
}

TEST_P(RepeatTest, OfARequestWhoseCheckOnlyStreamHasChanged) {
  append("cart-1", {"A"});
  auto sent = request({to("order-1", exactly(0), {full_event(1)}), check("cart-1", exactly(1))});
  auto first = expect_new(sent);
  halfway();
  append("cart-1", {"B"});
  settle();
  auto again = submit(sent);
  ASSERT_THAT(again, succeeds());
  EXPECT_TRUE(again->already_applied);
  EXPECT_EQ(again->streams.at(0).first_position, first.streams.at(0).first_position);
  EXPECT_EQ(version_of("order-1"), 1u);
}

TEST_P(RepeatTest, EventsWithGeneratedIdsAreNeverARepeat) {
  auto sent = one(any(), {event("A")});
  expect_new(sent);
  settle();
  expect_new(sent);
  EXPECT_EQ(version_of("cart-1"), 2u);
  EXPECT_THAT(submit(one(exactly(0), {event("A")})), fails_with(Errc::kVersionConflict));
}

TEST_P(RepeatTest, AGeneratedIdIsRecognisedByAnExactVersion) {
  append("cart-1", {"A"});
  settle();
  Event stored = events_in("cart-1").at(0);
  auto result = submit(one(exactly(0), {event(stored.id, "A")}));
  ASSERT_THAT(result, succeeds());
  EXPECT_TRUE(result->already_applied);
}

TEST_P(RepeatTest, InTheSameGroup) {
  append("cart-1", {"Before"});
  settle();
  for (ExpectedVersion mode : {any(), exists(), exactly(1)}) {
    std::mutex mutex;
    std::condition_variable changed;
    std::vector<Result<AppendResult>> answers;
    const std::uint64_t n = mode == any() ? 1 : mode == exists() ? 2 : 3;
    const std::string stream = "cart-" + std::to_string(n);
    if (n != 1) append(stream, {"Before"});
    constexpr std::size_t kCopies = 16;
    for (std::size_t i = 0; i < kCopies; ++i) {
      store().append_async(one(mode, {full_event(10 * n), full_event(10 * n + 1)}, stream),
                           [&](Result<AppendResult> result) {
                             std::lock_guard lock(mutex);
                             answers.push_back(std::move(result));
                             changed.notify_all();
                           });
    }
    std::unique_lock lock(mutex);
    changed.wait(lock, [&] { return answers.size() == kCopies; });
    std::size_t fresh = 0;
    for (auto& answer : answers) {
      ASSERT_THAT(answer, succeeds());
      fresh += answer->already_applied ? 0 : 1;
      EXPECT_EQ(answer->streams.at(0).first_version, StreamVersion{2});
      EXPECT_EQ(answer->streams.at(0).last_version, StreamVersion{3});
      EXPECT_EQ(answer->streams.at(0).first_position, answers[0]->streams.at(0).first_position);
    }
    EXPECT_EQ(fresh, 1u);
    EXPECT_EQ(version_of(stream), 3u);
  }
}

TEST_P(RepeatTest, ARequestWhoseFirstAttemptWasRefusedIsNew) {
  append("cart-1", {"A", "B"});
  EXPECT_THAT(submit(one(exactly(1), {full_event(1)})), fails_with(Errc::kVersionConflict));
  EXPECT_THAT(submit(request({to("x-1", any(), {full_event(2)}), check("cart-1", exactly(9))})),
              fails_with(Errc::kVersionConflict));
  halfway();
  settle();
  expect_new(one(exactly(2), {full_event(1)}));
  expect_new(one(any(), {full_event(2)}, "x-1"));
}

TEST_P(RepeatTest, OfALargeBatch) {
  std::vector<NewEvent> events;
  for (std::uint64_t i = 0; i < 3'000; ++i) events.push_back(event(id(i), "Many", std::to_string(i)));
  auto first = expect_new(one(any(), events));
  halfway();
  append("cart-1", {"After"});
  settle();
  expect_repeat_of(first, one(any(), events));
  expect_repeat_of(first, one(exactly(0), events));
  EXPECT_EQ(version_of("cart-1"), 3'001u);
}

}  // namespace
}  // namespace cairn::test
