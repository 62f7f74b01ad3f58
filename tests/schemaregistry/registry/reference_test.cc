// Schemas that use types of other subjects.

#include "tests/schemaregistry/registry/registry_fixture.h"

namespace cairn::test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr const char* kMoney =
    R"({"type":"record","name":"Money","namespace":"shop","fields":[{"name":"cents","type":"long"}]})";
constexpr const char* kMoneyWithCurrency =
    R"({"type":"record","name":"Money","namespace":"shop","fields":[{"name":"cents","type":"long"},{"name":"currency","type":"string","default":"EUR"}]})";
constexpr const char* kLine =
    R"({"type":"record","name":"Line","namespace":"shop","fields":[{"name":"price","type":"shop.Money"}]})";
constexpr const char* kCart =
    R"({"type":"record","name":"Cart","namespace":"shop","fields":[{"name":"lines","type":{"type":"array","items":"Line"}},{"name":"total","type":"Money"}]})";

class ReferenceTest : public RegistryTest {
 protected:
  std::vector<std::uint32_t> referring(const std::string& subject, std::uint32_t version,
                                       Deleted hidden = Deleted::kLeftOut) {
    return *registry().read([&](const RegistryState& state) -> RegistryResult<std::vector<std::uint32_t>> {
      std::vector<std::uint32_t> ids;
      for (const FoundVersion& one : referring_to(state, subject, version, hidden))
        ids.push_back(one.schema->id.value);
      return ids;
    });
  }
};

TEST_F(ReferenceTest, ATypeOfAnotherSubjectCanBeUsed) {
  registered("Money", kMoney);
  EXPECT_THAT(submit_schema("Line", kLine), is_refused(42201)) << "not without saying where it is";
  EXPECT_EQ(registered("Line", kLine, {refers("shop.Money", "Money", 1)}), 2u);
  const auto line = registry().latest("Line");
  EXPECT_THAT(line->text, HasSubstr(R"("type":"Money")")) << "a name, not the type";
  EXPECT_THAT(line->references, ElementsAre(SchemaReference{"shop.Money", "Money", 1}));
  EXPECT_EQ(line->schema.root().fields.at(0).type->fields.at(0).name, "cents");
  restart();
  EXPECT_EQ(registry().latest("Line")->schema.root().fields.at(0).type->fields.at(0).name, "cents");
}

TEST_F(ReferenceTest, ReferencesOfReferencesAreFoundToo) {
  registered("Money", kMoney);
  registered("Line", kLine, {refers("shop.Money", "Money", 1)});
  EXPECT_EQ(registered("Cart", kCart, {refers("shop.Line", "Line", 1)}), 3u);
  EXPECT_EQ(registered("Cart2", kCart, {refers("shop.Line", "Line", 1), refers("shop.Money", "Money", 1)}),
            4u)
      << "named twice, read once; but other references are another schema";
}

TEST_F(ReferenceTest, TheLatestIsStoredAsItsNumber) {
  registered("Money", kMoney);
  registered("Money", kMoneyWithCurrency);
  registered("Line", kLine, {refers("shop.Money", "Money", std::nullopt)});
  EXPECT_EQ(registry().latest("Line")->references.at(0).version, 2u);
  registered("Line", kLine, {refers("shop.Money", "Money", 1)});
  EXPECT_EQ(versions("Line"), (Numbers{1, 2})) << "the same text with other references is another schema";
}

TEST_F(ReferenceTest, MissingTargetsAreRefused) {
  registered("Money", kMoney);
  const auto unknown = submit_schema("Line", kLine, {refers("shop.Money", "Euro", 1)});
  ASSERT_THAT(unknown, is_refused(42201));
  EXPECT_THAT(unknown.error().message,
              HasSubstr("No schema reference found for subject \"Euro\" and version 1"));
  EXPECT_THAT(submit_schema("Line", kLine, {refers("shop.Money", "Money", 2)}), is_refused(42201));
  EXPECT_THAT(submit_schema("Line", kLine, {refers("shop.Money", "Line", std::nullopt)}), is_refused(42201))
      << "itself";
  EXPECT_THAT(soft_delete("Money"), is_taken());
  EXPECT_THAT(submit_schema("Line", kLine, {refers("shop.Money", "Money", 1)}), is_refused(42201));
}

TEST_F(ReferenceTest, ReferencedVersionsCannotBeDeleted) {
  registered("Money", kMoney);
  registered("Line", kLine, {refers("shop.Money", "Money", 1)});
  EXPECT_EQ(referring("Money", 1), (Numbers{2}));
  EXPECT_THAT(
      soft_delete("Money", 1),
      is_refused(
          42206,
          "One or more references exist to the schema {magic=1,keytype=SCHEMA,subject=Money,version=1}."));
  EXPECT_THAT(soft_delete("Money"), is_refused(42206));
  EXPECT_THAT(soft_delete("Line", 1), is_taken());
  EXPECT_THAT(referring("Money", 1), IsEmpty());
  EXPECT_EQ(referring("Money", 1, Deleted::kIncluded), (Numbers{2}));
  EXPECT_THAT(soft_delete("Money", 1), is_taken()) << "who refers is hidden too";
  EXPECT_THAT(hard_delete("Money", 1), is_refused(42206)) << "but could still be read";
  EXPECT_THAT(hard_delete("Money"), is_refused(42206));
  EXPECT_THAT(hard_delete("Line", 1), is_taken());
  EXPECT_THAT(hard_delete("Money"), is_taken());
}

