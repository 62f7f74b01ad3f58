// While the index of a store of an older version is being rebuilt: what needs it says so, all else works.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "api/aggregates/aggregate_service.h"
#include "api/events/follower_wakeups.h"
#include "api/metrics/metrics.h"
#include "api/net/http_server.h"
#include "api/registry/registry_service.h"
#include "api/server/routes.h"
#include "api/upcasters/deploy_service.h"
#include "projections/engine/engine.h"
#include "tests/api/server/api_client.h"
#include "tests/support/matchers.h"
#include "tests/support/small_store.h"
#include "tests/support/temp_folder.h"

namespace cairn::test {
namespace {

using ::testing::HasSubstr;

// A store whose index is rebuilt up to a position that the test chooses.
class RebuildingStore final : public EventStore {
 public:
  explicit RebuildingStore(EventStore& store) : store_(store) {}

  IndexProgress index_{.done = {0}, .total = {0}};

  IndexProgress index_progress() const override { return index_; }
  Result<LogPage> read_log(const LogQuery& query) override {
    if (query.filter.looks_at_events()) CAIRN_CHECK(check_index());
    return store_.read_log(query);
  }
  Result<CountList> count_terms(const CountQuery& query) override {
    CAIRN_CHECK(check_index());
    return store_.count_terms(query);
  }

  Result<AppendResult> append(AppendRequest request) override { return store_.append(std::move(request)); }
  Status verify(AppendCondition& condition, WorkBudget* budget) override {
    return store_.verify(condition, budget);
  }
  bool verify_in_memory(AppendCondition& condition) override { return store_.verify_in_memory(condition); }
  void append_async(AppendRequest request, AppendCallback done) override {
    store_.append_async(std::move(request), std::move(done));
  }
  void append_async(std::shared_ptr<const AppendRequest> request, AppendCallback done) override {
    store_.append_async(std::move(request), std::move(done));
  }
  Result<StreamPage> read_stream(std::string_view stream, const StreamQuery& query) override {
    return store_.read_stream(stream, query);
  }
  Result<std::optional<StreamInfo>> stream_info(std::string_view stream) override {
    return store_.stream_info(stream);
  }
  Result<StreamList> list_streams(const StreamListQuery& query) override {
    return store_.list_streams(query);
  }
  Status flush_index() override { return store_.flush_index(); }
  Status put_snapshots(std::span<const SnapshotRecord> snapshots,
                       std::span<const SnapshotKey> drop) override {
    return store_.put_snapshots(snapshots, drop);
  }
  Result<SnapshotSearch> find_snapshot(std::string_view stream, StreamVersion at_most) override {
    return store_.find_snapshot(stream, at_most);
  }
  Result<std::vector<SnapshotInfo>> list_snapshots(std::string_view stream) override {
    return store_.list_snapshots(stream);
  }
  Result<SnapshotStreams> list_snapshot_streams(const SnapshotStreamsQuery& query) override {
    return store_.list_snapshot_streams(query);
  }
  Result<std::uint64_t> prune_snapshots(std::string_view stream, std::uint64_t keep) override {
    return store_.prune_snapshots(stream, keep);
  }
  StoreStats stats() const override { return store_.stats(); }
  Result<std::uint64_t> claim_epoch() override { return store_.claim_epoch(); }
  Result<std::string> history_id() override { return store_.history_id(); }
  Result<GlobalPosition> first_recorded_at(Timestamp time) override { return store_.first_recorded_at(time); }
  Result<GlobalPosition> scan(const ScanQuery& query, const EventVisitor& visitor) override {
    return store_.scan(query, visitor);
  }
  Result<StreamPage> read_system_stream(std::string_view stream, const StreamQuery& query) override {
    return store_.read_system_stream(stream, query);
  }
  Result<std::optional<StreamInfo>> system_stream_info(std::string_view stream) override {
    return store_.system_stream_info(stream);
  }
  GlobalPosition head() const override { return store_.head(); }
  bool wait_for(GlobalPosition position, std::chrono::milliseconds timeout) override {
    return store_.wait_for(position, timeout);
  }
  std::uint64_t notify_at(GlobalPosition position, std::function<void()> ready) override {
    return store_.notify_at(position, std::move(ready));
  }
  void cancel_notify(std::uint64_t ticket) override { store_.cancel_notify(ticket); }
  std::string head_hash() const override { return store_.head_hash(); }
  std::string store_id() const override { return store_.store_id(); }

 private:
  Status check_index() const {
    if (index_.complete()) return {};
    Error error = make_error(Errc::kNotYet, "the index is being rebuilt");
    error.position = index_.done.value;
    error.limit = index_.total.value;
    return error;
  }

