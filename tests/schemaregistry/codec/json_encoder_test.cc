#include "schemaregistry/codec/json_encoder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "schemaregistry/codec/encode_run.h"
#include "tests/schemaregistry/codec/codec_fixture.h"

namespace cairn::test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr std::string_view kOrder = R"({"type":"record","name":"Order","fields":[
  {"name":"id","type":"string"},{"name":"total","type":"long"},{"name":"paid","type":"boolean","default":false},
  {"name":"note","type":["null","string"],"default":null},{"name":"lines","type":{"type":"array","items":"int"}}]})";

TEST(JsonEncoderTest, ScalarsHaveTheBytesOfTheSpecification) {
  EXPECT_EQ(Codec("\"null\"").hex("null"), "");
  EXPECT_EQ(Codec("\"boolean\"").hex("true"), "01");
  EXPECT_EQ(Codec("\"int\"").hex("-64"), "7f");
  EXPECT_EQ(Codec("\"int\"").hex("64"), "8001");
  EXPECT_EQ(Codec("\"long\"").hex("9223372036854775807"), "feffffffffffffffff01");
  EXPECT_EQ(Codec("\"long\"").hex("-9223372036854775808"), "ffffffffffffffffff01");
  EXPECT_EQ(Codec("\"float\"").hex("1.5"), "0000c03f");
  EXPECT_EQ(Codec("\"double\"").hex("-2"), "00000000000000c0");
  EXPECT_EQ(Codec("\"string\"").hex(R"("foo")"), "06666f6f");
  EXPECT_EQ(Codec("\"string\"").hex(R"("\u00e9\n")"), "06c3a90a");
  EXPECT_EQ(Codec("\"bytes\"").hex(R"("\u00ff\u0000a")"), "06ff0061");
  EXPECT_EQ(Codec(R"({"type":"fixed","name":"F","size":2})").hex(R"("\u00ffa")"), "ff61");
  EXPECT_EQ(Codec(R"({"type":"enum","name":"E","symbols":["A","B"]})").hex(R"("B")"), "02");
}

TEST(JsonEncoderTest, ContainersHaveTheBytesOfTheSpecification) {
  EXPECT_EQ(Codec(R"({"type":"array","items":"long"})").hex("[3,27]"), "04063600");
  EXPECT_EQ(Codec(R"({"type":"array","items":"long"})").hex("[]"), "00");
  EXPECT_EQ(Codec(R"({"type":"map","values":"long"})").hex(R"({"a":1})"), "0202610200");
  EXPECT_EQ(
      Codec(
          R"({"type":"record","name":"t","fields":[{"name":"a","type":"long"},{"name":"b","type":"string"}]})")
          .hex(R"({"a":27,"b":"foo"})"),
      "3606666f6f");
  EXPECT_EQ(Codec(R"(["null","string"])").hex("null"), "00");
  EXPECT_EQ(Codec(R"(["null","string"])").hex(R"("a")"), "020261");
}

TEST(JsonEncoderTest, FieldsMayComeInAnyOrder) {
  const Codec order(kOrder);
  const std::string in_order = order.hex(R"({"id":"7","total":5,"paid":true,"note":"x","lines":[1,2]})");
  EXPECT_EQ(order.hex(R"({"lines":[1,2],"note":"x","paid":true,"total":5,"id":"7"})"), in_order);
  EXPECT_EQ(order.hex(R"({"total":5,"id":"7","paid":true,"lines":[1,2],"note":"x"})"), in_order);
}

TEST(JsonEncoderTest, AMissingFieldGetsItsDefault) {
  const Codec order(kOrder);
  EXPECT_EQ(order.round_trip(R"({"id":"7","total":5,"lines":[]})"),
            R"({"id":"7","total":5,"paid":false,"note":null,"lines":[]})");
}

TEST(JsonEncoderTest, DefaultsFillInTheDefaultsWithinThem) {
  const Codec nested(R"({"type":"record","name":"R","fields":[{"name":"in","default":{"b":[{}]},"type":
    {"type":"record","name":"In","fields":[{"name":"a","type":"int","default":4},{"name":"b","type":{"type":"array",
    "items":{"type":"record","name":"Deep","fields":[{"name":"c","type":["string","null"],"default":"x"}]}}}]}}]})");
  EXPECT_EQ(nested.round_trip("{}"), R"({"in":{"a":4,"b":[{"c":"x"}]}})");
}

