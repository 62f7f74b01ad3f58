#include "upcasters/values/lua_writer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "eventstore/base/names.h"
#include "schemaregistry/codec/data_limits.h"
#include "tests/upcasters/lua/lua_fixture.h"

namespace cairn::test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr const char* kFixed = R"({"type":"fixed","name":"a.F","size":2})";
constexpr const char* kEnum = R"({"type":"enum","name":"a.E","symbols":["A","B"]})";
constexpr const char* kInts = R"({"type":"array","items":"int"})";
constexpr const char* kMap = R"({"type":"map","values":"int"})";
constexpr const char* kPoint = R"({"type":"record","name":"a.Point","fields":[
  {"name":"x","type":"int"},{"name":"y","type":"int","default":7},{"name":"name","type":"string"}]})";

TEST(LuaWriterTest, PrimitivesBecomeAvrosBytes) {
  EXPECT_EQ(LuaCodec(R"("null")").hex("return null"), "");
  EXPECT_EQ(LuaCodec(R"("boolean")").hex("return true"), "01");
  EXPECT_EQ(LuaCodec(R"("boolean")").hex("return false"), "00");
  EXPECT_EQ(LuaCodec(R"("int")").hex("return -1"), "01");
  EXPECT_EQ(LuaCodec(R"("long")").hex("return 64"), "8001");
  EXPECT_EQ(LuaCodec(R"("double")").hex("return 1.5"), "000000000000f83f");
  EXPECT_EQ(LuaCodec(R"("float")").hex("return 1.5"), "0000c03f");
  EXPECT_EQ(LuaCodec(R"("string")").hex("return 'é'"), "04c3a9");
  EXPECT_EQ(LuaCodec(R"("bytes")").hex(R"(return "\0\xff")"), "0400ff");
  EXPECT_EQ(LuaCodec(kFixed).hex(R"(return "\0\xff")"), "00ff");
  EXPECT_EQ(LuaCodec(kEnum).hex("return 'B'"), "02");
}

TEST(LuaWriterTest, WholeNumbersAreExactToTheirEdges) {
  EXPECT_EQ(LuaCodec(R"("long")").writes("return 9223372036854775807"), "9223372036854775807");
  EXPECT_EQ(LuaCodec(R"("long")").writes("return -9223372036854775807 - 1"), "-9223372036854775808");
  EXPECT_EQ(LuaCodec(R"("int")").writes("return 2147483647"), "2147483647");
  EXPECT_EQ(LuaCodec(R"("int")").writes("return -2147483648"), "-2147483648");
  EXPECT_THAT(complaints(R"("int")", "return 2147483648"), ElementsAre(": int, 2147483648"));
  EXPECT_THAT(complaints(R"("int")", "return -2147483649"), ElementsAre(": int, -2147483649"));
}

TEST(LuaWriterTest, AFloatIsAWholeNumberWhereNothingIsLost) {
  EXPECT_EQ(LuaCodec(R"("int")").writes("return 3.0"), "3");
  EXPECT_EQ(LuaCodec(R"("long")").writes("return -2.0^63"), "-9223372036854775808");
  EXPECT_THAT(complaints(R"("long")", "return 2.0^63"), ElementsAre(": long, 9223372036854775808.0"));
  EXPECT_THAT(complaints(R"("long")", "return 2.5"), ElementsAre(": long, 2.5"));
  EXPECT_THAT(complaints(R"("long")", "return 1/0"), ElementsAre(": long, inf"));
  EXPECT_THAT(complaints(R"("int")", "return 2.0^31"), ElementsAre(": int, 2147483648.0"));
}

TEST(LuaWriterTest, AnyNumberIsAFloatThatFits) {
  EXPECT_EQ(LuaCodec(R"("double")").writes("return 3"), "3.0");
  EXPECT_EQ(LuaCodec(R"("float")").writes("return 3"), "3.0");
  EXPECT_EQ(LuaCodec(R"("double")").writes("return 0/0"), "\"NaN\"");
  EXPECT_EQ(LuaCodec(R"("float")").writes("return -1/0"), "\"-Infinity\"");
  EXPECT_EQ(LuaCodec(R"("double")").writes("return 1e300"), "1e+300");
  EXPECT_THAT(complaints(R"("float")", "return 1e300"), ElementsAre(": float, 1e+300"));
}

