#include "tools/cli/aggregate/state_diff.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace cairn::cli {
namespace {

using Json = nlohmann::ordered_json;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

// "path before after", one for each change.
std::vector<std::string> diff(const char* before, const char* after) {
  std::vector<std::string> lines;
  for (const StateChange& change : state_diff(Json::parse(before), Json::parse(after))) {
    lines.push_back(change.path + " " + value_text(change.before, 50) + " " + value_text(change.after, 50));
  }
  return lines;
}

TEST(StateDiffTest, EqualStatesHaveNoChanges) {
  EXPECT_THAT(diff("{}", "{}"), IsEmpty());
  EXPECT_THAT(diff(R"({"a":1,"b":[1,{"c":null}]})", R"({"b":[1,{"c":null}],"a":1})"), IsEmpty());
}

TEST(StateDiffTest, ChangesAreReportedByPath) {
  EXPECT_THAT(diff(R"({"a":1,"b":{"c":"x"},"gone":true})", R"({"a":2,"b":{"c":"y"},"new":null})"),
              ElementsAre("/a 1 2", R"(/b/c "x" "y")", "/gone true -", "/new - null"));
  EXPECT_THAT(diff(R"({"l":[1,2,3]})", R"({"l":[1,5]})"), ElementsAre("/l/1 2 5", "/l/2 3 -"));
  EXPECT_THAT(diff(R"({"l":[]})", R"({"l":[{"a":1}]})"), ElementsAre(R"(/l/0 - {"a":1})"));
  EXPECT_THAT(diff(R"({"a/b~c":1})", R"({"a/b~c":2})"), ElementsAre("/a~1b~0c 1 2"));
}

TEST(StateDiffTest, AnotherJsonTypeIsAChange) {
  EXPECT_THAT(diff(R"({"a":1})", R"({"a":"1"})"), ElementsAre(R"(/a 1 "1")"));
  EXPECT_THAT(diff(R"({"a":1})", R"({"a":1.0})"), ElementsAre("/a 1 1.0"));
  EXPECT_THAT(diff(R"({"a":{}})", R"({"a":[]})"), ElementsAre("/a {} []"));
  EXPECT_THAT(diff("[]", "{}"), ElementsAre(" [] {}"));
  EXPECT_THAT(diff(R"({"a":-1})", R"({"a":18446744073709551615})"),
              ElementsAre("/a -1 18446744073709551615"));
}

TEST(StateDiffTest, AFieldIsANameOrAPointer) {
  EXPECT_EQ(pointer_of("status"), "/status");
  EXPECT_EQ(pointer_of("a/b"), "/a~1b");
  EXPECT_EQ(pointer_of("/items/0/price"), "/items/0/price");
  const Json state = Json::parse(R"({"items":[{"price":5}],"n":null})");
  EXPECT_EQ(value_at(state, "/items/0/price"), Json(5));
  EXPECT_EQ(value_at(state, "/n"), Json(nullptr));
  for (const char* nothing : {"/none", "/items/1", "/items/x", "/n/a", "/items/0/price/deeper", "/~2"}) {
    EXPECT_EQ(value_at(state, nothing), std::nullopt) << nothing;
  }
}

}  // namespace
}  // namespace cairn::cli
