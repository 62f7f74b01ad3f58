#include "api/aggregates/state_json.h"

#include <gtest/gtest.h>

#include <string>

#include "api/aggregates/snapshot_json.h"

namespace cairn::api {
namespace {

constexpr Timestamp kTime{1};

AggregateDefinition definition() {
  return {.category = "order",
          .source = "return \"x\"\n",
          .fingerprint = "00ff",
          .revision = 2,
          .snapshot_every = 100,
          .position = {7},
          .deployed_at = kTime};
}

StreamState state() {
  StreamState state;
  state.stream = "order-1";
  state.version = {3};
  state.position = {9};
  state.recorded_at = kTime;
  state.json = R"({"total":1.50})";
  state.fingerprint = "00ff";
  state.events_folded = 3;
  return state;
}

TEST(StateJsonTest, DeploymentNamesTheDefinition) {
  EXPECT_EQ(to_json(AggregateDeployment{definition(), true}),
            R"({"category":"order","revision":2,"fingerprint":"00ff","snapshotEvery":100,"unchanged":true})");
}

TEST(StateJsonTest, DefinitionHasASourceIfOneIsGiven) {
  const AggregateDefinition order = definition();
  const std::string members = R"({"category":"order","revision":2,"fingerprint":"00ff","snapshotEvery":100,)"
                              R"("position":7,"deployedAt":"1970-01-01T00:00:00.000001Z")";
  std::string text;
  append_aggregate_json(text, order, nullptr);
  EXPECT_EQ(text, members + "}");
  text.clear();
  append_aggregate_json(text, order, &order.source);
  EXPECT_EQ(text, members + R"(,"source":"return \"x\"\n"})");
}

TEST(StateJsonTest, StateIsCopiedUnchanged) {
  EXPECT_EQ(to_json(state()),
            R"({"stream":"order-1","version":3,"position":9,"recordedAt":"1970-01-01T00:00:00.000001Z",)"
            R"("state":{"total":1.50},"fingerprint":"00ff","snapshotVersion":null,"eventsFolded":3})");
  StreamState from_snapshot = state();
  from_snapshot.snapshot_version = {2};
  from_snapshot.events_folded = 1;
  EXPECT_TRUE(to_json(from_snapshot).ends_with(R"("snapshotVersion":2,"eventsFolded":1})"));
}

TEST(StateJsonTest, RunReportsCountsAndFailures) {
  EXPECT_EQ(to_json(SnapshotProgress{1, 2, 3}), R"({"done":1,"total":2,"eventsFolded":3})");
  SnapshotReport report{.streams = 5, .made = 1, .fresh = 1, .unsavable = 1, .failed = 2, .events_folded = 9};
  const std::string counts =
      R"({"category":"order","streams":5,"made":1,"fresh":1,"unsavable":1,"failed":2,"eventsFolded":9,)";
  EXPECT_EQ(to_json("order", report), counts + R"("failures":[]})");
  for (const char* stream : {"order-1", "order-2"}) {
    StateProblem problem;
    problem.message = "line 1";
    problem.position = {4};
    problem.version = {2};
    report.failures.push_back({stream, problem});
  }
  EXPECT_EQ(to_json("order", report),
            counts + R"("failures":[{"stream":"order-1","position":4,"version":2,"error":"line 1"},)"
                     R"({"stream":"order-2","position":4,"version":2,"error":"line 1"}]})");
}

TEST(SnapshotJsonTest, StoredSnapshotHasItsState) {
  EXPECT_EQ(snapshot_json("order-1", SnapshotMade{.version = {3}, .bytes = 40}, "00ff"),
            R"({"stream":"order-1","version":3,"fingerprint":"00ff","bytes":40})");
  EXPECT_EQ(snapshot_json(state(), 40),
            R"({"stream":"order-1","version":3,"fingerprint":"00ff","bytes":40,"state":{"total":1.50}})");
}

TEST(SnapshotJsonTest, UnusableSnapshotHasAReason) {
  EXPECT_EQ(snapshots_json("order-1", {}), R"({"stream":"order-1","snapshots":[]})");
  EXPECT_EQ(snapshots_json("order-1", {{.version = {2}, .bytes = 10, .unusable = SnapshotMiss::kShapes},
                                       {.version = {4}, .bytes = 20}}),
            R"({"stream":"order-1","snapshots":[{"version":2,"bytes":10,"usable":false,"reason":"shapes"},)"
            R"({"version":4,"bytes":20,"usable":true,"reason":null}]})");
}

}  // namespace
}  // namespace cairn::api
