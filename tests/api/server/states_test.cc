// The state of a stream: at its head, at a version, at a time; and refusals.

#include <string>
#include <vector>

#include "tests/api/raw_client.h"
#include "tests/api/server/aggregate_fixture.h"

namespace cairn::test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

class StatesTest : public AggregateApiTest {
 protected:
  // When the event of a version was recorded.
  std::string recorded_at(const std::string& stream, int version) {
    return events("/streams/" + stream + "/events?limit=1&from=" + std::to_string(version))[0]["recordedAt"];
  }
};

TEST_F(StatesTest, TheStateAtTheHeadHasTheWholeStream) {
  use(adder());
  count("count-1", {1, 2, 3});
  count("count-2", {100});
  ASSERT_EQ(append("count-1", {event_text("Unknown", "{}")}).status, 201);
  const Json answer = asked("count-1");
  EXPECT_EQ(answer["stream"], "count-1");
  EXPECT_EQ(answer["version"], 4);
  EXPECT_EQ(answer["state"], sum(6, 3));
  EXPECT_EQ(answer["snapshotVersion"], nullptr);
  EXPECT_EQ(answer["eventsFolded"], 4);
  EXPECT_EQ(answer["fingerprint"], get("/aggregates/count").json()["fingerprint"]);
  EXPECT_EQ(answer["recordedAt"], recorded_at("count-1", 4));
}

TEST_F(StatesTest, TheStateAtAVersionHasTheEventsUpToIt) {
  use(adder());
  count("count-1", {1, 2, 3});
  EXPECT_EQ(state("count-1", "?version=1"), sum(1, 1));
  EXPECT_EQ(state("count-1", "?version=2"), sum(3, 2));
  EXPECT_EQ(state("count-1", "?version=3"), sum(6, 3));
  EXPECT_EQ(asked("count-1", "?version=2")["version"], 2);
  const Json beyond = problem(ask_state("count-1", "?version=4"), 404, "not-found");
  EXPECT_THAT(beyond["detail"].get<std::string>(), AllOf(HasSubstr("count-1"), HasSubstr("3")));
  EXPECT_EQ(beyond["currentVersion"], 3);
  EXPECT_EQ(problem(ask_state("count-1", "?version=0"), 400, "invalid-request")["field"], "version");
}

TEST_F(StatesTest, TheStateAtATimeHasTheEventsRecordedByThen) {
  use(adder());
  for (const int n : {1, 2, 3}) count("count-1", {n});
  for (const int version : {1, 2, 3}) {
    const Json then = asked("count-1", "?time=" + recorded_at("count-1", version));
    // Two appends may have the same microsecond: then both are in the state.
    EXPECT_GE(then["version"], version);
    EXPECT_EQ(then["recordedAt"], recorded_at("count-1", version));
    EXPECT_EQ(then["state"], state("count-1", "?version=" + then["version"].dump()));
  }
  EXPECT_EQ(asked("count-1", "?time=2999-01-01T00:00:00Z")["version"], 3);
  const Json before = problem(ask_state("count-1", "?time=1999-12-31T23:59:59%2B01:00"), 404, "not-found");
  EXPECT_THAT(before["detail"].get<std::string>(), HasSubstr("count-1"));
}

TEST_F(StatesTest, OffsetsOfTimesAreApplied) {
  use(adder());
  count("count-1", {1});
  const std::string time = recorded_at("count-1", 1);  // 2026-11-16T20:55:35.123456Z
  // The same local time at +14:00 was 14 hours ago, and at -12:00 is in the future.
  problem(ask_state("count-1", "?time=" + time.substr(0, 26) + "%2B14:00"), 404, "not-found");
  EXPECT_EQ(asked("count-1", "?time=" + time.substr(0, 26) + "-12:00")["version"], 1);
  EXPECT_EQ(asked("count-1", "?time=" + time.substr(0, 26) + "%2B00:00")["version"], 1);
}

TEST_F(StatesTest, VersionAndTimeExcludeEachOther) {
  use(adder());
  count("count-1", {1});
  EXPECT_EQ(
      problem(ask_state("count-1", "?version=1&time=2026-11-16T20:55:35Z"), 400, "invalid-request")["field"],
      "time");
  for (const char* time : {"yesterday", "2026-11-16", "2026-11-16T20:55:35", "2026-02-30T00:00:00Z", "1"}) {
    EXPECT_EQ(problem(ask_state("count-1", std::string("?time=") + time), 400, "invalid-request")["field"],
              "time");
  }
  EXPECT_EQ(problem(ask_state("count-1", "?version=one"), 400, "invalid-request")["field"], "version");
  EXPECT_EQ(problem(ask_state("count-1", "?at=1"), 400, "invalid-request")["field"], "at");
}

TEST_F(StatesTest, AMissingResourceIsNamed) {
  use(adder());
  count("order-1", {1});
  const Json stream = problem(ask_state("count-none"), 404, "not-found");
  EXPECT_EQ(stream["kind"], "stream");
  EXPECT_EQ(stream["name"], "count-none");
  const Json aggregate = problem(ask_state("order-1"), 404, "not-found");
  EXPECT_EQ(aggregate["kind"], "aggregate");
  EXPECT_EQ(aggregate["name"], "order");
}

