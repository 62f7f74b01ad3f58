// Requests that say what they were checked against: the revision of schemas and upcasters, and how far the
// events of some types were verified.

#include <future>
#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/store_fixture.h"

namespace cairn::test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

AppendRequest system_request(std::string_view stream, const char* type) {
  AppendRequest made = request({to(std::string(stream), ExpectedVersion::any(), {event(type)})});
  made.origin = Origin::kSystem;
  return made;
}

AppendRequest checked(std::uint64_t revision, std::vector<StreamAppend> streams) {
  AppendRequest made = request(std::move(streams));
  made.checks.revision = SchemaRevision{revision};
  return made;
}

AppendRequest unless_behind(std::uint64_t position, std::vector<std::string> types) {
  AppendRequest made = system_request(kDefinitionStream, "Defined");
  made.checks.condition = no_events_behind(std::move(types), {position});
  return made;
}

class StaleRequestTest : public SettledStoreTest {
 protected:
  // Plans these requests in one block, and returns their answers.
  std::vector<Result<AppendResult>> in_one_block(std::vector<AppendRequest> requests) {
    close();
    std::promise<void> committing;
    std::promise<void> go_on;
    auto may_go_on = go_on.get_future().share();
    bool first = true;  // the writer thread's
    std::vector<std::size_t> blocks;
    options().on_commit = [&, may_go_on](const CommitReport& report) {
      blocks.push_back(report.events);
      if (std::exchange(first, false)) {
        committing.set_value();
        may_go_on.wait();
      }
    };
    open();
    std::promise<void> begun;
    store().append_async(request({to("gate-1", ExpectedVersion::any(), {event("Gate")})}),
                         [&](const Result<AppendResult>&) { begun.set_value(); });
    committing.get_future().wait();
    std::vector<std::promise<Result<AppendResult>>> answers(requests.size());
    for (std::size_t i = 0; i < requests.size(); ++i) {
      store().append_async(std::move(requests[i]), [&answers, i](Result<AppendResult> result) {
        answers[i].set_value(std::move(result));
      });
    }
    go_on.set_value();
    begun.get_future().wait();
    std::vector<Result<AppendResult>> told;
    for (auto& answer : answers) told.push_back(answer.get_future().get());
    EXPECT_LE(blocks.size(), 2u);
    close();
    options().on_commit = nullptr;
    return told;
  }
};

TEST_P(StaleRequestTest, AnEventCheckedAtAnotherRevisionIsRefusedAndLeavesNoTrace) {
  ASSERT_THAT(submit(checked(0, {to("cart-1", ExpectedVersion::any(), {event("A")})})), succeeds());
  ASSERT_THAT(submit(system_request(kSchemaStream, "SchemaRegistered")), succeeds());
  halfway();
  ASSERT_THAT(submit(system_request(kDefinitionStream, "UpcasterInstalled")), succeeds());
  ASSERT_THAT(submit(system_request("$audit", "Audited")), succeeds());  // decides about no event
  settle();
  for (const std::uint64_t other : {0u, 1u, 3u}) {
    const auto refused = submit(checked(other, {to("cart-1", ExpectedVersion::any(), {event("Stale")})}));
    ASSERT_THAT(refused, fails_with(Errc::kStale));
    EXPECT_THAT(refused.error().message, HasSubstr("at revision 2"));
  }
  ASSERT_THAT(submit(checked(2, {to("cart-1", ExpectedVersion::exactly(1), {event("B")})})), succeeds());
  ASSERT_THAT(submit(request({to("cart-1", ExpectedVersion::any(), {event("Unchecked")})})), succeeds());
  EXPECT_THAT(types_in("cart-1"), ElementsAre("A", "B", "Unchecked"));
}

TEST_P(StaleRequestTest, ADefinitionCountsForTheRequestsBehindItInTheSameBlock) {
  const auto answers = in_one_block({checked(0, {to("cart-1", ExpectedVersion::any(), {event("Before")})}),
                                     system_request(kDefinitionStream, "UpcasterInstalled"),
                                     checked(0, {to("cart-1", ExpectedVersion::any(), {event("Behind")})})});
  EXPECT_THAT(answers[0], succeeds());
  EXPECT_THAT(answers[1], succeeds());
  EXPECT_THAT(answers[2], fails_with(Errc::kStale));
  EXPECT_THAT(types_in("cart-1"), ElementsAre("Before"));
}

