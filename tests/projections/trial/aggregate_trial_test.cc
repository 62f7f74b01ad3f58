// Trying an aggregate on events without a store.

#include "projections/trial/aggregate_trial.h"

#include <gmock/gmock.h>

#include <string>
#include <vector>

#include "tests/upcasters/trial/trial_helpers.h"

namespace cairn::test {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TrialReport folded(const std::string& body, const TrialEvents& events, WorkBudget& budget) {
  auto trial = AggregateTrial::make(
      "return aggregate { category = 'cart', on = { Added = function(state, event)\n" + body + "\nend } }",
      "cart.lua");
  if (!trial) {
    ADD_FAILURE() << trial.error().text();
    return {};
  }
  return (*trial)->run(events, shape_given(), budget);
}

TrialReport folded(const std::string& body, const std::vector<std::string>& lines) {
  WorkBudget budget;
  return folded(body, given_events(lines), budget);
}

std::string cart_event(const std::string& data, const std::string& stream = "cart-1") {
  return given_event(stream, "Added", data);
}

std::vector<std::string> states_of(const TrialReport& report) {
  std::vector<std::string> states;
  for (const TrialRow& row : report.rows) states.push_back(row.key + " " + row.json);
  return states;
}

TEST(AggregateTrialTest, EachStreamHasItsState) {
  const TrialReport report =
      folded("state.n = (state.n or 0) + event.data.n",
             {cart_event(R"({"n":1})"), cart_event(R"({"n":5})", "cart-2"), cart_event(R"({"n":2})"),
              cart_event(R"({"n":9})", "order-1"), given_event("cart-1", "Left", "{}")});
  EXPECT_THAT(states_of(report), ElementsAre(R"(cart-1 {"n":3})", R"(cart-2 {"n":5})"));
  EXPECT_EQ(report.given, 5u);
  EXPECT_EQ(report.applied, 3u);
  EXPECT_EQ(report.passed_over_why.at("another category"), 1u);
  EXPECT_EQ(report.passed_over_why.at("no handler"), 1u);
  EXPECT_THAT(report.fields_used.at("Added"), ElementsAre("data.n"));
  EXPECT_THAT(report.warnings, IsEmpty());
}

TEST(AggregateTrialTest, AStreamWhoseEventFailsHasNoState) {
  const TrialReport report = folded("if event.data.n == 2 then error('two') end state.n = event.data.n",
                                    {cart_event(R"({"n":1})"), cart_event(R"({"n":2})"),
                                     cart_event(R"({"n":3})"), cart_event(R"({"n":4})", "cart-2")});
  EXPECT_THAT(states_of(report), ElementsAre(R"(cart-2 {"n":4})"));
  ASSERT_EQ(report.errors.size(), 1u);
  EXPECT_EQ(report.errors[0].line, 2);
  EXPECT_EQ(report.errors[0].version.value, 2u);
  EXPECT_EQ(report.failed, 1u);
  EXPECT_EQ(report.waiting, 1u);
  EXPECT_EQ(report.parked, 1u);
  EXPECT_EQ(report.given, 4u);
  EXPECT_THAT(kinds_of(report), ElementsAre("failed"));
}

TEST(AggregateTrialTest, AStateThatIsNoJsonIsAnError) {
  const TrialReport report = folded("state.f = function() end", {cart_event("{}")});
  EXPECT_EQ(report.failed, 1u);
  EXPECT_THAT(states_of(report), IsEmpty());
}

TEST(AggregateTrialTest, AStreamThatBeginsInTheMiddleIsAWarning) {
  TrialEvents events = given_events({R"({"stream":"cart-1","type":"Added","version":7,"data":{}})"});
  events.given.clear();  // as if they came from the log
  WorkBudget budget;
  EXPECT_THAT(kinds_of(folded("state.n = 1", events, budget)), ElementsAre("partial-stream"));
}

TEST(AggregateTrialTest, ACancelledTrialEnds) {
  WorkBudget budget;
  budget.cancel();
  const TrialReport report = folded("state.n = 1", given_events({cart_event("{}")}), budget);
  EXPECT_FALSE(report.complete);
  EXPECT_EQ(report.given, 0u);
}

}  // namespace
}  // namespace cairn::test
