#include "tools/cli/schema/check_output.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tools/cli/schema/compatibility_reason.h"
#include "tools/cli/schema/github_annotation.h"
#include "tools/cli/schema/pretty_json.h"

namespace cairn::test {
namespace {

using cli::CompatibilityReason;
using cli::github_annotation;
using cli::parse_compatibility_messages;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

TEST(CompatibilityReasonTest, ConfluentsMessagesAreParsed) {
  const auto report = parse_compatibility_messages(
      {"{errorType:'READER_FIELD_MISSING_DEFAULT_VALUE', description:'The field 'c' at path '/fields/2' in "
       "the new "
       "schema has no default value and is missing in the old schema', additionalInfo:'c'}",
       "{errorType:'TYPE_MISMATCH', description:'The type (path '/fields/0/type') of a field in the new "
       "schema does "
       "not match with the old schema', additionalInfo:'reader type: INT not compatible with writer type: "
       "STRING'}",
       "{oldSchemaVersion: 7}", R"({oldSchema: '{"type":"string"}'})",
       "{validateFields: 'false', compatibility: 'BACKWARD'}"});
  EXPECT_THAT(report.reasons,
              ElementsAre(
                  CompatibilityReason{
                      "READER_FIELD_MISSING_DEFAULT_VALUE", "/fields/2",
                      "The field 'c' at path '/fields/2' in the new schema has no default value and is "
                      "missing in the old schema"},
                  CompatibilityReason{
                      "TYPE_MISMATCH", "/fields/0/type",
                      "The type (path '/fields/0/type') of a field in the new schema does not match with the "
                      "old schema (reader type: INT not compatible with writer type: STRING)"}));
  EXPECT_EQ(report.old_version, 7);
  EXPECT_EQ(report.level, "BACKWARD");
}

TEST(CompatibilityReasonTest, OtherQuotesAreParsedAndUnknownTextsAreKept) {
  const auto report = parse_compatibility_messages(
      {R"x({errorType:"NAME_MISMATCH", description:"The name of the schema has changed (path '/name')", additionalInfo:"x"})x",
       "something else", "{errorType:'cut", ""});
  EXPECT_THAT(report.reasons,
              ElementsAre(CompatibilityReason{"NAME_MISMATCH", "/name",
                                              "The name of the schema has changed (path '/name') (x)"},
                          CompatibilityReason{"", "", "something else"},
                          CompatibilityReason{"", "", "{errorType:'cut"}, CompatibilityReason{"", "", ""}));
  EXPECT_EQ(report.old_version, std::nullopt);
}

TEST(GithubAnnotationTest, SpecialCharactersAreEscaped) {
  EXPECT_EQ(
      github_annotation("error", {{"file", "a,b:c%.avsc"}, {"title", "x\ny"}}, "50%: a,b\r\n::error::c"),
      "::error file=a%2Cb%3Ac%25.avsc,title=x%0Ay::50%25: a,b%0D%0A::error::c\n");
  EXPECT_EQ(github_annotation("warning", {}, "w"), "::warning::w\n");
}

TEST(CheckOutputTest, AFileNameCannotForgeAWorkflowCommand) {
  cli::CheckOutput output;
  output.schemas.push_back({.subject = "::error::x\n::error::y", .path = "::error::z"});
  EXPECT_THAT("\n" + cli::as_github(output), Not(HasSubstr("\n::error")));
}

TEST(PrettyJsonTest, OnlyWhiteSpaceIsAdded) {
  EXPECT_EQ(
      cli::pretty_json(R"({"a":1.0,"b":[],"c":{},"d":["x:,{\"\\",{"e":null}]})"),
      "{\n  \"a\": 1.0,\n  \"b\": [],\n  \"c\": {},\n  \"d\": [\n    \"x:,{\\\"\\\\\",\n    {\n      \"e\": "
      "null\n    }\n  ]\n}");
  EXPECT_EQ(cli::pretty_json(" \"string\" "), "\"string\"");
}

}  // namespace
}  // namespace cairn::test
