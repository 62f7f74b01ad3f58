// Aggregates: deploying, listing, refusals, and recovery after a crash.

#include <string>

#include "tests/api/server/aggregate_fixture.h"

namespace cairn::test {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::MatchesRegex;

class AggregatesTest : public AggregateApiTest {};

TEST_F(AggregatesTest, ADeployedAggregateIsListedAndShown) {
  EXPECT_EQ(get("/aggregates").json(), (Json{{"aggregates", Json::array()}}));
  const HttpAnswer first = deploy_aggregate(adder(1, "50"));
  EXPECT_EQ(first.status, 201) << first.body;
  const Json made = first.json();
  EXPECT_EQ(made["category"], "count");
  EXPECT_EQ(made["revision"], 1);
  EXPECT_EQ(made["snapshotEvery"], 50);
  EXPECT_EQ(made["unchanged"], false);
  EXPECT_THAT(made["fingerprint"].get<std::string>(), MatchesRegex("[0-9a-f]{32}"));

  use(adder(1, "false", "other"), "other");
  const Json all = get("/aggregates").json()["aggregates"];
  EXPECT_EQ(each(all, "/category"), (Json{"count", "other"}));
  EXPECT_EQ(each(all, "/snapshotEvery"), (Json{50, 0}));
  EXPECT_FALSE(all[0].contains("source"));
  const Json one = get("/aggregates/count").json();
  EXPECT_EQ(one["source"], adder(1, "50"));
  EXPECT_EQ(one["fingerprint"], made["fingerprint"]);
  EXPECT_EQ(one["position"], 1);
  EXPECT_THAT(one["deployedAt"].get<std::string>(), MatchesRegex("20[0-9-]+T[0-9:.]+Z"));
}

TEST_F(AggregatesTest, DeployingTheSameScriptAgainChangesNothing) {
  use(adder());
  const std::uint64_t before = head();
  const HttpAnswer again = deploy_aggregate(adder());
  EXPECT_EQ(again.status, 200) << again.body;
  EXPECT_EQ(again.json()["unchanged"], true);
  EXPECT_EQ(again.json()["revision"], 1);
  EXPECT_EQ(head(), before);
  EXPECT_EQ(deploy_aggregate(adder(2)).json()["revision"], 2);
}

TEST_F(AggregatesTest, AggregatesSurviveACrash) {
  use(adder());
  use(adder(3));
  count("count-1", {5});
  restart();
  EXPECT_EQ(get("/aggregates/count").json()["revision"], 2);
  EXPECT_EQ(state("count-1"), sum(15, 1));
}

TEST_F(AggregatesTest, AScriptErrorHasItsLine) {
  const Json syntax =
      problem(deploy_aggregate("return aggregate {\n  category = = 1\n}", "count", "?file=a.lua"), 422,
              "script-error");
  EXPECT_EQ(syntax["file"], "a.lua");
  EXPECT_EQ(syntax["line"], 2);
  EXPECT_FALSE(syntax["message"].get<std::string>().empty());
  const Json failed = problem(
      deploy_aggregate(
          "return aggregate {\n category = 'count', on = {},\n initial = function()\n  error('no')\n end}"),
      422, "script-error");
  EXPECT_EQ(failed["line"], 4);
  EXPECT_THAT(failed["message"].get<std::string>(), HasSubstr("no"));
  problem(deploy_aggregate("return 1"), 422, "script-error");
  problem(
      deploy_aggregate("return upcaster {type = 'A', from = 1, to = 2, upcast = function(d) return d end}"),
      422, "script-error");
  EXPECT_TRUE(get("/aggregates").json()["aggregates"].empty());
}

TEST_F(AggregatesTest, AScriptForAnotherCategoryIsRefused) {
  const Json wrong = problem(deploy_aggregate(adder(), "order"), 422, "invalid-aggregate");
  EXPECT_THAT(wrong["detail"].get<std::string>(), AllOf(HasSubstr("order"), HasSubstr("count")));
  problem(get("/aggregates/order"), 404, "not-found");
  problem(get("/aggregates/count"), 404, "not-found");
}

TEST_F(AggregatesTest, InvalidRequestsAreRefused) {
  problem(client().put("/aggregates/count", adder(), "application/json"), 415, "unsupported-media-type");
  problem(deploy_aggregate(std::string((1u << 20) + 1, ' ')), 413, "too-large");
  EXPECT_EQ(problem(deploy_aggregate(adder(), "count", "?file="), 400, "invalid-request")["field"], "file");
  EXPECT_EQ(problem(deploy_aggregate(adder(), "count", "?fiel=a"), 400, "invalid-request")["field"], "fiel");
  const Json none = problem(get("/aggregates/none"), 404, "not-found");
  EXPECT_EQ(none["kind"], "aggregate");
  EXPECT_EQ(none["name"], "none");
  EXPECT_EQ(problem(ask_all("none"), 404, "not-found")["kind"], "aggregate");
}

TEST_F(AggregatesTest, OutputOfScriptsIsInTheLog) {
  use("return aggregate {category = 'count', on = {Counted = function() log('hello from the fold') end}}");
  count("count-1", {1});
  EXPECT_EQ(ask_state("count-1").status, 200);
  EXPECT_TRUE(server().complains("hello from the fold"));
}

// Otherwise a slow aggregate cannot be replaced while two of its states are asked for.
TEST_F(AggregatesTest, ADeploymentDoesNotWaitForStates) {
  use(slow_adder());
  count("count-1", std::vector<int>(10'000, 1));
  std::vector<RawClient> waiting;
  for (int i = 0; i < 4; ++i) {
    waiting.push_back(raw());
    ASSERT_TRUE(waiting.back().send("GET /streams/count-1/state HTTP/1.1\r\nHost: localhost\r\n\r\n"));
  }
  while (metric("cairn_state_folds_total") < 2) {  // both threads for states are busy
  }
  EXPECT_EQ(deploy_aggregate(adder()).status, 201);
  for (RawClient& each : waiting) EXPECT_FALSE(each.readable_within(std::chrono::milliseconds(0)));
}

}  // namespace
}  // namespace cairn::test
