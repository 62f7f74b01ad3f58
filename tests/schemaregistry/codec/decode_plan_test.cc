#include "schemaregistry/codec/decode_plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "schemaregistry/codec/avro_sink.h"
#include "schemaregistry/codec/check_sink.h"
#include "tests/schemaregistry/codec/codec_fixture.h"

namespace cairn::test {
namespace {

using ::testing::HasSubstr;

std::string record(std::string_view fields, std::string_view name = "R") {
  return R"({"type":"record","name":")" + std::string(name) + R"(","fields":[)" + std::string(fields) + "]}";
}

TEST(DecodePlanTest, FieldsAreLeftOutPutInOrderAndGivenDefaults) {
  const Codec writer(
      record(R"({"name":"a","type":"int"},{"name":"b","type":{"type":"array","items":"string"}},
                               {"name":"c","type":"string"})"));
  const Codec skipping(record(R"({"name":"c","type":"string"},{"name":"d","type":"long","default":7})"));
  EXPECT_EQ(writer.read_as(skipping, R"({"a":1,"b":["x","y"],"c":"z"})"), R"({"c":"z","d":7})");
  const Codec turned(record(R"({"name":"c","type":"string"},{"name":"d","type":"string","default":"-"},
                               {"name":"b","type":{"type":"array","items":"string"}},{"name":"a","type":"int"})"));
  EXPECT_EQ(writer.read_as(turned, R"({"a":1,"b":["x","y"],"c":"z"})"),
            R"({"c":"z","d":"-","b":["x","y"],"a":1})");
}

TEST(DecodePlanTest, RecordsOutOfOrderNestAndRepeat) {
  const std::string inner_w = record(R"({"name":"p","type":"int"},{"name":"q","type":"string"})", "In");
  const std::string inner_r = record(R"({"name":"q","type":"string"},{"name":"p","type":"int"})", "In");
  const Codec writer(
      record(R"({"name":"x","type":{"type":"array","items":)" + inner_w + R"(}},{"name":"y","type":"In"})"));
  const Codec reader(
      record(R"({"name":"y","type":)" + inner_r + R"(},{"name":"x","type":{"type":"array","items":"In"}})"));
  EXPECT_EQ(writer.read_as(reader, R"({"x":[{"p":1,"q":"a"},{"p":2,"q":"b"}],"y":{"p":3,"q":"c"}})"),
            R"({"y":{"q":"c","p":3},"x":[{"q":"a","p":1},{"q":"b","p":2}]})");
}

TEST(DecodePlanTest, NumbersAndTextsAreWidened) {
  EXPECT_EQ(Codec("\"int\"").read_as(Codec("\"long\""), "-5"), "-5");
  EXPECT_EQ(Codec("\"int\"").read_as(Codec("\"float\""), "-5"), "-5.0");
  EXPECT_EQ(Codec("\"long\"").read_as(Codec("\"double\""), "5"), "5.0");
  EXPECT_EQ(Codec("\"float\"").read_as(Codec("\"double\""), "0.5"), "0.5");
  EXPECT_EQ(Codec("\"string\"").read_as(Codec("\"bytes\""), "\"é\""), "\"Ã©\"");
  EXPECT_EQ(Codec("\"bytes\"").read_as(Codec("\"string\""), "\"Ã©\""), "\"é\"");
  EXPECT_THAT(Codec("\"bytes\"").try_decode(from_hex("02ff"), Codec("\"string\"")),
              fails_with(Errc::kCorruption));
}

TEST(DecodePlanTest, AliasesFindRenamedFieldsAndTypes) {
  const Codec writer(
      record(R"({"name":"old","type":{"type":"enum","name":"Was","symbols":["A"]}})", "Before"));
  const Codec reader(
      R"({"type":"record","name":"After","aliases":["Before"],"fields":[{"name":"new","aliases":["x","old"],
      "type":{"type":"enum","name":"Is","aliases":["Was"],"symbols":["B","A"]}}]})");
  EXPECT_EQ(writer.read_as(reader, R"({"old":"A"})"), R"({"new":"A"})");
}

TEST(DecodePlanTest, UnknownSymbolsBecomeTheDefaultOrFail) {
  const Codec writer(R"({"type":"enum","name":"E","symbols":["A","B","C"]})");
  const Codec with_default(R"({"type":"enum","name":"E","symbols":["C","X"],"default":"X"})");
  const Codec without(R"({"type":"enum","name":"E","symbols":["C","X"]})");
  EXPECT_EQ(writer.read_as(with_default, "\"A\""), "\"X\"");
  EXPECT_EQ(writer.read_as(with_default, "\"C\""), "\"C\"");
  EXPECT_EQ(writer.read_as(without, "\"C\""), "\"C\"") << "only what is not there fails";
  EXPECT_THAT(writer.try_decode(writer.encode("\"A\""), without), fails_with(Errc::kCorruption));
}

TEST(DecodePlanTest, UnionsAreReadAsTheTypeThatFitsBest) {
  const Codec maybe(R"(["null","int"])");
  EXPECT_EQ(maybe.read_as(Codec(R"(["string","long","null"])"), "5"), "5");
  EXPECT_EQ(maybe.read_as(Codec(R"(["double","int","null"])"), "5"), "5");
  EXPECT_EQ(maybe.read_as(Codec("\"long\""), "5"), "5");
  EXPECT_THAT(maybe.try_decode(maybe.encode("null"), Codec("\"long\"")), fails_with(Errc::kCorruption));
  EXPECT_EQ(Codec("\"int\"").read_as(Codec(R"(["null","double"])"), "5"), "5.0");
}

// An encoded value decodes and encodes to the same bytes, also where a plain value would be ambiguous.
TEST(DecodePlanTest, AmbiguousUnionValuesAreTagged) {
  const auto same = [](std::string_view schema, std::string_view json, std::string_view shown) {
    const Codec codec(schema);
    const std::string bytes = codec.encode(json);
    EXPECT_EQ(codec.decode(bytes), shown);
    EXPECT_EQ(to_hex(codec.encode(codec.decode(bytes))), to_hex(bytes)) << schema;
  };
  same(R"(["null","string"])", R"("a")", R"("a")");
  same(R"(["string","bytes"])", R"({"bytes":"a"})", R"({"bytes":"a"})");
  same(R"(["string","bytes"])", R"("a")", R"({"string":"a"})");
  same(R"(["int","long"])", R"({"long":5})", R"({"long":5})");
  same(R"(["double","int"])", "5", "5");
  same(R"(["double","int"])", "5.0", "5.0");
  same(R"(["string","double"])", R"({"double":"NaN"})", R"({"double":"NaN"})");
  same(R"(["string","double"])", R"({"double":2.5})", "2.5");
  same(R"(["null",{"type":"map","values":"int"}])", R"({"map":5})", R"({"map":{"map":5}})");
  same(R"(["null",{"type":"map","values":"int"}])", R"({"a":5})", R"({"a":5})");
  same(R"(["null",{"type":"map","values":"int"}])", R"({"map":5,"null":6})", R"({"map":5,"null":6})");
  same(R"(["null",{"type":"record","name":"F","fields":[{"name":"F","type":"int"}]}])", R"({"F":5})",
       R"({"F":{"F":5}})");
  same(R"(["null",{"type":"record","name":"F","fields":[{"name":"g","type":"int"}]}])", R"({"g":5})",
       R"({"g":5})");
}

TEST(DecodePlanTest, RecursiveTypesEnd) {
  const Codec list(record(R"({"name":"v","type":"int"},{"name":"next","type":["null","R"],"default":null})"));
  EXPECT_EQ(list.round_trip(R"({"v":1,"next":{"v":2,"next":{"v":3}}})"),
            R"({"v":1,"next":{"v":2,"next":{"v":3,"next":null}}})");
}

// Every value that can be decoded can be shown as JSON and encoded again, down to the deepest level.
TEST(DecodePlanTest, ReadingAndWritingAreEquallyDeep) {
  const Codec tree(R"([{"type":"record","name":"A","fields":[{"name":"x","type":["string","A"]}]},
                       {"type":"record","name":"B","fields":[{"name":"x","type":["A","B","int"]}]}])");
  const auto nested = [](int levels) {  // B in B in B …, and at last a number
    std::string bytes(static_cast<std::size_t>(levels), '\x02');
    return bytes + "\x04\x0a";
  };
  const std::string deepest = nested(60);
  const std::string shown = tree.decode(deepest);
  EXPECT_FALSE(check_json(shown).has_value()) << "a request can carry it";
  EXPECT_EQ(to_hex(tree.encode(shown)), to_hex(deepest));
  EXPECT_THAT(tree.try_decode(nested(61)), fails_with(Errc::kCorruption));
  std::string deeper = R"({"B":{"x":5}})";
  for (int i = 1; i < 61; ++i) deeper = R"({"B":{"x":)" + deeper + "}}";
  EXPECT_FALSE(tree.faults(deeper).empty());
}