TEST_F(ReferenceTest, AReferencedSoftDeletedVersionIsNotReplaced) {
  registered("Money", kMoney);
  registered("Line", kLine, {refers("shop.Money", "Money", 1)});
  EXPECT_THAT(soft_delete("Line"), is_taken());
  EXPECT_THAT(soft_delete("Money"), is_taken());
  EXPECT_EQ(registered("Money", kMoney), 1u);
  EXPECT_EQ(versions("Money", Shown::kAll), (Numbers{1, 2}));
  restart();
  EXPECT_EQ(find("Line", 1, Deleted::kIncluded)->schema->referenced.at(0)->id, SchemaId{1});
}

TEST_F(ReferenceTest, ReferencesWithinASubjectDoNotPreventItsDeletion) {
  EXPECT_THAT(registry().set_config("Shop", {.compatibility = CompatibilityLevel::kNone, .normalize = {}}),
              is_taken());
  registered("Shop", kMoney);
  registered("Shop", kLine, {refers("shop.Money", "Shop", 1)});
  EXPECT_THAT(soft_delete("Shop", 1), is_refused(42206)) << "alone it would leave the other behind";
  EXPECT_THAT(soft_delete("Shop"), answers(Numbers{1, 2}));
  EXPECT_THAT(hard_delete("Shop"), answers(Numbers{1, 2}));
}

TEST_F(ReferenceTest, ADeletedSchemaKeepsItsReferencedSchemas) {
  registered("Money", kMoney);
  registered("Line", kLine, {refers("shop.Money", "Money", 1)});
  for (const char* subject : {"Line", "Money"}) {
    EXPECT_THAT(soft_delete(subject), is_taken());
    EXPECT_THAT(hard_delete(subject), is_taken());
  }
  registered(
      "Money",
      R"({"type":"record","name":"Money","namespace":"shop","fields":[{"name":"other","type":"int"}]})");
  restart();
  const auto line = registry().by_id(SchemaId{2});
  ASSERT_NE(line, nullptr);
  EXPECT_EQ(line->schema.root().fields.at(0).type->fields.at(0).name, "cents")
      << "not what has its number now";
}

TEST_F(ReferenceTest, ATextThatWritesTheTypesOutIsFound) {
  registered("Money", kMoney);
  registered("Line", kLine, {refers("shop.Money", "Money", 1)});
  EXPECT_EQ(look_up_schema("Line", R"({"type":"record","name":"Line","namespace":"shop","fields":[
      {"name":"price","type":{"type":"record","name":"Money","fields":[{"name":"cents","type":"long"}]}}]})")
                ->version,
            1u);
  EXPECT_THAT(look_up_schema("Line", R"({"type":"record","name":"Line","namespace":"shop","fields":[
      {"name":"price","type":{"type":"record","name":"Money","fields":[{"name":"cents","type":"int"}]}}]})"),
              is_refused(40403));
}

TEST_F(ReferenceTest, NormalizingSortsReferences) {
  registered("A", R"({"type":"fixed","name":"A","size":1})");
  registered("B", R"({"type":"fixed","name":"B","size":1})");
  const std::string both = R"(["A","B"])";
  const auto a = refers("A", "A", 1);
  const auto b = refers("B", "B", 1);
  EXPECT_THAT(submit_schema("U", both, {b, a}, Normalize::kYes), answers(SchemaId{3}));
  EXPECT_THAT(submit_schema("U", both, {a, b}, Normalize::kYes), answers(SchemaId{3}));
  EXPECT_THAT(submit_schema("U", both, {b, a}), answers(SchemaId{4}));
}

// Each doubles what the one before it had, if it were written out.
TEST_F(ReferenceTest, ReferencesThatMultiplyStayBounded) {
  registered("T0", R"({"type":"record","name":"T0","fields":[]})");
  for (int i = 1; i <= 30; ++i) {
    const std::string name = "T" + std::to_string(i);
    const std::string before = "T" + std::to_string(i - 1);
    const std::string text = R"({"type":"record","name":")" + name + R"(","fields":[{"name":"a","type":")" +
                             before + R"("},{"name":"b","type":")" + before + R"("}]})";
    ASSERT_EQ(registered(name, text, {refers(before, before, 1)}), static_cast<std::uint32_t>(i) + 1);
  }
}

TEST_F(ReferenceTest, TheDepthOfReferencesIsBounded) {
  registered("T0", R"({"type":"record","name":"T0","fields":[]})");
  RegistryResult<SchemaId> last = SchemaId{};
  int i = 0;
  while (last.ok() && ++i < 100) {
    const std::string name = "T" + std::to_string(i);
    const std::string before = "T" + std::to_string(i - 1);
    last = submit_schema(
        name,
        R"({"type":"record","name":")" + name + R"(","fields":[{"name":"a","type":")" + before + R"("}]})",
        {refers(before, before, 1)});
  }
  EXPECT_THAT(last, is_refused(42209));
  EXPECT_EQ(i, 33);
  EXPECT_THAT(submit_schema("Many", R"("string")", std::vector<ReferenceInput>(1'001, refers("T0", "T0", 1))),
              is_refused(42209));
}

}  // namespace
}  // namespace cairn::test
