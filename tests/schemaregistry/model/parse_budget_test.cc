// Parsing and printing schemas with a budget, and texts whose names are much longer when written in full.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "schemaregistry/model/parse_schema.h"
#include "schemaregistry/model/schema_text.h"
#include "tests/schemaregistry/schema_builders.h"
#include "tests/support/matchers.h"

namespace cairn::test {
namespace {

using ::testing::HasSubstr;

// The same as `type` in a namespace of these many bytes.
std::string in_namespace(const std::string& type, std::size_t bytes) {
  return with(type, "namespace", quote(std::string(bytes, 'n')));
}

std::vector<std::string> texts_to_parse() {
  std::vector<std::string> fields;
  for (int i = 0; i < 200; ++i) fields.push_back(field("f" + std::to_string(i), "int", "0"));
  std::string nested = "int";
  for (int i = 0; i < 30; ++i) nested = array(nested);
  std::string numbers = "0";
  for (int i = 0; i < 2'000; ++i) numbers += ",0";
  return {
      R"("int")",
      record("Wide", fields),
      nested,
      record("Defaults", {field("a", array(union_of({"string", "int"})), "[" + numbers + "]")}),
  };
}

std::uint64_t steps_to_parse(const std::string& text) {
  WorkBudget budget;
  EXPECT_THAT(parse_schema(text, {}, &budget), succeeds());
  return budget.steps();
}

TEST(ParseBudget, ABudgetEndsTheParserOrLeavesItsResultAsItIs) {
  for (const std::string& text : texts_to_parse()) {
    SCOPED_TRACE(text.substr(0, 60));
    const std::uint64_t steps = steps_to_parse(text);
    for (std::uint64_t limit = 0; limit < steps; limit += 1 + steps / 50) {
      WorkBudget budget(WorkLimits{.steps = limit});
      const auto schema = parse_schema(text, {}, &budget);
      ASSERT_THAT(schema, fails_with(Errc::kBudgetExceeded)) << limit << " of " << steps;
      EXPECT_THAT(schema.error().message, HasSubstr("types of the schema were parsed"));
    }
    WorkBudget enough(WorkLimits{.steps = steps});
    const auto schema = parse_schema(text, {}, &enough);
    ASSERT_THAT(schema, succeeds());
    EXPECT_EQ(schema_text(*schema), schema_text(*parse_schema(text)));
  }
}

TEST(ParseBudget, WhatATextSaysWrongIsStillSaid) {
  WorkBudget budget;
  EXPECT_THAT(parse_schema(R"({"type":"record"})", {}, &budget), fails_with(Errc::kInvalidArgument));
  EXPECT_FALSE(budget.has_ended());
}

TEST(ParseBudget, APrinterEndsWithItsBudget) {
  for (const std::string& text : texts_to_parse()) {
    const auto schema = parse_schema(text);
    ASSERT_THAT(schema, succeeds());
    const std::vector<std::pair<SchemaForm, std::string>> expected = {
        {SchemaForm::kIdentity, schema_text(*schema)},
        {SchemaForm::kNormalized, normalized_schema_text(*schema)},
        {SchemaForm::kWrittenOut, written_out_schema_text(*schema)}};
    for (const auto& [form, whole_text] : expected) {
      WorkBudget whole;
      const auto printed = print_schema(*schema, form, &whole);
      ASSERT_THAT(printed, succeeds());
      EXPECT_EQ(*printed, whole_text);
      WorkBudget less(WorkLimits{.steps = whole.steps() - 1});
      const auto ended = print_schema(*schema, form, &less);
      ASSERT_THAT(ended, fails_with(Errc::kBudgetExceeded));
      EXPECT_THAT(ended.error().message, HasSubstr("types of the schema were written"));
    }
  }
}

// A field that names its type by 6 bytes is looked up by thousands.
TEST(ParseBudget, LookingUpNamesInALongNamespaceIsCharged) {
  std::vector<std::string> fields;
  for (int i = 0; i < 1'000; ++i) fields.push_back(field("f" + std::to_string(i), "R"));
  const std::uint64_t without = steps_to_parse(record("R", fields));
  EXPECT_GE(steps_to_parse(in_namespace(record("R", fields), 64'000)), without + 1'000u * 1'000u);
}

// 600 KB of text, 27 GB of names.
TEST(ParseBudget, AliasesInALongNamespaceAreBounded) {
  std::string aliases = quote("a");
  for (int i = 0; i < 50'000; ++i) aliases += ",\"a\"";
  const std::string text = with(in_namespace(record("R", {}), 500'000), "aliases", "[" + aliases + "]");
  ASSERT_LT(text.size(), kSchemaBytesMax);
  const auto schema = parse_schema(text);
  ASSERT_THAT(schema, fails_with(Errc::kTooLarge));
  EXPECT_THAT(schema.error().message, HasSubstr("names and aliases"));
  EXPECT_EQ(schema.error().limit, kSchemaNameBytesMax);
}

// 540 KB of text that are 1 GB with every name in full.
TEST(ParseBudget, ATextWithNamesInFullIsBounded) {
  std::vector<std::string> fields;
  for (int i = 0; i < 2'000; ++i) fields.push_back(field("f" + std::to_string(i), "R"));
  const auto schema = parse_schema(in_namespace(record("R", fields), 500'000));
  ASSERT_THAT(schema, succeeds());
  EXPECT_THAT(print_schema(*schema, SchemaForm::kIdentity, nullptr), succeeds());
  const auto in_full = print_schema(*schema, SchemaForm::kNormalized, nullptr);
  ASSERT_THAT(in_full, fails_with(Errc::kTooLarge));
  EXPECT_EQ(in_full.error().limit, kSchemaTextBytesMax);
}

}  // namespace
}  // namespace cairn::test
