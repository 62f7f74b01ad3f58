// The work that a schema's defaults take, in steps.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "schemaregistry/model/parse_schema.h"
#include "schemaregistry/model/schema_default.h"
#include "tests/schemaregistry/model/refusal.h"
#include "tests/support/matchers.h"

namespace cairn::test {
namespace {

// Of the default of the first field.
std::size_t steps_of_default(const std::string& text) {
  const auto schema = parse_schema(text);
  EXPECT_THAT(schema, succeeds());
  if (!schema) return 0;
  DefaultChecker checker;
  EXPECT_EQ(checker.check(schema->root().fields.front()), std::nullopt);
  return checker.steps();
}

TEST(DefaultSteps, SymbolsAreFoundWithoutSearchingTheEnum) {
  constexpr int kSymbols = 30'000;
  std::string symbols;
  for (int i = 0; i < kSymbols; ++i) symbols += (i == 0 ? "\"S" : ",\"S") + std::to_string(i) + "\"";
  const std::string text =
      R"({"type":"record","name":"R","fields":[{"name":"x","type":{"type":"array","items":)"
      R"({"type":"enum","name":"E","symbols":[)" +
      symbols + R"(]}},"default":[)" + symbols + "]}]}";
  EXPECT_LT(steps_of_default(text), 3u * kSymbols);
}

// Each record is tried, and each try reads the object.
TEST(DefaultSteps, TextThatIsReadForManyTypesIsCounted) {
  std::string types;
  for (int i = 0; i < 4'000; ++i) {
    types +=
        R"({"type":"record","name":"R)" + std::to_string(i) + R"(","fields":[{"name":"a","type":"int"}]},)";
  }
  const std::string value = R"({"b":")" + std::string(300'000, 'x') + "\"}";
  refuse({R"({"type":"record","name":"R","fields":[{"name":"x","type":[)" + types + R"("null"],"default":)" +
              value + "}]}",
          "/fields/0/default", "too many steps"});
}

TEST(DefaultSteps, AFaultNamesItsPlace) {
  refuse({R"({"type":"record","name":"Top","fields":[{"name":"x","type":{"type":"map","values":)"
          R"({"type":"array","items":"int"}},"default":{"a":[1],"b":[1,"two"]}}]})",
          "/fields/0/default", "the default at /b/1 is \"two\""});
}

}  // namespace
}  // namespace cairn::test
