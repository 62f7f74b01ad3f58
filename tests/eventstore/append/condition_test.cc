// Appends with a condition on the whole log, against a list of all events that the test keeps.

#include <algorithm>
#include <string>
#include <vector>

#include "eventstore/base/work_budget.h"
#include "tests/support/random.h"
#include "tests/support/scale.h"
#include "tests/support/store_fixture.h"

namespace cairn::test {
namespace {

using ::testing::HasSubstr;

NewEvent tagged(std::string type, std::vector<std::string> tags) {
  NewEvent made = event(std::move(type));
  made.tags = std::move(tags);
  return made;
}

AppendRequest conditional(const std::string& stream, NewEvent event, EventQuery items, std::uint64_t after) {
  AppendRequest made = request({to(stream, ExpectedVersion::any(), {std::move(event)})});
  made.checks.condition = AppendCondition{.items = std::move(items), .after = {after}};
  return made;
}

// Where the event that decides is: planned in the same block, in the tail, flushed, or read by another opening.
class ConditionTest : public SettledStoreTest {
 protected:
  Result<AppendResult> append_if(EventQuery items, std::uint64_t after, NewEvent event = tagged("New", {})) {
    return submit(conditional("new-1", std::move(event), std::move(items), after));
  }
};
CAIRN_FOR_EVERY_SETTLED(ConditionTest);

TEST_P(ConditionTest, AnEventBehindThePositionIsInTheWay) {
  append("seat-1", {tagged("Reserved", {"seat:1", "guest:a"})});
  halfway();
  append("seat-2", {tagged("Reserved", {"seat:2"})});
  settle();
  const auto answer = append_if({{.tags = {"seat:9"}}, {.types = {"Reserved"}, .tags = {"seat:1"}}}, 0);
  ASSERT_THAT(answer, fails_with(Errc::kConditionFailed));
  const Error& error = answer.error();
  EXPECT_EQ(error.check, AppendCheck::kCondition);
  EXPECT_EQ(error.item, 1u);
  EXPECT_EQ(error.position, 1u);
  EXPECT_EQ(error.stream, "seat-1");
  EXPECT_EQ(error.event_type, "Reserved");
  EXPECT_EQ(error.head, 2u);
  EXPECT_EQ(head(), 2u);
}

TEST_P(ConditionTest, EventsUpToThePositionAreNot) {
  append("seat-1", {tagged("Reserved", {"seat:1"})});
  halfway();
  append("seat-2", {tagged("Reserved", {"seat:2"})});
  settle();
  EXPECT_THAT(append_if({{.tags = {"seat:1"}}}, 1), succeeds());
  EXPECT_THAT(append_if({{.tags = {"seat:2"}}}, 1), fails_with(Errc::kConditionFailed));
  EXPECT_THAT(append_if({{.tags = {"seat:2"}}}, 2), succeeds());
}

TEST_P(ConditionTest, InsideAnItemTagsAreAndedAndTypesAndCategoriesOred) {
  append("seat-1", {tagged("Reserved", {"seat:1", "guest:a"})});
  halfway();
  append("room-2", {tagged("Freed", {"seat:1"})});
  settle();
  EXPECT_THAT(append_if({{.tags = {"guest:a", "guest:b"}}}, 0), succeeds());
  EXPECT_THAT(append_if({{.types = {"Freed"}, .tags = {"guest:a"}}}, 0), succeeds());
  EXPECT_THAT(append_if({{.categories = {"room"}, .types = {"Reserved"}}}, 0), succeeds());
  EXPECT_THAT(append_if({{.categories = {"room", "hall"}, .types = {"Freed", "Sold"}}}, 0),
              fails_with(Errc::kConditionFailed));
  EXPECT_THAT(append_if({{.tags = {"guest:a", "seat:1"}}}, 0), fails_with(Errc::kConditionFailed));
}

TEST_P(ConditionTest, AnItemWithoutTermsSelectsAllButSystemEvents) {
  append("seat-1", {"A"});
  halfway();
  AppendRequest system = request({to("$test", ExpectedVersion::any(), {event("S")})});
  system.origin = Origin::kSystem;
  ASSERT_THAT(submit(system), succeeds());
  settle();
  const EventFilter all{.system = false};
  EXPECT_THAT(append_if({all}, 0), fails_with(Errc::kConditionFailed));
  EXPECT_THAT(append_if({all}, 1), succeeds());
  EXPECT_THAT(append_if({{.types = {"S"}, .system = false}}, 0), succeeds());
  EXPECT_THAT(append_if({{.categories = {"$test"}}}, 0), fails_with(Errc::kConditionFailed));
}

TEST_P(ConditionTest, APositionBeyondTheHeadIsAccepted) {
  EXPECT_THAT(append_if({{.tags = {"seat:1"}}}, 1, tagged("Reserved", {"seat:1"})), succeeds());
  settle();
  EXPECT_THAT(append_if({{.tags = {"seat:1"}}}, 1'000, tagged("Reserved", {"seat:1"})), succeeds());
}

TEST_P(ConditionTest, ARepeatIsRecognisedBeforeTheCondition) {
  NewEvent reserved = tagged("Reserved", {"seat:1"});
  reserved.id = id(1);
  ASSERT_THAT(append_if({{.tags = {"seat:1"}}}, 0, reserved), succeeds());
  settle();
  const auto again = append_if({{.tags = {"seat:1"}}}, 0, reserved);
  ASSERT_THAT(again, succeeds());
  EXPECT_TRUE(again->already_applied);
  EXPECT_EQ(again->streams[0].first_position.value, 1u);
  // Without its id a repeat fails its own condition.
  reserved.id.reset();
  EXPECT_THAT(append_if({{.tags = {"seat:1"}}}, 0, reserved), fails_with(Errc::kConditionFailed));
}

TEST_P(ConditionTest, ExpectedVersionsAreCheckedFirst) {
  append("seat-1", {tagged("Reserved", {"seat:1"})});
  settle();
  AppendRequest made = conditional("seat-1", event("Freed"), {{.tags = {"seat:1"}}}, 0);
  made.streams[0].expected = ExpectedVersion::exactly(7);
  EXPECT_THAT(submit(made), fails_with(Errc::kVersionConflict));
  made.streams[0].expected = ExpectedVersion::exactly(1);
  EXPECT_THAT(submit(made), fails_with(Errc::kConditionFailed));
}

class ConditionStoreTest : public StoreTest {};

TEST_F(ConditionStoreTest, BoundsAreNamedAndNothingIsStored) {
  const auto with = [&](EventQuery items) {
    return submit(conditional("a-1", event("A"), std::move(items), 0));
  };
  EXPECT_THAT(with({}), fails_with(Errc::kInvalidArgument));
  EXPECT_THAT(with(EventQuery(65, EventFilter{.tags = {"a"}})), fails_with(Errc::kTooLarge));
  EXPECT_THAT(with({{.types = std::vector<std::string>(33, "T"), .tags = std::vector<std::string>(32, "t")}}),
              fails_with(Errc::kTooLarge));
  EXPECT_THAT(with({{.correlation = "c"}}), fails_with(Errc::kInvalidArgument));
  EXPECT_THAT(with(EventQuery(64, EventFilter{.tags = std::vector<std::string>(64, "t")})), succeeds());
  EXPECT_EQ(head(), 1u);
}

TEST_F(ConditionStoreTest, AnUnverifiedConditionIsNotQueued) {
  AppendRequest made = conditional("a-1", event("A"), {{.tags = {"a"}}}, 0);
  std::optional<Result<AppendResult>> answer;
  store().append_async(made, [&](Result<AppendResult> result) { answer.emplace(std::move(result)); });
  ASSERT_TRUE(answer.has_value());
  EXPECT_THAT(*answer, fails_with(Errc::kFailedPrecondition));
}

// The tail was flushed, twice, between the two steps.
TEST_F(ConditionStoreTest, AVerificationThatTheTailNoLongerReachesIsStale) {
  append("a-1", {"A"});
  AppendRequest made = conditional("a-2", event("B"), {{.tags = {"seat:1"}}}, 0);
  ASSERT_THAT(store().verify(*made.checks.condition), succeeds());
  EXPECT_EQ(made.checks.condition->verified_through, GlobalPosition{1});
  for (int i = 0; i < 3; ++i) {
    append("a-1", {tagged("Reserved", {"seat:" + std::to_string(i)})});
    flush();
  }
  const auto answer = submit(made);
  ASSERT_THAT(answer, fails_with(Errc::kStale));
  EXPECT_EQ(answer.error().check, AppendCheck::kCondition);
  ASSERT_THAT(store().verify(*made.checks.condition), succeeds());
  ASSERT_TRUE(made.checks.condition->in_the_way.has_value());
  EXPECT_EQ(made.checks.condition->in_the_way->position, 3u);
  EXPECT_THAT(submit(made), fails_with(Errc::kConditionFailed));
}

// Two tags that many events have, and none both: every position must be looked at.
TEST_F(ConditionStoreTest, AConditionThatTakesTooLongIsTooBroad) {
  options().tail_events_flush = 50'000;
  reopen();
  const std::size_t events = 600'000;
  for (std::size_t from = 0; from < events; from += 10'000) {
    AppendRequest made;
    made.streams.push_back(to("a-1", ExpectedVersion::any(), {}));
    for (std::size_t i = 0; i < 10'000; ++i)
      made.streams[0].events.push_back(tagged("A", {i % 2 == 0 ? "even" : "odd"}));
    ASSERT_THAT(submit(std::move(made)), succeeds());
  }
  flush();
  const auto answer = submit(conditional("b-1", event("B"), {{.tags = {"even", "odd"}}}, 0));
  ASSERT_THAT(answer, fails_with(Errc::kConditionTooBroad));
  EXPECT_THAT(answer.error().message, HasSubstr("1000000 steps"));
  EXPECT_THAT(submit(conditional("b-1", event("B"), {{.tags = {"even", "odd"}}}, events - 1'000)),
              succeeds());
  WorkBudget cancelled;
  cancelled.cancel();
  AppendCondition condition{.items = {{.tags = {"even", "odd"}}}, .after = {0}};
  EXPECT_THAT(store().verify(condition, &cancelled), fails_with(Errc::kCancelled));
}

// Batches of requests in one block, against a matcher that knows every event.
TEST_F(ConditionStoreTest, RandomConditionsAgreeWithAMatcher) {
  Random random("ConditionTest");
  options().tail_events_flush = 400;
  reopen();
  struct Known {
    std::string category, type;
    std::vector<std::string> tags;
  };
  std::vector<Known> known;
  const auto random_tags = [&](std::uint64_t most) {
    std::vector<std::string> tags;
    for (std::uint64_t left = random.below(most + 1); left > 0; --left) {
      const std::string tag = "t" + std::to_string(random.one_in(3) ? random.below(2'000) : random.below(8));
      if (std::find(tags.begin(), tags.end(), tag) == tags.end()) tags.push_back(tag);
    }
    return tags;
  };
  const auto matches = [](const EventFilter& item, const Known& event) {
    const auto any = [](const std::vector<std::string>& of, const std::string& name) {
      return of.empty() || std::find(of.begin(), of.end(), name) != of.end();
    };
    return any(item.types, event.type) && any(item.categories, event.category) &&
           std::all_of(item.tags.begin(), item.tags.end(), [&](const std::string& tag) {
             return std::find(event.tags.begin(), event.tags.end(), tag) != event.tags.end();
           });
  };
  std::size_t passed = 0, failed = 0;
  const std::size_t requests = test::rounds(4'000, 100'000);
  for (std::size_t i = 0; i < requests; ++i) {
    Known event{"c" + std::to_string(random.below(4)), "T" + std::to_string(random.below(6)), random_tags(3)};
    EventQuery items;
    for (std::uint64_t left = 1 + random.below(3); left > 0; --left) {
      EventFilter item{.tags = random_tags(2), .system = false};
      if (random.one_in(2)) item.types = {"T" + std::to_string(random.below(8)), "T1"};
      if (random.one_in(3)) item.categories = {"c" + std::to_string(random.below(5))};
      items.push_back(std::move(item));
    }
    const std::uint64_t after = random.one_in(4) ? 0 : random.below(known.size() + 10);
    std::optional<std::uint64_t> first;
    for (std::uint64_t position = after + 1; position <= known.size() && !first; ++position) {
      for (const EventFilter& item : items)
        if (matches(item, known[position - 1])) first = position;
    }
    const auto answer = submit(conditional(event.category + "-" + std::to_string(random.below(50)),
                                           tagged(event.type, event.tags), items, after));
    if (first) {
      ASSERT_THAT(answer, fails_with(Errc::kConditionFailed)) << i;
      ASSERT_EQ(answer.error().position, first) << i;
      ASSERT_TRUE(matches(items[*answer.error().item], known[*first - 1])) << i;
      ++failed;
    } else {
      ASSERT_THAT(answer, succeeds()) << i;
      known.push_back(std::move(event));
      ++passed;
    }
    if (random.one_in(requests / 8)) flush();
    if (random.one_in(requests / 4)) reopen();
  }
  EXPECT_GT(passed, requests / 20);
  EXPECT_GT(failed, requests / 20);
}

}  // namespace
}  // namespace cairn::test
