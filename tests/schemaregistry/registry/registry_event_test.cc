// The golden bytes of the registry's events. Stores that have them must stay readable.

#include "schemaregistry/registry/registry_event.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/matchers.h"

namespace cairn::test {
namespace {

struct Golden {
  RegistryEvent event;
  const char* type;
  const char* data;
};

std::vector<Golden> golden() {
  return {
      {SchemaRegistered{"Order", 1, {7}, R"("string")", {}}, "SchemaRegistered",
       R"({"subject":"Order","version":1,"id":7,"schemaType":"AVRO","schema":"\"string\""})"},
      {SchemaRegistered{"Line", 2, {8}, R"("Money")", {{"Money", "Money-value", 3}}}, "SchemaRegistered",
       R"({"subject":"Line","version":2,"id":8,"schemaType":"AVRO","schema":"\"Money\"","references":[{"name":"Money","subject":"Money-value","version":3}]})"},
      {VersionDeleted{"Order", 1}, "VersionDeleted", R"({"subject":"Order","version":1})"},
      {VersionPermanentlyDeleted{"Order", 1}, "VersionPermanentlyDeleted",
       R"({"subject":"Order","version":1})"},
      {SubjectDeleted{"Order", {1, 3}}, "SubjectDeleted", R"({"subject":"Order","versions":[1,3]})"},
      {SubjectPermanentlyDeleted{"Order"}, "SubjectPermanentlyDeleted", R"({"subject":"Order"})"},
      {ConfigSet{"Order", {CompatibilityLevel::kFullTransitive, true}}, "ConfigSet",
       R"({"subject":"Order","compatibility":"FULL_TRANSITIVE","normalize":true})"},
      {ConfigSet{std::nullopt, {CompatibilityLevel::kNone, std::nullopt}}, "ConfigSet",
       R"({"compatibility":"NONE"})"},
      {ConfigDeleted{"Order"}, "ConfigDeleted", R"({"subject":"Order"})"},
      {ConfigDeleted{}, "ConfigDeleted", R"({})"},
      {ModeSet{"Order", RegistryMode::kReadOnlyOverride}, "ModeSet",
       R"({"subject":"Order","mode":"READONLY_OVERRIDE"})"},
      {ModeSet{std::nullopt, RegistryMode::kImport}, "ModeSet", R"({"mode":"IMPORT"})"},
      {ModeDeleted{"Order"}, "ModeDeleted", R"({"subject":"Order"})"},
      {ModeDeleted{}, "ModeDeleted", R"({})"},
  };
}

TEST(RegistryEventTest, StoredBytesAreStable) {
  for (const Golden& one : golden()) {
    const NewEvent stored = to_new_event(one.event);
    EXPECT_EQ(stored.type, one.type);
    EXPECT_EQ(stored.data, one.data);
    EXPECT_EQ(stored.schema, SchemaId{0});
  }
}

TEST(RegistryEventTest, EventsSurviveARoundTrip) {
  for (const Golden& one : golden()) {
    const auto read = read_registry_event(one.type, one.data);
    ASSERT_THAT(read, succeeds()) << one.data;
    EXPECT_EQ(to_new_event(*read).data, one.data);
    EXPECT_EQ(to_new_event(*read).type, one.type);
  }
}

TEST(RegistryEventTest, UnknownMembersAreIgnored) {
  EXPECT_THAT(read_registry_event("VersionDeleted", R"({"subject":"a","version":1,"by":{"x":[1]}})"),
              succeeds());
}

TEST(RegistryEventTest, UnknownTypesAreRefused) {
  EXPECT_THAT(read_registry_event("SubjectRenamed", "{}"), fails_with(Errc::kFailedPrecondition));
  EXPECT_THAT(
      read_registry_event("SchemaRegistered",
                          R"({"subject":"a","version":1,"id":1,"schemaType":"PROTOBUF","schema":"x"})"),
      fails_with(Errc::kFailedPrecondition));
}

TEST(RegistryEventTest, InvalidDataIsCorruption) {
  for (const char* data : {"", "{", "[]", "{}", R"({"subject":1,"version":1})", R"({"subject":"a"})",
                           R"({"subject":"a","version":0})", R"({"subject":"a","version":-1})",
                           R"({"subject":"a","version":"1"})", R"({"subject":"a","version":4294967296})"}) {
    EXPECT_THAT(read_registry_event("VersionDeleted", data), fails_with(Errc::kCorruption)) << data;
  }
  EXPECT_THAT(read_registry_event("SubjectDeleted", R"({"subject":"a"})"), fails_with(Errc::kCorruption));
  EXPECT_THAT(read_registry_event("SubjectDeleted", R"({"subject":"a","versions":["x"]})"),
              fails_with(Errc::kCorruption));
  EXPECT_THAT(read_registry_event("ConfigSet", R"({"compatibility":"SOMEWHAT"})"),
              fails_with(Errc::kCorruption));
  EXPECT_THAT(read_registry_event("ModeSet", R"({"mode":"SLEEPING"})"), fails_with(Errc::kCorruption));
  EXPECT_THAT(read_registry_event(
                  "SchemaRegistered",
                  R"({"subject":"a","version":1,"id":1,"schemaType":"AVRO","schema":"x","references":{}})"),
              fails_with(Errc::kCorruption));
}

}  // namespace
}  // namespace cairn::test
