#include "api/http/router.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <tuple>

namespace cairn::api {
namespace {

using ::testing::Contains;
using ::testing::Pair;

class RouterTest : public ::testing::Test {
 protected:
  static Route route(std::string method, std::string path) {
    auto name = method + " " + path;
    return {std::move(method), std::move(path), [name](const HttpRequest& request, const Responder& respond) {
              std::string body = name;
              for (const auto& [key, value] : request.parameters) body += " " + key + "=" + value;
              respond(json_response(200, body));
            }};
  }

  HttpResponse ask(std::string_view method, std::string_view path) {
    HttpRequest request;
    request.method = method;
    request.path = path;
    auto answer = std::make_shared<PendingAnswer>();
    Router::handle(router_.find(method, path), request, Responder(answer));
    auto response = answer->take();
    EXPECT_TRUE(response.has_value());
    return response.value_or(HttpResponse());
  }

  const Router router_{{route("GET", "/streams"), route("GET", "/streams/{stream}"),
                        route("GET", "/streams/{stream}/events"), route("POST", "/streams/{stream}/events")}};
};

TEST_F(RouterTest, SegmentsChooseTheRoute) {
  EXPECT_EQ(ask("GET", "/streams").body, "GET /streams");
  EXPECT_EQ(ask("GET", "/streams/order-1").body, "GET /streams/{stream} stream=order-1");
  EXPECT_EQ(ask("POST", "/streams/order-1/events").body, "POST /streams/{stream}/events stream=order-1");
  EXPECT_EQ(ask("HEAD", "/streams").body, "GET /streams");
}

TEST_F(RouterTest, ParametersAreDecodedAfterSplitting) {
  EXPECT_EQ(ask("GET", "/streams/a%2Fevents").body, "GET /streams/{stream} stream=a/events");
  EXPECT_EQ(ask("GET", "/streams/%24x+y").body, "GET /streams/{stream} stream=$x+y");
  for (const char* path : {"/streams/%", "/streams/%2", "/streams/%zz", "/streams/a%2"}) {
    EXPECT_EQ(ask("GET", path).status, 400) << path;
  }
}

TEST_F(RouterTest, UnknownPathsAreNotFound) {
  for (const char* path :
       {"/", "/stream", "/streams/", "//streams", "/streams/a/events/", "/streams//events"}) {
    const auto response = ask("GET", path);
    EXPECT_EQ(response.status, 404) << path;
    EXPECT_EQ(response.content_type, "application/problem+json");
    const auto problem = nlohmann::json::parse(response.body);
    EXPECT_EQ(problem["type"], "/problems/not-found");
    EXPECT_EQ(problem["name"], path);
  }
}

TEST_F(RouterTest, OtherMethodsAreToldWhatThereIs) {
  const auto response = ask("DELETE", "/streams/a/events");
  EXPECT_EQ(response.status, 405);
  EXPECT_THAT(response.headers, Contains(Pair("Allow", "GET, POST")));
}

// Paths of the schema registry have their own ways.

class RegistryRouterTest : public RouterTest {
 protected:
  static Route registry_route(std::string method, std::string path) {
    Route made = route(std::move(method), std::move(path));
    made.dialect = Dialect::kSchemaRegistry;
    return made;
  }
};

TEST_F(RegistryRouterTest, ASlashAtTheEndMakesNoOtherPath) {
  const Router router{{registry_route("GET", "/"), registry_route("GET", "/config"),
                       registry_route("GET", "/config/{subject}"), route("GET", "/streams")}};
  EXPECT_EQ(router.find("GET", "/").route->path, "/");
  EXPECT_EQ(router.find("GET", "/config/").route->path, "/config");
  EXPECT_EQ(router.find("GET", "/config/a/").route->path, "/config/{subject}");
  EXPECT_EQ(router.find("GET", "/config//").route, nullptr);
  EXPECT_EQ(router.find("GET", "/streams/").route, nullptr) << "elsewhere it does";
}

TEST_F(RegistryRouterTest, ProblemsAreToldInTheRegistrysWords) {
  const Router router{{registry_route("GET", "/config"), registry_route("GET", "/config/{subject}"),
                       route("GET", "/streams")}};
  for (const auto& [method, path, status] :
       {std::tuple("GET", "/config/a/b", 404), {"PUT", "/config", 405}, {"GET", "/config/%", 400}}) {
    auto answer = std::make_shared<PendingAnswer>();
    Router::handle(router.find(method, path), {}, Responder(answer));
    const auto response = answer->take();
    ASSERT_TRUE(response.has_value());
    EXPECT_EQ(response->status, status);
    EXPECT_EQ(response->content_type, "application/vnd.schemaregistry.v1+json");
    const auto json = nlohmann::json::parse(response->body);
    EXPECT_EQ(json["error_code"], status);
    EXPECT_FALSE(json["message"].get<std::string>().empty());
  }
  EXPECT_EQ(router.find("GET", "/streams/a").dialect, Dialect::kProblem);
}

}  // namespace
}  // namespace cairn::api
