// Trying an upcaster on events without a store.

#include "upcasters/trial/upcaster_trial.h"

#include <gmock/gmock.h>

#include <string>
#include <vector>

#include "tests/upcasters/trial/trial_helpers.h"

namespace cairn::test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string upcaster(const std::string& body, const std::string& parameters = "data, event") {
  return "return upcaster { type = \"A\", from = 1, to = 2, upcast = function(" + parameters + ")\n" + body +
         "\nend }";
}

TrialReport tried(const std::string& source, const std::vector<std::string>& lines) {
  auto trial = UpcasterTrial::make(source, "1-2.lua");
  if (!trial) {
    ADD_FAILURE() << trial.error().text();
    return {};
  }
  WorkBudget budget;
  return (*trial)->run(given_events(lines, "try-1"), nullptr, budget);
}

TEST(UpcasterTrialTest, ShowsEachEventBeforeAndAfter) {
  const TrialReport report =
      tried(upcaster("data.cents = data.total * 100 data.total = nil return data"),
            {given_event("a-1", "A", R"({"total":3})"), R"({"type":"A","data":{"total":4}})"});
  ASSERT_EQ(report.results.size(), 2u);
  EXPECT_EQ(report.results[0].before, R"({"total":3})");
  ASSERT_EQ(report.results[0].after.size(), 1u);
  EXPECT_EQ(report.results[0].after[0].second, R"({"cents":300})");
  EXPECT_EQ(report.applied, 2u);
  EXPECT_THAT(report.fields_used.at("A"), ElementsAre("data.total"));
}

TEST(UpcasterTrialTest, AnEventMayBeSplitOrDropped) {
  const TrialReport report =
      tried(upcaster("if data.n == 0 then return {} end\n"
                     "return { { data = { n = 1 } }, { type = 'B', data = { s = event.stream } } }"),
            {given_event("a-1", "A", R"({"n":0})"), given_event("a-1", "A", R"({"n":2})")});
  ASSERT_EQ(report.results.size(), 2u);
  EXPECT_TRUE(report.results[0].after.empty());
  ASSERT_EQ(report.results[1].after.size(), 2u);
  EXPECT_EQ(report.results[1].after[1].first, "B");
  EXPECT_EQ(report.results[1].after[1].second, R"({"s":"a-1"})");
  EXPECT_THAT(report.fields_used.at("A"), ElementsAre("data.n", "stream"));
}

TEST(UpcasterTrialTest, AnErrorHasTheLineAndTheEvent) {
  const TrialReport report =
      tried(upcaster("if data.n == 2 then error('two') end return data"),
            {given_event("a-1", "A", R"({"n":1})"), given_event("a-1", "A", R"({"n":2})")});
  ASSERT_EQ(report.errors.size(), 1u);
  EXPECT_EQ(report.errors[0].line, 2);
  EXPECT_EQ(report.errors[0].message, "two");
  EXPECT_EQ(report.errors[0].index, 1u);
  EXPECT_EQ(report.errors[0].version.value, 2u);
  EXPECT_THAT(report.errors[0].event, HasSubstr(R"("data":{"n":2})"));
}

TEST(UpcasterTrialTest, AWrongResultIsAnError) {
  for (const std::string& body :
       {std::string("return nil"), std::string("return { 1, 2 }"),
        std::string("return { { typ = 'B', data = {} } }"), std::string("return { { type = 'B' } }"),
        std::string("data.f = print return data"), std::string("data.f = function() end return data")}) {
    EXPECT_EQ(tried(upcaster(body), {given_event("a-1", "A", R"({"n":1})")}).failed, 1u) << body;
  }
}

TEST(UpcasterTrialTest, OtherEventsArePassedOver) {
  const TrialReport report = tried(
      upcaster("return data"), {given_event("a-1", "B", "{}"), R"({"type":"A","schemaVersion":2,"data":{}})",
                                R"({"type":"A","contentType":"x/y","data":"AQ=="})"});
  EXPECT_EQ(report.applied, 0u);
  EXPECT_EQ(report.passed_over, 3u);
  EXPECT_EQ(report.passed_over_why.at("another schema version"), 1u);
  EXPECT_EQ(report.passed_over_why.at("another type"), 1u);
  EXPECT_EQ(report.passed_over_why.at("opaque data"), 1u);
}

TEST(UpcasterTrialTest, ACancelledTrialEnds) {
  auto trial = UpcasterTrial::make(upcaster("return data"), "1-2.lua");
  ASSERT_TRUE(trial);
  WorkBudget budget;
  budget.cancel();
  const TrialReport report = (*trial)->run(given_events({given_event("a-1", "A", "{}")}), nullptr, budget);
  EXPECT_FALSE(report.complete);
  EXPECT_EQ(report.given, 0u);
}

}  // namespace
}  // namespace cairn::test
