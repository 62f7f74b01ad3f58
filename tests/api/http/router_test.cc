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
using ::testing::ElementsAre;
using ::testing::IsEmpty;
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

TEST_F(RouterTest, OtherMethodsGet405WithAllow) {
  const auto response = ask("DELETE", "/streams/a/events");
  EXPECT_EQ(response.status, 405);
  EXPECT_THAT(response.headers, Contains(Pair("Allow", "GET, POST")));
}

QueryParameters parsed(std::string_view query) {
  const auto parameters = parse_query(query);
  EXPECT_TRUE(parameters.has_value()) << query;
  return parameters.value_or(QueryParameters());
}

TEST(ParseQueryTest, PairsAreSplitAndDecoded) {
  EXPECT_THAT(parsed("from=7&direction=backward"),
              ElementsAre(Pair("direction", "backward"), Pair("from", "7")));
  EXPECT_THAT(parsed("category=Gr%C3%B6%c3%9fe&a%3Db=c%26d"),
              ElementsAre(Pair("a=b", "c&d"), Pair("category",
                                                   "Gr\xC3\xB6\xC3\x9F"
                                                   "e")));
  EXPECT_THAT(parsed("prefix=a+b%2Bc"), ElementsAre(Pair("prefix", "a b+c")));
  EXPECT_THAT(parsed("%66rom=1"), ElementsAre(Pair("from", "1")));
}

TEST(ParseQueryTest, RepeatedNamesKeepTheirOrder) {
  EXPECT_THAT(parsed("type=b&type=a&type=c"),
              ElementsAre(Pair("type", "b"), Pair("type", "a"), Pair("type", "c")));
  EXPECT_THAT(parsed("type=a&type=b&type=a"), ElementsAre(Pair("type", "a"), Pair("type", "b")))
      << "a pair that is written twice counts once";
}

TEST(ParseQueryTest, APercentSignThatBeginsNoEscapeStays) {
  for (const char* value : {"%", "%2", "%zz", "a%", "%%", "100%g0", "%u", "%u12", "%uzzzz", "%U0041"}) {
    EXPECT_THAT(parsed("a=" + std::string(value)), ElementsAre(Pair("a", value)));
    EXPECT_THAT(parsed(std::string(value)), ElementsAre(Pair(value, "")));
  }
  EXPECT_THAT(parsed("a=%%41"), ElementsAre(Pair("a", "%A")));
  EXPECT_THAT(parsed("a=%2541"), ElementsAre(Pair("a", "%41"))) << "is decoded once";
}

TEST(ParseQueryTest, EscapesOfJavaScriptAreDecoded) {
  EXPECT_THAT(parsed("a=%u0041%u2603"), ElementsAre(Pair("a", "A\xE2\x98\x83")));
  EXPECT_THAT(parsed("a=x%uD83Dy%uDE00"), ElementsAre(Pair("a", "xy"))) << "half a pair is left out";
}

TEST(ParseQueryTest, EmptyNamesValuesAndPairs) {
  EXPECT_THAT(parsed(""), IsEmpty());
  EXPECT_THAT(parsed("&&&"), IsEmpty());
  EXPECT_THAT(parsed("=&=="), IsEmpty());
  EXPECT_THAT(parsed("a&b="), ElementsAre(Pair("a", ""), Pair("b", "")));
  EXPECT_THAT(parsed("=a&==b"), IsEmpty());
}

TEST(ParseQueryTest, AValueMayContainEqualsSigns) {
  EXPECT_THAT(parsed("a=b=c"), ElementsAre(Pair("a", "b=c")));
  EXPECT_THAT(parsed("a==b=="), ElementsAre(Pair("a", "=b==")));
  EXPECT_THAT(parsed("limit=999999=1"), ElementsAre(Pair("limit", "999999=1")));
}

TEST(ParseQueryTest, BytesThatAreNoTextPassThrough) {
  const std::string nul("\0", 1);
  EXPECT_THAT(parsed("a=%00"), ElementsAre(Pair("a", nul)));
  EXPECT_THAT(parsed("a=%u0000"), ElementsAre(Pair("a", nul)));
  EXPECT_THAT(parsed("a=" + nul), ElementsAre(Pair("a", nul)));
  EXPECT_THAT(parsed("a=%ff%C3&\xED\xA0\x80=\xC0\xAF"),
              ElementsAre(Pair("a", "\xFF\xC3"), Pair("\xED\xA0\x80", "\xC0\xAF")));
}

TEST(ParseQueryTest, ASecondQuestionMarkIsRefused) {
  EXPECT_FALSE(parse_query("a=1?b=2").has_value());
  EXPECT_FALSE(parse_query("a?b").has_value());
  EXPECT_FALSE(parse_query("?a??b").has_value());
  EXPECT_THAT(parsed("?a=1??"), ElementsAre(Pair("a", "1")))
      << "with nothing on one side it is no second query";
  EXPECT_THAT(parsed("a=%3F"), ElementsAre(Pair("a", "?")));
}

TEST(ParseQueryTest, TenThousandParameters) {
  std::string same, different;
  for (int i = 0; i < 10'000; ++i) {
    same += "a=" + std::to_string(i) + "&";
    different += "p" + std::to_string(i) + "=%41&";
  }
  EXPECT_EQ(parsed(same).count("a"), 10'000u);
  EXPECT_EQ(parsed(different).size(), 10'000u);
  EXPECT_THAT(parsed(std::string(100'000, '&')), IsEmpty());
  EXPECT_THAT(parsed(std::string(100'000, '=')), IsEmpty());
  EXPECT_EQ(parsed(std::string(100'000, '%')).begin()->first.size(), 100'000u);
}

// Paths of the schema registry have trailing slashes and an error format of their own.

class RegistryRouterTest : public RouterTest {
 protected:
  static Route registry_route(std::string method, std::string path) {
    Route made = route(std::move(method), std::move(path));
    made.dialect = Dialect::kSchemaRegistry;
    return made;
  }
};

TEST_F(RegistryRouterTest, ATrailingSlashIsIgnored) {
  const Router router{{registry_route("GET", "/"), registry_route("GET", "/config"),
                       registry_route("GET", "/config/{subject}"), route("GET", "/streams")}};
  EXPECT_EQ(router.find("GET", "/").route->path, "/");
  EXPECT_EQ(router.find("GET", "/config/").route->path, "/config");
  EXPECT_EQ(router.find("GET", "/config/a/").route->path, "/config/{subject}");
  EXPECT_EQ(router.find("GET", "/config//").route, nullptr);
  EXPECT_EQ(router.find("GET", "/streams/").route, nullptr) << "other paths do not ignore it";
}

TEST_F(RegistryRouterTest, ProblemsHaveTheRegistrysFormat) {
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
