#include "eventstore/json/json_cursor.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "eventstore/json/json_check.h"
#include "eventstore/json/json_text.h"

namespace cairn::test {
namespace {

using Members = std::vector<std::pair<std::string, std::string>>;

Members members(std::string_view text) {
  EXPECT_FALSE(check_json(text));
  JsonCursor cursor(text);
  Members found;
  cursor.enter_object();
  while (auto name = cursor.next_name()) found.emplace_back(*name, cursor.take_raw());
  return found;
}

std::string compact(std::string_view text) {
  std::string to = "|";
  append_compact_json(to, text);
  return to;
}

TEST(JsonCursor, ReadsMembersAsTheyAreWritten) {
  EXPECT_EQ(
      members(R"( { "a" : 12345678901234567890 , "b\n" : { "c" : [ 1, "}" ] } , "d":"\"", "e":1.50 } )"),
      (Members{{"a", "12345678901234567890"},
               {"b\n", R"({ "c" : [ 1, "}" ] })"},
               {"d", R"("\"")"},
               {"e", "1.50"}}));
  EXPECT_EQ(members("{}"), Members{});
  EXPECT_EQ(members(R"({"":[]})"), (Members{{"", "[]"}}));
}

TEST(JsonCursor, ReadsElements) {
  JsonCursor cursor(R"([1, "two", [3], {"four":4}, null])");
  std::vector<JsonKind> kinds;
  cursor.enter_array();
  while (cursor.next_element()) {
    kinds.push_back(cursor.kind());
    cursor.take_raw();
  }
  EXPECT_EQ(kinds, (std::vector{JsonKind::kNumber, JsonKind::kString, JsonKind::kArray, JsonKind::kObject,
                                JsonKind::kNull}));
}

TEST(JsonCursor, RemovesEscapesFromStrings) {
  EXPECT_EQ(JsonCursor(R"("a\"\\\/\b\f\n\r\t\u00e9\ud83d\ude00z")").take_string(),
            "a\"\\/\b\f\n\r\t\xC3\xA9\xF0\x9F\x98\x80z");
}

TEST(JsonCursor, IntegersAreExact) {
  EXPECT_EQ(json_whole_number("18446744073709551615"), 18446744073709551615ull);
  EXPECT_EQ(json_whole_number("9007199254740993"), 9007199254740993ull);
  for (const char* other : {"18446744073709551616", "-1", "1.0", "1e3", "\"1\"", "true"}) {
    EXPECT_EQ(json_whole_number(other), std::nullopt) << other;
  }
}

TEST(JsonText, CompactRemovesOnlyWhiteSpace) {
  EXPECT_EQ(compact(" { \"a b\" : [ 1.50 , \"x \\\" y\" ] } \n"), "|{\"a b\":[1.50,\"x \\\" y\"]}");
  EXPECT_EQ(compact("17"), "|17");
  EXPECT_EQ(compact("\"\""), "|\"\"");
}

TEST(JsonText, EscapedStringsParseBack) {
  std::string every;
  for (int c = 0; c < 128; ++c) every += static_cast<char>(c);
  every += "\xC3\xA9\xF0\x9F\x98\x80";
  std::string json;
  append_json_string(json, every);
  ASSERT_FALSE(check_json(json)) << json;
  EXPECT_EQ(JsonCursor(json).take_string(), every);
}

TEST(JsonText, ReplacesInvalidUtf8) {
  std::string json;
  append_json_string(json, "a\xFF\xC3\xA9\xC3");
  EXPECT_EQ(json, "\"a\xEF\xBF\xBD\xC3\xA9\xEF\xBF\xBD\"");
}

}  // namespace
}  // namespace cairn::test
