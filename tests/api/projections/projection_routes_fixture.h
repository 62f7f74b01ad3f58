#pragma once

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
#include "api/projections/projection_service.h"
#include "api/registry/registry_service.h"
#include "api/server/routes.h"
#include "api/upcasters/deploy_service.h"
#include "projections/engine/engine.h"
#include "tests/api/projections/fake_daemon.h"
#include "tests/api/server/api_client.h"
#include "tests/support/matchers.h"
#include "tests/support/small_store.h"
#include "tests/support/temp_folder.h"

namespace cairn::test {

// The fixture of the tests of projection routes: a server with one thread, in this process, with a fake
// daemon whose projection is `orders`.
class ProjectionRoutesTest : public ::testing::Test {
 protected:
  ProjectionRoutesTest() { daemon_.status_.name = "orders"; }
  ~ProjectionRoutesTest() override {
    service_.stop();
    server_.reset();
  }

  // Starts the server with these tokens.
  void serve(std::optional<api::AccessList> tokens = {}, bool projections_on = true) {
    EngineOptions engine_options;
    engine_options.store = small_store();
    engine_options.read_models = ReadModelMode::kOff;  // The test's own daemon stands in for it.
    auto engine = Engine::open(folder_.path(), std::move(engine_options));
    ASSERT_THAT(engine, succeeds());
    engine_ = *std::move(engine);
    registry_.emplace(engine_->registry());
    deployments_.emplace(engine_->shapes(), metrics_);
    aggregates_.emplace(engine_->states());
    slot_.set(engine_->store(), engine_->registry(), *registry_, engine_->shapes(), *deployments_,
              *aggregates_, projections_on ? &service_ : nullptr);
    api::ServerOptions options;
    options.address = {"127.0.0.1", 0};
    options.threads = 1;  // One thread: whatever holds it holds everybody.
    options.tokens = std::move(tokens);
    auto server = api::HttpServer::start(
        std::move(options), api::Router(api::all_routes(
                                {.store = slot_, .wakeups = wakeups_, .metrics = metrics_, .version = ""})));
    ASSERT_THAT(server, succeeds());
    server_ = *std::move(server);
  }

  ApiClient new_client(httplib::Headers headers = {}) {
    if (!server_) serve();
    return ApiClient(server_->address().port, std::move(headers));
  }
  HttpAnswer get(const std::string& path) { return new_client().get(path); }
  HttpAnswer post(const std::string& path, const std::string& body = "",
                  const std::string& type = "application/json") {
    return new_client().post(path, body, type);
  }

  // The body of an answer, which must have this status.
  static Json answered(const HttpAnswer& answer, int status) {
    EXPECT_EQ(answer.status, status) << answer.body;
    return answer.json();
  }
  static Json problem(const HttpAnswer& answer, int status, const std::string& slug) {
    EXPECT_EQ(answer.status, status) << answer.body;
    const Json problem = answer.json();
    EXPECT_EQ(problem.value("type", ""), "/problems/" + slug) << answer.body;
    return problem;
  }

  FakeDaemon daemon_;
  api::ProjectionService service_{daemon_};

 private:
  TempFolder folder_;
  api::Metrics metrics_;
  api::FollowerWakeups wakeups_;
  api::StoreSlot slot_;
  std::unique_ptr<Engine> engine_;
  std::optional<api::RegistryService> registry_;
  std::optional<api::DeployService> deployments_;
  std::optional<api::AggregateService> aggregates_;
  std::unique_ptr<api::HttpServer> server_;
};

}  // namespace cairn::test