TEST(JsonEncoderTest, EveryFaultIsReportedWithItsPath) {
  EXPECT_THAT(Codec(kOrder).complaints(R"({"id":7,"total":"x","lines":[1,2.5,null],"color":"red"})"),
              ElementsAre("/id: string, 7", "/total: long, \"x\"", "/lines/1: int, 2.5",
                          "/lines/2: int, null", "/color: no such field in Order, \"red\""));
  EXPECT_THAT(Codec(kOrder).complaints(R"({"total":1,"lines":[]})"), ElementsAre("/id: string, nothing"));
  EXPECT_THAT(Codec(R"({"type":"map","values":"int"})").complaints(R"({"a/b~c":"x"})"),
              ElementsAre("/a~1b~0c: int, \"x\""));
  EXPECT_THAT(Codec("\"int\"").complaints("{}"), ElementsAre(": int, {}"));
}

TEST(JsonEncoderTest, TheNumberOfFaultsIsBounded) {
  std::string many = "[";
  for (int i = 0; i < 1000; ++i) many += "null,";
  many.back() = ']';
  EXPECT_EQ(Codec(R"({"type":"array","items":"int"})").faults(many).size(), kDataFaultsMax);
}

TEST(JsonEncoderTest, NumbersOutsideTheirTypeAreRefused) {
  for (const std::string_view wrong : {"2147483648", "-2147483649", "1.0", "1e2", "\"1\"", "true"}) {
    EXPECT_THAT(Codec("\"int\"").complaints(wrong), ElementsAre(": int, " + std::string(wrong)));
  }
  for (const std::string_view wrong : {"9223372036854775808", "-9223372036854775809", "0.5", "1E2"}) {
    EXPECT_EQ(Codec("\"long\"").faults(wrong).size(), 1u) << wrong;
  }
  EXPECT_EQ(Codec("\"float\"").faults("1e39").size(), 1u);
  EXPECT_EQ(Codec("\"double\"").faults("1e400").size(), 1u);
  EXPECT_EQ(Codec("\"double\"").faults("\"nan\"").size(), 1u);
  EXPECT_EQ(Codec("\"double\"").hex("1e-400"), "0000000000000000") << "too small is zero";
}

TEST(JsonEncoderTest, InvalidBytesAndSymbolsAreRefused) {
  EXPECT_EQ(Codec("\"bytes\"").faults(R"("\u0100")").size(), 1u);
  EXPECT_EQ(Codec(R"({"type":"fixed","name":"F","size":2})").faults(R"("abc")").size(), 1u);
  EXPECT_THAT(Codec(R"({"type":"enum","name":"E","symbols":["A","B"]})").complaints(R"("C")"),
              ElementsAre(": a symbol of E: A, B, \"C\""));
}

TEST(JsonEncoderTest, NanAndInfinitiesAreStrings) {
  const Codec codec(R"({"type":"array","items":"double"})");
  EXPECT_EQ(codec.round_trip(R"(["NaN","Infinity","-Infinity",-0.0,5])"),
            R"(["NaN","Infinity","-Infinity",-0.0,5.0])");
}

TEST(JsonEncoderTest, AUnionAcceptsPlainAndTaggedValues) {
  const Codec codec(R"(["null","string","long","double","boolean",{"type":"array","items":"int"}])");
  EXPECT_EQ(codec.hex("null"), "00");
  EXPECT_EQ(codec.hex(R"("a")"), codec.hex(R"({"string":"a"})"));
  EXPECT_EQ(codec.hex("5"), "040a") << "a whole number is a long, not a double";
  EXPECT_EQ(codec.hex("5.0"), codec.hex(R"({"double":5})"));
  EXPECT_EQ(codec.hex("9223372036854775808"), codec.hex(R"({"double":9223372036854775808})"))
      << "too large for a long";
  EXPECT_EQ(codec.hex("[1]"), codec.hex(R"({"array":[1]})"));
  EXPECT_THAT(codec.complaints("{}"), ElementsAre(": one of null, string, long, double, boolean, array, {}"));
  EXPECT_THAT(codec.complaints(R"({"long":"x"})"), ElementsAre("/long: long, \"x\""));
}

TEST(JsonEncoderTest, AUnionOfRecordsIsResolvedByFieldNames) {
  const Codec codec(R"([{"type":"record","name":"a.A","fields":[{"name":"x","type":"int"}]},
                        {"type":"record","name":"B","fields":[{"name":"x","type":"string"}]},
                        {"type":"record","name":"C","fields":[{"name":"x","type":"int"},{"name":"y","type":"int","default":0}]},
                        {"type":"map","values":"long"}])");
  EXPECT_EQ(codec.hex(R"({"x":1})"), "0002");
  EXPECT_EQ(codec.hex(R"({"x":"s"})"), "020273") << "by what the field holds when the names do not tell";
  EXPECT_EQ(codec.hex(R"({"x":1,"y":2})"), "040204");
  EXPECT_EQ(codec.hex(R"({"z":1})"), "0602027a0200");
  EXPECT_EQ(codec.hex(R"({"C":{"x":1}})"), "040200") << "tagged";
  EXPECT_EQ(codec.hex(R"({"a.A":{"x":1}})"), "0002") << "tagged with the full name";
  EXPECT_THAT(codec.complaints(R"({"x":null})"), ElementsAre("/x: long, null"));
}

