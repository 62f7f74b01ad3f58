#include "api/http/problem.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace cairn::api {
namespace {

using ::testing::Contains;
using ::testing::Pair;

TEST(ProblemTest, FieldsAreMembersOfOneObject) {
  const auto json = nlohmann::json::parse(too_large("The body", 18'446'744'073'709'551'615u).to_json());
  EXPECT_EQ(json["type"], "/problems/too-large");
  EXPECT_EQ(json["status"], 413);
  EXPECT_EQ(json["limit"], 18'446'744'073'709'551'615u);
  EXPECT_TRUE(json["title"].is_string());
  EXPECT_TRUE(json["detail"].is_string());
}

TEST(ProblemTest, ClientTextIsEscaped) {
  const std::string name = "a\"b\\\n\xff\x01";
  const auto json = nlohmann::json::parse(not_found("stream", name).to_json());
  EXPECT_EQ(json["name"], "a\"b\\\n\xEF\xBF\xBD\x01");
}

TEST(ProblemTest, OverloadedHasRetryAfter) {
  for (const Problem& problem : {overloaded("x"), not_yet("x")}) {
    EXPECT_EQ(problem.status(), 503);
    EXPECT_THAT(problem.to_response().headers, Contains(Pair("Retry-After", "1")));
  }
}

TEST(ProblemTest, TooManyRequestsHasRetryAfter) {
  const Problem problem = too_many_requests("x");
  EXPECT_EQ(problem.status(), 429);
  EXPECT_THAT(problem.to_response().headers, Contains(Pair("Retry-After", "1")));
}

}  // namespace
}  // namespace cairn::api
