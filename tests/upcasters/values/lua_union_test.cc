// The type of a union that a Lua value is encoded as.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/upcasters/lua/lua_fixture.h"

namespace cairn::test {
namespace {

using ::testing::ElementsAre;

std::string writes(std::string_view schema, const std::string& chunk) {
  return LuaCodec(schema).writes(chunk);
}

TEST(LuaUnionTest, NullAndBooleansHaveTheirOwnTypes) {
  EXPECT_EQ(writes(R"(["int","null"])", "return null"), "null");
  EXPECT_EQ(writes(R"(["int","boolean"])", "return false"), "false");
  EXPECT_THAT(complaints(R"(["null","int"])", "return nil"), ElementsAre(": one of null, int, nil"));
  EXPECT_THAT(complaints(R"(["null","int"])", "return true"), ElementsAre(": one of null, int, true"));
  EXPECT_THAT(complaints(R"(["int","string"])", "return null"), ElementsAre(": one of int, string, null"));
}

TEST(LuaUnionTest, AWholeNumberTakesTheSmallestTypeItFits) {
  EXPECT_EQ(writes(R"(["double","long","int"])", "return 5"), R"({"int":5})");
  EXPECT_EQ(writes(R"(["double","long","int"])", "return 5000000000"), R"({"long":5000000000})");
  EXPECT_EQ(writes(R"(["int","float","double"])", "return 5000000001"), R"({"double":5000000001.0})");
  EXPECT_EQ(writes(R"(["string","float"])", "return 5"), "5.0");
}

TEST(LuaUnionTest, AFloatTakesAFloatingPointType) {
  EXPECT_EQ(writes(R"(["int","float","double"])", "return 5.0"), R"({"double":5.0})");
  EXPECT_EQ(writes(R"(["int","float"])", "return 5.0"), "5.0");
  EXPECT_EQ(writes(R"(["int","long"])", "return 5.0"), R"({"long":5})");
  EXPECT_EQ(writes(R"(["int","null"])", "return 5.0"), "5");
  EXPECT_EQ(writes(R"(["long","float"])", "return 1e18 * 1.0"), "1e+18");
  EXPECT_EQ(writes(R"(["long","double"])", "return 0/0"), R"("NaN")");
}

TEST(LuaUnionTest, TheOnlyTypeOfASortReportsTheFault) {
  EXPECT_THAT(complaints(R"(["null","int"])", "return 5000000000"), ElementsAre(": int, 5000000000"));
  EXPECT_THAT(complaints(R"(["null","int"])", "return 2.5"), ElementsAre(": int, 2.5"));
  EXPECT_THAT(complaints(R"(["null","float"])", "return 1e300"), ElementsAre(": float, 1e+300"));
  EXPECT_THAT(complaints(R"(["int","long"])", "return 2.5"), ElementsAre(": one of int, long, 2.5"));
  EXPECT_THAT(complaints(R"(["null",{"type":"enum","name":"E","symbols":["A"]}])", "return 'B'"),
              ElementsAre(": a symbol of E: A, \"B\""));
  EXPECT_THAT(complaints(R"(["null","string"])", R"(return "\xff")"), ElementsAre(": string, \"\uFFFD\""));
  EXPECT_THAT(complaints(R"(["null","int"])", "return 'B'"), ElementsAre(": one of null, int, \"B\""));
}

constexpr const char* kTexts = R"(["null","bytes",{"type":"enum","name":"E","symbols":["A"]},
                                   {"type":"fixed","name":"F","size":1},"string"])";

TEST(LuaUnionTest, AStringIsMeantForAStringOrElseTheFirstItFits) {
  EXPECT_EQ(writes(kTexts, "return 'A'"), R"({"string":"A"})");
  EXPECT_EQ(writes(kTexts, R"(return "\xff")"), R"({"bytes":"ÿ"})");
  EXPECT_EQ(
      writes(R"([{"type":"fixed","name":"F","size":2},{"type":"enum","name":"E","symbols":["A"]},"bytes"])",
             "return 'A'"),
      R"({"E":"A"})");
}

