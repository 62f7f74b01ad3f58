#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "tests/schemaregistry/model/refusal.h"

namespace cairn::test {
namespace {

using ::testing::HasSubstr;

std::string nested_arrays(int depth) {
  std::string text = "\"int\"";
  for (int i = 0; i < depth; ++i) text = R"({"type":"array","items":)" + text + "}";
  return text;
}

TEST(InvalidSchema, TextThatIsNotJson) {
  refuse_all({
      {"", "", "JSON"},
      {" \n", "", "JSON"},
      {"{", "", "JSON"},
      {R"({"type":"int")", "", "JSON"},
      {R"("int" "int")", "", "JSON"},
      {R"("int"x)", "", "JSON"},
      {R"({"type":"int"}})", "", "JSON"},
      {"int", "", "JSON"},
      {"{'type':'int'}", "", "JSON"},
      {R"(["int",])", "", "JSON"},
      {"// a comment\n\"int\"", "", "JSON"},
      {R"({"type":"int","type":"int"})", "", "'type' appears twice"},
      {R"({"type":"int","\u0074ype":"int"})", "", "'type' appears twice"},
      {R"({"type":"int","p":{"a":1,"a":2}})", "", "'a' appears twice"},
      {"\"\xFF\"", "", "UTF-8"},
      {R"({"type":"int","doc":"\ud800"})", "", "half a character"},
      {std::string("\"int\"\0", 6), "", "JSON"},
  });
}

TEST(InvalidSchema, APlaceIsALineAndAColumn) {
  refuse_all({
      {"{\n  \"type\": \"int\",\n  \"doc\": \"\u00e4\" x\n}", "", ", at line 3, column 14"},
      {R"(["int",])", "", ", at line 1, column 8"},
  });
}

TEST(InvalidSchema, JsonThatIsNotASchema) {
  refuse_all({
      {"null", "", "not null"},
      {"true", "", "a schema is"},
      {"1", "", "not a number"},
      {"{}", "", "\"type\""},
      {R"({"name":"R"})", "", "\"type\""},
      {R"({"type":null})", "", "\"type\""},
      {R"({"type":1})", "", "not a number"},
      {R"({"type":["int"]})", "", "not an array"},
      {R"({"type":{"type":"int"}})", "", "not an object"},
      {"[1]", "/0", "not a number"},
      {R"(["int",null])", "/1", "not null"},
      {R"(["int",{}])", "/1", "\"type\""},
  });
}

TEST(InvalidSchema, UndefinedNames) {
  refuse_all({
      {R"("")", "", "no type"},
      {R"("Order")", "", "\"Order\" is no type"},
      {R"("Int")", "", "\"Int\" is no type"},
      {R"(" int")", "", "no type"},
      {R"("record")", "", "write it as an object"},
      {R"("array")", "", "write it as an object"},
      {R"("union")", "", "no type"},
      {R"({"type":"union"})", "/type", "no type"},
      {R"({"type":"Order"})", "/type", "\"Order\" is no type"},
      {record("R", {field("x", "int"), field("y", "Order")}), "/fields/1/type", "\"Order\" is no type"},
      {record("n.R", {field("x", "Order")}), "/fields/0/type", "\"n.Order\" is no type"},
      {record("n.R", {field("x", "m.Order")}), "/fields/0/type", "\"m.Order\" is no type"},
      {array("Order"), "/items", "\"Order\""},
      {map("Order"), "/values", "\"Order\""},
      {union_of({"null", "Order"}), "/1", "\"Order\""},
  });
}

TEST(InvalidSchema, NamesUsedBeforeTheirDefinition) {
  refuse_all({
      {record("R", {field("x", "S"), field("y", record("S", {}))}), "/fields/0/type", "defined before"},
      {union_of({"S", record("S", {})}), "/0", "defined before"},
      {union_of({record("n.S", {}), "S"}), "/1", "\"S\" is no type"},
      {record("n.R", {field("x", record("m.S", {})), field("y", "S")}), "/fields/1/type",
       "\"n.S\" is no type"},
  });
}

TEST(InvalidSchema, NamesOfTypes) {
  const auto record_named = [](const std::string& name_json) {
    return R"({"type":"record","name":)" + name_json + R"(,"fields":[]})";
  };
  const auto record_in = [](const std::string& namespace_json) {
    return R"({"type":"record","name":"R","namespace":)" + namespace_json + R"(,"fields":[]})";
  };
  refuse_all({
      {R"({"type":"record","fields":[]})", "", "needs a \"name\""},
      {R"({"type":"error","fields":[]})", "", "needs a \"name\""},
      {R"({"type":"enum","symbols":["A"]})", "", "needs a \"name\""},
      {R"({"type":"fixed","size":4})", "", "needs a \"name\""},
      {array(R"({"type":"fixed","size":4})"), "/items", "needs a \"name\""},
      {record_named("null"), "", "\"name\" is a string"},
      {record_named("7"), "", "\"name\" is a string"},
      {record_named("[\"R\"]"), "", "\"name\" is a string"},
      {record_named(R"("")"), "", "cannot name a type"},
      {record_named(R"("1R")"), "", "\"1R\" cannot name a type"},
      {record_named(R"("my-record")"), "", "\"my-record\" cannot name"},
      {record_named(R"("my record")"), "", "cannot name"},
      {record_named(R"("R\u0000")"), "", "cannot name"},
      {record_named("\"Stra\xC3\x9F"
                    "e\""),
       "", "cannot name"},
      {record_named(R"("n..R")"), "", "cannot name"},
      {record_named(R"(".R")"), "", "cannot name"},
      {record_named(R"("n.")"), "", "cannot name"},
      {record_named(R"("1n.R")"), "", "cannot name"},
      {record_named(R"("int")"), "", "\"int\""},
      {record_named(R"("null")"), "", "\"null\""},
      {enum_of("string", {"A"}), "", "\"string\""},
      {fixed("bytes", 4), "", "\"bytes\""},
      {record_in("7"), "", "\"namespace\" is a string"},
      {record_in("7"), "", "\"namespace\" is a string"},
      {record_in(R"("1n")"), "", "cannot be a namespace"},
      {record_in(R"("n..m")"), "", "cannot be a namespace"},
      {record_in(R"("n-m")"), "", "cannot be a namespace"},
      {record_in(R"(".")"), "", "cannot be a namespace"},
  });
}

TEST(InvalidSchema, Aliases) {
  const std::string r = record("R", {});
  refuse_all({
      {with(r, "aliases", "\"S\""), "", "\"aliases\" is an array of strings"},
      {with(r, "aliases", "null"), "", "\"aliases\" is an array of strings"},
      {with(r, "aliases", "[1]"), "", "a number in it"},
      {with(r, "aliases", R"(["1S"])"), "", "alias \"1S\""},
      {with(r, "aliases", R"(["ok",""])"), "", "alias"},
      {with(r, "aliases", R"(["n..S"])"), "", "alias"},
      {aka(enum_of("E", {"A"}), {"my-enum"}), "", "alias \"my-enum\""},
      {aka(fixed("F", 4), {"a b"}), "", "alias \"a b\""},
      {record("R", {with(field("x", "int"), "aliases", "\"y\"")}), "/fields/0", "array of strings"},
      {record("R", {with(field("x", "int"), "aliases", "[null]")}), "/fields/0", "null in it"},
      {record("R", {aka(field("x", "int"), {"1y"})}), "/fields/0", "alias \"1y\""},
      {record("R", {aka(field("x", "int"), {"a.b"})}), "/fields/0", "alias \"a.b\""},
  });
}

TEST(InvalidSchema, RecordsAndFields) {
  const auto record_of = [](const std::string& fields_json) {
    return R"({"type":"record","name":"R","fields":)" + fields_json + "}";
  };
  const auto ordered = [](const std::string& order_json) {
    return record("R", {with(field("x", "int"), "order", order_json)});
  };
  refuse_all({
      {R"({"type":"record","name":"R"})", "", "needs \"fields\""},
      {record_of("{}"), "", "\"fields\" of a record is an array"},
      {record_of("null"), "", "\"fields\" of a record is an array"},
      {record_of("\"x\""), "", "\"fields\" of a record is an array"},
      {record_of("[\"x\"]"), "/fields/0", "a field is an object"},
      {record_of("[1]"), "/fields/0", "a field is an object"},
      {record_of("[{}]"), "/fields/0", "needs a \"name\""},
      {record_of(R"([{"type":"int"}])"), "/fields/0", "needs a \"name\""},
      {record_of(R"([{"name":1,"type":"int"}])"), "/fields/0", "\"name\" is a string"},
      {record_of(R"([{"name":null,"type":"int"}])"), "/fields/0", "\"name\" is a string"},
      {record("R", {field("", "int")}), "/fields/0", "cannot name a field"},
      {record("R", {field("1x", "int")}), "/fields/0", "\"1x\" cannot name a field"},
      {record("R", {field("x-y", "int")}), "/fields/0", "\"x-y\" cannot name a field"},
      {record("R", {field("x.y", "int")}), "/fields/0", "\"x.y\" cannot name a field"},
      {record("R", {field("x", "int"), field("x", "int")}), "/fields/1", "two fields named \"x\""},
      {record("R", {field("x", "int"), field("y", "int"), field("x", "long")}), "/fields/2", "\"x\""},
      {record_of(R"([{"name":"x"}])"), "/fields/0", "needs \"type\""},
      {record_of(R"([{"name":"x","type":null}])"), "/fields/0/type", "not null"},
      {record_of(R"([{"name":"x","type":4}])"), "/fields/0/type", "not a number"},
      {record_of(R"([{"name":"x","type":{}}])"), "/fields/0/type", "\"type\""},
      {record_of(R"([{"name":"x","type":"array","items":"int"}])"), "/fields/0/type",
       "write it as an object"},
      {record_of(R"([{"name":"x","type":"enum","symbols":["A"]}])"), "/fields/0/type",
       "write it as an object"},
      {ordered("\"up\""), "/fields/0", "not \"up\""},
      {ordered("\"Ascending\""), "/fields/0", "ascending, descending or ignore"},
      {ordered("\"\""), "/fields/0", "ascending, descending or ignore"},
      {ordered("1"), "/fields/0", "\"order\" is a string"},
      {record("R", {field("s", record("S", {field("t", array("X"))}))}), "/fields/0/type/fields/0/type/items",
       "\"X\" is no type"},
  });
}

TEST(InvalidSchema, Enums) {
  const auto enum_with = [](const std::string& symbols_json) {
    return R"({"type":"enum","name":"E","symbols":)" + symbols_json + "}";
  };
  refuse_all({
      {R"({"type":"enum","name":"E"})", "", "needs \"symbols\""},
      {enum_with("\"A\""), "", "array of strings"},
      {enum_with("{}"), "", "array of strings"},
      {enum_with("null"), "", "array of strings"},
      {enum_with("[1]"), "", "a number in it"},
      {enum_with(R"(["A",null])"), "", "null in it"},
      {enum_of("E", {"A", "B", "A"}), "", "\"A\" twice"},
      {enum_of("E", {""}), "", "cannot be a symbol"},
      {enum_of("E", {"1A"}), "", "\"1A\" cannot be a symbol"},
      {enum_of("E", {"A-B"}), "", "\"A-B\" cannot be a symbol"},
      {enum_of("E", {"A.B"}), "", "\"A.B\" cannot be a symbol"},
      {enum_of("E", {"A", "B"}, "C"), "", "\"C\" is none of its symbols"},
      {enum_of("E", {"A", "B"}, "a"), "", "none of its symbols"},
      {with(enum_of("E", {"A"}), "default", "0"), "", "\"default\" is a string"},
      {with(enum_of("E", {"A"}), "default", "7"), "", "\"default\" is a string"},
      {with(enum_of("E", {"A"}), "default", "[\"A\"]"), "", "\"default\" is a string"},
  });
}

TEST(InvalidSchema, FixedTypes) {
  const auto fixed_of = [](const std::string& size_json) {
    return R"({"type":"fixed","name":"F","size":)" + size_json + "}";
  };
  refuse_all({
      {R"({"type":"fixed","name":"F"})", "", "needs \"size\""},
      {fixed_of("\"4\""), "", "whole number"},
      {fixed_of("null"), "", "whole number"},
      {fixed_of("-1"), "", "whole number"},
      {fixed_of("1.5"), "", "whole number"},
      {fixed_of("4.0"), "", "whole number"},
      {fixed_of("1e1"), "", "whole number"},
      {fixed_of("true"), "", "whole number"},
      {fixed_of("2147483648"), "", "at most"},
      {fixed_of("99999999999999999999999"), "", "whole number"},
      {fixed_of(std::to_string(kFixedSizeMax + 1)), "", "at most"},
  });
}

TEST(InvalidSchema, ArraysAndMaps) {
  refuse_all({
      {R"({"type":"array"})", "", "needs \"items\""},
      {R"({"type":"array","values":"int"})", "", "needs \"items\""},
      {R"({"type":"array","items":null})", "/items", "not null"},
      {R"({"type":"array","items":7})", "/items", "not a number"},
      {R"({"type":"array","items":{}})", "/items", "\"type\""},
      {R"({"type":"map"})", "", "needs \"values\""},
      {R"({"type":"map","items":"int"})", "", "needs \"values\""},
      {R"({"type":"map","values":true})", "/values", "a schema is"},
      {map(array(R"({"type":"map"})")), "/values/items", "needs \"values\""},
  });
}

TEST(InvalidSchema, Unions) {
  const std::string a = record("A", {});
  refuse_all({
      {R"([["int"]])", "/0", "directly inside a union"},
      {R"(["null",["int","string"]])", "/1", "directly inside a union"},
      {"[[]]", "/0", "directly inside a union"},
      {R"(["null","null"])", "/1", "\"null\" twice"},
      {R"(["int","string","int"])", "/2", "\"int\" twice"},
      {R"(["int",{"type":"int"}])", "/1", "\"int\" twice"},
      {union_of({logical("int", "date"), "int"}), "/1", "\"int\" twice"},
      {union_of({logical("long", "timestamp-millis"), logical("long", "timestamp-micros")}), "/1",
       "\"long\" twice"},
      {union_of({array("int"), array("string")}), "/1", "\"array\" twice"},
      {union_of({map("int"), "null", map("string")}), "/2", "\"map\" twice"},
      {union_of({a, "A"}), "/1", "\"A\" twice"},
      {union_of({enum_of("n.E", {"X"}), "n.E"}), "/1", "\"n.E\" twice"},
      {union_of({fixed("F", 4), "null", R"({"type":"F"})"}), "/2", "\"F\" twice"},
      {record("R", {field("x", R"(["null",["int"]])")}), "/fields/0/type/1", "directly inside a union"},
  });
}

TEST(InvalidSchema, TypesDefinedTwice) {
  const std::string a = record("A", {field("x", "int")});
  const std::string in_n = with(record("A", {}), "namespace", "\"n\"");
  refuse_all({
      {union_of({a, a}), "/1", "\"A\" is defined a second time"},
      {union_of({a, record("A", {field("y", "int")})}), "/1", "\"A\" is defined a second time"},
      {record("R", {field("x", a), field("y", a)}), "/fields/1/type", "\"A\" is defined a second time"},
      {record("R", {field("x", enum_of("E", {"X"})), field("y", enum_of("E", {"X"}))}), "/fields/1/type",
       "\"E\" is defined a second time"},
      {record("R", {field("x", enum_of("E", {"X"})), field("y", enum_of("E", {"X", "Y"}))}), "/fields/1/type",
       "\"E\" is defined a second time"},
      {record("R", {field("x", fixed("F", 4)), field("y", fixed("F", 4))}), "/fields/1/type", "second time"},
      {record("R", {field("x", a), field("y", enum_of("A", {"X"}))}), "/fields/1/type", "second time"},
      {record("A", {field("x", record("A", {}))}), "/fields/0/type", "second time"},
      {union_of({record("n.A", {}), in_n}), "/1", "\"n.A\" is defined a second time"},
      {record("n.R", {field("x", record("A", {})), field("y", record("n.A", {}))}), "/fields/1/type",
       "\"n.A\""},
  });
}

TEST(InvalidSchema, ReferencesThatAreDeepWhenWrittenOut) {
  const std::string long_chain = chain(10'000);
  const std::vector<std::string_view> references = {long_chain};
  EXPECT_TRUE(parse_schema(long_chain).ok()) << "one text is as deep as it is written";
  EXPECT_TRUE(parse_schema(quote("R98"), references).ok());
  EXPECT_TRUE(parse_schema(quote("R99"), references).ok());
  const Result<Schema> too_deep = parse_schema(quote("R100"), references);
  ASSERT_FALSE(too_deep.ok());
  EXPECT_EQ(too_deep.error().code, Errc::kTooLarge);
  EXPECT_THAT(too_deep.error().message, HasSubstr("300 deep"));
  EXPECT_FALSE(parse_schema(quote("R9999"), references).ok());
}

TEST(InvalidSchema, Limits) {
  refuse({nested_arrays(101), "", "deep"});
  refuse({std::string(100'000, '['), "", "deep"});
  accept_all({nested_arrays(100)});

  const auto padded = [](std::size_t bytes) {
    std::string text = R"({"type":"int","p":"")";
    text.insert(text.size() - 1, bytes - text.size() - 1, 'x');
    return text + "}";
  };
  accept_all({padded(kSchemaBytesMax)});
  const Result<Schema> too_long = parse_schema(padded(kSchemaBytesMax + 1));
  ASSERT_FALSE(too_long.ok());
  EXPECT_EQ(too_long.error().code, Errc::kTooLarge);
  EXPECT_EQ(too_long.error().limit, kSchemaBytesMax);
  EXPECT_THAT(too_long.error().message, HasSubstr("bytes"));

  const std::string half = padded(kSchemaBytesMax / 2 + 1);
  const std::vector<std::string_view> references = {half};
  const Result<Schema> together = parse_schema(half, references);
  ASSERT_FALSE(together.ok());
  EXPECT_EQ(together.error().code, Errc::kTooLarge);
}

TEST(InvalidSchema, References) {
  const std::string a = record("n.A", {field("x", "int")});
  const std::string b = record("n.B", {field("a", "A")});
  const auto parse_with = [](const std::string& text, const std::vector<std::string_view>& references) {
    return parse_schema(text, references);
  };
  EXPECT_TRUE(parse_with(record("n.C", {field("b", "B"), field("a", "n.A")}), {a, b}).ok());
  EXPECT_FALSE(parse_with(record("n.C", {field("b", "B")}), {b, a}).ok()) << "each behind those it needs";
  EXPECT_FALSE(parse_with(record("n.C", {field("b", "B")}), {a}).ok()) << "nobody defines n.B";
  EXPECT_FALSE(parse_with(a, {a}).ok()) << "defined here and there";
  EXPECT_FALSE(parse_with(b, {a, a}).ok()) << "referred to twice";
  EXPECT_FALSE(parse_with(b, {a, "{"}).ok()) << "a reference that is no JSON";
}

// Messages are bounded, because they are part of an answer.
TEST(InvalidSchema, MessagesStayShort) {
  const std::string long_name(100'000, 'x');
  for (const std::string& text :
       {quote(long_name), record("1" + long_name, {}), record("R", {field("x", "int", quote(long_name))}),
        record("R", {with(field("x", "int"), "order", quote(long_name))}), enum_of("E", {"A"}, long_name)}) {
    const Result<Schema> schema = parse_schema(text);
    ASSERT_FALSE(schema.ok());
    EXPECT_LT(schema.error().message.size(), 1000u);
  }
}

TEST(ValidSchema, UnusualSchemasAreAccepted) {
  const std::string a = record("A", {});
  accept_all({
      " \n\"int\"\t",
      R"({"type":"int"})",
      R"({"type":"record","name":"R","namespace":null,"fields":[]})",
      R"({"type":"enum","name":"E","symbols":["A"],"default":null})",
      "[]",
      union_of({a, array("A"), R"({"type":"map","values":{"type":"A"}})"}),
      record("R", {field("x", a), field("y", R"({"type":"A"})")}),
      record("n.R", {field("x", with(a, "namespace", "\"\"")), field("y", "A")}),
      union_of({record("n.A", {}), record("m.A", {}), a}),
      record("n.R", {field("x", a), field("y", "A"), field("z", "n.A")}),
      record("n.int", {field("x", maybe("n.int"))}),
      with(a, "doc", "7"),
      with(a, "namespace", "\"\""),
      record("R", {with(field("x", "int"), "doc", "null")}),
      R"({"type":"error","name":"E","fields":[]})",
      enum_of("E", {}),
      fixed("F", 0),
      with(with(fixed("F", 4), "logicalType", "\"decimal\""), "precision", "\"wrong\""),
      logical("string", "date"),
      with(array("int"), "x-owner", R"({"team":["a",1,null]})"),
      with(a, "size", "\"none\""),
      with("{\"type\":\"string\"}", "items", "7"),
      record("R", {with(field("x", "int"), "order", "\"ignore\"")}),
      aka(a, {"A", "n.A", "n.B"}),
  });
}

}  // namespace
}  // namespace cairn::test
