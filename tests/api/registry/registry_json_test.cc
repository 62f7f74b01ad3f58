#include "api/registry/registry_json.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "schemaregistry/model/parse_schema.h"

namespace cairn::api {
namespace {

std::shared_ptr<const StoredSchema> schema(std::vector<SchemaReference> references) {
  return std::make_shared<const StoredSchema>(
      StoredSchema{{5}, "\"int\"", std::move(references), *parse_schema("\"int\""), {}});
}

TEST(RegistryJsonTest, VersionHasNoEmptyMembers) {
  FoundVersion version{.subject = "Order", .version = 2, .schema = schema({})};
  EXPECT_EQ(to_json(version), R"({"subject":"Order","version":2,"id":5,"schema":"\"int\""})");
  version.schema = schema({{"a.B", "B", 1}, {"a.C", "C", 3}});
  EXPECT_EQ(to_json(version),
            R"({"subject":"Order","version":2,"id":5,"references":[{"name":"a.B","subject":"B","version":1},)"
            R"({"name":"a.C","subject":"C","version":3}],"schema":"\"int\""})");
}

TEST(RegistryJsonTest, SchemaHasOnlyTheMembersThatWereAskedFor) {
  const auto plain = schema({});
  const FoundVersion version{.subject = "Order", .version = 2, .schema = plain};
  EXPECT_EQ(to_json(*plain, std::nullopt, std::nullopt), R"({"schema":"\"int\""})");
  EXPECT_EQ(to_json(*plain, version, SchemaId{9}),
            R"({"subject":"Order","version":2,"schema":"\"int\"","maxId":9})");
  EXPECT_EQ(to_json(*schema({{"a.B", "B", 1}}), std::nullopt, std::nullopt),
            R"({"references":[{"name":"a.B","subject":"B","version":1}],"schema":"\"int\""})");
}

TEST(RegistryJsonTest, SettingsHaveOnlyTheMembersThatAreSet) {
  EXPECT_EQ(to_json(RegistryConfig{}), "{}");
  EXPECT_EQ(to_json(RegistryConfig{.compatibility = CompatibilityLevel::kFull, .normalize = true}),
            R"({"normalize":true,"compatibilityLevel":"FULL"})");
  EXPECT_EQ(
      to_json(RegistryConfig{.compatibility = CompatibilityLevel::kNone, .normalize = {}}, "compatibility"),
      R"({"compatibility":"NONE"})");
  EXPECT_EQ(to_json(RegistryMode::kReadWrite), R"({"mode":"READWRITE"})");
}

TEST(RegistryJsonTest, ListIsCutToItsWindow) {
  const std::vector<std::uint32_t> numbers = {1, 2, 3};
  EXPECT_EQ(list_json(numbers), "[1,2,3]");
  EXPECT_EQ(list_json(numbers, {.offset = 1, .limit = 1}), "[2]");
  EXPECT_EQ(list_json(numbers, {.offset = 9, .limit = 0}), "[]");
  EXPECT_EQ(list_json(std::vector<std::string>{"a", "\""}), R"(["a","\""])");
}

}  // namespace
}  // namespace cairn::api