// A value under a tag, and a value that only looks like one.
TEST(JsonEncoderTest, ATagIsTriedFirstAndAPlainValueThen) {
  const Codec codec(R"(["null",{"type":"record","name":"Foo","fields":[{"name":"Foo","type":"int"}]}])");
  EXPECT_EQ(codec.hex(R"({"Foo":5})"), "020a");
  EXPECT_EQ(codec.hex(R"({"Foo":{"Foo":5}})"), "020a");
}

// Each object could be an A or a B; `last` stands where only one of them has its type, or none.
constexpr std::string_view kAlikeRecords =
    R"({"type":"record","name":"Top","fields":[{"name":"x","type":["null",
  {"type":"record","name":"A","fields":[{"name":"x","type":["null","A",
    {"type":"record","name":"B","fields":[{"name":"x","type":["null","A","B",{"type":"array","items":["A","B"]}]},
                                          {"name":"last","type":["null","string"],"default":null}]},
    {"type":"array","items":["A","B"]}]},
   {"name":"last","type":["null","long"],"default":null}]},"B"]}]})";

// {"x":{"x":…{"x":INNERMOST,"last":LAST}…,"last":LAST}}
std::string nested_records(int levels, const std::string& innermost, const std::string& last) {
  std::string json = innermost;
  for (int i = 0; i < levels; ++i)
    json = R"({"x":)" + json + (last.empty() ? "" : R"(,"last":)" + last) + "}";
  return R"({"x":)" + json + "}";
}

struct Work {
  std::uint64_t steps = 0;
  std::vector<DataFault> faults;
};

Work work_of(std::string_view schema_text, const std::string& json) {
  EXPECT_FALSE(check_json(json).has_value()) << "the test's own JSON";
  const Schema schema = schema_of(schema_text);
  const auto program = EncodeProgram::compile(schema.root());
  EXPECT_THAT(program, succeeds());
  std::string avro;
  EncodeRun run(json, UnionStyle::kPlainOrTagged, avro);
  Work work;
  work.faults = run.encode(program->root());
  work.steps = run.steps();
  return work;
}

// Only the innermost value shows that neither type fits.
TEST(JsonEncoderTest, RecordsThatNoTypeFitsTakeStepsInProportionToTheirBytes) {
  const std::string json = nested_records(50, "17", "");
  const Work work = work_of(kAlikeRecords, json);
  EXPECT_LT(work.steps, 20 * json.size());
  ASSERT_EQ(work.faults.size(), 1u);
  EXPECT_EQ(work.faults.front().expected, "one of null, A, B, array");
  EXPECT_EQ(work.faults.front().found, "17");
}

// Each level fits as far as its last field, which stands behind all levels in it.
TEST(JsonEncoderTest, PartsThatFitAreNotTriedAgainForEachTypeAroundThem) {
  for (const char* last : {"1", R"("b")", "true"}) {
    const std::string json = nested_records(50, "null", last);
    const Work work = work_of(kAlikeRecords, json);
    EXPECT_LT(work.steps, 20 * json.size()) << last;
    EXPECT_EQ(work.faults.empty(), last != std::string("true"));
  }
}

TEST(JsonEncoderTest, AMebibyteOfAlikeRecordsTakesStepsInProportionToItsBytes) {
  std::string tree = nested_records(40, "null", R"("b")");
  tree = tree.substr(5, tree.size() - 6);  // without Top
  std::string json = R"({"x":{"x":[)" + tree;
  while (json.size() < 1u << 20) json += "," + tree;
  for (const char* end : {R"(],"last":1}})", R"(],"last":true}})"}) {
    const Work work = work_of(kAlikeRecords, json + end);
    EXPECT_LT(work.steps, 4 * json.size());
    EXPECT_EQ(work.faults.empty(), end == std::string(R"(],"last":1}})"));
  }
}

// A name that is a tag and a field: each value may stand at many depths.
TEST(JsonEncoderTest, NamesThatAreTagsAndFieldsTakeBoundedSteps) {
  constexpr std::string_view kSchema =
      R"({"type":"record","name":"x","fields":[{"name":"x","type":["null","x",
    {"type":"record","name":"y","fields":[{"name":"x","type":["null","x","y"]}]}]}]})";
  for (const char* innermost : {"null", "17"}) {
    std::string json = innermost;
    for (int i = 0; i < 120; ++i) json = R"({"x":)" + json + "}";
    const Work work = work_of(kSchema, json);
    EXPECT_LT(work.steps, 100 * json.size()) << innermost;
  }
}

