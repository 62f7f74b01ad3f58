#include "eventstore/json/json_check.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "tests/support/random.h"

namespace cairn::test {
namespace {

using ::testing::HasSubstr;

std::string fault(std::string_view text, std::size_t depth_max = kJsonDepthMax) {
  const auto found = check_json(text, depth_max);
  return found ? found->message : "";
}

TEST(JsonCheck, AcceptsEveryKindOfValue) {
  for (const char* text :
       {"{}", "[]", "\"\"", "0", "-0", "true", "false", "null", " { \"a\" : [ 1 , 2.5e-3 , -7E+2 ] } ",
        "123456789012345678901234567890", "1e400", "\"\\u00e9\\ud83d\\ude00\\n\\/\"",
        "\"gr\xC3\xBC\xC3\x9F\"", "{\"a\":{\"a\":1},\"b\":{\"a\":2}}", "[[],{},[{}]]", "\t\r\n1\n"}) {
    EXPECT_EQ(fault(text), "") << text;
  }
}

TEST(JsonCheck, RefusesInvalidJson) {
  for (const char* text :
       {"",         " ",          "{",         "}",           "[1",        "[1,]",     "[,1]", "{\"a\"}",
        "{\"a\":}", "{\"a\":1,}", "{a:1}",     "{'a':1}",     "1 2",       "01",       "-",    "1.",
        ".5",       "1e",         "+1",        "0x10",        "NaN",       "Infinity", "nul",  "truee",
        "\"a",      "\"\\x\"",    "\"\\\"",    "\"\\u12g4\"", "\"\\u12\"", "\"\t\"",   "[1]]", "{\"a\":1}}",
        "// a\n1",  "\"a\"b",     "{\"a\" 1}", "[1 2]"}) {
    EXPECT_NE(fault(text), "") << text;
  }
  EXPECT_NE(fault(std::string_view("1\0", 2)), "");
  EXPECT_NE(fault(std::string_view("\"\0\"", 3)), "");
}

TEST(JsonCheck, RefusesLoneSurrogates) {
  EXPECT_THAT(fault(R"("\ud83d")"), HasSubstr("half a character"));
  EXPECT_THAT(fault(R"("\ude00")"), HasSubstr("half a character"));
  EXPECT_THAT(fault(R"("\ud83d\u0041")"), HasSubstr("half a character"));
}

TEST(JsonCheck, RefusesInvalidUtf8) {
  for (const char* text :
       {"\"\xFF\"", "\"\xC0\xAF\"", "\"\xED\xA0\x80\"", "\"12345678\xE2\x82\"", "\"\xF5\x80\x80\x80\""}) {
    EXPECT_THAT(fault(text), HasSubstr("UTF-8")) << text;
  }
}

TEST(JsonCheck, RefusesDuplicateNames) {
  EXPECT_THAT(fault(R"({"a":1,"b":2,"a":3})"), HasSubstr("'a' appears twice"));
  EXPECT_THAT(fault(R"([{"x":{"a":1,"a":1}}])"), HasSubstr("'a' appears twice"));
  EXPECT_THAT(fault(R"({"a":1,"\u0061":2})"), HasSubstr("'a' appears twice")) << "however it is escaped";
  EXPECT_EQ(fault(R"([{"a":1},{"a":2}])"), "");
  std::string many = "{";
  for (int i = 0; i < 1000; ++i) many += "\"k" + std::to_string(i) + "\":0,";
  EXPECT_EQ(fault(many + "\"z\":1}"), "");
  EXPECT_THAT(fault(many + "\"k500\":1}"), HasSubstr("'k500' appears twice"));
}

TEST(JsonCheck, LimitsTheDepth) {
  const auto nested = [](std::size_t depth) { return std::string(depth, '[') + std::string(depth, ']'); };
  EXPECT_EQ(fault(nested(5), 5), "");
  EXPECT_THAT(fault(nested(6), 5), HasSubstr("more than 5 deep"));
  EXPECT_THAT(fault(nested(100'000)), HasSubstr("deep"));
  EXPECT_THAT(fault(std::string(1'000'000, '[')), HasSubstr("deep"));
}

TEST(JsonCheck, ReportsTheOffset) { EXPECT_EQ(check_json(R"({"a":tru})")->offset, 5u); }

TEST(JsonCheck, ReportsTheOffsetOfInvalidUtf8) {
  EXPECT_EQ(check_json("\xff")->offset, 0u);
  EXPECT_EQ(check_json("[\"a\", \"\xff\"]")->offset, 7u);
  // Where the character begins, not at the byte that is wrong in it.
  EXPECT_EQ(check_json("\"Gr\xc3\xb6\xc3(\"")->offset, 5u);
}

// nlohmann::json refuses numbers that do not fit a double. check_json() accepts them, because Cairn stores
// the text.
bool is_too_large_for_a_double(const std::string& text) {
  try {
    return nlohmann::json::parse(text).is_discarded();
  } catch (const nlohmann::json::out_of_range&) {
    return true;
  } catch (const nlohmann::json::exception&) {
    return false;
  }
}

// Both parsers accept or refuse the same random texts, made by mutating valid ones.
TEST(JsonCheck, AgreesWithNlohmannJson) {
  Random random("JsonCheck");
  const std::string good = R"({"a":[1,-2.5e3,"x\n\u00e9",true,null],"b":{"c":"d"}, "e" : [] })";
  const std::string letters = R"({}[]",:\ue0123456789.-+truefalsn )";
  int refused = 0;
  for (int round = 0; round < 20'000; ++round) {
    std::string text = good;
    for (auto edits = 1 + random.below(3); edits > 0; --edits) {
      const auto at = random.below(text.size());
      switch (random.below(3)) {
        case 0:
          text[at] = letters[random.below(letters.size())];
          break;
        case 1:
          text.erase(at, 1);
          break;
        default:
          text.insert(at, 1, letters[random.below(letters.size())]);
      }
    }
    const std::string found = fault(text);
    const bool strictness = found.find("twice") != std::string::npos;
    if (strictness || is_too_large_for_a_double(text)) continue;
    ASSERT_EQ(found.empty(), nlohmann::json::accept(text)) << text << ": " << found;
    refused += found.empty() ? 0 : 1;
  }
  EXPECT_GT(refused, 1000);
}

}  // namespace
}  // namespace cairn::test