TEST_P(StaleRequestTest, ARefusedDefinitionDoesNotCount) {
  AppendRequest conflicting = system_request(kDefinitionStream, "UpcasterInstalled");
  conflicting.streams[0].expected = ExpectedVersion::exactly(7);
  const auto answers =
      in_one_block({conflicting, checked(0, {to("cart-1", ExpectedVersion::any(), {event("A")})})});
  EXPECT_THAT(answers[0], fails_with(Errc::kVersionConflict));
  EXPECT_THAT(answers[1], succeeds());
}

TEST_P(StaleRequestTest, ARepeatIsRecognisedAtAnyRevision) {
  const auto first = submit(checked(0, {to("cart-1", ExpectedVersion::any(), {event(id(1), "A")}),
                                        to("cart-2", ExpectedVersion::no_stream(), {event(id(2), "B")})}));
  ASSERT_THAT(first, succeeds());
  ASSERT_THAT(submit(system_request(kSchemaStream, "SchemaRegistered")), succeeds());
  settle();
  const auto again = submit(checked(0, {to("cart-1", ExpectedVersion::any(), {event(id(1), "A")}),
                                        to("cart-2", ExpectedVersion::no_stream(), {event(id(2), "B")})}));
  ASSERT_THAT(again, succeeds());
  EXPECT_TRUE(again->already_applied);
  EXPECT_EQ(again->streams.at(1).first_position, first->streams.at(1).first_position);
}

TEST_P(StaleRequestTest, AConditionNamesTypesAndAPosition) {
  append("cart-1", {"A", "B", "A", "C"});
  halfway();
  append("cart-1", {"C"});
  settle();
  const auto refused = submit(unless_behind(2, {"A", "Z"}));
  ASSERT_THAT(refused, fails_with(Errc::kStale));
  EXPECT_THAT(submit(unless_behind(4, {"B", "C"})), fails_with(Errc::kStale));
  EXPECT_EQ(head(), 5u);
  if (GetParam() == Settled::kReopened || GetParam() == Settled::kFlushedAndReopened) {
    // Closing flushes too. Nothing is in memory but that there is nothing behind the head.
    EXPECT_THAT(refused.error().message,
                HasSubstr("verified up to position 2, and only events from position 6 on are in memory"));
    EXPECT_THAT(submit(unless_behind(3, {"A", "Z"})), fails_with(Errc::kStale));
  } else {
    EXPECT_THAT(refused.error().message, HasSubstr("the event at position 3 stands behind position 2"));
    EXPECT_THAT(submit(unless_behind(3, {"A", "Z"})), succeeds());
  }
  EXPECT_THAT(submit(unless_behind(5, {"A", "B", "C"})), succeeds());
}

TEST_P(StaleRequestTest, AConditionSeesTheEventsBeforeItInTheSameBlock) {
  const std::vector<NewEvent> one = {event("A")};
  const auto answers =
      in_one_block({request({to("cart-1", ExpectedVersion::any(), one)}), unless_behind(1, {"A"}),
                    unless_behind(1, {"B"}), request({to("cart-1", ExpectedVersion::any(), {event("B")})})});
  EXPECT_THAT(answers[0], succeeds());
  EXPECT_THAT(answers[1], fails_with(Errc::kStale));
  EXPECT_THAT(answers[2], succeeds());
  EXPECT_THAT(answers[3], succeeds());
}

TEST_P(StaleRequestTest, ASharedRequestIsTheCallersAgainOnceItIsAnswered) {
  ASSERT_THAT(submit(system_request(kSchemaStream, "SchemaRegistered")), succeeds());
  const auto kept =
      std::make_shared<AppendRequest>(checked(0, {to("cart-1", ExpectedVersion::any(), {event("A")})}));
  const auto answer = [&] {
    std::promise<Result<AppendResult>> answered;
    store().append_async(std::shared_ptr<const AppendRequest>(kept),
                         [&](Result<AppendResult> result) { answered.set_value(std::move(result)); });
    return answered.get_future().get();
  };
  EXPECT_THAT(answer(), fails_with(Errc::kStale));
  kept->checks.revision = SchemaRevision{1};
  EXPECT_THAT(answer(), succeeds());
  EXPECT_THAT(types_in("cart-1"), ElementsAre("A"));
}

CAIRN_FOR_EVERY_SETTLED(StaleRequestTest);

}  // namespace
}  // namespace cairn::test