TEST(LuaWriterTest, ValuesAreNotConvertedToOtherKinds) {
  EXPECT_THAT(complaints(R"("int")", "return '12'"), ElementsAre(": int, \"12\""));
  EXPECT_THAT(complaints(R"("double")", "return '12'"), ElementsAre(": double, \"12\""));
  EXPECT_THAT(complaints(R"("string")", "return 12"), ElementsAre(": string, 12"));
  EXPECT_THAT(complaints(R"("bytes")", "return 12"), ElementsAre(": bytes, 12"));
  EXPECT_THAT(complaints(R"("boolean")", "return 0"), ElementsAre(": boolean, 0"));
  EXPECT_THAT(complaints(R"("boolean")", "return null"), ElementsAre(": boolean, null"));
  EXPECT_THAT(complaints(R"("null")", "return nil"), ElementsAre(": null, nil"));
  EXPECT_THAT(complaints(R"("null")", "return DELETE"), ElementsAre(": null, DELETE"));
  EXPECT_THAT(complaints(R"("null")", "return false"), ElementsAre(": null, false"));
  EXPECT_THAT(complaints(R"("string")", "return {}"), ElementsAre(": string, {}"));
  EXPECT_THAT(complaints(R"("string")", "return function() end"), ElementsAre(": string, a function"));
  EXPECT_THAT(complaints(kInts, "return 'x'"), ElementsAre(": array, \"x\""));
  EXPECT_THAT(complaints(kMap, "return null"), ElementsAre(": map, null"));
  EXPECT_THAT(complaints(kPoint, "return 1"), ElementsAre(": record a.Point, 1"));
}

TEST(LuaWriterTest, StringsAreValidated) {
  EXPECT_THAT(complaints(R"("string")", R"(return "a\xff")"), ElementsAre(": string, \"a\uFFFD\""));
  EXPECT_THAT(complaints(kFixed, "return 'abc'"), ElementsAre(": fixed a.F of 2 bytes, \"abc\""));
  EXPECT_THAT(complaints(kEnum, "return 'C'"), ElementsAre(": a symbol of a.E: A, B, \"C\""));
  EXPECT_THAT(complaints(kEnum, "return string.rep('x', 100)"),
              ElementsAre(": a symbol of a.E: A, B, \"" + std::string(59, 'x') + "…"));
}

TEST(LuaWriterTest, AMissingFieldGetsItsDefault) {
  EXPECT_EQ(LuaCodec(kPoint).writes("return {x=1, name='n'}"), R"({"x":1,"y":7,"name":"n"})");
  EXPECT_EQ(LuaCodec(kPoint).writes("return {name='n', y=2, x=1}"), R"({"x":1,"y":2,"name":"n"})");
}

TEST(LuaWriterTest, EveryFaultOfARecordIsReported) {
  EXPECT_THAT(complaints(kPoint, "return {x='1', z=1, ['a/b~']={1}, [true]=2}"),
              ElementsAre("/x: int, \"1\"", "/name: string, nothing", ": record a.Point, {…}",
                          "/a~1b~0: no such field in a.Point, {…}", "/z: no such field in a.Point, 1"));
  EXPECT_THAT(complaints(kPoint, "return {}"), ElementsAre("/x: int, nothing", "/name: string, nothing"));
  EXPECT_THAT(complaints(kPoint, "return {x=null, name='n'}"), ElementsAre("/x: int, null"));
  EXPECT_THAT(complaints(kPoint, "return {1, x=1, name='n'}"), ElementsAre(": record a.Point, {…}"));
  EXPECT_THAT(complaints(kPoint, "return {1, 2}"), ElementsAre(": record a.Point, {…}"));
}

