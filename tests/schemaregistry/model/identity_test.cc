#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "schemaregistry/model/canonical_form.h"
#include "schemaregistry/model/parse_schema.h"
#include "schemaregistry/model/schema_text.h"
#include "tests/schemaregistry/schema_builders.h"

namespace cairn::test {
namespace {

Schema parsed(std::string_view text, const std::vector<std::string_view>& references = {}) {
  Result<Schema> schema = parse_schema(text, references);
  EXPECT_TRUE(schema.ok()) << text << "\n" << (schema.ok() ? "" : schema.error().message);
  return schema.ok() ? *std::move(schema) : *parse_schema("\"null\"");
}

std::string identity(std::string_view text) { return schema_text(parsed(text)); }
std::string normalized(std::string_view text) { return normalized_schema_text(parsed(text)); }
std::string canonical(std::string_view text) { return canonical_form(parsed(text)); }

// A text and its identity text.
struct Known {
  const char* written;
  const char* known_as;
};

const std::vector<Known> kTexts = {
    {R"({"type":"string"})", R"("string")"},
    {R"( [ "null" , { "type" : "int" } ] )", R"(["null","int"])"},
    {R"({"logicalType":"date","type":"int"})", R"({"type":"int","logicalType":"date"})"},
    {R"({"items":{"type":"long"},"type":"array","java-class":"List"})",
     R"({"type":"array","items":"long","java-class":"List"})"},
    {R"({"values":["null","double"],"type":"map"})", R"({"type":"map","values":["null","double"]})"},
    {R"({"size":16,"name":"Md5","type":"fixed","aliases":["Hash"],"doc":"d","namespace":"n","p":1})",
     R"({"type":"fixed","name":"Md5","namespace":"n","doc":"d","size":16,"p":1,"aliases":["Hash"]})"},
    {R"({"default":"B","symbols":["A","B"],"p":[1, 2],"doc":"d","aliases":["m.F","G"],"name":"n.E","type":"enum"})",
     R"({"type":"enum","name":"E","namespace":"n","doc":"d","symbols":["A","B"],"default":"B","p":[1,2],)"
     R"("aliases":["m.F","G"]})"},
    {R"({"fields":[],"name":"R","type":"record"})", R"({"type":"record","name":"R","fields":[]})"},
    {R"({"aliases":["S"],"p":{"a":1},"fields":[],"doc":"d","namespace":"n.m","name":"R","type":"record"})",
     R"({"type":"record","name":"R","namespace":"n.m","doc":"d","fields":[],"p":{"a":1},"aliases":["S"]})"},
    {R"({"type":"record","name":"R","fields":[{"pii":true,"aliases":["y"],"order":"descending","default":1,)"
     R"("doc":"d","type":{"type":"int"},"name":"x"}]})",
     R"({"type":"record","name":"R","fields":[{"name":"x","type":"int","doc":"d","default":1,)"
     R"("order":"descending","aliases":["y"],"pii":true}]})"},
    // Names inside a namespace are short where it is their own.
    {R"({"type":"record","name":"n.R","fields":[{"name":"s","type":{"type":"record","name":"n.S","namespace":"m",)"
     R"("fields":[]}},{"name":"t","type":"n.S"},{"name":"r","type":["null","n.R"]}]})",
     R"({"type":"record","name":"R","namespace":"n","fields":[{"name":"s","type":{"type":"record","name":"S",)"
     R"("fields":[]}},{"name":"t","type":"S"},{"name":"r","type":["null","R"]}]})"},
    // And full where it is not; after a type of another namespace the one around counts again.
    {R"({"type":"record","name":"n.R","fields":[{"name":"s","type":{"type":"record","name":"m.S","fields":[)"
     R"({"name":"r","type":["null","n.R"]},{"name":"s","type":["null","S"]}]}},{"name":"t","type":"m.S"}]})",
     R"({"type":"record","name":"R","namespace":"n","fields":[{"name":"s","type":{"type":"record","name":"S",)"
     R"("namespace":"m","fields":[{"name":"r","type":["null","n.R"]},{"name":"s","type":["null","S"]}]}},)"
     R"({"name":"t","type":"m.S"}]})"},
    // A type without namespace inside one.
    {R"({"type":"record","name":"n.R","fields":[{"name":"e","type":{"type":"enum","name":"E","namespace":"",)"
     R"("symbols":["A"]}},{"name":"f","type":"E"}]})",
     R"({"type":"record","name":"R","namespace":"n","fields":[{"name":"e","type":{"type":"enum","name":"E",)"
     R"("namespace":"","symbols":["A"]}},{"name":"f","type":"E"}]})"},
    {R"({"type":"error","name":"Oops","fields":[{"name":"x","type":"int","order":"ascending"}]})",
     R"({"type":"error","name":"Oops","fields":[{"name":"x","type":"int"}]})"},
    {R"({"type":"record","name":"R","fields":[{"name":"x","type":["null","int"],"default":null}]})",
     R"({"type":"record","name":"R","fields":[{"name":"x","type":["null","int"],"default":null}]})"},
    {R"({"type":"record","name":"R","doc":"gr\u00fcn \u0041 \"quoted\" \/","fields":[]})",
     "{\"type\":\"record\",\"name\":\"R\",\"doc\":\"gr\xC3\xBCn A \\\"quoted\\\" /\",\"fields\":[]}"},
};

