// /openapi.json describes exactly the routes of the server.

#include <algorithm>
#include <cctype>
#include <set>
#include <string>

#include "api/events/follower_wakeups.h"
#include "api/metrics/metrics.h"
#include "api/server/routes.h"
#include "tests/api/server/api_fixture.h"

namespace cairn::test {
namespace {

class ServerOpenApiTest : public ApiTest {
 protected:
  void SetUp() override { serve(); }

  HttpAnswer ask(const std::string& method, const std::string& path) {
    if (method == "GET") return get(path);
    if (method == "PUT") return client().put(path, "{}");
    if (method == "DELETE") return client().remove(path);
    return post(path, "{}");
  }

  std::set<std::string> described() {
    std::set<std::string> all;
    const Json document = get("/openapi.json").json();
    for (const auto& [path, operations] : document["paths"].items()) {
      for (const auto& [method, operation] : operations.items()) {
        if (method == "parameters") continue;
        std::string upper = method;
        std::transform(upper.begin(), upper.end(), upper.begin(),
                       [](unsigned char c) { return std::toupper(c); });
        all.insert(upper + " " + path);
      }
    }
    return all;
  }
};

TEST_F(ServerOpenApiTest, PathsAndMethodsAreThoseOfTheRoutes) {
  const api::StoreSlot store;
  api::FollowerWakeups wakeups;
  api::Metrics metrics;
  std::set<std::string> routes;
  for (const api::Route& route :
       api::all_routes({.store = store, .wakeups = wakeups, .metrics = metrics, .version = ""})) {
    routes.insert(route.method + " " + route.path);
  }
  EXPECT_EQ(described(), routes);
}

TEST_F(ServerOpenApiTest, EveryReferenceResolves) {
  const Json document = get("/openapi.json").json();
  EXPECT_EQ(document["openapi"], "3.0.3");
  const std::string text = document.dump();
  for (std::size_t at = 0; (at = text.find("\"$ref\":\"#", at)) != std::string::npos;) {
    at += 9;
    const std::string pointer = text.substr(at, text.find('"', at) - at);
    EXPECT_TRUE(document.contains(Json::json_pointer(pointer))) << pointer;
  }
}

TEST_F(ServerOpenApiTest, EveryOperationIsAnswered) {
  for (const std::string& operation : described()) {
    SCOPED_TRACE(operation);
    const auto space = operation.find(' ');
    std::string path = operation.substr(space + 1);
    for (auto at = path.find('{'); at != std::string::npos; at = path.find('{')) {
      path.replace(at, path.find('}') + 1 - at, path[at + 1] == 'v' ? "1" : "none-1");
    }
    const HttpAnswer answer = ask(operation.substr(0, space), path);
    // 415: an aggregate is Lua, and so is a projection.
    EXPECT_THAT(answer.status, ::testing::AnyOf(200, 204, 400, 404, 415, 422));
    if (answer.status == 404) {
      const Json problem = answer.json();
      const std::string kind = problem.value("kind", "");
      EXPECT_TRUE(kind == "stream" || kind == "upcaster" || kind == "aggregate" || kind == "projection" ||
                  problem.value("error_code", 0) > 40400)
          << answer.body;
    }
  }
}

}  // namespace
}  // namespace cairn::test
