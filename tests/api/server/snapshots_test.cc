// Snapshots over HTTP: written on request, used, and invalidated at once by a new aggregate or upcaster.

#include <sstream>
#include <string>
#include <thread>

#include "tests/api/server/aggregate_fixture.h"

namespace cairn::test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// A run commits its snapshots every few thousand streams; this is several times as many.
constexpr int kManyStreams = 20'000;

class SnapshotsTest : public AggregateApiTest {
 protected:
  // A run over all streams of count, which reports line by line on its own connection.
  RawClient start_run() {
    RawClient client = raw();
    client.send(
        "POST /aggregates/count/snapshots HTTP/1.1\r\nHost: localhost\r\nAccept: application/x-ndjson\r\n"
        "Content-Length: 0\r\n\r\n");
    EXPECT_EQ(client.receive(false).status, 200);
    return client;
  }
  // Polls until the first stream has its snapshot.
  void wait_for_first() {
    while (snapshots(numbered(1)).empty() && !HasFailure()) std::this_thread::yield();
  }
  void expect_every_sum(int streams) {
    for (int i = 1; i <= streams; i += 997) EXPECT_EQ(state(numbered(i)), sum(i, 1)) << numbered(i);
  }
};

TEST_F(SnapshotsTest, ASnapshotIsWrittenAndUsed) {
  use(adder());
  count("count-1", {1, 2, 3});
  problem(get("/streams/count-1/snapshot"), 404, "not-found");
  const HttpAnswer made = snapshot("count-1");
  EXPECT_EQ(made.status, 201) << made.body;
  EXPECT_EQ(made.json()["version"], 3);
  EXPECT_GT(made.json()["bytes"], 0);
  EXPECT_EQ(made.json()["fingerprint"], get("/aggregates/count").json()["fingerprint"]);
  EXPECT_EQ(snapshot("count-1").status, 200) << "it was fresh";

  count("count-1", {4});
  const Json behind = asked("count-1");
  EXPECT_EQ(behind["state"], sum(10, 4));
  EXPECT_EQ(behind["snapshotVersion"], 3);
  EXPECT_EQ(behind["eventsFolded"], 1);
  EXPECT_EQ(asked("count-1", "?version=2")["snapshotVersion"], nullptr);
  const Json shown = get("/streams/count-1/snapshot").json();
  EXPECT_EQ(shown["version"], 3);
  EXPECT_EQ(shown["state"], sum(6, 3));
  EXPECT_EQ(shown["bytes"], made.json()["bytes"]);
}

TEST_F(SnapshotsTest, SnapshotsAreListedAndPruned) {
  use(adder());
  for (const int n : {1, 2, 3}) {
    count("count-1", {n});
    ASSERT_EQ(snapshot("count-1").status, 201);
  }
  EXPECT_EQ(each(snapshots("count-1"), "/version"), (Json{1, 2, 3}));
  EXPECT_EQ(each(snapshots("count-1"), "/usable"), (Json{true, true, true}));
  EXPECT_EQ(client().remove("/streams/count-1/snapshots?keep=1").json(), (Json{{"removed", 2}}));
  EXPECT_EQ(each(snapshots("count-1"), "/version"), (Json{3}));
  EXPECT_EQ(client().remove("/streams/count-1/snapshots").json(), (Json{{"removed", 1}}));
  EXPECT_EQ(state("count-1"), sum(6, 3));
}

TEST_F(SnapshotsTest, AMissingResourceIsNamed) {
  use(adder());
  count("order-1", {1});
  for (const char* path : {"/streams/count-9/snapshot", "/streams/count-9/snapshots"}) {
    EXPECT_EQ(problem(get(path), 404, "not-found")["kind"], "stream");
  }
  EXPECT_EQ(problem(snapshot("count-9"), 404, "not-found")["kind"], "stream");
  EXPECT_EQ(problem(client().remove("/streams/count-9/snapshots"), 404, "not-found")["kind"], "stream");
  EXPECT_EQ(problem(snapshot("order-1"), 404, "not-found")["kind"], "aggregate");
  EXPECT_EQ(problem(client().remove("/streams/order-1/snapshots?keep=-1"), 400, "invalid-request")["field"],
            "keep");
  EXPECT_EQ(problem(get("/streams/order-1/snapshots?keep=1"), 400, "invalid-request")["field"], "keep");
  count("count-1", {1});
  EXPECT_EQ(problem(get("/streams/count-1/snapshot"), 404, "not-found")["kind"], "snapshot");
}

