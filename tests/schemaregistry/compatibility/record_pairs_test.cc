#include <gtest/gtest.h>

#include "tests/schemaregistry/compatibility/judge.h"

namespace cairn::test {
namespace {

const std::string kOnlyX = record("R", {field("x", "int")});

std::string missing(const std::string& path, const std::string& name) {
  return "READER_FIELD_MISSING_DEFAULT_VALUE " + path + ": " + name;
}

TEST(RecordPairs, FieldsComeAndGo) {
  judge_all({
      {"the same", kOnlyX, kOnlyX, {}, {}},
      {"both empty", record("R", {}), record("R", {}), {}, {}},
      {"one empty", record("R", {}), kOnlyX, {}, {missing("/fields/0", "x")}},
      {"another order",
       record("R", {field("x", "int"), field("y", "string")}),
       record("R", {field("y", "string"), field("x", "int")}),
       {},
       {}},
      {"one more",
       record("R", {field("x", "int"), field("y", "int")}),
       kOnlyX,
       {missing("/fields/1", "y")},
       {}},
      {"one more in front",
       record("R", {field("w", "int"), field("x", "int")}),
       kOnlyX,
       {missing("/fields/0", "w")},
       {}},
      {"one more with a default", record("R", {field("x", "int"), field("y", "int", "7")}), kOnlyX, {}, {}},
      {"one instead of another",
       record("R", {field("y", "int")}),
       kOnlyX,
       {missing("/fields/0", "y")},
       {missing("/fields/0", "x")}},
      {"one in another case",
       record("R", {field("X", "int")}),
       kOnlyX,
       {missing("/fields/0", "X")},
       {missing("/fields/0", "x")}},
      {"all that are missing",
       record("R", {field("x", "int"), field("y", "int"), field("z", maybe("int"))}),
       kOnlyX,
       {missing("/fields/1", "y"), missing("/fields/2", "z")},
       {}},
      {"a missing array",
       record("R", {field("x", "int"), field("y", array("int"))}),
       kOnlyX,
       {missing("/fields/1", "y")},
       {}},
      {"a missing record",
       record("R", {field("x", "int"), field("y", record("S", {}))}),
       kOnlyX,
       {missing("/fields/1", "y")},
       {}},
  });
}

TEST(RecordPairs, ADefaultIsADefault) {
  const auto added = [](const std::string& type, const std::string& value) {
    return record("R", {field("x", "int"), field("y", type, value)});
  };
  judge_all({
      {"null, of a null or an int", added(maybe("int"), "null"), kOnlyX, {}, {}},
      {"a null or an int without one",
       record("R", {field("x", "int"), field("y", maybe("int"))}),
       kOnlyX,
       {missing("/fields/1", "y")},
       {}},
      {"null, of a null", added("null", "null"), kOnlyX, {}, {}},
      {"a null without one",
       record("R", {field("x", "int"), field("y", "null")}),
       kOnlyX,
       {missing("/fields/1", "y")},
       {}},
      {"of the second branch", added(union_of({"int", "null"}), "null"), kOnlyX, {}, {}},
      {"an empty string", added("string", "\"\""), kOnlyX, {}, {}},
      {"false", added("boolean", "false"), kOnlyX, {}, {}},
      {"zero", added("double", "0"), kOnlyX, {}, {}},
      {"an empty array", added(array("string"), "[]"), kOnlyX, {}, {}},
      {"an empty map", added(map("string"), "{}"), kOnlyX, {}, {}},
      {"a record", added(record("S", {field("a", "int", "1")}), "{}"), kOnlyX, {}, {}},
      {"a symbol", added(enum_of("E", {"A", "B"}), "\"A\""), kOnlyX, {}, {}},
      {"bytes", added(fixed("F", 2), "\"ab\""), kOnlyX, {}, {}},
      {"another value", added("int", "1"), added("int", "2"), {}, {}},
      {"on one side only", added("int", "1"), record("R", {field("x", "int"), field("y", "int")}), {}, {}},
      {"does not help where the field is",
       added("string", "\"\""),
       added("int", "0"),
       {"TYPE_MISMATCH /fields/1/type: reader type: STRING not compatible with writer type: INT"},
       {"TYPE_MISMATCH /fields/1/type: reader type: INT not compatible with writer type: STRING"}},
  });
}

TEST(RecordPairs, AnEnumsDefaultIsNoFieldsDefault) {
  const std::string with_default = enum_of("E", {"A", "B"}, "A");
  judge_all({
      {"only the enum has one",
       record("R", {field("x", "int"), field("e", with_default)}),
       kOnlyX,
       {"TYPE_MISMATCH /fields/1/type: reader type: ENUM not compatible with writer type: RECORD"},
       {}},
      {"none has one",
       record("R", {field("x", "int"), field("e", enum_of("E", {"A"}))}),
       kOnlyX,
       {missing("/fields/1", "e")},
       {}},
      {"both have one", record("R", {field("x", "int"), field("e", with_default, "\"B\"")}), kOnlyX, {}, {}},
      {"in a union it is no different",
       record("R", {field("x", "int"), field("e", maybe(with_default))}),
       kOnlyX,
       {missing("/fields/1", "e")},
       {}},
  });
}

TEST(RecordPairs, TypesOfFields) {
  judge_all({
      {"promoted",
       record("R", {field("x", "long")}),
       kOnlyX,
       {},
       {"TYPE_MISMATCH /fields/0/type: reader type: INT not compatible with writer type: LONG"}},
      {"changed",
       record("R", {field("x", "string")}),
       kOnlyX,
       {"TYPE_MISMATCH /fields/0/type"},
       {"TYPE_MISMATCH /fields/0/type"}},
      {"each one that changed",
       record("R", {field("x", "string"), field("y", "string"), field("z", "string")}),
       record("R", {field("x", "int"), field("y", "int"), field("z", "string")}),
       {"TYPE_MISMATCH /fields/0/type", "TYPE_MISMATCH /fields/1/type"},
       {"TYPE_MISMATCH /fields/0/type", "TYPE_MISMATCH /fields/1/type"}},
      {"the path counts the reader's fields",
       record("R", {field("y", "int"), field("x", "string")}),
       record("R", {field("x", "int"), field("y", "int")}),
       {"TYPE_MISMATCH /fields/1/type"},
       {"TYPE_MISMATCH /fields/0/type"}},
      {"may now be null",
       record("R", {field("x", maybe("int"))}),
       kOnlyX,
       {},
       {"TYPE_MISMATCH /fields/0/type/0: reader type: INT not compatible with writer type: NULL"}},
      {"in a record within",
       record("R", {field("s", record("S", {field("a", "int"), field("b", "int")}))}),
       record("R", {field("s", record("S", {field("a", "string")}))}),
       {"TYPE_MISMATCH /fields/0/type/fields/0/type", missing("/fields/0/type/fields/1", "b")},
       {"TYPE_MISMATCH /fields/0/type/fields/0/type"}},
      {"deep within",
       record("R", {field("s", array(map(record("S", {field("a", "int")}))))}),
       record("R", {field("s", array(map(record("S", {field("a", "string")}))))}),
       {"TYPE_MISMATCH /fields/0/type/items/values/fields/0/type"},
       {"TYPE_MISMATCH /fields/0/type/items/values/fields/0/type"}},
      {"a type used twice is told once",
       record("R", {field("s", record("S", {field("a", "int")})), field("t", "S")}),
       record("R", {field("s", record("S", {field("a", "string")})), field("t", "S")}),
       {"TYPE_MISMATCH /fields/0/type/fields/0/type"},
       {"TYPE_MISMATCH /fields/0/type/fields/0/type"}},
      {"a type that became two",
       record("R",
              {field("s", record("S", {field("a", "int")})), field("t", record("n.S", {field("a", "int")}))}),
       record("R", {field("s", record("S", {field("a", "string")})), field("t", "S")}),
       {"TYPE_MISMATCH /fields/0/type/fields/0/type", "TYPE_MISMATCH /fields/1/type/fields/0/type"},
       {"TYPE_MISMATCH /fields/0/type/fields/0/type", "TYPE_MISMATCH /fields/1/type/fields/0/type"}},
      {"everything at once",
       record("R", {field("a", fixed("F", 4)), field("b", enum_of("E", {"X"})), field("c", "int"),
                    field("d", maybe("int")), field("e", "string")}),
       record("R", {field("a", fixed("G", 8)), field("b", enum_of("E", {"X", "Y"})),
                    field("d", union_of({"null", "int", "string"})), field("e", "int")}),
       {"NAME_MISMATCH /fields/0/type/name: expected: G",
        "FIXED_SIZE_MISMATCH /fields/0/type/size: expected: 8, found: 4",
        "MISSING_ENUM_SYMBOLS /fields/1/type/symbols: [Y]", missing("/fields/2", "c"),
        "MISSING_UNION_BRANCH /fields/3/type/2: reader union lacking writer type: STRING",
        "TYPE_MISMATCH /fields/4/type: reader type: STRING not compatible with writer type: INT"},
       {"NAME_MISMATCH /fields/0/type/name: expected: F",
        "FIXED_SIZE_MISMATCH /fields/0/type/size: expected: 4, found: 8",
        "TYPE_MISMATCH /fields/3/type: reader type: INT not compatible with writer type: STRING"}},
  });
}

TEST(RecordPairs, IrrelevantDifferences) {
  judge_all({
      {"doc of the record", with(kOnlyX, "doc", "\"one\""), with(kOnlyX, "doc", "\"two\""), {}, {}},
      {"doc of a field", record("R", {with(field("x", "int"), "doc", "\"one\"")}), kOnlyX, {}, {}},
      {"order of a field", record("R", {with(field("x", "int"), "order", "\"descending\"")}), kOnlyX, {}, {}},
      {"a property", with(kOnlyX, "owner", "{\"team\":1}"), kOnlyX, {}, {}},
      {"a property of a field", record("R", {with(field("x", "int"), "pii", "true")}), kOnlyX, {}, {}},
  });
}

}  // namespace
}  // namespace cairn::test
