#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "api/aggregates/aggregate_service.h"
#include "api/events/news_bell.h"
#include "api/metrics/metrics.h"
#include "api/net/http_server.h"
#include "api/projections/projection_service.h"
#include "api/registry/registry_service.h"
#include "api/server/routes.h"
#include "api/upcasters/deploy_service.h"
#include "eventstore/event_store.h"
#include "tests/api/projections/fake_daemon.h"
#include "tests/api/server/api_client.h"
#include "tests/support/matchers.h"
#include "tests/support/small_store.h"
#include "tests/support/temp_folder.h"
#include "upcasters/event_shapes.h"

namespace cairn::test {

// The words of the tests of projections' routes: a server of one thread, in this process, before a daemon
// that says what a test wants. Its projection is `orders`.
class ProjectionRoutesTest : public ::testing::Test {
 protected:
  ProjectionRoutesTest() { daemon_.status_.name = "orders"; }
  ~ProjectionRoutesTest() override {
    service_.stop();
    server_.reset();
  }

  // Begins to serve, with these tokens.
  void serve(std::optional<api::AccessList> tokens = {}, bool projections_on = true) {
    auto store = EventStore::open(folder_.path(), small_store());
    ASSERT_THAT(store, succeeds());
    store_ = *std::move(store);
    registry_ = *api::RegistryService::open(*store_);
    shapes_ = *EventShapes::open(*store_, registry_->registry());
    states_ = *AggregateStates::open(*store_, *shapes_);
    deployments_.emplace(*shapes_, metrics_);
    aggregates_.emplace(*states_);
    slot_.set(*store_, registry_->registry(), *registry_, *shapes_, *deployments_, *aggregates_,
              projections_on ? &service_ : nullptr);
    api::ServerOptions options;
    options.address = {"127.0.0.1", 0};
    options.threads = 1;  // One thread: whatever holds it holds everybody.
    options.tokens = std::move(tokens);
    auto server = api::HttpServer::start(
        std::move(options),
        api::Router(api::all_routes({.store = slot_, .news = bell_, .metrics = metrics_, .version = ""})));
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

  // What an answer of this status has.
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
  api::NewsBell bell_;
  api::StoreSlot slot_;
  std::unique_ptr<EventStore> store_;
  std::unique_ptr<api::RegistryService> registry_;
  std::unique_ptr<EventShapes> shapes_;
  std::unique_ptr<AggregateStates> states_;
  std::optional<api::DeployService> deployments_;
  std::optional<api::AggregateService> aggregates_;
  std::unique_ptr<api::HttpServer> server_;
};

}  // namespace cairn::test
