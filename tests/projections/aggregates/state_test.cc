// States at the head, at a version and at a time, folded from the first event on.

#include "tests/projections/aggregates/aggregates_fixture.h"

namespace cairn::test {
namespace {

using ::testing::HasSubstr;

class StateTest : public AggregatesTest {};

TEST_F(StateTest, AtTheHeadAndAtEachVersion) {
  has_aggregate(kSum);
  added("order-1", 4);
  EXPECT_EQ(told("order-1"), R"({"n":4,"sum":10} after 4, 4 folded behind 0)");
  EXPECT_EQ(told("order-1", at(1)), R"({"n":1,"sum":1} after 1, 1 folded behind 0)");
  EXPECT_EQ(told("order-1", at(3)), R"({"n":3,"sum":6} after 3, 3 folded behind 0)");
  added("order-1", 1, 100);
  EXPECT_EQ(json_at("order-1"), R"({"n":5,"sum":110})");
}

TEST_F(StateTest, MissingAggregatesStreamsAndVersionsAreReported) {
  EXPECT_EQ(told("order-1"), "problem: category 'order' has no aggregate");
  has_aggregate(kSum);
  EXPECT_EQ(told("order-1"), "problem: there is no stream 'order-1'");
  added("order-1", 2);
  EXPECT_EQ(told("order-1", at(3)), "problem: 'order-1' has no version 3; it is at 2");
  EXPECT_EQ(told("order-1", at(0)), "problem: versions begin with 1");
  const StateProblem beyond = state_of("order-1", at(3)).error();
  EXPECT_EQ(beyond.kind, StateProblem::Kind::kNoVersion);
  EXPECT_EQ(beyond.version.value, 2u);
}

TEST_F(StateTest, AtATime) {
  has_aggregate(kSum);
  const std::int64_t start = clock().now().micros;
  for (std::uint64_t i = 1; i <= 9; ++i) {
    clock().set({start + static_cast<std::int64_t>(i) * 100});
    added("order-1", 1, i);
  }
  const auto seen_at = [&](std::int64_t offset) {
    const auto state = state_of("order-1", StateQuery::at_time({start + offset}));
    return state ? state->version.value : 0;
  };
  for (std::uint64_t i = 1; i <= 9; ++i) {
    const auto time = static_cast<std::int64_t>(i) * 100;
    EXPECT_EQ(seen_at(time - 1), i - 1);
    EXPECT_EQ(seen_at(time), i);
    EXPECT_EQ(seen_at(time + 1), i);
  }
  EXPECT_EQ(seen_at(1'000'000), 9u);
  const StateProblem before = state_of("order-1", StateQuery::at_time({start})).error();
  EXPECT_EQ(before.kind, StateProblem::Kind::kBeforeFirst);
  EXPECT_EQ(before.message, "the time is before the first event of 'order-1'");
}

TEST_F(StateTest, AtATimeIncludesAllEventsOfThatMicrosecond) {
  has_aggregate(kSum);
  const std::int64_t start = clock().now().micros;
  added("order-1", 3);
  clock().set({start + 10});
  added("order-1", 4, 10);
  added("order-1", 2, 20);
  clock().set({start + 20});
  added("order-1", 1, 99);
  EXPECT_EQ(found("order-1", StateQuery::at_time({start})).version.value, 3u);
  EXPECT_EQ(found("order-1", StateQuery::at_time({start + 9})).version.value, 3u);
  EXPECT_EQ(found("order-1", StateQuery::at_time({start + 10})).version.value, 9u);
  EXPECT_EQ(found("order-1", StateQuery::at_time({start + 19})).recorded_at.micros, start + 10);
}

TEST_F(StateTest, EventsWithoutAHandlerAreSkipped) {
  has_aggregate(kSum);
  append("order-1", {event("Seen"), event("Added", R"({"cents":5})"), event("Seen")});
  EXPECT_EQ(told("order-1"), R"({"n":1,"sum":5} after 3, 3 folded behind 0)");
}

TEST_F(StateTest, HandlersGetTheNewestShape) {
  registered("Order", kEuros);
  append_as("order-1", "Order", 1, R"({"total":12.5})");
  registered("Order", kCents);
  deployed(kEurosToCents);
  append_as("order-1", "Order", 2, R"({"cents":7})");
  has_aggregate(
      aggregate("Order = function(s, e) s.cents = (s.cents or 0) + e.data.cents; s.last = e.version end"));
  EXPECT_EQ(json_at("order-1"), R"({"cents":1257,"last":2})");
}

TEST_F(StateTest, PartsOfAnEventAreAppliedUnderTheirOwnTypes) {
  const std::string line = record(R"({"name":"n","type":"long"})", "Line");
  registered("Line", line);
  registered("Order", kEuros);
  append_as("order-1", "Order", 1, R"({"total":3.0})");
  registered("Order", kCents);
  deployed(upcaster("Order", 1, 2,
                    "return { {type = 'Line', data = {n = 1}}, {type = 'Line', data = {n = 2}}, "
                    "{data = {cents = 300}} }"));
  has_aggregate(
      aggregate("Line = function(s, e) s.lines = (s.lines or '') .. e.type .. e.data.n end,\n"
                "Order = function(s, e) s.cents = e.data.cents end"));
  EXPECT_EQ(json_at("order-1"), R"({"cents":300,"lines":"Line1Line2"})");
}

TEST_F(StateTest, AHandlerMayReturnANewState) {
  has_aggregate(
      aggregate("Added = function(s, e) return { was = s.now or null, now = e.data.cents } end,\n"
                "Kept = function(s, e) return nil end"));
  added("order-1", 3);
  append("order-1", {"Kept"});
  EXPECT_EQ(json_at("order-1"), R"({"now":3,"was":2})");
}

TEST_F(StateTest, AFailedHandlerIsReportedWithItsEvent) {
  has_aggregate(
      aggregate("Added = function(s, e)\n  if e.data.cents == 3 then s.x = s.nobody.knows end\nend"));
  added("order-1", 4);
  const StateProblem problem = state_of("order-1").error();
  EXPECT_EQ(problem.kind, StateProblem::Kind::kScript);
  EXPECT_EQ(problem.message,
            "order.lua:5: attempt to index a nil value (field 'nobody') (on Added, version 3 of 'order-1')");
  ASSERT_TRUE(problem.script);
  EXPECT_EQ(problem.script->line, 5);
  EXPECT_EQ(problem.version.value, 3u);
  EXPECT_GT(problem.position.value, 0u);
  EXPECT_EQ(json_at("order-1", at(2)), "{}");
}

TEST_F(StateTest, InvalidResultsOfHandlersAreReported) {
  has_aggregate(
      aggregate("Added = function(s, e) return 3 end,\n"
                "Kept = function(s, e) s.a = { f = function() end } end,\n"
                "Endless = function(s, e) while true do end end"));
  append("order-1", {"Added"});
  append("order-2", {"Kept"});
  append("order-3", {"Endless"});
  EXPECT_THAT(told("order-1"), HasSubstr("on.Added returned 3 instead of a new state"));
  EXPECT_THAT(told("order-2"), HasSubstr("at \"/a/f\": JSON has no value for a function"));
  EXPECT_THAT(told("order-3"), HasSubstr("order.lua:6"));
}

TEST_F(StateTest, AnEventThatCannotBeUpcastIsReported) {
  registered("Order", kEuros);
  append_as("order-1", "Order", 1, R"({"total":1.0})");
  registered("Order", kCents);
  has_aggregate(aggregate("Order = function(s, e) end"));
  const StateProblem problem = state_of("order-1").error();
  EXPECT_EQ(problem.kind, StateProblem::Kind::kShape);
  EXPECT_TRUE(problem.shape);
  EXPECT_EQ(problem.version.value, 1u);
}

// A table that the script keeps outside of the state must not collect changes of several streams.
TEST_F(StateTest, StreamsDoNotShareTheInitialState) {
  has_aggregate("local shared = { count = 0 }\n" +
                aggregate("Added = function(s, e) s.inner.count = s.inner.count + 1 end",
                          " initial = function() return { inner = shared } end,"));
  added("order-1", 2);
  added("order-2", 3);
  EXPECT_EQ(json_at("order-1"), R"({"inner":{"count":2}})");
  EXPECT_EQ(json_at("order-2"), R"({"inner":{"count":3}})");
  EXPECT_EQ(json_at("order-1"), R"({"inner":{"count":2}})");
}

}  // namespace
}  // namespace cairn::test
