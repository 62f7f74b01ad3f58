#include "upcasters/values/lua_reader.h"

#include <gtest/gtest.h>

#include "schemaregistry/codec/avro_bytes.h"
#include "schemaregistry/codec/data_limits.h"
#include "tests/upcasters/lua/lua_fixture.h"

namespace cairn::test {
namespace {

constexpr const char* kOrder = R"({"type":"record","name":"Order","fields":[
  {"name":"id","type":"string"},{"name":"count","type":"int"},{"name":"total","type":"double"},
  {"name":"address","type":{"type":"record","name":"Address","fields":[{"name":"city","type":"string"}]}},
  {"name":"lines","type":{"type":"array","items":{"type":"map","values":"long"}}}]})";

TEST(LuaReaderTest, ARecordIsATableOfItsFields) {
  LuaCodec order(kOrder);
  EXPECT_TRUE(
      order.reads(R"({"id":"a","count":3,"total":2.5,"address":{"city":"Bern"},"lines":[{"x":1},{}]})",
                  "v.id == 'a' and v.count == 3 and v.total == 2.5 and v.address.city == 'Bern' and "
                  "#v.lines == 2 and v.lines[1].x == 1 and v.lines[2].x == nil and v.other == nil"));
}

TEST(LuaReaderTest, NumbersKeepTheirKind) {
  EXPECT_TRUE(LuaCodec(R"("int")").reads("-2147483648", "v == -2147483648 and math.type(v) == 'integer'"));
  EXPECT_TRUE(LuaCodec(R"("long")").reads("9223372036854775807", "v == 9223372036854775807"));
  EXPECT_TRUE(LuaCodec(R"("long")").reads("-9223372036854775808", "v == -9223372036854775807 - 1"));
  EXPECT_TRUE(LuaCodec(R"("float")").reads("3", "v == 3 and math.type(v) == 'float'"));
  EXPECT_TRUE(LuaCodec(R"("double")").reads("0.1", "v == 0.1"));
  EXPECT_TRUE(LuaCodec(R"("double")").reads("\"NaN\"", "v ~= v"));
  EXPECT_TRUE(LuaCodec(R"("double")").reads("\"-Infinity\"", "v == -1/0"));
  EXPECT_TRUE(LuaCodec(R"("float")").reads("\"Infinity\"", "v == 1/0"));
}

TEST(LuaReaderTest, OtherPrimitivesAreWhatLuaHas) {
  EXPECT_TRUE(LuaCodec(R"("boolean")").reads("true", "v == true"));
  EXPECT_TRUE(LuaCodec(R"("boolean")").reads("false", "v == false"));
  EXPECT_TRUE(LuaCodec(R"("null")").reads("null", "v == null and v ~= nil"));
  EXPECT_TRUE(LuaCodec(R"("string")").reads(R"("é\u0000")", R"(v == "é\0")"));
  EXPECT_TRUE(LuaCodec(R"("bytes")").reads(R"("\u0000\u00ff")", R"(v == "\0\xff")"));
  EXPECT_TRUE(
      LuaCodec(R"({"type":"fixed","name":"F","size":2})").reads(R"("\u0080\u0000")", R"(v == "\x80\0")"));
  EXPECT_TRUE(LuaCodec(R"({"type":"enum","name":"E","symbols":["A","B"]})").reads(R"("B")", "v == 'B'"));
}

TEST(LuaReaderTest, NullIsAMemberAndNilIsNone) {
  LuaCodec codec(R"({"type":"record","name":"R","fields":[{"name":"a","type":["null","int"]}]})");
  EXPECT_TRUE(codec.reads(R"({"a":null})", "v.a == null and v.b == nil"));
  EXPECT_TRUE(codec.reads(R"({"a":1})", "v.a == 1"));
}

TEST(LuaReaderTest, OnlyArraysAreMarked) {
  LuaCodec array(R"({"type":"array","items":"int"})");
  LuaCodec map(R"({"type":"map","values":"int"})");
  const auto is_marked = [](LuaCodec& codec, std::string_view json) {
    bool marked = false;
    codec.run([&](lua_State* state) {
      EXPECT_THAT(codec.reader().push(codec.codec().encode(json)), succeeds());
      marked = lua_getmetatable(state, -1) != 0;
    });
    return marked;
  };
  EXPECT_TRUE(is_marked(array, "[]"));
  EXPECT_TRUE(is_marked(array, "[1,2]"));
  EXPECT_FALSE(is_marked(map, "{}"));
  EXPECT_TRUE(array.reads("[7,8]", "v[1] == 7 and v[2] == 8 and #v == 2 and v[3] == nil"));
}

TEST(LuaReaderTest, ArraysOfSeveralBlocksAreOneTable) {
  LuaCodec codec(R"({"type":"array","items":"int"})");
  codec.run([&](lua_State* state) {
    // One item; two items that say they take two bytes; the end.
    EXPECT_THAT(codec.reader().push(from_hex("0202"
                                             "03040608"
                                             "00")),
                succeeds());
    EXPECT_TRUE(LuaBench::holds(state, "#v == 3 and v[1] == 1 and v[2] == 3 and v[3] == 4"));
  });
}

TEST(LuaReaderTest, StringsOfAUnionStayPlainAndOtherTextsStandUnderTheirName) {
  LuaCodec codec(R"(["null","string","bytes",{"type":"enum","name":"a.E","symbols":["X"]},
                     {"type":"fixed","name":"F","size":1}])");
  EXPECT_TRUE(codec.reads(R"({"string":"X"})", "v == 'X'"));
  EXPECT_TRUE(codec.reads(R"({"bytes":"X"})", "v.bytes == 'X'"));
  EXPECT_TRUE(codec.reads(R"({"a.E":"X"})", "v['a.E'] == 'X'"));
  EXPECT_TRUE(codec.reads(R"({"F":"X"})", "v.F == 'X'"));
  EXPECT_TRUE(codec.reads("null", "v == null"));
}