TEST(LuaUnionTest, AValueMayStandUnderItsTypesName) {
  EXPECT_EQ(writes(kTexts, "return {bytes='A'}"), R"({"bytes":"A"})");
  EXPECT_EQ(writes(kTexts, "return {E='A'}"), R"({"E":"A"})");
  EXPECT_EQ(writes(kTexts, "return {F='A'}"), R"({"F":"A"})");
  EXPECT_EQ(writes(R"(["int","long"])", "return {long=5}"), R"({"long":5})");
  EXPECT_THAT(complaints(kTexts, "return {E='B'}"), ElementsAre("/E: a symbol of E: A, \"B\""));
  EXPECT_THAT(complaints(kTexts, "return {X='B'}"), ElementsAre(": one of null, bytes, E, F, string, {…}"));
}

TEST(LuaUnionTest, ATableThatIsNoValueUnderANameIsTheRecord) {
  const char* schema = R"(["bytes",{"type":"record","name":"R","fields":[{"name":"bytes","type":"int"}]}])";
  EXPECT_EQ(writes(schema, "return {bytes=5}"), R"({"R":{"bytes":5}})");
  EXPECT_EQ(writes(schema, "return {bytes='5'}"), R"("5")");
  EXPECT_THAT(complaints(schema, "return {bytes=true}"), ElementsAre("/bytes: int, true"));
}

constexpr const char* kShapes = R"([
  {"type":"record","name":"A","fields":[{"name":"x","type":"int"}]},
  {"type":"record","name":"B","fields":[{"name":"x","type":"string"},{"name":"y","type":"int","default":1}]},
  {"type":"record","name":"C","fields":[{"name":"x","type":"string"}]}])";

TEST(LuaUnionTest, ATableIsTheFirstRecordItFits) {
  EXPECT_EQ(writes(kShapes, "return {x=1}"), R"({"A":{"x":1}})");
  EXPECT_EQ(writes(kShapes, "return {x='1'}"), R"({"B":{"x":"1","y":1}})");
  EXPECT_EQ(writes(kShapes, "return {x='1', y=2}"), R"({"B":{"x":"1","y":2}})");
  EXPECT_EQ(writes(kShapes, "return {C={x='1'}}"), R"({"C":{"x":"1"}})");
  EXPECT_THAT(complaints(kShapes, "return {x='1', z=2}"), ElementsAre(": one of A, B, C, {…}"));
  EXPECT_THAT(complaints(kShapes, "return {1}"), ElementsAre(": one of A, B, C, {…}"));
  EXPECT_THAT(complaints(kShapes, "return {x=true}"), ElementsAre("/x: string, true"));
  EXPECT_THAT(complaints(kShapes, "return {x='1', y='2'}"), ElementsAre("/y: int, \"2\""));
}

TEST(LuaUnionTest, AFailedBranchIsUndone) {
  const char* schema = R"([
    {"type":"record","name":"A","fields":[{"name":"n","type":{"type":"array","items":"null"}},
                                          {"name":"x","type":"int"}]},
    {"type":"record","name":"B","fields":[{"name":"n","type":{"type":"array","items":"null"}},
                                          {"name":"x","type":"string"}]}])";
  EXPECT_THAT(complaints(schema, "local n = {} for i = 1, 40000 do n[i] = null end return {n=n, x='x'}"),
              ::testing::IsEmpty());
}

TEST(LuaUnionTest, TheOnlyRecordReportsTheFault) {
  const char* schema = R"(["null",{"type":"record","name":"A","fields":[{"name":"x","type":"int"}]}])";
  EXPECT_THAT(complaints(schema, "return {z=1}"),
              ElementsAre("/x: int, nothing", "/z: no such field in A, 1"));
}

TEST(LuaUnionTest, OtherTablesMayBeAMapOrAnArray) {
  const char* schema = R"([{"type":"map","values":"int"},{"type":"array","items":"int"},
                           {"type":"record","name":"A","fields":[{"name":"x","type":"int"}]}])";
  EXPECT_EQ(writes(schema, "return {x=1}"), R"({"A":{"x":1}})");
  EXPECT_EQ(writes(schema, "return {x=1, y=2}"), R"({"map":{"x":1,"y":2}})");
  EXPECT_EQ(writes(schema, "return {}"), R"({"map":{}})");
  EXPECT_EQ(writes(schema, "return array {}"), "[]");
  EXPECT_EQ(writes(schema, "return {1}"), "[1]");
  EXPECT_EQ(writes(R"(["null",{"type":"array","items":"int"}])", "return {}"), "[]");
  EXPECT_EQ(writes(R"(["null",{"type":"map","values":"int"}])", "return array {}"), "{}");
  EXPECT_THAT(complaints(R"(["null",{"type":"array","items":"int"}])", "return {a=1}"),
              ElementsAre(": one of null, array, {…}"));
  EXPECT_THAT(complaints(R"(["null",{"type":"array","items":"int"}])", "return {'a'}"),
              ElementsAre("/0: int, \"a\""));
}