TEST(LuaWriterTest, AnArrayIsASequenceWithoutOtherKeys) {
  EXPECT_EQ(LuaCodec(kInts).hex("return {1, 2}"), "04020400");
  EXPECT_EQ(LuaCodec(kInts).hex("return array {1, 2}"), "04020400");
  EXPECT_EQ(LuaCodec(kInts).hex("return {}"), "00");
  EXPECT_EQ(LuaCodec(kInts).hex("return array {}"), "00");
  EXPECT_THAT(complaints(kInts, "return {1, 'x', 3, {}}"), ElementsAre("/1: int, \"x\"", "/3: int, {}"));
  EXPECT_THAT(complaints(kInts, "return {a=1}"), ElementsAre(": array, {…}"));
  EXPECT_THAT(complaints(kInts, "return {1, a=1}"), ElementsAre(": array, {…}"));
  EXPECT_THAT(complaints(kInts, "return {[0]=1}"), ElementsAre(": array, {…}"));
  EXPECT_THAT(complaints(kInts, "return {1, nil, 3}"), ElementsAre("/1: int, nothing"));
  EXPECT_THAT(complaints(kInts, "return {[3]=1}"), ElementsAre("/0: int, nothing"));
  EXPECT_THAT(complaints(kInts, "return {1, null}"), ElementsAre("/1: int, null"));
}

TEST(LuaWriterTest, AMapIsWrittenInTheOrderOfItsKeys) {
  EXPECT_EQ(LuaCodec(kMap).hex("return {b=2, a=1, B=3}"),
            "06024206026102026204"
            "00");
  EXPECT_EQ(LuaCodec(kMap).hex("return {}"), "00");
  EXPECT_EQ(LuaCodec(kMap).hex("return array {}"), "00");
  EXPECT_THAT(complaints(kMap, "return {1}"), ElementsAre(": map, {…}"));
  EXPECT_THAT(complaints(kMap, "return {a='x', b=2, c=null}"),
              ElementsAre("/a: int, \"x\"", "/c: int, null"));
  EXPECT_THAT(complaints(kMap, R"(return {["\xff"]=1})"),
              ElementsAre("/\uFFFD: a key in UTF-8, other bytes"));
  EXPECT_EQ(LuaCodec(kMap).writes("return {[string.rep('k', 50)]=1}"),
            "{\"" + std::string(50, 'k') + "\":1}");
}

TEST(LuaWriterTest, FaultsHaveTheirPath) {
  const std::string schema = std::string(R"({"type":"record","name":"R","fields":[
    {"name":"points","type":{"type":"map","values":{"type":"array","items":)") +
                             kPoint + "}}}]}";
  EXPECT_THAT(complaints(schema, "return {points={a={{x=1, name='n'}, {x=1, name=2}}}}"),
              ElementsAre("/points/a/1/name: string, 2"));
}

TEST(LuaWriterTest, TheNumberOfFaultsIsBounded) {
  EXPECT_THAT(complaints(kInts, "local t = {} for i = 1, 1000 do t[i] = 'x' end return t"),
              SizeIs(kDataFaultsMax));
}

constexpr const char* kList =
    R"({"type":"record","name":"L","fields":[{"name":"next","type":["null","L"]}]})";
constexpr const char* kTree =
    R"({"type":"record","name":"T","fields":[{"name":"t","type":{"type":"array","items":"T"}}]})";

TEST(LuaWriterTest, ATableThatContainsItselfEndsAtTheDepthLimit) {
  std::string path;
  for (std::size_t i = 0; i < kDataDepthMax; ++i) path += "/next";
  EXPECT_THAT(complaints(kList, "local t = {} t.next = t return t"),
              ElementsAre(path + ": at most 60 levels, {…}"));
  EXPECT_THAT(complaints(kTree, "local t = {} t.t = {t, t} return t"), SizeIs(kDataFaultsMax));
  EXPECT_THAT(complaints(kList, "local t = {next=null} for i = 2, 60 do t = {next=t} end return t"),
              IsEmpty());
}

TEST(LuaWriterTest, MoreThanAnEventHoldsIsRefused) {
  EXPECT_THAT(complaints(R"({"type":"array","items":"string"})",
                         "local t, s = {}, string.rep('x', 1000000) for i = 1, 20 do t[i] = s end return t"),
              ElementsAre("/8: at most 8388608 bytes of Avro in all, more"));
}

TEST(LuaWriterTest, ValuesWithoutBytesAreCounted) {
  EXPECT_THAT(complaints(R"({"type":"array","items":"null"})",
                         "local t = {} for i = 1, 100000 do t[i] = null end return t"),
              ElementsAre(": at most 65536 values that take no bytes, more"));
}

TEST(LuaWriterTest, DefaultsCountTowardsTheLimits) {
  EXPECT_THAT(complaints(R"({"type":"array","items":{"type":"record","name":"R","fields":[
                             {"name":"n","type":"null","default":null}]}})",
                         "local t, r = {}, {} for i = 1, 100000 do t[i] = r end return t"),
              ElementsAre(": at most 65536 values that take no bytes, more"));
  const char* deep = R"({"type":"record","name":"L","fields":[{"name":"next","type":["null","L"]},
    {"name":"xs","type":{"type":"array","items":"int"},"default":[]}]})";
  const std::string levels = "local t = {next=null} for i = 2, N do t = {next=t} end return t";
  EXPECT_THAT(complaints(deep, "local N = 59 " + levels), IsEmpty());
  std::string path;
  for (int i = 1; i < 60; ++i) path += "/next";
  EXPECT_THAT(complaints(deep, "local N = 60 " + levels),
              ElementsAre(path + "/xs: at most 60 levels, the default"));
}