TEST_F(StatesTest, AFailingHandlerIsNamedWithLineAndEvent) {
  use(adder());
  count("count-1", {1, 2});
  ASSERT_EQ(append("count-1", {event_text("Broken", "{}")}).status, 201);
  const Json failed = problem(ask_state("count-1"), 422, "script-error");
  EXPECT_EQ(failed["line"], 9);
  EXPECT_EQ(failed["file"], "count.lua");
  EXPECT_THAT(failed["message"].get<std::string>(), HasSubstr("it broke"));
  EXPECT_EQ(failed["position"], head());
  EXPECT_EQ(failed["version"], 3);
  EXPECT_EQ(state("count-1", "?version=2"), sum(3, 2)) << "what came before can still be had";
}

TEST_F(StatesTest, NumbersKeepTheirDigits) {
  use("return aggregate {category = 'count', on = {Counted = function(state, event) state.n = event.data.n "
      "end}}");
  ASSERT_EQ(append("count-1", {event_text("Counted", R"({"n":9007199254740993})")}).status, 201);
  EXPECT_THAT(ask_state("count-1").body, HasSubstr(R"("state":{"n":9007199254740993})"));
}

TEST_F(StatesTest, EventsAreFoldedInTheirNewestShape) {
  register_schema("Person", kPersonV1);
  append_people("person-1", {"Ada Lovelace"});
  use("return aggregate {category = 'person', on = {Person = function(_, event) return event.data end}}",
      "person");
  EXPECT_EQ(state("person-1"), (Json{{"n", 1}, {"name", "Ada Lovelace"}}));
  register_schema("Person", kPersonV2);
  const Json stuck = problem(ask_state("person-1"), 422, "upcaster-failed");
  EXPECT_EQ(stuck["failures"][0]["stream"], "person-1");
  EXPECT_EQ(stuck["failures"][0]["version"], 1);
  deployed(split_name());
  EXPECT_EQ(state("person-1"), (Json{{"n", 1}, {"first", "Ada"}, {"last", "Lovelace"}}));
}

TEST_F(StatesTest, ALongFoldDoesNotBlockOtherRequests) {
  use(slow_adder());
  append_numbered("count-1", 3'000);
  ApiClient other = new_client();
  std::thread reader([&] { EXPECT_EQ(other.get("/streams/count-1/state").json()["version"], 3'000); });
  expect_healthy();
  reader.join();
}

TEST_F(StatesTest, FoldsAreCounted) {
  use(adder());
  count("count-1", {1, 2, 3});
  const double folds = metric("cairn_state_folds_total"), events = metric("cairn_state_events_folded_total");
  ASSERT_GE(folds, 0);
  state("count-1");
  EXPECT_EQ(metric("cairn_state_folds_total"), folds + 1);
  EXPECT_EQ(metric("cairn_state_events_folded_total"), events + 3);
  EXPECT_EQ(metric("cairn_aggregates"), 1);
}

// Folds with a small budget, or one that is not reached in a test.
class StateBudgetTest : public StatesTest {
 protected:
  void SetUp() override {}

  void serve_with_budget(const std::string& cpu_ms) {
    serve({"--schemas", "optional", "--request-cpu-ms", cpu_ms});
  }
  // A stream whose state takes seconds with slow_adder().
  void count_much(const std::string& stream) { count(stream, std::vector<int>(kMuch, 1)); }

  static constexpr int kMuch = 10'000;
};

// Two requests take both workers. When their clients leave, the workers are free again.
TEST_F(StateBudgetTest, AFoldEndsWhenItsClientLeaves) {
  serve_with_budget("600000");
  use(slow_adder());
  count_much("count-1");
  count("count-2", {1, 2});
  {
    std::vector<RawClient> leaving;
    for (int i = 0; i < 2; ++i) {
      leaving.emplace_back(port());
      leaving.back().send("GET /streams/count-1/state HTTP/1.1\r\nHost: localhost\r\n\r\n");
    }
    // Asked after them on another connection: it waits until the first of them is cancelled.
    while (metric("cairn_state_folds_total") < 2) {
    }
  }
  EXPECT_EQ(state("count-2"), sum(3, 2));
  while (metric("cairn_http_requests_cancelled_total") < 2) {
  }
  EXPECT_LT(metric("cairn_state_events_folded_total"), kMuch);
}

TEST_F(StateBudgetTest, AFoldBeyondItsBudgetSaysHowFarItGot) {
  serve_with_budget("50");
  use(slow_adder());
  count_much("count-1");
  const Json answer = problem(ask_state("count-1"), 503, "budget-exceeded");
  EXPECT_THAT(answer["detail"].get<std::string>(), HasSubstr("of 10000 events of 'count-1' were folded"));
}

}  // namespace
}  // namespace cairn::test