TEST_F(SnapshotsTest, SnapshotsSurviveACrash) {
  use(adder());
  count("count-1", {1, 2});
  ASSERT_EQ(snapshot("count-1").status, 201);
  restart();
  EXPECT_EQ(asked("count-1")["snapshotVersion"], 2);
  EXPECT_EQ(asked("count-1")["eventsFolded"], 0);
  EXPECT_EQ(state("count-1"), sum(3, 2));
}

TEST_F(SnapshotsTest, LongStreamsGetSnapshotsAutomatically) {
  use(adder(1, "100"));
  append_numbered("count-1", 1'000);
  while (asked("count-1")["eventsFolded"] > 100 && !HasFailure()) std::this_thread::yield();
  EXPECT_EQ(state("count-1"), sum(500'500, 1'000));
}

TEST_F(SnapshotsTest, ANewAggregateInvalidatesSnapshots) {
  use(adder());
  count("count-1", {1, 2});
  ASSERT_EQ(snapshot("count-1").status, 201);
  use(adder(10));
  const double misses = metric(R"(cairn_snapshot_misses_total{reason="aggregate"})");
  const Json now = asked("count-1");
  EXPECT_EQ(now["state"], sum(30, 2));
  EXPECT_EQ(now["snapshotVersion"], nullptr);
  EXPECT_EQ(metric(R"(cairn_snapshot_misses_total{reason="aggregate"})"), misses + 1);
  EXPECT_EQ(each(snapshots("count-1"), "/usable"), (Json{false}));
  problem(get("/streams/count-1/snapshot"), 404, "not-found");

  EXPECT_EQ(snapshot_all()["made"], 1);
  EXPECT_EQ(each(snapshots("count-1"), "/usable"), (Json{true}));
  const double hits = metric("cairn_snapshot_hits_total");
  EXPECT_EQ(asked("count-1")["eventsFolded"], 0);
  EXPECT_EQ(metric("cairn_snapshot_hits_total"), hits + 1);
  EXPECT_EQ(state("count-1"), sum(30, 2));
}

TEST_F(SnapshotsTest, ANewUpcasterInvalidatesSnapshots) {
  begin_with({"Ada Lovelace"});
  deployed(split_name());
  use("return aggregate {category = 'person', snapshot_every = false,"
      " on = {Person = function(_, event) return event.data end}}",
      "person");
  ASSERT_EQ(snapshot("person-1").status, 201);
  EXPECT_EQ(asked("person-1")["eventsFolded"], 0);
  EXPECT_EQ(state("person-1")["first"], "Ada");

  deployed(upcaster_text("return {n = data.n, first = 'Miss', last = data.name}"));
  EXPECT_EQ(asked("person-1")["snapshotVersion"], nullptr);
  EXPECT_EQ(state("person-1")["first"], "Miss");
  EXPECT_GT(metric(R"(cairn_snapshot_misses_total{reason="shapes"})"), 0);
  EXPECT_EQ(snapshot_all("person")["made"], 1);
  EXPECT_EQ(asked("person-1")["eventsFolded"], 0);
  EXPECT_EQ(state("person-1")["first"], "Miss");
}

TEST_F(SnapshotsTest, ARunSnapshotsEachStreamOnce) {
  use(adder());
  count_streams(120);
  count("other-1", {1});
  const Json report = snapshot_all();
  EXPECT_EQ(report["category"], "count");
  EXPECT_EQ(report["streams"], 120);
  EXPECT_EQ(report["made"], 120);
  EXPECT_EQ(report["fresh"], 0);
  EXPECT_EQ(report["failed"], 0);
  EXPECT_EQ(report["eventsFolded"], 120);
  EXPECT_TRUE(report["failures"].empty());
  count(numbered(7), {1});
  const Json again = snapshot_all();
  EXPECT_EQ(again["made"], 1);
  EXPECT_EQ(again["fresh"], 119);
  EXPECT_EQ(again["eventsFolded"], 1);
}

TEST_F(SnapshotsTest, AFailingStreamIsNamedAndTheRunContinues) {
  use(adder());
  count_streams(10);
  ASSERT_EQ(append(numbered(3), {event_text("Broken", "{}")}).status, 201);
  const Json report = snapshot_all();
  EXPECT_EQ(report["made"], 9);
  EXPECT_EQ(report["failed"], 1);
  ASSERT_EQ(report["failures"].size(), 1u);
  EXPECT_EQ(report["failures"][0]["stream"], numbered(3));
  EXPECT_EQ(report["failures"][0]["version"], 2);
  EXPECT_THAT(report["failures"][0]["error"].get<std::string>(), HasSubstr("it broke"));
  EXPECT_EQ(problem(snapshot(numbered(3)), 422, "script-error")["line"], 9);
}

TEST_F(SnapshotsTest, ARunReportsItsProgress) {
  use(slow_adder());
  count_streams(600);
  ApiClient own(port(), {{"Accept", "application/x-ndjson"}});
  const HttpAnswer answer = own.post("/aggregates/count/snapshots", "");
  EXPECT_EQ(answer.header("Content-Type"), "application/x-ndjson");
  std::vector<Json> lines;
  std::istringstream text(answer.body);
  for (std::string line; std::getline(text, line);) lines.push_back(Json::parse(line, nullptr, false));
  ASSERT_GE(lines.size(), 2u) << answer.body;
  std::uint64_t done = 0;
  for (std::size_t i = 0; i + 1 < lines.size(); ++i) {
    const Json& progress = lines[i]["progress"];
    EXPECT_EQ(progress["total"], 600);
    EXPECT_GE(progress["done"], done);
    done = progress["done"];
    EXPECT_TRUE(progress.contains("eventsFolded"));
  }
  EXPECT_EQ(lines.back()["result"]["made"], 600);
}

TEST_F(SnapshotsTest, ARunContinuesAfterACrash) {
  use(slow_adder());
  count_streams(kManyStreams);
  RawClient run = start_run();
  wait_for_first();
  restart();
  expect_every_sum(kManyStreams);
  const Json report = snapshot_all();
  EXPECT_EQ(report["streams"], kManyStreams);
  EXPECT_GT(report["fresh"], 0) << "what was made is there";
  EXPECT_GT(report["made"], 0) << "it was done before it was killed, which proves nothing";
  EXPECT_EQ(report["made"].get<int>() + report["fresh"].get<int>(), kManyStreams);
  EXPECT_EQ(snapshot_all()["fresh"], kManyStreams);
  expect_every_sum(kManyStreams);
  stop_server();
  const Finished verified = run_cairn({"verify", "--data", folder()});
  EXPECT_EQ(verified.exit_code, 0) << verified.output << verified.errors;
}

TEST_F(SnapshotsTest, AClientThatDisconnectsCancelsTheRun) {
  use(slow_adder());
  count_streams(kManyStreams);
  {
    const RawClient run = start_run();
    wait_for_first();
  }
  EXPECT_GT(snapshot_all()["made"], 0) << "the other run has made all of them";
}

TEST_F(SnapshotsTest, StoppingTheServerCancelsTheRun) {
  use(slow_adder());
  count_streams(kManyStreams);
  RawClient run = start_run();
  wait_for_first();
  EXPECT_EQ(stop_server().exit_code, 0);
}

}  // namespace
}  // namespace cairn::test
