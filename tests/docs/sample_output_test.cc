#include "tests/docs/sample_output.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace cairn::test {
namespace {

using ::testing::HasSubstr;

constexpr std::string_view kEarly = R"({"at":"2026-11-16T20:55:35.123456Z"})";
constexpr std::string_view kLater = R"({"at":"2027-01-02T03:04:05.000001Z"})";
constexpr std::string_view kOneId = R"({"id":"018f3c9e-7f4a-7c30-9a1b-000000000001"})";
constexpr std::string_view kOtherId = R"({"id":"018f3c9e-7f4a-7c30-9a1b-000000000002"})";

TEST(SampleOutputTest, JsonIsComparedAsJson) {
  EXPECT_EQ(json_difference(R"({"a":1,"b":[1,2]})", R"({ "b": [1, 2], "a": 1.0 })", ""), "");
  EXPECT_EQ(json_difference("{\"a\":1}\n{\"a\":2}\n", "{\"a\":1}{\"a\":2}", ""), "");
  EXPECT_EQ(json_difference(R"({"a":{"b":1}})", R"({"a":{"b":2}})", ""),
            "at /a/b the document shows 1 and the command gives 2");
  EXPECT_EQ(json_difference(R"({"a":1})", R"({"a":1,"b":2})", ""),
            "at /b the document shows nothing and the command gives 2");
  EXPECT_EQ(json_difference(R"({"a":1,"b":2})", R"({"a":1})", ""),
            "at /b the document shows 2 and the command gives nothing");
  EXPECT_EQ(json_difference("[1]", "[1,2]", ""),
            "at the top the document shows 1 elements and the command gives 2");
  EXPECT_EQ(json_difference("{}", "{}{}", ""), "the document shows 1 values and the commands give 2");
  EXPECT_EQ(json_difference("{", "{}", ""), "what the document shows is no JSON");
  EXPECT_EQ(json_difference("{}", "oops", ""), "what the command prints is no JSON");
}

TEST(SampleOutputTest, AnEllipsisMatchesAnyText) {
  EXPECT_EQ(
      json_difference(R"({"a":…,"b":"x…z","c":[1,…],…})", R"({"a":{},"b":"xyz","c":[1,2,3],"d":4})", ""), "");
  EXPECT_THAT(json_difference(R"({"a":1,…})", R"({"a":2,"d":4})", ""), HasSubstr("at /a"));
  EXPECT_THAT(json_difference(R"({"b":"x…z"})", R"({"b":"xy"})", ""), HasSubstr("at /b"));
  EXPECT_EQ(text_difference("one …\n…\nlast\n", "one 1\ntwo\nthree\nlast\n", ""), "");
  EXPECT_THAT(text_difference("one\n…\nlast\n", "one\ntwo\n", ""), HasSubstr("the command ends before"));
}

TEST(SampleOutputTest, TimesAndIdsAreComparedByKind) {
  EXPECT_EQ(json_difference(kEarly, kLater, ""), "");
  EXPECT_THAT(json_difference(kEarly, R"({"at":"yesterday"})", ""), HasSubstr("at /at"));
  EXPECT_EQ(json_difference(kOneId, kOtherId, ""), "");
  EXPECT_THAT(json_difference(kOneId, kOtherId, kOneId), HasSubstr("at /id")) << "the reader gave it";
  EXPECT_EQ(text_difference("at 2026-11-16T20:55:35Z", "at 2027-01-01T00:00:00.1Z", ""), "");
}

TEST(SampleOutputTest, TextIsComparedLineByLine) {
  EXPECT_EQ(text_difference("A  B\n1  2\n", "A    B\n1    2  \n\n", ""), "");
  EXPECT_EQ(text_difference("a\nb\n", "a\nc\n", ""),
            "the document shows the line \"b\" and the command prints \"c\"");
  EXPECT_EQ(text_difference("a\n", "a\nb\n", ""), "the command goes on with the line \"b\"");
  EXPECT_EQ(text_difference("", "", ""), "");
}

TEST(SampleOutputTest, APartIsFoundWithAnySpaces) {
  EXPECT_TRUE(is_part_of(R"({"a":1, …})", "x {\n  \"a\": 1,\n  \"b\": 2\n}\n"));
  EXPECT_FALSE(is_part_of(R"({"a":2})", R"({"a":1})"));
}

}  // namespace
}  // namespace cairn::test
