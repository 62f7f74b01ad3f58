#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "tests/schemaregistry/model/refusal.h"

namespace cairn::test {
namespace {

using ::testing::HasSubstr;

TEST(InvalidDefault, OfPrimitives) {
  const auto refuse_default = [](const std::string& type, const std::string& value, const std::string& word) {
    refuse({record("R", {field("before", "int"), field("x", type, value)}), "/fields/1/default", word});
    refuse({record("R", {field("before", "int"), field("x", type, value)}), "/fields/1/default", "\"x\""});
  };
  refuse_default("null", "0", "type null");
  refuse_default("null", "\"null\"", "type null");
  refuse_default("boolean", "\"true\"", "type boolean");
  refuse_default("boolean", "0", "type boolean");
  refuse_default("int", "\"1\"", "32 bits");
  refuse_default("int", "1.0", "32 bits");
  refuse_default("int", "1.5", "32 bits");
  refuse_default("int", "1e2", "32 bits");
  refuse_default("int", "2147483648", "32 bits");
  refuse_default("int", "-2147483649", "32 bits");
  refuse_default("int", "null", "32 bits");
  refuse_default("int", "true", "32 bits");
  refuse_default("long", "1.0", "64 bits");
  refuse_default("long", "9223372036854775808", "64 bits");
  refuse_default("long", "-9223372036854775809", "64 bits");
  refuse_default("long", "\"0\"", "64 bits");
  refuse_default("float", "\"1\"", "type float");
  refuse_default("double", "null", "type double");
  refuse_default("double", "1e999", "type double");
  refuse_default("float", "1e39", "type float");
  refuse_default("double", "\"NaN\"", "type double");
  refuse_default("string", "1", "type string");
  refuse_default("string", "null", "type string");
  refuse_default("bytes", "1", "each byte");
  refuse_default("bytes", "[1,2]", "each byte");
  refuse_default("bytes", R"("\u0100")", "U+00FF");
  refuse_default("bytes", "\"\xE2\x82\xAC\"", "U+00FF");
  refuse_default("bytes", R"("\ud83d\ude00")", "U+00FF");
  refuse_default(logical("int", "date"), "\"2020-01-01\"", "32 bits");
}

TEST(InvalidDefault, OfComplexTypes) {
  const auto refuse_default = [](const std::string& type, const std::string& value, const std::string& word) {
    refuse({record("R", {field("x", type, value)}), "/fields/0/default", word});
  };
  refuse_default(fixed("F", 2), "\"a\"", "2 characters");
  refuse_default(fixed("F", 2), "\"abc\"", "2 characters");
  refuse_default(fixed("F", 2), R"("a\u0100")", "U+00FF");
  refuse_default(fixed("F", 2), "12", "2 characters");
  refuse_default(fixed("F", 0), "\"a\"", "0 characters");
  refuse_default(enum_of("E", {"A", "B"}), "\"C\"", "symbol of the enum E");
  refuse_default(enum_of("E", {"A", "B"}, "A"), "\"C\"", "symbol of the enum E");
  refuse_default(enum_of("E", {"A", "B"}), "0", "symbol of the enum E");
  refuse_default(array("int"), "{}", "an array");
  refuse_default(array("int"), "1", "an array");
  refuse_default(array("int"), "null", "an array");
  refuse_default(array("int"), R"([1,"2"])", "at /1 is \"2\"");
  refuse_default(array(array("int")), "[[1],[2,null]]", "at /1/1 is null");
  refuse_default(map("int"), "[]", "an object");
  refuse_default(map("int"), R"({"a":1,"b":"2"})", "at /b is \"2\"");
  refuse_default(record("S", {field("a", "int")}), "[]", "fields of S");
  refuse_default(record("S", {field("a", "int")}), "null", "fields of S");
  refuse_default(record("S", {field("a", "int")}), "{}", "no \"a\"");
  refuse_default(record("S", {field("a", "int", "1"), field("b", "int")}), R"({"a":2})", "no \"b\"");
  refuse_default(record("S", {field("a", "int")}), R"({"a":"1"})", "at /a is \"1\"");
  refuse_default(record("S", {field("a", "int")}), R"({"a":1,"b":2})", "\"b\"");
  refuse_default(array(record("S", {field("a", "int")})), R"([{"a":1},{}])", "no \"a\"");
  refuse_default(maybe("int"), "\"x\"", "union");
  refuse_default(maybe("int"), "1.5", "union");
  refuse_default(maybe("int"), R"({"int":1})", "union");
  refuse_default(union_of({"string", "int"}), "null", "union");
  refuse_default("[]", "null", "union");
  refuse_default(maybe("R"), "{}", "union");
}

TEST(InvalidDefault, OfFieldsFurtherInside) {
  refuse({array(record("R", {field("s", record("S", {field("x", "int", "\"\"")}))})),
          "/items/fields/0/type/fields/0/default", "32 bits"});
  refuse({union_of({"null", record("R", {field("x", "int", "null")})}), "/1/fields/0/default", "32 bits"});
}

// A default that leaves out a field stands for that field's default, which may lead back here.
TEST(InvalidDefault, ThatIsEndless) {
  refuse({record("A", {field("a", "A", "{}")}), "/fields/0/default", "lead back"});
  refuse({record("A", {field("b", record("B", {field("a", "A", "{}")}), "{}")}),
          "/fields/0/type/fields/0/default", "lead back"});
}

// A default may leave out fields whose defaults leave out fields: the text is flat, the value is not.
TEST(InvalidDefault, ThatAreDeepWhenWrittenOut) {
  accept_all({chain(80, "{}")});
  refuse({chain(200, "{}"), "/101/fields/0/default", "100 deep"});
  // The first default that is checked leads to the end of the chain at once, before any of the others is
  // known.
  std::string last_has_more = chain(10'000, "{}");
  last_has_more.insert(last_has_more.size() - 3, "," + field("z", "int"));
  const std::string first = record("First", {field("r", maybe("Root"), R"({"first":{"r":null}})")});
  refuse({record("Root", {field("first", first), field("u", last_has_more, R"({"z":1})")}),
          "/fields/0/type/fields/0/default", "union"});
}

// Each of many defaults leaves out many fields.
TEST(InvalidDefault, ThatTakeTooLongToCheck) {
  std::vector<std::string> inner;
  for (int i = 0; i < 10'000; ++i) inner.push_back(field("f" + std::to_string(i), "int", "0"));
  std::vector<std::string> outer{field("s", record("S", inner), "{}")};
  for (int i = 0; i < 10'000; ++i) outer.push_back(field("g" + std::to_string(i), "S", "{}"));
  const Result<Schema> schema = parse_schema(record("R", outer));
  ASSERT_FALSE(schema.ok());
  EXPECT_THAT(schema.error().message, HasSubstr("more than 100000 values"));
}

TEST(ValidDefault, FitsItsType) {
  const auto with_default = [](const std::string& type, const std::string& value) {
    return record("R", {field("x", type, value)});
  };
  accept_all({
      with_default("int", "2147483647"),
      with_default("int", "-2147483648"),
      with_default("long", "9223372036854775807"),
      with_default("long", "-9223372036854775808"),
      with_default("float", "1"),
      with_default("double", "1e300"),
      with_default("bytes", R"("\u0000\u00ff")"),
      with_default("bytes", "\"\xC3\xBF\""),
      with_default(fixed("F", 2), R"("\u00ffa")"),
      with_default(fixed("F", 0), "\"\""),
      with_default(maybe("int"), "null"),
      with_default(maybe("int"), "1"),
      with_default(union_of({"int", "null"}), "null"),
      with_default(union_of({"null", array("int")}), "[1,2]"),
      with_default(array(maybe("string")), R"([null,"a"])"),
      with_default(record("S", {field("a", "int"), field("b", "int", "1")}), R"({"a":2})"),
      with_default(map(record("S", {field("a", "int", "1")})), R"({"k":{}})"),
      with_default(maybe("R"), "null"),
      with_default(enum_of("E", {"A", "B"}), "\"B\""),
  });
}

}  // namespace
}  // namespace cairn::test
