#include <gtest/gtest.h>

#include "tests/schemaregistry/compatibility/judge.h"

namespace cairn::test {
namespace {

std::string list(const std::string& value) {
  return record("Node", {field("value", value), field("next", maybe("Node"))});
}

std::string list_value_last(const std::string& value) {
  return record("Node", {field("next", maybe("Node")), field("value", value)});
}

// Nodes of several namespaces in a ring: the first leads to the second, the last to the first. All have one
// unqualified name, so rings of different lengths can be compared.
std::string ring(int length, const std::string& last_value = "int") {
  std::string inner = "n0.Node";
  for (int i = length - 1; i >= 0; --i) {
    const std::string value = i == length - 1 ? last_value : "int";
    inner = record("n" + std::to_string(i) + ".Node", {field("value", value), field("next", maybe(inner))});
  }
  return inner;
}

TEST(RecursivePairs, FollowEachPairOnce) {
  judge_all({
      {"a list", list("int"), list("int"), {}, {}},
      {"a promoted list, told once", list("long"), list("int"), {}, {"TYPE_MISMATCH /fields/0/type"}},
      {"the same with the recursion in front",
       list_value_last("long"),
       list_value_last("int"),
       {},
       {"TYPE_MISMATCH /fields/1/type"}},
      {"a tree",
       record("T", {field("v", "int"), field("children", array("T"))}),
       record("T", {field("v", "string"), field("children", array("T"))}),
       {"TYPE_MISMATCH /fields/0/type"},
       {"TYPE_MISMATCH /fields/0/type"}},
      {"a tree of maps",
       record("T", {field("children", map("T")), field("v", "int")}),
       record("T", {field("children", map("T")), field("v", "string")}),
       {"TYPE_MISMATCH /fields/1/type"},
       {"TYPE_MISMATCH /fields/1/type"}},
      {"two types that lead to each other",
       record("A", {field("b", maybe(record("B", {field("a", maybe("A"))})))}),
       record("A", {field("b", maybe(record("B", {field("a", maybe("A"))})))}),
       {},
       {}},
      {"only one is recursive",
       record("Node", {field("value", "int"), field("next", maybe("Node"), "null")}),
       record("Node", {field("value", "int")}),
       {},
       {}},
      {"recursive, and written out twice",
       record("Node", {field("value", "int"), field("next", maybe("Node"), "null")}),
       record("Node",
              {field("value", "int"), field("next", maybe(record("n.Node", {field("value", "int")})))}),
       {},
       {}},
      {"recursive, and ends with something else",
       record("Node", {field("value", "int"), field("next", maybe("Node"))}),
       record("Node",
              {field("value", "int"), field("next", maybe(record("n.Node", {field("value", "string")})))}),
       {"MISSING_UNION_BRANCH /fields/1/type/1: reader union lacking writer type: RECORD"},
       {"MISSING_UNION_BRANCH /fields/1/type/1: reader union lacking writer type: RECORD"}},
      {"a record of itself alone", record("A", {field("a", "A")}), record("A", {field("a", "A")}), {}, {}},
      {"another name each time",
       record("A", {field("a", maybe("A"))}),
       record("B", {field("a", maybe("B"))}),
       {"NAME_MISMATCH /name: expected: B", "MISSING_UNION_BRANCH /fields/0/type/1"},
       {"NAME_MISMATCH /name: expected: A", "MISSING_UNION_BRANCH /fields/0/type/1"}},
  });
}

TEST(RecursivePairs, OfDifferentPeriods) {
  judge_all({
      {"one and two", ring(1), ring(2), {}, {}},
      {"two and three", ring(2), ring(3), {}, {}},
      {"seven and eleven", ring(7), ring(11), {}, {}},
      {"the last of three is another",
       ring(2),
       ring(3, "string"),
       {"MISSING_UNION_BRANCH /fields/1/type/1"},
       {"MISSING_UNION_BRANCH /fields/1/type/1"}},
      {"the last of three is promoted",
       ring(1, "long"),
       ring(3, "int"),
       {},
       {"TYPE_MISMATCH /fields/0/type", "MISSING_UNION_BRANCH /fields/1/type/1"}},
  });
}

// An assumption made while a type is being compared must not stay cached after that comparison.
TEST(RecursivePairs, AResultIsRevisedWithItsReasons) {
  const std::string good = list_value_last("int");
  const std::string bad = list_value_last("string");
  judge_all({
      {"first by itself, then in a union",
       record("O", {field("x", good), field("y", maybe("Node"))}),
       record("O", {field("x", bad), field("y", maybe("Node"))}),
       {"TYPE_MISMATCH /fields/0/type/fields/1/type", "MISSING_UNION_BRANCH /fields/1/type/1"},
       {"TYPE_MISMATCH /fields/0/type/fields/1/type", "MISSING_UNION_BRANCH /fields/1/type/1"}},
      {"first in a union, then by itself",
       record("O", {field("y", maybe(good)), field("x", "Node")}),
       record("O", {field("y", maybe(bad)), field("x", "Node")}),
       {"MISSING_UNION_BRANCH /fields/0/type/1", "TYPE_MISMATCH /fields/1/type/fields/1/type"},
       {"MISSING_UNION_BRANCH /fields/0/type/1", "TYPE_MISMATCH /fields/1/type/fields/1/type"}},
      {"in an array and in a union",
       record("O", {field("y", array(good)), field("x", maybe(array("Node")))}),
       record("O", {field("y", array(bad)), field("x", maybe(array("Node")))}),
       {"TYPE_MISMATCH /fields/0/type/items/fields/1/type", "MISSING_UNION_BRANCH /fields/1/type/1"},
       {"TYPE_MISMATCH /fields/0/type/items/fields/1/type", "MISSING_UNION_BRANCH /fields/1/type/1"}},
  });
}

// A leads to B through a union, and B back to A. B has no fault of its own.
std::string outer_with(const std::string& value) {
  return record("A", {field("b", maybe(record("B", {field("a", maybe("A"))}))), field("value", value)});
}

const SchemaNode& outer(const Schema& schema) { return schema.root(); }
const SchemaNode& inner(const Schema& schema) { return *schema.root().fields[0].type->branches[1]; }

TEST(RecursivePairs, TheOrderOfCallsDoesNotMatter) {
  const Schema reader = parsed(outer_with("int"));
  const Schema writer = parsed(outer_with("string"));
  {
    CompatibilityChecker checker;
    EXPECT_FALSE(checker.can_read(outer(reader), outer(writer)));
    EXPECT_FALSE(checker.can_read(inner(reader), inner(writer))) << "it leads to a type that cannot be read";
    EXPECT_FALSE(checker.can_read(outer(reader), outer(writer)));
  }
  {
    CompatibilityChecker checker;
    EXPECT_FALSE(checker.can_read(inner(reader), inner(writer)));
    EXPECT_FALSE(checker.can_read(outer(reader), outer(writer)));
  }
  CompatibilityChecker checker;
  EXPECT_EQ(found(checker.check(inner(reader), inner(writer))),
            (Findings{"MISSING_UNION_BRANCH /fields/0/type/1: reader union lacking writer type: RECORD"}));
  EXPECT_TRUE(checker.can_read(outer(reader), outer(reader)));
  EXPECT_TRUE(checker.can_read(inner(reader), inner(reader)));
}

// The first branch fails only far inside, where it leads back to where it began; then the second one is
// chosen.
TEST(RecursivePairs, AnotherBranchIsChosenWhenTheFirstFailsLate) {
  const auto tree = [](const std::string& space, const std::string& value) {
    return record(space + ".Node", {field("next", maybe(space + ".Node")), field("value", value)});
  };
  const std::string reader = union_of({tree("first", "string"), tree("second", "long")});
  judge({"the second",
         reader,
         tree("w", "int"),
         {},
         {"TYPE_MISMATCH /0/fields/1/type", "TYPE_MISMATCH /1/fields/1/type"}});
  const std::string neither = union_of({tree("first", "string"), tree("second", "boolean")});
  judge({"none",
         neither,
         tree("w", "int"),
         {"MISSING_UNION_BRANCH /: reader union lacking writer type: RECORD"},
         {"TYPE_MISMATCH /0/fields/1/type", "TYPE_MISMATCH /1/fields/1/type"}});
}

}  // namespace
}  // namespace cairn::test
