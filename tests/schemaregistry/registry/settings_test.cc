// Compatibility levels, normalisation and modes: of a subject, and of all.

#include "tests/schemaregistry/registry/registry_fixture.h"

namespace cairn::test {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

using enum CompatibilityLevel;

class SettingsTest : public RegistryTest {
 protected:
  void set_level(const SettingScope& scope, CompatibilityLevel level) {
    EXPECT_THAT(registry().set_config(scope, {.compatibility = level, .normalize = {}}), is_taken());
  }
  RegistryResult<RegistryConfig> config(const SettingScope& scope, Fallback fallback = Fallback::kNone) {
    return registry().read([&](const RegistryState& state) { return get_config(state, scope, fallback); });
  }
  RegistryResult<RegistryMode> mode(const SettingScope& scope, Fallback fallback = Fallback::kNone) {
    return registry().read([&](const RegistryState& state) { return get_mode(state, scope, fallback); });
  }
  auto set_mode(const SettingScope& scope, RegistryMode mode, Force force = Force::kNo) {
    return registry().set_mode(scope, mode, force);
  }
  RegistryResult<std::vector<std::string>> test(const std::string& subject, const std::string& text) {
    return registry().read([&](const RegistryState& state) {
      return test_compatibility(state, subject, {text, {}}, Normalize::kNo);
    });
  }
};

TEST_F(SettingsTest, BackwardIsTheDefault) {
  EXPECT_EQ(config(std::nullopt)->compatibility, kBackward);
  EXPECT_THAT(config("S"),
              is_refused(40408, "Subject 'S' does not have subject-level compatibility configured"));
  EXPECT_EQ(config("S", Fallback::kToGlobal)->compatibility, kBackward);
}

TEST_F(SettingsTest, ASubjectsLevelOverridesTheGlobalOne) {
  set_level(std::nullopt, kNone);
  set_level("Strict", kFull);
  EXPECT_EQ(config("Strict")->compatibility, kFull);
  EXPECT_EQ(config("Other", Fallback::kToGlobal)->compatibility, kNone);
  for (const char* subject : {"Strict", "Other"}) registered(subject, R"("string")");
  EXPECT_THAT(submit_schema("Strict", R"("int")"), is_refused(409));
  EXPECT_THAT(submit_schema("Other", R"("int")"), is_taken());
  restart();
  EXPECT_EQ(config("Strict")->compatibility, kFull);
  EXPECT_EQ(config(std::nullopt)->compatibility, kNone);
}

TEST_F(SettingsTest, DeletingAConfigRestoresTheDefault) {
  EXPECT_THAT(registry().delete_config("S"), is_refused(40401));
  EXPECT_EQ(registry().delete_config(std::nullopt)->compatibility, kBackward) << "there is always one";
  set_level("S", kForward);
  set_level(std::nullopt, kFull);
  EXPECT_EQ(registry().delete_config("S")->compatibility, kForward);
  EXPECT_THAT(config("S"), is_refused(40408));
  EXPECT_EQ(registry().delete_config(std::nullopt)->compatibility, kFull);
  EXPECT_EQ(config(std::nullopt)->compatibility, kBackward);
}

TEST_F(SettingsTest, OmittedSettingsStay) {
  set_level("S", kFull);
  EXPECT_THAT(registry().set_config("S", {.compatibility = {}, .normalize = true}), is_taken());
  EXPECT_EQ(config("S")->compatibility, kFull);
  EXPECT_EQ(config("S")->normalize, true);
  const auto before = head();
  set_level("S", kFull);
  EXPECT_EQ(head(), before) << "nothing has changed";
}

TEST_F(SettingsTest, LevelsSelectTheVersionsToCompare) {
  set_level("S", kNone);
  const std::string with_a = R"({"type":"record","name":"R","fields":[{"name":"a","type":"int"}]})";
  const std::string with_b =
      R"({"type":"record","name":"R","fields":[{"name":"b","type":"int","default":0}]})";
  const std::string with_both =
      R"({"type":"record","name":"R","fields":[{"name":"a","type":"int"},{"name":"b","type":"int","default":0}]})";
  registered("S", with_b);
  registered("S", with_a);
  // It reads version 2 and not version 1, which has no a.
  set_level("S", kBackward);
  EXPECT_THAT(*test("S", with_both), IsEmpty());
  set_level("S", kBackwardTransitive);
  EXPECT_THAT(*test("S", with_both), Not(IsEmpty()));
  EXPECT_THAT(*test_with("S", 2, with_both), IsEmpty())
      << "one version was asked for, and is all that is asked";
  EXPECT_THAT(*test_with("S", 1, with_both), Not(IsEmpty()));
  EXPECT_THAT(*test_with("S", std::nullopt, with_both), IsEmpty());
  set_level("S", kForwardTransitive);
  EXPECT_THAT(*test("S", with_both), IsEmpty()) << "both read it";
  set_level("S", kFullTransitive);
  EXPECT_THAT(submit_schema("S", with_both), is_refused(409));
  EXPECT_THAT(soft_delete("S", 1), is_taken());
  EXPECT_THAT(submit_schema("S", with_both), is_taken()) << "what is hidden is not asked";
}

TEST_F(SettingsTest, ATestNeedsAVersionOnlyWhereOneIsNamed) {
  EXPECT_THAT(*test("None", order()), IsEmpty());
  EXPECT_THAT(*test_with("None", std::nullopt, order()), IsEmpty());
  EXPECT_THAT(test_with("None", 1, order()), is_refused(40402));
  registered("Order", order());
  EXPECT_THAT(test_with("Order", 2, order()), is_refused(40402));
  EXPECT_THAT(test_with("Order", 1, "{"), is_refused(42201));
  EXPECT_THAT(*test_with("Order", 1, incompatible_order()), Not(IsEmpty()));
  EXPECT_EQ(head(), 1u) << "a test stores nothing";
}

TEST_F(SettingsTest, ReadOnlyRefusesEveryChange) {
  registered("Order", order());
  registered("Gone", R"("string")");
  EXPECT_THAT(soft_delete("Gone"), is_taken());
  EXPECT_THAT(set_mode(std::nullopt, RegistryMode::kReadOnly), is_taken());
  const auto before = head();
  EXPECT_THAT(submit_schema("Order", order({"a"})), is_refused(42205));
  EXPECT_THAT(submit_schema("Order", order()), is_refused(42205));
  EXPECT_THAT(soft_delete("Order"), is_refused(42205));
  EXPECT_THAT(soft_delete("Order", 1), is_refused(42205));
  EXPECT_THAT(hard_delete("Gone"), is_refused(42205));
  EXPECT_THAT(registry().set_config("Order", {kFull, {}}), is_refused(42205));
  EXPECT_THAT(registry().set_config(std::nullopt, {kFull, {}}), is_refused(42205));
  EXPECT_EQ(head(), before);
  EXPECT_EQ(versions("Order"), (Numbers{1}));
  EXPECT_THAT(set_mode("Order", RegistryMode::kReadWrite), is_taken());
  EXPECT_THAT(submit_schema("Order", order({"a"})), is_taken()) << "its own mode goes first";
  EXPECT_THAT(set_mode(std::nullopt, RegistryMode::kReadOnlyOverride), is_taken());
  EXPECT_THAT(submit_schema("Order", order({"b"})), is_refused(42205)) << "unless it is overridden";
}

TEST_F(SettingsTest, DeletingAModeReturnsIt) {
  EXPECT_EQ(*mode(std::nullopt), RegistryMode::kReadWrite);
  EXPECT_THAT(mode("S"), is_refused(40409, "Subject 'S' does not have subject-level mode configured"));
  EXPECT_EQ(*mode("S", Fallback::kToGlobal), RegistryMode::kReadWrite);
  EXPECT_THAT(registry().delete_mode("S"), is_refused(40401));
  EXPECT_EQ(*set_mode("S", RegistryMode::kReadOnly), RegistryMode::kReadOnly);
  restart();
  EXPECT_EQ(*mode("S"), RegistryMode::kReadOnly);
  EXPECT_EQ(*registry().delete_mode("S"), RegistryMode::kReadOnly);
  EXPECT_THAT(mode("S"), is_refused(40409));
  EXPECT_THAT(set_mode(std::nullopt, RegistryMode::kForward), is_taken());
  EXPECT_EQ(*registry().delete_mode(std::nullopt), RegistryMode::kForward);
  EXPECT_EQ(*mode(std::nullopt), RegistryMode::kReadWrite);
}

TEST_F(SettingsTest, IdsAreAcceptedOnlyInImportMode) {
  EXPECT_THAT(import_schema("Order", order(), 7), is_refused(42205, "Subject Order is not in import mode"));
  EXPECT_THAT(set_mode("Order", RegistryMode::kImport), is_taken());
  EXPECT_THAT(submit_schema("Order", order()), is_refused(42205, "Subject Order is not in read-write mode"));
  EXPECT_THAT(import_schema("Order", order(), 7, 1), answers(SchemaId{7}));
  EXPECT_THAT(import_schema("Order", order(), 7), answers(SchemaId{7})) << "again";
  EXPECT_THAT(import_schema("Order", incompatible_order(), 9, 2), answers(SchemaId{9})) << "not compared";
  EXPECT_THAT(import_schema("Order", order({"a"}), 9), is_refused(42205)) << "the id is taken";
  EXPECT_THAT(import_schema("Order", order(), 10), is_refused(42207)) << "the schema has an id";
  EXPECT_THAT(import_schema("Order", order({"a"}), 11, 5), is_refused(42201)) << "version 3 comes next";
  EXPECT_EQ(versions("Order"), (Numbers{1, 2}));
  EXPECT_EQ(registered("Other", R"("string")"), 10u) << "after the highest";
}

TEST_F(SettingsTest, IdsOfDeletedSchemasStayInUse) {
  registered("Order", order());
  EXPECT_THAT(soft_delete("Order"), is_taken());
  EXPECT_THAT(hard_delete("Order"), is_taken());
  EXPECT_THAT(set_mode("Order", RegistryMode::kImport), is_taken());
  EXPECT_THAT(import_schema("Order", order({"a"}), 1), is_refused(42205))
      << "events may have been written with it";
  EXPECT_THAT(import_schema("Order", order(), 1), answers(SchemaId{1}));
}

TEST_F(SettingsTest, ImportBesideLiveVersionsNeedsForce) {
  registered("Order", order());
  EXPECT_THAT(set_mode(std::nullopt, RegistryMode::kImport), is_refused(42205));
  EXPECT_THAT(set_mode("Order", RegistryMode::kImport), is_refused(42205));
  EXPECT_THAT(set_mode("Order", RegistryMode::kImport, Force::kYes), is_taken());
  EXPECT_THAT(set_mode("Empty", RegistryMode::kImport), is_taken());
  EXPECT_THAT(soft_delete("Order"), is_taken());
  EXPECT_THAT(set_mode(std::nullopt, RegistryMode::kImport), is_taken());
}

TEST_F(SettingsTest, SubjectsOfSettingsNeedNotExistButHaveRules) {
  EXPECT_THAT(registry().set_config("a\nb", {kFull, {}}), is_refused(42208));
  EXPECT_THAT(registry().set_config("__GLOBAL", {kFull, {}}), is_refused(42208));
  EXPECT_THAT(set_mode("__EMPTY", RegistryMode::kReadOnly), is_refused(42208));
}

}  // namespace
}  // namespace cairn::test