  EventStore& store_;
};

class IndexRebuildTest : public ::testing::Test {
 protected:
  void SetUp() override {
    EngineOptions engine_options;
    engine_options.store = small_store();
    engine_options.read_models = ReadModelMode::kOff;
    auto engine = Engine::open(folder_.path(), std::move(engine_options));
    ASSERT_THAT(engine, succeeds());
    engine_ = *std::move(engine);
    store_.emplace(engine_->store());
    registry_.emplace(engine_->registry());
    deployments_.emplace(engine_->shapes(), metrics_);
    aggregates_.emplace(engine_->states());
    slot_.set(*store_, engine_->registry(), *registry_, engine_->shapes(), *deployments_, *aggregates_,
              nullptr);
    api::ServerOptions options;
    options.address = {"127.0.0.1", 0};
    options.threads = 1;
    auto server = api::HttpServer::start(std::move(options),
                                         api::Router(api::all_routes({.store = slot_,
                                                                      .wakeups = wakeups_,
                                                                      .metrics = metrics_,
                                                                      .schemas = api::SchemaPolicy::kOptional,
                                                                      .version = ""})));
    ASSERT_THAT(server, succeeds());
    server_ = *std::move(server);
    client_.emplace(server_->address().port);
  }

  HttpAnswer get(const std::string& path, const httplib::Headers& headers = {}) {
    return client_->get(path, headers);
  }

  TempFolder folder_;
  api::Metrics metrics_;
  api::FollowerWakeups wakeups_;
  api::StoreSlot slot_;
  std::unique_ptr<Engine> engine_;
  std::optional<RebuildingStore> store_;
  std::optional<api::RegistryService> registry_;
  std::optional<api::DeployService> deployments_;
  std::optional<api::AggregateService> aggregates_;
  std::unique_ptr<api::HttpServer> server_;
  std::optional<ApiClient> client_;
};

TEST_F(IndexRebuildTest, ReadyAndMetricsSayHowFarItIs) {
  store_->index_ = {.done = {7}, .total = {10}};
  const HttpAnswer ready = get("/ready");
  EXPECT_EQ(ready.status, 200);
  EXPECT_EQ(ready.json(), (Json{{"status", "ready"}, {"head", 0}, {"index", {{"done", 7}, {"total", 10}}}}));
  EXPECT_THAT(get("/metrics").body, HasSubstr("\ncairn_index_rebuild_events_left 3\n"));
  store_->index_.done = {10};
  EXPECT_EQ(get("/ready").json(), (Json{{"status", "ready"}, {"head", 0}}));
  EXPECT_THAT(get("/metrics").body, HasSubstr("\ncairn_index_rebuild_events_left 0\n"));
}

TEST_F(IndexRebuildTest, WhatNeedsTheIndexIsNotYetInEachForm) {
  store_->index_ = {.done = {7}, .total = {10}};
  for (const char* path :
       {"/events?tag=x", "/events?correlation=c", "/events?tag=x&category=a&system=false", "/stats/counts"}) {
    for (const char* accept : {"application/json", "application/x-ndjson", "text/event-stream"}) {
      SCOPED_TRACE(std::string(path) + " " + accept);
      const HttpAnswer refused = get(path, {{"Accept", accept}});
      EXPECT_EQ(refused.status, 503);
      EXPECT_NE(refused.header("Retry-After"), "");
      const Json problem = refused.json();
      EXPECT_EQ(problem.value("type", ""), "/problems/not-yet");
      EXPECT_EQ(problem.value("indexed", 0), 7);
      EXPECT_EQ(problem.value("head", 0), 10);
    }
  }
  store_->index_.done = {10};
  EXPECT_EQ(get("/events?tag=x").status, 200);
  EXPECT_EQ(get("/events?tag=x", {{"Accept", "application/x-ndjson"}}).status, 200);
  EXPECT_EQ(get("/stats/counts").status, 200);
}

TEST_F(IndexRebuildTest, OtherReadsAndAppendsGoOn) {
  store_->index_ = {.done = {7}, .total = {10}};
  ASSERT_EQ(client_->append("a-1", {event_text("T")}).status, 201);
  for (const char* query : {"", "category=a", "type=T", "system=false", "fromTime=2000-01-01T00:00:00Z"}) {
    SCOPED_TRACE(query);
    for (const char* accept : {"application/json", "application/x-ndjson"}) {
      const HttpAnswer answer = get("/events?" + std::string(query), {{"Accept", accept}});
      EXPECT_EQ(answer.status, 200);
      EXPECT_THAT(answer.body, HasSubstr("\"a-1\""));
    }
  }
}

}  // namespace
}  // namespace cairn::test
