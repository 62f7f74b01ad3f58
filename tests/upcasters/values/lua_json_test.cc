#include <gtest/gtest.h>

#include "eventstore/base/limits.h"
#include "tests/upcasters/lua/lua_fixture.h"
#include "upcasters/lua/lua_values.h"
#include "upcasters/values/lua_json.h"

namespace cairn::test {
namespace {

class LuaJsonTest : public ::testing::Test {
 protected:
  bool reads(std::string_view json, const std::string& expression) {
    EXPECT_FALSE(check_json(json).has_value()) << "the test's own JSON: " << json;
    bool is_true = false;
    bench_.run([&](lua_State* state) {
      const int top = lua_gettop(state);
      push_json(state, json);
      EXPECT_EQ(lua_gettop(state), top + 1);
      is_true = LuaBench::holds(state, expression);
    });
    return is_true;
  }

  Result<std::string> try_write(const std::string& chunk) {
    Result<std::string> written = std::string();
    bench_.run([&](lua_State* state) {
      LuaBench::push(state, chunk);
      const int top = lua_gettop(state);
      std::string text = "kept";
      const Status status = append_as_json(state, -1, text);
      EXPECT_EQ(lua_gettop(state), top);
      EXPECT_TRUE(status.ok() || text == "kept") << "a failure leaves the output alone";
      written = status.ok() ? Result<std::string>(text.substr(4)) : Result<std::string>(status.error());
    });
    return written;
  }

  std::string writes(const std::string& chunk) {
    const auto written = try_write(chunk);
    EXPECT_THAT(written, succeeds()) << chunk;
    return written ? *written : "?";
  }

  std::string refusal(const std::string& chunk) {
    const auto written = try_write(chunk);
    EXPECT_THAT(written, fails_with(Errc::kInvalidArgument)) << chunk;
    return written ? *written : written.error().message;
  }

  std::string again(std::string_view json) {
    std::string text;
    bench_.run([&](lua_State* state) {
      push_json(state, json);
      EXPECT_THAT(append_as_json(state, -1, text), succeeds());
    });
    return text;
  }

  std::string shown(const std::string& chunk) {
    std::string text;
    bench_.run([&](lua_State* state) {
      LuaBench::push(state, chunk);
      text = value_text(state, -1);
    });
    return text;
  }