TEST(DecodePlanTest, HostileBytesAreRefused) {
  const auto refuses = [](std::string_view schema, std::string_view hex, std::string_view word) {
    const auto outcome = Codec(schema).try_decode(from_hex(hex));
    ASSERT_THAT(outcome, fails_with(Errc::kCorruption)) << schema << " " << hex;
    EXPECT_THAT(outcome.error().message, HasSubstr(std::string(word)));
  };
  refuses("\"string\"", "01", "length");                     // a length of -1
  refuses("\"string\"", "feffffffffffffffff01", "length");   // 2^63-1 bytes
  refuses("\"string\"", "0461", "length");                   // one byte missing
  refuses("\"long\"", "ffffffffffffffffffff01", "64 bits");  // eleven bytes
  refuses("\"long\"", "ffffffffffffffffff7f", "64 bits");    // more than 64 bits
  refuses("\"int\"", "8080808010", "32 bits");               // 2^31
  refuses("\"long\"", "", "at byte 0 of 0");
  refuses("\"boolean\"", "02", "boolean");
  refuses("\"boolean\"", "0100", "left over");
  refuses("\"double\"", "00000000", "floating");
  refuses(R"({"type":"enum","name":"E","symbols":["A"]})", "02", "symbol");
  refuses(R"({"type":"enum","name":"E","symbols":["A"]})", "01", "symbol");
  refuses(R"(["null"])", "02", "union");
  refuses(R"(["null"])", "01", "union");
  refuses(R"({"type":"array","items":"null"})", "80808080808080808001", "no bytes");  // 2^62 nulls
  refuses(R"({"type":"array","items":"null"})", "ffffffffffffffffff0100", "count");   // -2^63
  refuses(R"({"type":"array","items":"int"})", "0164", "more bytes");                 // a block of 50 bytes
  refuses(R"({"type":"array","items":"int"})", "feffffffffffffffff01", "32 bits");
  refuses(R"({"type":"fixed","name":"F","size":4})", "000000", "fixed");
  // A list in a list in a list …
  refuses(R"({"type":"record","name":"L","fields":[{"name":"l","type":{"type":"array","items":"L"}}]})",
          std::string(2000, '0').replace(0, 2000,
                                         [] {
                                           std::string deep;
                                           for (int i = 0; i < 1000; ++i) deep += "02";
                                           return deep;
                                         }()),
          "deep");
}