TEST(SchemaIdentity, Texts) {
  for (const Known& text : kTexts) EXPECT_EQ(identity(text.written), text.known_as);
}

TEST(SchemaIdentity, AnIdentityTextIsItsOwnIdentity) {
  for (const Known& text : kTexts) {
    EXPECT_EQ(identity(identity(text.written)), identity(text.written));
    EXPECT_EQ(normalized(normalized(text.written)), normalized(text.written));
    EXPECT_EQ(normalized(identity(text.written)), normalized(text.written));
    // Avro's canonical form cannot say that a type inside a namespace has none.
    const bool can_say_it =
        std::string_view(text.written).find(R"("namespace":"")") == std::string_view::npos;
    if (can_say_it) {
      EXPECT_EQ(canonical(canonical(text.written)), canonical(text.written));
    }
    EXPECT_EQ(canonical(identity(text.written)), canonical(text.written));
    EXPECT_EQ(canonical(normalized(text.written)), canonical(text.written));
  }
}

TEST(SchemaIdentity, EqualTexts) {
  const std::string r =
      R"({"type":"record","name":"R","namespace":"n","fields":[{"name":"x","type":"string"}]})";
  for (
      const char* same : {
          R"( { "type" : "record", "name":"R","namespace":"n" , "fields":[ {"name":"x","type":"string"} ] } )",
          R"({"namespace":"n","fields":[{"type":"string","name":"x"}],"name":"R","type":"record"})",
          R"({"type":"record","name":"n.R","fields":[{"name":"x","type":"string"}]})",
          R"({"type":"record","name":"n.R","namespace":"ignored","fields":[{"name":"x","type":"string"}]})",
          R"({"type":"record","name":"R","namespace":"n","fields":[{"name":"x","type":{"type":"string"}}]})",
          R"({"type":"record","name":"R","namespace":"n","fields":[{"name":"x","type":"string","order":"ascending"}]})",
          R"({"type":"record","name":"\u0052","namespace":"n","fields":[{"name":"x","type":"string"}]})",
      }) {
    EXPECT_EQ(identity(same), identity(r)) << same;
  }
  EXPECT_EQ(identity(with(record("R", {}), "namespace", "\"\"")), identity(record("R", {})));
  EXPECT_EQ(identity(record("n.R", {field("e", with(enum_of("E", {"A"}), "namespace", "\"n\""))})),
            identity(record("n.R", {field("e", enum_of("E", {"A"}))})))
      << "a namespace that is repeated inside";
  EXPECT_EQ(identity(aka(record("n.R", {}), {"S"})), identity(aka(record("n.R", {}), {"n.S"})));
}

TEST(SchemaIdentity, DifferentTexts) {
  const std::string x = field("x", "int");
  const std::string y = field("y", "int");
  const std::string r = record("R", {x, y});
  std::vector<std::string> different = {
      r,
      record("S", {x, y}),
      record("n.R", {x, y}),
      record("R", {y, x}),
      record("R", {x}),
      record("R", {x, field("y", "long")}),
      record("R", {x, field("y", "int", "0")}),
      record("R", {x, field("y", "int", "1")}),
      record("R", {x, with(y, "doc", "\"d\"")}),
      record("R", {x, with(y, "order", "\"ignore\"")}),
      record("R", {x, aka(y, {"z"})}),
      record("R", {x, aka(y, {"z", "w"})}),
      record("R", {x, with(y, "pii", "true")}),
      record("R", {x, with(y, "pii", "false")}),
      record("R", {x, field("y", logical("int", "date"))}),
      with(r, "doc", "\"d\""),
      with(r, "doc", "\"\""),
      with(r, "owner", "\"o\""),
      aka(r, {"S"}),
      aka(r, {"n.S"}),
      R"({"type":"error","name":"R","fields":[{"name":"x","type":"int"},{"name":"y","type":"int"}]})",
      enum_of("E", {"A", "B"}),
      enum_of("E", {"B", "A"}),
      enum_of("E", {"A", "B"}, "A"),
      enum_of("E", {"A", "B"}, "B"),
      fixed("F", 4),
      fixed("F", 5),
      union_of({"null", "int"}),
      union_of({"int", "null"}),
      record("R", {field("x", "double", "1")}),
      record("R", {field("x", "double", "1.0")}),
  };
  for (std::size_t i = 0; i < different.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      EXPECT_NE(identity(different[i]), identity(different[j])) << different[i] << "\n" << different[j];
    }
  }
}