TEST(LuaReaderTest, TheOnlyTextOfAUnionIsPlain) {
  EXPECT_TRUE(LuaCodec(R"(["null","bytes"])").reads(R"({"bytes":"X"})", "v == 'X'"));
  EXPECT_TRUE(
      LuaCodec(R"([{"type":"enum","name":"E","symbols":["X"]},"int","double"])").reads(R"("X")", "v == 'X'"));
  EXPECT_TRUE(LuaCodec(R"(["double","string"])").reads(R"({"double":"NaN"})", "v ~= v"));
  EXPECT_TRUE(LuaCodec(R"(["int","long"])").reads(R"({"long":5})", "v == 5"));
}

TEST(LuaReaderTest, TypesOfAUnionLookLikeTheirMembers) {
  LuaCodec codec(R"([{"type":"record","name":"A","fields":[{"name":"x","type":"int"}]},
                     {"type":"record","name":"B","fields":[{"name":"x","type":"int"}]},
                     {"type":"map","values":"int"}])");
  EXPECT_TRUE(codec.reads(R"({"B":{"x":1}})", "v.x == 1 and next(v) == 'x' and next(v, 'x') == nil"));
  EXPECT_TRUE(codec.reads(R"({"map":{"x":1}})", "v.x == 1"));
}

TEST(LuaReaderTest, AReaderSeesTheFieldsOfItsSchema) {
  const Codec writer(R"({"type":"record","name":"R","fields":[
    {"name":"gone","type":{"type":"record","name":"Gone","fields":[{"name":"deep","type":"string"}]}},
    {"name":"a","type":"int"},{"name":"b","type":"string"}]})");
  const Codec reader(R"({"type":"record","name":"R","fields":[
    {"name":"b","type":"string"},{"name":"new","type":{"type":"array","items":"int"},"default":[4,5]},
    {"name":"a","type":"double"}]})");
  const Codec shorter(R"({"type":"record","name":"R","fields":[{"name":"b","type":"bytes"}]})");
  const std::string avro = writer.encode(R"({"gone":{"deep":"x"},"a":7,"b":"text"})");
  LuaBench bench;
  const DecodePlan plan = LuaCodec::plan_of(writer.schema(), reader.schema());
  LuaReader as_reader(bench.host(), plan);
  const DecodePlan shorter_plan = LuaCodec::plan_of(writer.schema(), shorter.schema());
  LuaReader as_shorter(bench.host(), shorter_plan);
  bench.run([&](lua_State* state) {
    EXPECT_THAT(as_reader.push(avro), succeeds());
    EXPECT_TRUE(LuaBench::holds(state,
                                "v.b == 'text' and v.a == 7.0 and math.type(v.a) == 'float' and "
                                "#v.new == 2 and v.new[2] == 5 and v.gone == nil"));
    EXPECT_THAT(as_shorter.push(avro), succeeds());
    EXPECT_TRUE(LuaBench::holds(state, "v.b == 'text' and v.a == nil and next(v, 'b') == nil"));
  });
}

TEST(LuaReaderTest, DamagedBytesLeaveTheStackAsItWas) {
  LuaCodec order(kOrder);
  const std::string good =
      order.codec().encode(R"({"id":"a","count":3,"total":2.5,"address":{"city":"Bern"},"lines":[{"x":1}]})");
  order.run([&](lua_State* state) {
    const int top = lua_gettop(state);
    for (std::size_t size = 0; size < good.size(); ++size) {
      EXPECT_THAT(order.reader().push(good.substr(0, size)), fails_with(Errc::kCorruption));
      ASSERT_EQ(lua_gettop(state), top);
    }
    EXPECT_THAT(order.reader().push(good + "x"), fails_with(Errc::kCorruption));
    ASSERT_EQ(lua_gettop(state), top);
    EXPECT_THAT(order.reader().push(good), succeeds());
    EXPECT_EQ(lua_gettop(state), top + 1);
  });
}

TEST(LuaReaderTest, DeepValuesAreReadAndDeeperOnesRefused) {
  LuaCodec list(R"({"type":"record","name":"L","fields":[{"name":"next","type":["null","L"]}]})");
  const auto nested = [](std::size_t levels) {
    std::string avro;
    for (std::size_t i = 1; i < levels; ++i) append_avro_long(avro, 1);
    append_avro_long(avro, 0);
    return avro;
  };
  list.run([&](lua_State* state) {
    EXPECT_THAT(list.reader().push(nested(kDataDepthMax)), succeeds());
    LuaBench::push(state, "local v, n = ..., 0; while v ~= null do v, n = v.next, n + 1 end return n", 1);
    EXPECT_EQ(lua_tointeger(state, -1), static_cast<lua_Integer>(kDataDepthMax));
    EXPECT_THAT(list.reader().push(nested(kDataDepthMax + 1)), fails_with(Errc::kCorruption));
  });
}

TEST(LuaReaderTest, DestroyingAReaderLeavesOthersValid) {
  LuaCodec order(kOrder);
  const DecodePlan plan = LuaCodec::plan_of(order.codec().schema(), order.codec().schema());
  { LuaReader passing(order.host(), plan); }
  LuaReader another(order.host(), plan);
  EXPECT_TRUE(order.reads(R"({"id":"a","count":3,"total":2.5,"address":{"city":"Bern"},"lines":[]})",
                          "v.address.city == 'Bern'"));
}

}  // namespace
}  // namespace cairn::test