  LuaBench bench_;
};

TEST_F(LuaJsonTest, WholeNumbersOfSixtyFourBitsStayExact) {
  EXPECT_TRUE(reads("9223372036854775807", "v == 9223372036854775807 and math.type(v) == 'integer'"));
  EXPECT_TRUE(reads("-9223372036854775808", "v == -9223372036854775807 - 1 and math.type(v) == 'integer'"));
  EXPECT_TRUE(reads("9223372036854775808", "v == 2.0^63 and math.type(v) == 'float'"));
  EXPECT_TRUE(reads("0", "math.type(v) == 'integer'"));
}

TEST_F(LuaJsonTest, NumbersWithAPointOrAnExponentAreFloats) {
  EXPECT_TRUE(reads("1.0", "v == 1 and math.type(v) == 'float'"));
  EXPECT_TRUE(reads("1e2", "v == 100 and math.type(v) == 'float'"));
  EXPECT_TRUE(reads("-2.5E-1", "v == -0.25"));
  EXPECT_TRUE(reads("1e999", "v == 1/0"));
  EXPECT_TRUE(reads("-1e999", "v == -1/0"));
  EXPECT_TRUE(reads("1e-999", "v == 0"));
}

TEST_F(LuaJsonTest, NullIsNotNil) {
  EXPECT_TRUE(reads("null", "v == null and v ~= nil"));
  EXPECT_TRUE(reads(R"({"a":null})", "v.a == null and v.b == nil"));
}

TEST_F(LuaJsonTest, TextLosesItsEscapes) {
  EXPECT_TRUE(reads(R"("a\n\u00e9\ud83d\ude00\u0000b\"")", R"(v == "a\né😀\0b\"")"));
  EXPECT_TRUE(reads(R"({"a\tb":true})", R"(v["a\tb"] == true)"));
}

TEST_F(LuaJsonTest, ArraysAndObjectsSurviveARoundTrip) {
  for (const char* json : {"[]", "{}", "[[],{}]", R"({"a":[],"b":{},"c":[null,false,1,1.5,"x"]})"}) {
    EXPECT_EQ(again(json), json);
  }
  EXPECT_EQ(again(" [ 1 , { \"b\" : 2 , \"a\" : 1 } ] "), R"([1,{"a":1,"b":2}])");
}

TEST_F(LuaJsonTest, DeepJsonFits) {
  const std::string deep = std::string(kJsonDepthMax, '[') + std::string(kJsonDepthMax, ']');
  EXPECT_EQ(again(deep), deep);
}

TEST_F(LuaJsonTest, MembersStandInTheOrderOfTheirBytes) {
  EXPECT_EQ(writes("return {b=1, a=2, ['é']=3, B=4, ['']=5, aa=6}"),
            R"({"":5,"B":4,"a":2,"aa":6,"b":1,"é":3})");
}

TEST_F(LuaJsonTest, NumbersKeepTheirKind) {
  EXPECT_EQ(writes("return {9223372036854775807, -9223372036854775807 - 1, 0, 3.0, 0.1, 1e300, -0.0}"),
            "[9223372036854775807,-9223372036854775808,0,3.0,0.1,1e+300,-0.0]");
}

TEST_F(LuaJsonTest, OnlyAMarkMakesAnEmptyTableAnArray) {
  EXPECT_EQ(writes("return {}"), "{}");
  EXPECT_EQ(writes("return array {}"), "[]");
  EXPECT_EQ(writes("return {1, {2}}"), "[1,[2]]");
}

TEST_F(LuaJsonTest, ValuesOutsideJsonAreRefusedWithTheirPath) {
  EXPECT_EQ(refusal("return {a={1, function() end}}"), R"(at "/a/1": JSON has no value for a function)");
  EXPECT_EQ(refusal("return nil"), R"(at "": JSON has no value for nil)");
  EXPECT_EQ(refusal("return {x=0/0}").substr(0, 27), R"(at "/x": JSON has no number)");
  EXPECT_EQ(refusal("return {x=1/0}"), R"(at "/x": JSON has no number inf)");
  EXPECT_EQ(refusal(R"(return {['a/b~c']="\xff"})"), "at \"/a~1b~0c\": the text is not UTF-8: \"\uFFFD\"");
  EXPECT_EQ(refusal(R"(return {["\xff"]=1})"), "at \"/\uFFFD\": the name of the member is not UTF-8");
  const std::string keys = "the keys of the table are neither all strings nor 1 to the number of its entries";
  EXPECT_EQ(refusal("return {a={1, x=2}}"), "at \"/a\": " + keys);
  EXPECT_EQ(refusal("return {[2]=1}"), "at \"\": " + keys);
  EXPECT_EQ(refusal("return {[true]=1}"), "at \"\": " + keys);
  EXPECT_EQ(refusal("return array {x=1}"), "at \"\": " + keys);
}

TEST_F(LuaJsonTest, TablesInsideThemselvesAreRefused) {
  EXPECT_THAT(refusal("local t = {} t.t = t return t"),
              ::testing::EndsWith("more than 128 tables in each other"));
  EXPECT_THAT(refusal("local t = {} t[1], t[2] = t, t return t"),
              ::testing::EndsWith("more than 128 tables in each other"));
}

TEST_F(LuaJsonTest, ASmallTableThatExpandsToAHugeTextIsRefused) {
  EXPECT_THAT(refusal("local t = string.rep('x', 100000) for i = 1, 30 do t = {t, t} end return t"),
              ::testing::EndsWith("more than " + std::to_string(limits::kEventBytesMax) + " bytes of JSON"));
}

TEST_F(LuaJsonTest, ATableThatExpandsToManyValuesEndsTheCall) {
  EXPECT_NE(bench_.error_of([](lua_State* state) {
    LuaBench::push(state, "local t = array {} for i = 1, 100 do t = {t, t} end return t");
    std::string text;
    while (true) (void)append_as_json(state, -1, text);
  }),
            "");
}

TEST_F(LuaJsonTest, ValuesInMessagesAreShort) {
  EXPECT_EQ(shown("return 3"), "3");
  EXPECT_EQ(shown("return 3.0"), "3.0");
  EXPECT_EQ(shown("return 0/0"), "nan");
  EXPECT_EQ(shown("return -1/0"), "-inf");
  EXPECT_EQ(shown("return 'abc'"), "\"abc\"");
  EXPECT_EQ(shown("return null"), "null");
  EXPECT_EQ(shown("return nil"), "nil");
  EXPECT_EQ(shown("return true"), "true");
  EXPECT_EQ(shown("return {}"), "{}");
  EXPECT_EQ(shown("return {1}"), "{…}");
  EXPECT_EQ(shown("return function() end"), "a function");
  EXPECT_EQ(shown("return string.rep('x', 58)"), "\"" + std::string(58, 'x') + "\"");
  EXPECT_EQ(shown("return string.rep('x', 59)"), "\"" + std::string(59, 'x') + "…");
  EXPECT_EQ(shown("return string.rep('x', 100000)"), "\"" + std::string(59, 'x') + "…");
  std::string half;
  for (int i = 0; i < 29; ++i) half += "é";
  EXPECT_EQ(shown("return string.rep('é', 100)"), "\"" + half + "…") << "no half of a character";
}

}  // namespace
}  // namespace cairn::test