TEST(SchemaIdentity, TypesOfOtherSchemasStayNames) {
  const std::string a = record("n.A", {field("x", "int")});
  const std::string b = record("m.B", {field("a", "n.A")});
  const Schema schema = parsed(record("n.R", {field("a", "A"), field("b", "m.B")}), {a, b});
  EXPECT_EQ(
      schema_text(schema),
      R"({"type":"record","name":"R","namespace":"n","fields":[{"name":"a","type":"A"},{"name":"b","type":"m.B"}]})");
  EXPECT_EQ(
      canonical_form(schema),
      R"({"name":"n.R","type":"record","fields":[{"name":"a","type":{"name":"n.A","type":"record","fields":[)"
      R"({"name":"x","type":"int"}]}},{"name":"b","type":{"name":"m.B","type":"record","fields":[)"
      R"({"name":"a","type":"n.A"}]}}]})");
}

TEST(NormalizedSchema, NamesAreFullAndListsSorted) {
  EXPECT_EQ(
      normalized(
          R"({"type":"record","name":"R","namespace":"n","z":1,"b":2,"aliases":["T","S"],"doc":"d",)"
          R"("fields":[{"name":"s","type":["null","R"],"default":null,"aliases":["b","a"],"q":1,"p":2}]})"),
      R"({"type":"record","name":"n.R","doc":"d","fields":[{"name":"s","type":["null","n.R"],"default":null,)"
      R"("aliases":["a","b"],"p":2,"q":1}],"b":2,"z":1,"aliases":["n.S","n.T"]})");
  EXPECT_EQ(normalized(R"({"type":"int","unit":"s","logicalType":"date"})"),
            R"({"type":"int","logicalType":"date","unit":"s"})");
}

TEST(NormalizedSchema, UnifiesMoreTexts) {
  const std::string one = R"({"type":"record","name":"R","b":1,"a":2,"aliases":["S","T"],"fields":[]})";
  const std::string other = R"({"type":"record","name":"R","a":2,"b":1,"aliases":["T","S"],"fields":[]})";
  EXPECT_NE(identity(one), identity(other));
  EXPECT_EQ(normalized(one), normalized(other));
  for (const char* still_different :
       {R"({"type":"record","name":"R","b":1,"a":3,"aliases":["S","T"],"fields":[]})",
        R"({"type":"record","name":"R","b":1,"a":2,"aliases":["S"],"fields":[]})",
        R"({"type":"record","name":"R","doc":"d","b":1,"a":2,"aliases":["S","T"],"fields":[]})"}) {
    EXPECT_NE(normalized(one), normalized(still_different));
  }
}

TEST(CanonicalForm, KeepsWhatDecidesHowBytesAreRead) {
  EXPECT_EQ(canonical(R"({"type":"int","logicalType":"date"})"), R"("int")");
  EXPECT_EQ(canonical(R"({"type":"array","items":{"type":"string"},"p":1})"),
            R"({"type":"array","items":"string"})");
  EXPECT_EQ(canonical(R"({"type":"map","values":["null","long"]})"),
            R"({"type":"map","values":["null","long"]})");
  EXPECT_EQ(canonical(R"({"type":"fixed","size":16,"name":"F","namespace":"n","aliases":["G"]})"),
            R"({"name":"n.F","type":"fixed","size":16})");
  EXPECT_EQ(canonical(R"({"type":"enum","symbols":["B","A"],"name":"E","doc":"d","default":"A"})"),
            R"({"name":"E","type":"enum","symbols":["B","A"]})");
  EXPECT_EQ(
      canonical(
          R"({"type":"record","name":"R","namespace":"n","doc":"d","fields":[{"name":"x","doc":"d",)"
          R"("type":"int","default":1,"order":"ignore","aliases":["y"]},{"name":"r","type":["null","R"]}]})"),
      R"({"name":"n.R","type":"record","fields":[{"name":"x","type":"int"},{"name":"r","type":["null","n.R"]}]})");
  EXPECT_EQ(canonical(R"({"type":"error","name":"Oops","fields":[]})"),
            canonical(R"({"type":"record","name":"Oops","fields":[]})"))
      << "bytes of an error are those of a record";
}

TEST(CanonicalForm, IsTheSameForDifferentIdentities) {
  const std::string one =
      R"({"type":"record","name":"R","doc":"one","fields":[{"name":"x","type":"int","default":1}]})";
  const std::string two = R"({"type":"record","name":"R","doc":"two","fields":[{"name":"x","type":"int"}]})";
  EXPECT_EQ(canonical(one), canonical(two));
  EXPECT_NE(identity(one), identity(two));
}

TEST(Fingerprint, Vectors) {
  EXPECT_EQ(crc64_avro(""), 0xc15d213aa4d7a795u);
  EXPECT_EQ(crc64_avro(R"("string")"), 0x8f014872634503c7u);
  EXPECT_EQ(crc64_avro(canonical(R"({"type":"string"})")), 0x8f014872634503c7u);
  EXPECT_EQ(crc64_avro(canonical(R"({"type":"record","name":"R","fields":[{"name":"a","type":"int"}]})")),
            0x35b061f31ba01537u);
  EXPECT_EQ(
      crc64_avro(canonical(R"({"fields":[{"type":["null","R"],"name":"a"}],"type":"record","name":"R"})")),
      0x8620c2fced8a9132u);
}

}  // namespace
}  // namespace cairn::test
