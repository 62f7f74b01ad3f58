// Soft and permanent deletes, of versions and of subjects.

#include "tests/schemaregistry/registry/registry_fixture.h"

namespace cairn::test {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class DeleteTest : public RegistryTest {
 protected:
  void SetUp() override {
    registered("Order", order());
    registered("Order", order({"a"}));
    registered("Order", order({"a", "b"}));
  }
};

TEST_F(DeleteTest, ASoftDeletedVersionIsHiddenAndCanStillBeRead) {
  EXPECT_THAT(soft_delete("Order", 2), answers(2u));
  EXPECT_EQ(versions("Order"), (Numbers{1, 3}));
  EXPECT_EQ(versions("Order", Shown::kAll), (Numbers{1, 2, 3}));
  EXPECT_EQ(versions("Order", Shown::kDeletedOnly), (Numbers{2}));
  EXPECT_THAT(find("Order", 2), is_refused(40402, "Version 2 not found."));
  EXPECT_EQ(find("Order", 2, Deleted::kIncluded)->schema->id, SchemaId{2});
  EXPECT_THAT(served_by_id(2), is_taken());
  EXPECT_THAT(look_up_schema("Order", order({"a"})), is_refused(40403));
  EXPECT_EQ(look_up_schema("Order", order({"a"}), Normalize::kNo, Deleted::kIncluded)->version, 2u);
}

TEST_F(DeleteTest, TheLatestCanBeDeletedByThatName) {
  EXPECT_THAT(soft_delete("Order", std::nullopt), answers(3u));
  EXPECT_THAT(soft_delete("Order", std::nullopt), answers(2u));
  EXPECT_EQ(versions("Order"), (Numbers{1}));
}

TEST_F(DeleteTest, VersionsAreSoftDeletedBeforePermanently) {
  EXPECT_THAT(hard_delete("Order", 2),
              is_refused(40407,
                         "Subject 'Order' Version 2 was not deleted first before being "
                         "permanently deleted"));
  EXPECT_THAT(soft_delete("Order", 2), is_taken());
  EXPECT_THAT(soft_delete("Order", 2),
              is_refused(40406,
                         "Subject 'Order' Version 2 was soft deleted.Set permanent=true "
                         "to delete permanently"));
  EXPECT_THAT(hard_delete("Order", 2), answers(2u));
  EXPECT_THAT(hard_delete("Order", 2), is_refused(40402));
  EXPECT_THAT(soft_delete("Order", 2), is_refused(40402));
  EXPECT_EQ(versions("Order", Shown::kAll), (Numbers{1, 3}));
  EXPECT_THAT(soft_delete("None", 1), is_refused(40401, "Subject 'None' not found."));
}

TEST_F(DeleteTest, ADeletedSchemaStaysReadableForItsEvents) {
  EXPECT_THAT(soft_delete("Order", 2), is_taken());
  EXPECT_THAT(hard_delete("Order", 2), is_taken());
  EXPECT_THAT(served_by_id(2), is_refused(40403, "Schema 2 not found"));
  ASSERT_NE(registry().by_id(SchemaId{2}), nullptr);
  restart();
  ASSERT_NE(registry().by_id(SchemaId{2}), nullptr);
  EXPECT_EQ(registry().by_id(SchemaId{2})->text, order({"a"}));
}

TEST_F(DeleteTest, ARegisteredAgainSchemaGetsANewId) {
  EXPECT_THAT(soft_delete("Order", 3), is_taken());
  EXPECT_THAT(hard_delete("Order", 3), is_taken());
  EXPECT_EQ(registered("Order", order({"a", "b"})), 4u);
  EXPECT_EQ(versions("Order"), (Numbers{1, 2, 3})) << "the number was the last and is free again";
  EXPECT_EQ(id_of("Order", 3), 4u);
}

TEST_F(DeleteTest, ARegisteredAgainSchemaReplacesItsSoftDeletedVersions) {
  EXPECT_THAT(soft_delete("Order", 2), is_taken());
  EXPECT_EQ(registered("Order", order({"a"})), 2u);
  EXPECT_EQ(versions("Order", Shown::kAll), (Numbers{1, 3, 4}));
  EXPECT_EQ(id_of("Order", 4), 2u);
}

TEST_F(DeleteTest, SoftDeletedVersionsAreNotCompared) {
  registered("Text", R"("string")");
  EXPECT_THAT(submit_schema("Text", R"("int")"), is_refused(409));
  EXPECT_THAT(soft_delete("Text", 1), is_taken());
  EXPECT_EQ(registered("Text", R"("int")"), 5u);
  EXPECT_EQ(versions("Text"), (Numbers{2}));
}

TEST_F(DeleteTest, SubjectsAreSoftDeletedBeforePermanently) {
  EXPECT_THAT(hard_delete("Order"),
              is_refused(40405,
                         "Subject 'Order' was not deleted first before being permanently "
                         "deleted"));
  EXPECT_THAT(soft_delete("Order", 1), is_taken());
  EXPECT_THAT(soft_delete("Order"), answers(Numbers{2, 3})) << "only those hidden now";
  EXPECT_THAT(soft_delete("Order"),
              is_refused(40404,
                         "Subject 'Order' was soft deleted.Set permanent=true to delete "
                         "permanently"));
  EXPECT_THAT(subjects(), IsEmpty());
  EXPECT_THAT(subjects(Shown::kAll), ElementsAre("Order"));
  EXPECT_THAT(subjects(Shown::kDeletedOnly), ElementsAre("Order"));
  EXPECT_THAT(versions("Order"), IsEmpty());
  EXPECT_THAT(find("Order"), is_refused(40401));
  EXPECT_THAT(look_up_schema("Order", order()), is_refused(40401));
  EXPECT_EQ(versions("Order", Shown::kAll), (Numbers{1, 2, 3}));
  EXPECT_THAT(hard_delete("Order"), answers(Numbers{1, 2, 3}));
  EXPECT_THAT(subjects(Shown::kAll), IsEmpty());
  EXPECT_THAT(hard_delete("Order"), is_refused(40401));
  EXPECT_THAT(soft_delete("Order"), is_refused(40401));
}

TEST_F(DeleteTest, VersionNumbersRestartOnlyAfterAPermanentDelete) {
  EXPECT_THAT(soft_delete("Order"), is_taken());
  EXPECT_EQ(registered("Order", order({"c"})), 4u);
  EXPECT_EQ(versions("Order"), (Numbers{4}));
  EXPECT_THAT(soft_delete("Order"), is_taken());
  EXPECT_THAT(hard_delete("Order"), is_taken());
  EXPECT_EQ(registered("Order", order({"c"})), 5u);
  EXPECT_EQ(versions("Order"), (Numbers{1}));
}

TEST_F(DeleteTest, DeletingTheLastVersionRemovesTheSettings) {
  const auto configured = [this](const std::string& subject) {
    return registry().read(
        [&](const RegistryState& state) { return get_config(state, subject, Fallback::kNone); });
  };
  for (const bool whole_subject : {true, false}) {
    registered("S", R"("string")");
    EXPECT_THAT(registry().set_config("S", {.compatibility = CompatibilityLevel::kFull, .normalize = {}}),
                is_taken());
    EXPECT_THAT(registry().set_mode("S", RegistryMode::kReadWrite, Force::kNo), is_taken());
    EXPECT_THAT(soft_delete("S"), is_taken());
    EXPECT_THAT(configured("S"), is_taken());
    EXPECT_THAT(whole_subject ? hard_delete("S").ok() : hard_delete("S", std::nullopt).ok(), true);
    EXPECT_THAT(configured("S"), is_refused(40408));
    EXPECT_THAT(registry().delete_mode("S"), is_refused(40401));
  }
}

TEST_F(DeleteTest, AnotherSubjectKeepsTheIdInUse) {
  registered("Copy", order({"a"}));
  EXPECT_THAT(soft_delete("Order"), is_taken());
  EXPECT_THAT(hard_delete("Order"), is_taken());
  EXPECT_THAT(served_by_id(2), is_taken());
  EXPECT_THAT(served_by_id(1), is_refused(40403));
  EXPECT_EQ(registered("New", order({"a"})), 2u);
  EXPECT_EQ(registered("New", order({"a", "z"})), 4u);
}

TEST_F(DeleteTest, DeletesSurviveARestart) {
  EXPECT_THAT(soft_delete("Order", 1), is_taken());
  EXPECT_THAT(soft_delete("Order", 2), is_taken());
  EXPECT_THAT(hard_delete("Order", 1), is_taken());
  restart();
  EXPECT_EQ(versions("Order"), (Numbers{3}));
  EXPECT_EQ(versions("Order", Shown::kAll), (Numbers{2, 3}));
  EXPECT_THAT(soft_delete("Order"), is_taken());
  restart();
  EXPECT_THAT(versions("Order"), IsEmpty());
  EXPECT_THAT(hard_delete("Order"), is_taken());
  restart();
  EXPECT_THAT(subjects(Shown::kAll), IsEmpty());
  EXPECT_EQ(registered("Order", order()), 4u) << "no id is given to another schema";
}

}  // namespace
}  // namespace cairn::test
