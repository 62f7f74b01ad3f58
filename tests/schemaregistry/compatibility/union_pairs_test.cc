#include <gtest/gtest.h>

#include <algorithm>

#include "tests/schemaregistry/compatibility/judge.h"

namespace cairn::test {
namespace {

std::string lacking(const std::string& path, const std::string& kind) {
  return "MISSING_UNION_BRANCH " + path + ": reader union lacking writer type: " + kind;
}

std::string union_mismatch(const std::string& path, const std::string& reader, const std::string& writer) {
  return "TYPE_MISMATCH " + path + ": reader type: " + reader + " not compatible with writer type: " + writer;
}

TEST(UnionPairs, EveryBranchOfTheWriterIsRead) {
  judge_all({
      {"the same", maybe("int"), maybe("int"), {}, {}},
      {"another order", union_of({"null", "int"}), union_of({"int", "null"}), {}, {}},
      {"one branch more", union_of({"null", "int", "string"}), maybe("int"), {}, {lacking("/2", "STRING")}},
      {"two branches more",
       union_of({"null", "int", "string", "boolean"}),
       maybe("int"),
       {},
       {lacking("/2", "STRING"), lacking("/3", "BOOLEAN")}},
      {"no branch in common",
       maybe("int"),
       union_of({"string", "boolean"}),
       {lacking("/0", "STRING"), lacking("/1", "BOOLEAN")},
       {lacking("/0", "NULL"), lacking("/1", "INT")}},
      {"promoted", maybe("double"), maybe("int"), {}, {lacking("/1", "DOUBLE")}},
      {"text and bytes", maybe("string"), maybe("bytes"), {}, {}},
      {"several promoted to one",
       union_of({"null", "double"}),
       union_of({"int", "long", "float"}),
       {},
       {lacking("/0", "NULL"), lacking("/1", "DOUBLE")}},
      {"both empty", "[]", "[]", {}, {}},
      {"one empty", "[]", "[\"int\"]", {lacking("/0", "INT")}, {}},
      {"in a field",
       record("R", {field("x", maybe("int"))}),
       record("R", {field("x", maybe("string"))}),
       {lacking("/fields/0/type/1", "STRING")},
       {lacking("/fields/0/type/1", "INT")}},
  });
}

TEST(UnionPairs, AgainstOtherTypes) {
  judge_all({
      {"a single branch", union_of({"int"}), "\"int\"", {}, {}},
      {"one of the branches", maybe("int"), "\"int\"", {}, {union_mismatch("/0", "INT", "NULL")}},
      {"null", maybe("int"), "\"null\"", {}, {union_mismatch("/1", "NULL", "INT")}},
      {"none of the branches",
       maybe("string"),
       "\"int\"",
       {lacking("/", "INT")},
       {union_mismatch("/0", "INT", "NULL"), union_mismatch("/1", "INT", "STRING")}},
      {"promoted to a branch",
       maybe("long"),
       "\"int\"",
       {},
       {union_mismatch("/0", "INT", "NULL"), union_mismatch("/1", "INT", "LONG")}},
      {"each branch promoted", "\"double\"", union_of({"int", "long", "float", "double"}), {}, {}},
      {"not each branch promoted",
       "\"long\"",
       union_of({"int", "long", "float"}),
       {union_mismatch("/2", "LONG", "FLOAT")},
       {}},
      {"text from text and bytes", "\"string\"", union_of({"string", "bytes"}), {}, {}},
      {"an empty one", "[]", "\"int\"", {lacking("/", "INT")}, {}},
      {"an array", maybe(array("int")), array("int"), {}, {union_mismatch("/0", "ARRAY", "NULL")}},
      {"an array of something else",
       maybe(array("int")),
       array("string"),
       {lacking("/", "ARRAY")},
       {union_mismatch("/0", "ARRAY", "NULL"), union_mismatch("/1/items", "STRING", "INT")}},
      {"a record", maybe(record("A", {})), record("A", {}), {}, {union_mismatch("/0", "RECORD", "NULL")}},
      {"another record",
       maybe(record("A", {})),
       record("B", {}),
       {lacking("/", "RECORD")},
       {union_mismatch("/0", "RECORD", "NULL"), "NAME_MISMATCH /1/name: expected: A"}},
      {"a record that reads two",
       aka(record("A", {field("x", "int")}), {"B"}),
       union_of({record("A", {field("x", "int")}), record("B", {field("x", "int")})}),
       {},
       {}},
      {"a record that reads one of two",
       record("A", {field("x", "int")}),
       union_of({record("A", {field("x", "int")}), record("B", {field("y", "int")})}),
       {"NAME_MISMATCH /1/name: expected: B", "READER_FIELD_MISSING_DEFAULT_VALUE /1/fields/0: x"},
       {}},
      {"in a field",
       record("R", {field("x", "string")}),
       record("R", {field("x", union_of({"string", "int"}))}),
       {union_mismatch("/fields/0/type/1", "STRING", "INT")},
       {}},
  });
}

TEST(UnionPairs, RecordsAndOthersInside) {
  const std::string a = record("A", {field("x", "int")});
  judge_all({
      {"a changed record is seen",
       maybe(record("A", {field("x", "string")})),
       maybe(a),
       {lacking("/1", "RECORD")},
       {lacking("/1", "RECORD")}},
      {"a field more",
       maybe(record("A", {field("x", "int"), field("y", "int")})),
       maybe(a),
       {lacking("/1", "RECORD")},
       {}},
      {"a field more with a default",
       maybe(record("A", {field("x", "int"), field("y", "int", "0")})),
       maybe(a),
       {},
       {}},
      {"another name",
       maybe(a),
       maybe(record("B", {field("x", "int")})),
       {lacking("/1", "RECORD")},
       {lacking("/1", "RECORD")}},
      {"another namespace", maybe(a), maybe(record("n.A", {field("x", "int")})), {}, {}},
      {"two records in another order",
       union_of({a, record("B", {})}),
       union_of({record("B", {}), a}),
       {},
       {}},
      {"two of one name, the other fits",
       union_of({record("n.A", {field("y", "int")}), record("m.A", {field("x", "int")})}),
       maybe(a),
       {lacking("/0", "NULL")},
       {lacking("/0", "RECORD")}},
      {"two of one name on both sides",
       union_of({record("n.A", {field("x", "int")}), record("m.A", {field("y", "int")})}),
       union_of({record("m.A", {field("y", "int")}), record("n.A", {field("x", "int")})}),
       {},
       {}},
      {"an array of something else",
       maybe(array("int")),
       maybe(array("string")),
       {lacking("/1", "ARRAY")},
       {lacking("/1", "ARRAY")}},
      {"a map of something promoted", maybe(map("long")), maybe(map("int")), {}, {lacking("/1", "MAP")}},
      {"unions in arrays in unions",
       maybe(array(maybe("long"))),
       maybe(array(maybe("int"))),
       {},
       {lacking("/1", "ARRAY")}},
      {"an enum for text",
       maybe("string"),
       maybe(enum_of("E", {"A"})),
       {lacking("/1", "ENUM")},
       {lacking("/1", "STRING")}},
      {"an alias reads two branches",
       maybe(aka(a, {"B", "C"})),
       union_of({record("B", {field("x", "int")}), record("C", {field("x", "int")})}),
       {},
       {lacking("/0", "NULL"), lacking("/1", "RECORD")}},
  });
}

// Many branches are found by their names.
TEST(UnionPairs, WithManyBranches) {
  const auto many = [](const std::string& space, int without = -1) {
    std::vector<std::string> branches{"null"};
    for (int i = 0; i < 40; ++i) {
      if (i != without) branches.push_back(record(space + "T" + std::to_string(i), {field("x", "int")}));
    }
    return branches;
  };
  const auto reversed = [](std::vector<std::string> branches) {
    std::reverse(branches.begin(), branches.end());
    return branches;
  };
  auto with_alias = many("", 17);
  with_alias.push_back(aka(record("New", {field("x", "long")}), {"T17"}));
  auto with_full_alias = many("n.", 17);
  with_full_alias.push_back(aka(record("n.New", {field("x", "long")}), {"m.T17"}));
  auto as_enum = many("", 17);
  as_enum.push_back(enum_of("T17", {"A"}));
  Findings no_null;
  for (int i = 1; i <= 40; ++i) no_null.push_back(union_mismatch("/" + std::to_string(i), "NULL", "RECORD"));
  judge_all({
      {"in another order", union_of(many("")), union_of(reversed(many(""))), {}, {}},
      {"in another namespace", union_of(many("n.")), union_of(many("m.")), {}, {}},
      {"one is missing", union_of(many("", 17)), union_of(many("")), {lacking("/18", "RECORD")}, {}},
      {"an alias", union_of(with_alias), union_of(many("")), {}, {lacking("/40", "RECORD")}},
      {"a full alias", union_of(with_full_alias), union_of(many("m.")), {}, {lacking("/40", "RECORD")}},
      {"of another kind",
       union_of(as_enum),
       union_of(many("")),
       {lacking("/18", "RECORD")},
       {lacking("/40", "ENUM")}},
      {"primitives still count", union_of(many("")), "\"null\"", {}, no_null},
  });
}

}  // namespace
}  // namespace cairn::test