// No bytes at all, and 2^40 values.
TEST(DecodePlanTest, RecordsWithoutBytesAreBounded) {
  std::string fields = R"({"name":"f0","type":{"type":"record","name":"R0","fields":[
    {"name":"a","type":"null"},{"name":"b","type":"null"}]}})";
  for (int i = 1; i < 40; ++i) {
    const std::string before = "R" + std::to_string(i - 1);
    fields += R"(,{"name":"f)" + std::to_string(i) + R"(","type":{"type":"record","name":"R)" +
              std::to_string(i) + R"(","fields":[{"name":"a","type":")" + before +
              R"("},{"name":"b","type":")" + before + R"("}]}})";
  }
  EXPECT_THAT(Codec(record(fields, "Top")).try_decode(""), fails_with(Errc::kCorruption));
}

TEST(DecodePlanTest, BlocksMayHaveSizesAndComeInSeveral) {
  const Codec list(R"({"type":"array","items":"int"})");
  EXPECT_EQ(list.decode(from_hex("0302020402060008"
                                 "00")
                            .substr(0, 0) +
                        from_hex("03040204"
                                 "0206"
                                 "00")),
            "[1,2,3]");
  const Codec map(R"({"type":"map","values":"int"})");
  EXPECT_EQ(map.decode(from_hex("0106"
                                "026102"
                                "02"
                                "026204"
                                "00")),
            R"({"a":1,"b":2})");
}

TEST(DecodePlanTest, CheckFindsWhatJsonCannotHold) {
  const Codec text("\"string\"");
  const auto plan = DecodePlan::compile(text.schema(), text.schema());
  EXPECT_THAT(check_avro(*plan, from_hex("02ff")), fails_with(Errc::kCorruption));
  EXPECT_THAT(check_avro(*plan, from_hex("0261")), succeeds());
  const Codec map(R"({"type":"map","values":"null"})");
  const auto map_plan = DecodePlan::compile(map.schema(), map.schema());
  EXPECT_THAT(check_avro(*map_plan, from_hex("040261026100")), fails_with(Errc::kCorruption));
  EXPECT_THAT(check_avro(*map_plan, from_hex("040261026200")), succeeds());
}

// Thousands of values without bytes would each become the reader's default.
TEST(DecodePlanTest, DefaultsThatMakeAValueTooLargeAreRefused) {
  const Codec writer(R"({"type":"array","items":{"type":"record","name":"R","fields":[]}})");
  const Codec reader(
      R"({"type":"array","items":{"type":"record","name":"R","fields":[{"name":"s","type":"string","default":")" +
      std::string(100'000, 'x') + R"("}]}})");
  std::string json = "[{}";
  for (int i = 1; i < 60'000; ++i) json += ",{}";
  const std::string bytes = writer.encode(json + "]");
  const auto as_json = writer.try_decode(bytes, reader);
  ASSERT_FALSE(as_json.ok());
  EXPECT_THAT(as_json.error().message, HasSubstr("too large when it is written out"));
  const auto plan = DecodePlan::compile(writer.schema(), reader.schema());
  std::string avro;
  EXPECT_THAT(append_avro_as_avro(*plan, bytes, avro), fails_with(Errc::kCorruption));
  EXPECT_EQ(avro, "");
}

}  // namespace
}  // namespace cairn::test