// The schema decides how many types each object is tried with, so the work is bounded as well.
TEST(JsonEncoderTest, HundredsOfAlikeRecordsAreRefusedBeyondTheBound) {
  std::string schema = R"({"type":"array","items":[)";
  for (int i = 0; i < 1'000; ++i) {
    schema +=
        R"({"type":"record","name":"R)" + std::to_string(i) + R"(","fields":[{"name":"x","type":"int"}]},)";
  }
  schema += R"({"type":"record","name":"Last","fields":[{"name":"x","type":"string"}]}]})";
  std::string json = R"([{"x":""})";
  for (int i = 1; i < 20'000; ++i) json += R"(,{"x":""})";
  const Work work = work_of(schema, json + "]");
  EXPECT_LT(work.steps, 40 * json.size() + 200'000);
  ASSERT_EQ(work.faults.size(), 1u);
  EXPECT_EQ(work.faults.front().expected, "data whose unions can be told apart in fewer tries");
  EXPECT_THAT(work_of(schema, R"([{"x":""},{"x":1}])").faults, IsEmpty());
}

TEST(JsonEncoderTest, NotANumberIsATextWhereASchemaSaysIt) {
  const Codec codec(
      R"({"type":"record","name":"R","fields":[{"name":"x","type":["double","string"],"default":"NaN"}]})");
  EXPECT_EQ(codec.hex("{}"), "02064e614e") << "the string";
}

// A small JSON that expands to much Avro.
TEST(JsonEncoderTest, DefaultsAreBoundedByTheSizeOfAnEvent) {
  const std::string large(10'000, 'x');
  const Codec codec(R"({"type":"array","items":{"type":"record","name":"R","fields":[
    {"name":"s","type":"string","default":")" +
                    large + R"("}]}})");
  std::string json = "[";
  for (int i = 0; i < 100'000; ++i) json += i == 0 ? "{}" : ",{}";
  EXPECT_THAT(codec.faults(json + "]").front().expected, HasSubstr("bytes of Avro in all"));
}

// A default nests deeper where it is used than in the schema; a stored value must be readable.
TEST(JsonEncoderTest, DefaultsCountForDepthAndForValuesWithoutBytes) {
  const Codec nodes(
      R"({"type":"record","name":"Node","fields":[{"name":"next","type":["null","Node"],"default":null},
    {"name":"x","type":{"type":"array","items":{"type":"array","items":{"type":"array","items":"int"}}},"default":[[[1]]]}]})");
  const auto chain = [](int length) {
    std::string json = "{}";
    for (int i = 1; i < length; ++i) json = R"({"next":)" + json + "}";
    return json;
  };
  EXPECT_NE(nodes.round_trip(chain(57)), "");
  EXPECT_FALSE(nodes.faults(chain(58)).empty());

  std::string nulls = "null";
  for (int i = 1; i < 1'000; ++i) nulls += ",null";
  const Codec many(
      R"({"type":"array","items":{"type":"record","name":"R","fields":[{"name":"n","default":[)" + nulls +
      R"(],"type":{"type":"array","items":"null"}}]}})");
  std::string json = "{}";
  for (int i = 1; i < 65; ++i) json += ",{}";
  EXPECT_NE(many.round_trip("[" + json + "]"), "");
  EXPECT_FALSE(many.faults("[" + json + ",{},{},{}]").empty());
}

// A failed branch must not build the text of a long path.
TEST(JsonEncoderTest, DiscardedFaultsAreCheap) {
  const Codec codec(R"({"type":"map","values":{"type":"array","items":[
    {"type":"record","name":"A","fields":[{"name":"x","type":"int"}]},
    {"type":"record","name":"B","fields":[{"name":"x","type":"string"}]}]}})");
  std::string json = "{\"" + std::string(1'000'000, 'k') + "\":[";
  for (int i = 0; i < 50'000; ++i) json += i == 0 ? R"({"x":"s"})" : R"(,{"x":"s"})";
  EXPECT_TRUE(codec.faults(json + "]}").empty());
}

TEST(JsonEncoderTest, ItemsWithoutBytesAreCounted) {
  const Codec codec(R"({"type":"array","items":"null"})");
  const auto nulls = [](std::size_t count) {
    std::string json = "[";
    for (std::size_t i = 0; i < count; ++i) json += i == 0 ? "null" : ",null";
    return json + "]";
  };
  EXPECT_EQ(codec.round_trip(nulls(65'540)), nulls(65'540)) << "one more for each byte";
  EXPECT_THAT(codec.faults(nulls(65'541)).front().expected, HasSubstr("at most 65536 values"));
}

}  // namespace
}  // namespace cairn::test