TEST(LuaWriterTest, VisitedValuesAreCharged) {
  const auto fault_of = [](std::string_view schema, const std::string& chunk) {
    LuaCodec codec(schema, {.cpu_time_max = std::chrono::minutes(1)});
    const auto ran = codec.host().run([&](lua_State* state) {
      LuaBench::push(state, chunk);
      for (int i = 0; i < 1'000; ++i) {
        std::string bytes;
        codec.writer().write(-1, bytes);
      }
    });
    return ran ? std::nullopt : std::optional(ran.error().fault);
  };
  EXPECT_EQ(fault_of(kInts, "local t = {} for i = 1, 50000 do t[i] = 1 end return t"), ScriptFault::kSteps);
  EXPECT_EQ(fault_of(R"("bytes")", "return string.rep('x', 2000000)"), ScriptFault::kSteps);
  EXPECT_EQ(fault_of(kInts, "return {1, 2, 3}"), std::nullopt);
}

TEST(LuaWriterTest, ASmallValueThatExpandsToAHugeOneEndsTheCall) {
  LuaCodec tree(kTree);
  EXPECT_NE(tree.error_of([&](lua_State* state) {
    LuaBench::push(state, "local t = {t={}} for i = 1, 25 do t = {t={t, t}} end return t");
    std::string bytes;
    tree.writer().write(-1, bytes);
  }),
            "");
}

// A small table can be referenced many times, and each time its names are compared.
TEST(LuaWriterTest, LongNamesAreCharged) {
  LuaCodec codec(R"({"type":"array","items":{"type":"map","values":"int"}})");
  const std::string message = codec.error_of([&](lua_State* state) {
    LuaBench::push(state,
                   "local k, t = ('\\xff'):rep(5e6), {} local m = {[k .. 'a'] = 1, [k .. 'b'] = 2} "
                   "for i = 1, 90 do t[i] = m end return t");
    std::string bytes;
    codec.writer().write(-1, bytes);
  });
  EXPECT_THAT(message, HasSubstr("steps"));
}

// The result of a script may have names of any length; a hundred faults must still be a short answer.
TEST(LuaWriterTest, FaultsWithLongNamesStaySmall) {
  const auto faults = complaints(kPoint, R"(
    local t = {x = 1, name = 'p'}
    for i = 1, 150 do t[('€'):rep(20000) .. '\xff' .. i] = ('\xff'):rep(1e5) end
    t[('/'):rep(1e6)] = 1
    return t)");
  EXPECT_GE(faults.size(), 100u);
  for (const std::string& fault : faults) {
    EXPECT_TRUE(is_utf8(fault)) << fault;
    EXPECT_LT(fault.size(), 500u);
  }
  const auto deep =
      complaints(R"({"type":"map","values":{"type":"map","values":{"type":"map","values":"int"}}})",
                 "local k = ('~'):rep(1e6) return {[k] = {[k] = {[k .. '\\xff'] = 'x', b = 'x'}}}");
  EXPECT_THAT(deep, SizeIs(2));
  for (const std::string& fault : deep) EXPECT_LT(fault.size(), 1'200u);
}

}  // namespace
}  // namespace cairn::test
