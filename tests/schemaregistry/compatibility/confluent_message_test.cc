#include "schemaregistry/compatibility/confluent_message.h"

#include <gtest/gtest.h>

#include "tests/schemaregistry/compatibility/judge.h"

namespace cairn::test {
namespace {

// The one thing that is wrong with `reader` reading `writer`, as a client sees it.
std::string message(const std::string& reader, const std::string& writer, CompatibilityDirection direction) {
  const auto findings = find_incompatibilities(parsed(reader), parsed(writer));
  EXPECT_EQ(findings.size(), 1u);
  return findings.empty() ? "" : confluent_message(findings.front(), direction);
}

TEST(ConfluentMessage, AFieldWithoutDefault) {
  const std::string more = record("R", {field("a", "int"), field("b", "int"), field("c", "string")});
  const std::string less = record("R", {field("a", "int"), field("b", "int")});
  EXPECT_EQ(message(more, less, CompatibilityDirection::kBackward),
            "{errorType:'READER_FIELD_MISSING_DEFAULT_VALUE', description:'The field 'c' at path '/fields/2' "
            "in the new "
            "schema has no default value and is missing in the old schema', additionalInfo:'c'}");
  EXPECT_EQ(message(more, less, CompatibilityDirection::kForward),
            "{errorType:'READER_FIELD_MISSING_DEFAULT_VALUE', description:'The field 'c' at path '/fields/2' "
            "in the old "
            "schema has no default value and is missing in the new schema', additionalInfo:'c'}");
}

TEST(ConfluentMessage, Types) {
  EXPECT_EQ(
      message(quote("boolean"), quote("int"), CompatibilityDirection::kBackward),
      "{errorType:'TYPE_MISMATCH', description:'The type (path '/') of a field in the new schema does not "
      "match "
      "with the old schema', additionalInfo:'reader type: BOOLEAN not compatible with writer type: INT'}");
  EXPECT_EQ(message(array("int"), array("string"), CompatibilityDirection::kForward),
            "{errorType:'TYPE_MISMATCH', description:'The type (path '/items') of a field in the old schema "
            "does not "
            "match with the new schema', additionalInfo:'reader type: INT not compatible with writer type: "
            "STRING'}");
}

TEST(ConfluentMessage, Names) {
  for (const auto direction : {CompatibilityDirection::kBackward, CompatibilityDirection::kForward}) {
    EXPECT_EQ(message(record("A", {}), record("n.B", {}), direction),
              "{errorType:'NAME_MISMATCH', description:'The name of the schema has changed (path '/name')', "
              "additionalInfo:'expected: n.B'}");
  }
}

TEST(ConfluentMessage, Sizes) {
  EXPECT_EQ(message(fixed("F", 4), fixed("F", 8), CompatibilityDirection::kBackward),
            "{errorType:'FIXED_SIZE_MISMATCH', description:'The size of FIXED type field at path '/size' in "
            "the new "
            "schema does not match with the old schema', additionalInfo:'expected: 8, found: 4'}");
}

TEST(ConfluentMessage, Symbols) {
  EXPECT_EQ(message(enum_of("E", {"A"}), enum_of("E", {"C", "A", "B"}), CompatibilityDirection::kForward),
            "{errorType:'MISSING_ENUM_SYMBOLS', description:'The old schema is missing enum symbols '[B, C]' "
            "at path "
            "'/symbols' in the new schema', additionalInfo:'[B, C]'}");
}

TEST(ConfluentMessage, Branches) {
  EXPECT_EQ(message(maybe("string"), maybe("int"), CompatibilityDirection::kBackward),
            "{errorType:'MISSING_UNION_BRANCH', description:'The new schema is missing a type inside a union "
            "field at "
            "path '/1' in the old schema', additionalInfo:'reader union lacking writer type: INT'}");
}

TEST(ConfluentMessage, WhatCouldNotBeCompared) {
  EXPECT_EQ(confluent_message({IncompatibilityKind::kTooComplex, "/items", "too large"},
                              CompatibilityDirection::kBackward),
            "{errorType:'TOO_COMPLEX', description:'The new schema could not be compared with the old schema "
            "beyond "
            "path '/items'', additionalInfo:'too large'}");
}

}  // namespace
}  // namespace cairn::test
