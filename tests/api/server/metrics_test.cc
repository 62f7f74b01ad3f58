// /metrics: the documented metrics exist and change.

#include <chrono>
#include <map>
#include <optional>
#include <regex>
#include <sstream>
#include <string>

#include "tests/api/server/api_fixture.h"
#include "tests/api/server/sse_client.h"

namespace cairn::test {
namespace {

class ServerMetricsTest : public ApiTest {
 protected:
  void SetUp() override { serve(); }

  // Samples by name and labels; the test fails at a line that Prometheus could not parse.
  std::map<std::string, double> samples() {
    static const std::regex kSample(
        R"re(([a-zA-Z_:][a-zA-Z0-9_:]*)(\{([a-zA-Z_]+="([^"\\]|\\.)*",?)*\})? ([-+]?[0-9.eE+-]+|\+Inf|NaN)( [0-9]+)?)re");
    const HttpAnswer answer = get("/metrics");
    EXPECT_EQ(answer.status, 200);
    EXPECT_THAT(answer.header("Content-Type"), ::testing::StartsWith("text/plain; version=0.0.4"));
    std::map<std::string, double> all;
    std::istringstream lines(answer.body);
    for (std::string line; std::getline(lines, line);) {
      if (line.empty() || line.starts_with("# HELP ") || line.starts_with("# TYPE ")) continue;
      std::smatch parts;
      const bool readable = std::regex_match(line, parts, kSample);
      EXPECT_TRUE(readable) << line;
      if (!readable) continue;
      EXPECT_TRUE(
          all.emplace(parts[1].str() + parts[2].str(), std::strtod(parts[5].str().c_str(), nullptr)).second)
          << "twice: " << line;
    }
    return all;
  }
  double sample(const std::string& name) {
    const auto all = samples();
    const auto found = all.find(name);
    EXPECT_NE(found, all.end()) << name << " is missing";
    return found == all.end() ? -1 : found->second;
  }
};

TEST_F(ServerMetricsTest, EveryDocumentedMetricExists) {
  ASSERT_EQ(append("a-1", {event_text("T")}).status, 201);
  const std::string text = get("/metrics").body;
  for (const char* name : {"process_start_time_seconds gauge",
                           "cairn_http_request_seconds histogram",
                           "cairn_http_connections gauge",
                           "cairn_http_connections_total counter",
                           "cairn_http_requests_cancelled_total counter",
                           "cairn_http_streams_closed_total counter",
                           "cairn_appends_total counter",
                           "cairn_appends_repeated_total counter",
                           "cairn_append_conflicts_total counter",
                           "cairn_appends_refused_total counter",
                           "cairn_events_total counter",
                           "cairn_commits_total counter",
                           "cairn_commit_seconds histogram",
                           "cairn_append_visible_seconds histogram",
                           "cairn_append_row_committed_seconds histogram",
                           "cairn_build_info gauge",
                           "cairn_disk_bytes gauge",
                           "cairn_disk_free_bytes gauge",
                           "process_cpu_seconds_total counter",
                           "process_resident_memory_bytes gauge",
                           "process_virtual_memory_bytes gauge",
                           "process_open_fds gauge",
                           "process_max_fds gauge",
                           "cairn_block_bytes histogram",
                           "cairn_block_events histogram",
                           "cairn_log_head gauge",
                           "cairn_log_bytes gauge",
                           "cairn_index_bytes gauge",
                           "cairn_index_rebuild_events_left gauge",
                           "cairn_queue_requests gauge",
                           "cairn_tail_events gauge",
                           "cairn_index_flushes_total counter",
                           "cairn_readers gauge",
                           "cairn_aggregates gauge",
                           "cairn_state_folds_total counter",
                           "cairn_state_events_folded_total counter",
                           "cairn_snapshot_hits_total counter",
                           "cairn_snapshot_misses_total counter",
                           "cairn_projection_position gauge",
                           "cairn_projection_lag_events gauge",
                           "cairn_projection_lag_seconds gauge",
                           "cairn_projection_retries_total counter",
                           "cairn_projection_parked_keys gauge",
                           "cairn_projection_state gauge",
                           "cairn_upcasters gauge",
                           "cairn_upcaster_deployments_total counter",
                           "cairn_shape_failures_total counter"}) {
    EXPECT_THAT(text, ::testing::HasSubstr("# TYPE " + std::string(name) + "\n"));
  }
  EXPECT_FALSE(samples().empty());
}

TEST_F(ServerMetricsTest, TheTimeOfTheStartChangesWithARestart) {
  const double started = sample("process_start_time_seconds");
  const double now =
      std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
  EXPECT_GT(started, now - 600);
  EXPECT_LE(started, now);
  restart();
  EXPECT_GT(sample("process_start_time_seconds"), started);
}

TEST_F(ServerMetricsTest, AppendsAreCountedByOutcome) {
  const std::vector<std::string> events = {event_text("A", "1", uuid(1)), event_text("B", "1", uuid(2))};
  ASSERT_EQ(append("a-1", events).status, 201);
  ASSERT_EQ(append("a-1", events).status, 200);
  ASSERT_EQ(append("a-1", {event_text("T")}, "7").status, 409);
  ASSERT_EQ(append("b-1", {event_text("A", "1", uuid(1))}).status, 409);
  EXPECT_EQ(sample("cairn_appends_total"), 2);
  EXPECT_EQ(sample("cairn_appends_repeated_total"), 1);
  EXPECT_EQ(sample("cairn_append_conflicts_total"), 1);
  EXPECT_EQ(sample("cairn_appends_refused_total"), 1);
  EXPECT_EQ(sample("cairn_events_total"), 2);
  EXPECT_EQ(sample("cairn_commits_total"), 1);
  EXPECT_EQ(sample("cairn_log_head"), 2);
  EXPECT_EQ(sample("cairn_block_events_sum"), 2);
  EXPECT_EQ(sample("cairn_commit_seconds_count"), 1);
  EXPECT_GT(sample("cairn_log_bytes"), 0);
  restart();
  EXPECT_EQ(sample("cairn_appends_total"), 0);
  EXPECT_EQ(sample("cairn_log_head"), 2);
}

TEST_F(ServerMetricsTest, AppendsAreTimedUntilTheyAreVisible) {
  const std::vector<std::string> events = {event_text("A", "1", uuid(1)), event_text("B", "1", uuid(2))};
  ASSERT_EQ(append("a-1", events).status, 201);
  ASSERT_EQ(append("a-1", events).status, 200);
  ASSERT_EQ(append("a-1", {event_text("T")}, "7").status, 409);
  ASSERT_EQ(append("a-1", {event_text("T")}).status, 201);
  EXPECT_EQ(sample("cairn_append_visible_seconds_count"), 2) << "repeats and refusals add nothing";
  EXPECT_GE(sample("cairn_append_visible_seconds_sum"), sample("cairn_commit_seconds_sum"));
  EXPECT_EQ(sample("cairn_append_visible_seconds_bucket{le=\"+Inf\"}"), 2);
}

TEST_F(ServerMetricsTest, TheProcessAndItsBuildAreDescribed) {
  const std::string version = get("/version").json()["version"].get<std::string>();
  EXPECT_EQ(sample("cairn_build_info{log_format=\"2\",version=\"" + version + "\"}"), 1);
  const auto all = samples();
  EXPECT_GT(all.at("process_cpu_seconds_total"), 0);
  EXPECT_GT(all.at("process_virtual_memory_bytes"), all.at("process_resident_memory_bytes"));
  EXPECT_GT(all.at("process_resident_memory_bytes"), 1 << 20);
  EXPECT_GE(all.at("cairn_disk_bytes"), all.at("cairn_disk_free_bytes"));
  const double open = all.at("process_open_fds");
  EXPECT_LT(open, all.at("process_max_fds"));
  std::vector<RawClient> some;
  for (int i = 0; i < 10; ++i) {
    some.push_back(raw());
    ASSERT_EQ(some.back().get("/health").status, 200);
  }
  EXPECT_GE(sample("process_open_fds"), open + 10);
}

TEST_F(ServerMetricsTest, RequestsAreTimedByRouteAndStatus) {
  ASSERT_EQ(append("a-1", {event_text("T")}).status, 201);
  for (int i = 0; i < 5; ++i) get("/streams/a-" + std::to_string(i));
  const auto all = samples();
  double found = 0, missing = 0;
  for (const auto& [name, value] : all) {
    if (!name.starts_with("cairn_http_request_seconds_count{") ||
        name.find("\"/streams/{stream}\"") == std::string::npos)
      continue;
    if (name.find("status=\"200\"") != std::string::npos) found += value;
    if (name.find("status=\"404\"") != std::string::npos) missing += value;
  }
  EXPECT_EQ(found, 1);
  EXPECT_EQ(missing, 4);
}

// Labels come from the route table, never from a client, which could otherwise exhaust memory with new
// labels.
TEST_F(ServerMetricsTest, ClientsCannotCreateLabels) {
  const std::size_t before = samples().size();
  for (int i = 0; i < 100; ++i) {
    get("/nowhere-" + std::to_string(i));
    get("/streams/none-" + std::to_string(i));
    raw().exchange("ODD" + std::to_string(i) + " /health HTTP/1.1\r\nHost: localhost\r\n\r\n");
  }
  EXPECT_LT(samples().size(), before + 200);
  EXPECT_THAT(get("/metrics").body, ::testing::Not(::testing::HasSubstr("nowhere-")));
}

TEST_F(ServerMetricsTest, ConnectionsAreCounted) {
  const double total = sample("cairn_http_connections_total");
  {
    std::vector<RawClient> some;
    for (int i = 0; i < 10; ++i) {
      some.push_back(raw());
      ASSERT_EQ(some.back().get("/health").status, 200);
    }
    EXPECT_GE(sample("cairn_http_connections"), 11);
    EXPECT_EQ(sample("cairn_http_connections_total"), total + 10);
  }
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(100);
  while (sample("cairn_http_connections") > 1) ASSERT_LT(std::chrono::steady_clock::now(), deadline);
}

}  // namespace
}  // namespace cairn::test