TEST(LuaUnionTest, DecodedTablesKeepTheirType) {
  LuaCodec shapes(kShapes);
  for (const char* json : {R"({"A":{"x":1}})", R"({"B":{"x":"1","y":1}})", R"({"C":{"x":"1"}})"}) {
    EXPECT_EQ(shapes.round_trip(json), json);
  }
  LuaCodec mixed(R"(["string","bytes",{"type":"map","values":["string","bytes"]},
                     {"type":"record","name":"R","fields":[{"name":"bytes","type":"string"}]},
                     {"type":"record","name":"Empty","fields":[]}])");
  for (const char* json :
       {R"({"bytes":"x"})", R"({"string":"x"})", R"({"map":{"bytes":{"string":"x"}}})",
        R"({"map":{"bytes":{"bytes":"x"}}})", R"({"R":{"bytes":"x"}})", R"({"map":{}})", R"({"Empty":{}})"}) {
    EXPECT_EQ(mixed.round_trip(json), json);
  }
  LuaCodec lone_map(R"(["bytes",{"type":"map","values":"string"}])");
  for (const char* json : {R"({"map":{"bytes":"x"}})", R"({"a":"x"})", R"("x")"}) {
    EXPECT_EQ(lone_map.round_trip(json), json);
  }
  LuaCodec lone_record(
      R"(["bytes",{"type":"record","name":"R","fields":[{"name":"bytes","type":"string"}]}])");
  EXPECT_EQ(lone_record.round_trip(R"({"R":{"bytes":"x"}})"), R"({"R":{"bytes":"x"}})");
}

TEST(LuaUnionTest, AChangedTableKeepsItsType) {
  LuaCodec shapes(kShapes);
  const std::string avro = shapes.codec().encode(R"({"C":{"x":"1"}})");
  EXPECT_EQ(shapes.codec().decode(shapes.rewritten(avro, "local v = ... v.x = '2' return v")),
            R"({"C":{"x":"2"}})");
  EXPECT_EQ(shapes.codec().decode(shapes.rewritten(avro, "return {B=...}")), R"({"B":{"x":"1","y":1}})");
}

TEST(LuaUnionTest, ATypeOutsideTheUnionIsIgnored) {
  LuaCodec old(kShapes);
  const Codec next(R"([{"type":"record","name":"D","fields":[{"name":"x","type":"string"}]},
                       {"type":"enum","name":"C","symbols":["x"]},{"type":"map","values":"int"}])");
  auto writer = LuaWriter::make(old.host(), next.schema());
  ASSERT_THAT(writer, succeeds());
  old.run([&](lua_State*) {
    ASSERT_THAT(old.reader().push(old.codec().encode(R"({"C":{"x":"1"}})")), succeeds());
    std::string bytes;
    EXPECT_THAT((*writer)->write(-1, bytes), ::testing::IsEmpty());
    EXPECT_EQ(next.decode(bytes), R"({"D":{"x":"1"}})");
  });
}

// Each level of the value could be either record, and only the innermost one shows that it is neither.
TEST(LuaUnionTest, ExponentialAttemptsEndTheCall) {
  LuaCodec codec(R"({"type":"record","name":"Top","fields":[{"name":"n","type":[
    {"type":"record","name":"A","fields":[{"name":"n","type":["null","int","A",
      {"type":"record","name":"B","fields":[{"name":"n","type":["null","int","A","B"]}]}]}]},"B"]}]})");
  const std::string chunk = "local t = {n='no'} for i = 1, 40 do t = {n=t} end return t";
  EXPECT_NE(codec.error_of([&](lua_State* state) {
    LuaBench::push(state, chunk);
    std::string bytes;
    codec.writer().write(-1, bytes);
  }),
            "");
}

}  // namespace
}  // namespace cairn::test
