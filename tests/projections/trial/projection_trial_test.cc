// Trying a projection on events without a store.

#include "projections/trial/projection_trial.h"

#include <gmock/gmock.h>

#include <string>
#include <vector>

#include "tests/upcasters/trial/trial_helpers.h"

namespace cairn::test {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::UnorderedElementsAre;

TrialReport tried(const std::string& source, const std::vector<std::string>& lines) {
  auto trial = ProjectionTrial::make(source, "p.lua");
  if (!trial) {
    ADD_FAILURE() << trial.error().text();
    return {};
  }
  WorkBudget budget;
  return (*trial)->run(given_events(lines), shape_given(), budget);
}

// A projection with one handler, in which the second line of the script begins.
std::string added(const std::string& body, const std::string& more = "") {
  return "return projection {" + more + " on = { Added = function(row, event)\n" + body + "\nend } }";
}

std::string add(const std::string& data, const std::string& stream = "cart-1") {
  return given_event(stream, "Added", data);
}

std::vector<std::string> rows_of(const TrialReport& report) {
  std::vector<std::string> rows;
  for (const TrialRow& row : report.rows) rows.push_back(row.key + " " + row.json);
  return rows;
}

TEST(ProjectionTrialTest, RowsAreThoseOfTheEvents) {
  const TrialReport report = tried(added("row.n = (row.n or 0) + event.data.n"),
                                   {add(R"({"n":1})"), add(R"({"n":2})", "cart-2"), add(R"({"n":3})"),
                                    given_event("cart-1", "Left", "{}")});
  EXPECT_THAT(rows_of(report), ElementsAre(R"(cart-1 {"n":4})", R"(cart-2 {"n":2})"));
  EXPECT_EQ(report.given, 4u);
  EXPECT_EQ(report.applied, 3u);
  EXPECT_EQ(report.passed_over_why.at("no handler"), 1u);
  EXPECT_THAT(report.warnings, IsEmpty());
  EXPECT_TRUE(report.complete);
}

TEST(ProjectionTrialTest, OtherCategoriesAndSystemStreamsArePassedOver) {
  const std::vector<std::string> lines = {add("{}"), add("{}", "order-1"), add("{}", "$audit")};
  EXPECT_EQ(tried(added("row.n = 1", "from = { categories = { 'cart' } },"), lines).passed_over, 2u);
  EXPECT_EQ(tried(added("row.n = 1"), lines).passed_over, 1u);
}

TEST(ProjectionTrialTest, AFailingEventParksItsKeyAsInProduction) {
  const TrialReport report = tried(added("if event.data.n == 0 then error('zero') end row.n = event.data.n",
                                         "key = function(event) return event.data.k end,"),
                                   {add(R"({"k":"a","n":1})"), add(R"({"k":"a","n":0})"),
                                    add(R"({"k":"a","n":3})"), add(R"({"k":"b","n":4})")});
  EXPECT_THAT(rows_of(report), ElementsAre(R"(a {"n":1})", R"(b {"n":4})"));
  EXPECT_EQ(report.failed, 1u);
  EXPECT_EQ(report.waiting, 1u);
  EXPECT_EQ(report.parked, 1u);
  ASSERT_EQ(report.errors.size(), 1u);
  const TrialError& error = report.errors[0];
  EXPECT_EQ(error.index, 1u);
  EXPECT_EQ(error.key, "a");
  EXPECT_EQ(error.line, 2);
  EXPECT_EQ(error.file, "p.lua");
  EXPECT_EQ(error.message, "zero");
  EXPECT_EQ(error.position, std::nullopt) << "the event has none";
  EXPECT_THAT(error.event, HasSubstr(R"("data":{"k":"a","n":0})"));
  EXPECT_THAT(kinds_of(report), Contains("parked"));
}

TEST(ProjectionTrialTest, AnEventWithoutAKeyParksItsStream) {
  const TrialReport report =
      tried(added("row.n = 1", "key = function(event) return event.data.k.id end,"),
            {add("{}"), add(R"({"k":{"id":"x"}})"), add(R"({"k":{"id":"y"}})", "cart-2")});
  EXPECT_THAT(rows_of(report), ElementsAre(R"(y {"n":1})"));
  EXPECT_EQ(report.failed, 1u);
  EXPECT_EQ(report.waiting, 1u);
  EXPECT_EQ(report.errors.at(0).key, "");
}

TEST(ProjectionTrialTest, ARowThatCannotBeKeptIsAFailureOfItsEvent) {
  const TrialReport report = tried(added("row.f = event.data.n == 2 and function() end or event.data.n"),
                                   {add(R"({"n":1})"), add(R"({"n":2})")});
  EXPECT_THAT(rows_of(report), ElementsAre(R"(cart-1 {"f":1})"));
  EXPECT_EQ(report.failed, 1u);
}

TEST(ProjectionTrialTest, AKeyThatIsNilForAllEventsIsAWarning) {
  const std::string script = added("row.n = 1", "key = function(event) return event.data.k end,");
  const TrialReport all = tried(script, {add("{}"), add("{}")});
  EXPECT_EQ(all.passed_over_why.at("key was nil"), 2u);
  EXPECT_THAT(kinds_of(all), Contains("key-nil"));
  EXPECT_THAT(kinds_of(tried(script, {add("{}"), add(R"({"k":"a"})")})), Not(Contains("key-nil")));
}

TEST(ProjectionTrialTest, AHandlerThatIsNeverCalledIsAWarning) {
  const std::string script =
      "return projection { on = { Added = function(row) row.n = 1 end, "
      "Addd = function(row) row.n = 2 end } }";
  const TrialReport report = tried(script, {add("{}")});
  ASSERT_THAT(kinds_of(report), ElementsAre("never-called"));
  EXPECT_THAT(report.warnings[0].message, HasSubstr("on.Addd"));
  EXPECT_THAT(kinds_of(tried(script, {})), IsEmpty()) << "nothing is known of no events";
}

TEST(ProjectionTrialTest, AFieldThatNoEventHasIsAWarning) {
  const std::string script = added("row.n = event.data.cents row.m = event.metadata.user");
  const TrialReport report = tried(script, {add(R"({"total":1})"), add(R"({"total":2})")});
  ASSERT_THAT(kinds_of(report), ElementsAre("absent-field"));
  EXPECT_THAT(report.warnings[0].message, HasSubstr("data.cents of Added"));
  EXPECT_THAT(kinds_of(tried(script, {add("{}"), add(R"({"cents":2})")})), IsEmpty());
}

TEST(ProjectionTrialTest, FieldsUsedHasWhatTheScriptReads) {
  const TrialReport report = tried(
      added("for _, item in ipairs(event.data.items) do row[item.sku] = item.price end\n"
            "for name, value in pairs(event.data.map) do row[name] = value.deep end\n"
            "row.first = next(event.data.names)\n"
            "row.raw = rawget(event.data, 'raw')\n"
            "row.joined = table.concat(event.data.words, ' ')\n"
            "row.count = #event.data.list\n"
            "row.whole = event.data.address\n"
            "row.tag = event.tags[1] row.user = event.metadata.user row.at = event.recorded_at\n"
            "event.data.unread = 7 row.own = event.data.own == nil"),
      {add(R"({"items":[{"sku":"a","price":1},{"sku":"b","price":2}],"map":{"x":{"deep":1}},"names":{"k":1},
              "raw":3,"words":["v","w"],"list":[1,2],"address":{"city":"Ulm"},"unread":4,"other":5})")});
  EXPECT_THAT(report.errors, IsEmpty());
  EXPECT_THAT(
      rows_of(report),
      ElementsAre(R"(cart-1 {"a":1,"at":0,"b":2,"count":2,"first":"k","joined":"v w","own":true,"raw":3,)"
                  R"("whole":{"city":"Ulm"},"x":1})"))
      << "the results are those of plain tables";
  EXPECT_THAT(report.fields_used.at("Added"),
              UnorderedElementsAre("data.address", "data.items[].price", "data.items[].sku", "data.list",
                                   "data.map.x.deep", "data.names.k", "data.own", "data.raw", "data.words[]",
                                   "data.other", "data.unread", "metadata.user", "recorded_at", "tags[]"))
      << "rawget takes the whole table";
}

TEST(ProjectionTrialTest, FieldsUsedIsBounded) {
  const TrialReport report = tried(added("for i = 1, 1000 do row.n = event.data['f' .. i] end\n"
                                         "row.m = event.data[string.rep('x', 100000)]"),
                                   {add("{}")});
  EXPECT_LE(report.fields_used.at("Added").size(), FieldRecorder::kPathsMax);
  EXPECT_LT(rows_report_json(report).size(), 200'000u);
}

TEST(ProjectionTrialTest, ACancelledTrialEndsBeforeTheNextEvent) {
  auto trial = ProjectionTrial::make(added("row.n = 1"), "p.lua");
  ASSERT_TRUE(trial);
  WorkBudget budget;
  budget.cancel();
  const TrialReport report = (*trial)->run(given_events({add("{}"), add("{}")}), shape_given(), budget);
  EXPECT_FALSE(report.complete);
  EXPECT_EQ(report.given, 0u);
  EXPECT_THAT(kinds_of(report), Contains("incomplete"));
}

TEST(ProjectionTrialTest, AnEndlessLoopEndsWithTheBudget) {
  auto trial = ProjectionTrial::make(added("while true do end"), "p.lua");
  ASSERT_TRUE(trial);
  WorkBudget budget({.cpu = std::chrono::milliseconds(300)});
  const WorkBudget::OnThread on_thread(budget);
  std::vector<std::string> lines;
  for (int i = 0; i < 1'000; ++i) lines.push_back(add("{}", "cart-" + std::to_string(i)));
  const TrialReport report = (*trial)->run(given_events(lines), shape_given(), budget);
  EXPECT_FALSE(report.complete);
  EXPECT_GE(report.failed, 1u);
  EXPECT_LT(report.given, 1'000u);
  EXPECT_EQ(report.errors.at(0).line, 2);
}

TEST(ProjectionTrialTest, RowsInMemoryAreBounded) {
  std::vector<std::string> lines;
  for (int i = 0; i < 200; ++i) lines.push_back(add("{}", "cart-" + std::to_string(i)));
  const TrialReport report = tried(added("row.text = string.rep('x', 1000000)"), lines);
  EXPECT_FALSE(report.complete);
  EXPECT_LT(report.given, 100u);
  EXPECT_GT(report.more, 0u);
  EXPECT_LT(rows_report_json(report).size(), TrialReport::kShownBytesMax + (1u << 20));
}

TEST(ProjectionTrialTest, RowsAndErrorsInTheReportAreBounded) {
  std::vector<std::string> lines;
  for (int i = 0; i < 2'500; ++i)
    lines.push_back(add("{\"n\":" + std::to_string(i) + "}", "cart-" + std::to_string(i)));
  const TrialReport report = tried(added("if event.data.n >= 1200 then error('no') end row.n = 1"), lines);
  EXPECT_EQ(report.rows.size(), TrialReport::kShownMax);
  EXPECT_EQ(report.more, 200u);
  EXPECT_EQ(report.errors.size(), TrialReport::kErrorsMax);
  EXPECT_EQ(report.more_errors, 1'200u);
  EXPECT_EQ(report.failed, 1'300u);
}

TEST(ProjectionTrialTest, LongDataIsLeftOutOfErrors) {
  const TrialReport report =
      tried(added("error('no')"), {add("{\"text\":\"" + std::string(10'000, 'x') + "\"}")});
  EXPECT_THAT(report.errors.at(0).event, HasSubstr(R"("data":null,"dataBytes":10011)"));
}

}  // namespace
}  // namespace cairn::test
