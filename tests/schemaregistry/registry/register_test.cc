// Registration: ids, versions, and when two texts are one schema.

#include "tests/schemaregistry/registry/registry_fixture.h"

namespace cairn::test {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

class RegisterTest : public RegistryTest {};

TEST_F(RegisterTest, TheFirstSchemaIsVersionOneWithIdOne) {
  EXPECT_EQ(registered("Order", order()), 1u);
  EXPECT_EQ(versions("Order"), (Numbers{1}));
  EXPECT_EQ(find("Order")->schema->text, order());
}

TEST_F(RegisterTest, NewVersionsCountUpAndGetNewIds) {
  registered("Order", order());
  EXPECT_EQ(registered("Order", order({"a"})), 2u);
  EXPECT_EQ(registered("Order", order({"a", "b"})), 3u);
  EXPECT_EQ(versions("Order"), (Numbers{1, 2, 3}));
  EXPECT_EQ(id_of("Order"), 3u);
  EXPECT_EQ(id_of("Order", 2), 2u);
}

TEST_F(RegisterTest, TheSameSchemaAgainChangesNothing) {
  registered("Order", order());
  registered("Order", order({"a"}));
  const auto before = head();
  EXPECT_EQ(registered("Order", order()), 1u) << "an old version, and not compared with anything";
  EXPECT_EQ(registered("Order", order({"a"})), 2u);
  EXPECT_EQ(versions("Order"), (Numbers{1, 2}));
  EXPECT_EQ(head(), before);
}

TEST_F(RegisterTest, AnotherSubjectSharesTheIdAndCountsForItself) {
  registered("Other", R"("string")");
  EXPECT_EQ(registered("Order", order()), 2u);
  EXPECT_EQ(registered("Copy", order()), 2u);
  EXPECT_EQ(versions("Copy"), (Numbers{1}));
  EXPECT_EQ(registered("Copy", order({"a"})), 3u);
  EXPECT_EQ(registered("Order", order({"a"})), 3u);
}

TEST_F(RegisterTest, FormattingDoesNotMakeAnotherSchema) {
  registered("Text", R"("string")");
  const std::uint32_t id = registered("Order", R"({"type":"record","name":"Order","namespace":"a.b","fields":[
      {"name":"id","type":"string"},{"name":"next","type":["null","Order"]}]})");
  for (const char* same : {
           R"({"name":"a.b.Order","fields":[{"type":{"type":"string"},"name":"id"},
              {"name":"next","type":["null","a.b.Order"]}],"type":"record"})",
           R"({"type":"record","name":"Order","namespace":"a.b","fields":[
              {"name":"id","type":"string","order":"ascending"},{"name":"next","type":["null","Order"]}]})",
       }) {
    EXPECT_EQ(registered("Order", same), id) << same;
  }
  EXPECT_EQ(registered("Text", R"({"type":"string"})"), 1u);
  EXPECT_EQ(versions("Order"), (Numbers{1}));
  EXPECT_EQ(find("Text")->schema->text, R"("string")");
}

TEST_F(RegisterTest, MeaningMakesAnotherSchema) {
  const std::string plain =
      R"({"type":"record","name":"R","fields":[{"name":"a","type":"int","default":1}]})";
  registered("R", plain);
  std::uint32_t last = 1;
  for (const char* other : {
           R"({"type":"record","name":"R","doc":"d","fields":[{"name":"a","type":"int","default":1}]})",
           R"({"type":"record","name":"R","fields":[{"name":"a","type":"int","default":2}]})",
           R"({"type":"record","name":"R","aliases":["Q"],"fields":[{"name":"a","type":"int","default":1}]})",
           R"({"type":"record","name":"R","x":1,"fields":[{"name":"a","type":"int","default":1}]})",
           R"({"type":"record","name":"R","fields":[{"name":"a","type":"int","doc":"d","default":1}]})",
           R"({"type":"record","name":"R","namespace":"n","fields":[{"name":"a","type":"int","default":1}]})",
       }) {
    EXPECT_EQ(registered("R", other), ++last) << other;
  }
}

TEST_F(RegisterTest, AnIncompatibleSchemaIsRefusedWithItsReasons) {
  registered("Order", order());
  const auto refused = submit_schema("Order", incompatible_order());
  ASSERT_THAT(refused, is_refused(409));
  EXPECT_THAT(refused.error().message,
              AllOf(HasSubstr("incompatible with an earlier schema for subject \"Order\", details: ["),
                    HasSubstr("READER_FIELD_MISSING_DEFAULT_VALUE"), HasSubstr("oldSchemaVersion: 1")));
  EXPECT_EQ(versions("Order"), (Numbers{1}));
  EXPECT_EQ(registry().by_id(SchemaId{2}), nullptr);
}

TEST_F(RegisterTest, ForceSkipsTheCompatibilityCheck) {
  registered("Order", order());
  Registration forced{"Order", {incompatible_order(), {}}};
  forced.check = CheckCompatibility::kNo;
  EXPECT_THAT(registry().register_schema(forced), answers(SchemaId{2}));
}

TEST_F(RegisterTest, InvalidSchemasAreRefused) {
  for (const char* text :
       {"{", "nonsense", R"("no.such.Type")", R"({"type":"record","name":"1x","fields":[]})"}) {
    EXPECT_THAT(submit_schema("Order", text), is_refused(42201)) << text;
  }
  EXPECT_THAT(submit_schema("Order", "\"" + std::string(2u << 20, 'x') + "\""), is_refused(42209));
  EXPECT_EQ(head(), 0u);
}

TEST_F(RegisterTest, NoTextMeansTheLatestSchema) {
  EXPECT_THAT(submit_schema("Order", ""), is_refused(42201));
  registered("Order", order());
  registered("Order", order({"a"}));
  EXPECT_THAT(submit_schema("Order", ""), answers(SchemaId{2}));
  EXPECT_THAT(soft_delete("Order", 2), is_taken());
  EXPECT_THAT(submit_schema("Order", ""), answers(SchemaId{1}));
}

TEST_F(RegisterTest, SubjectsHaveRules) {
  for (const std::string& subject :
       {std::string("__GLOBAL"), std::string("__EMPTY"), std::string("a\nb"), std::string("a\x7f"),
        std::string("\xff\xfe"), std::string(1'001, 'x'), std::string("a\0b", 3), std::string()}) {
    EXPECT_THAT(submit_schema(subject, order()), is_refused(42208)) << ::testing::PrintToString(subject);
  }
  for (const char* subject : {"a b", "a/b", "a:b", "topic-value", "Bestellung-ü", "..", "$x"}) {
    EXPECT_THAT(submit_schema(subject, order()), is_taken()) << subject;
  }
}

TEST_F(RegisterTest, NormalizingForgetsHowPropertiesAndNamesWereOrdered) {
  const std::string one = R"({"type":"record","name":"R","namespace":"n","b":1,"a":2,"fields":[]})";
  const std::string other = R"({"type":"record","name":"R","namespace":"n","a":2,"b":1,"fields":[]})";
  EXPECT_THAT(submit_schema("R", one, {}, Normalize::kYes), answers(SchemaId{1}));
  EXPECT_THAT(submit_schema("R", other, {}, Normalize::kYes), answers(SchemaId{1}));
  EXPECT_THAT(submit_schema("R", one), answers(SchemaId{2})) << "as it is written it is another text";
  EXPECT_THAT(registry().set_config("S", {.compatibility = {}, .normalize = true}), is_taken());
  EXPECT_THAT(submit_schema("S", other), answers(SchemaId{1}));
}

TEST_F(RegisterTest, LookupFindsTheVersion) {
  EXPECT_THAT(look_up_schema("Order", order()), is_refused(40401));
  registered("Order", order());
  registered("Order", order({"a"}));
  EXPECT_EQ(look_up_schema("Order", order())->version, 1u);
  EXPECT_EQ(look_up_schema("Order", order({"a"}))->version, 2u);
  EXPECT_THAT(look_up_schema("Order", order({"b"})), is_refused(40403));
  EXPECT_THAT(look_up_schema("Order", "{"), is_refused(42201));
  EXPECT_THAT(look_up_schema("Order", ""), is_refused(42201));
}

TEST_F(RegisterTest, LookupNormalizesWhatIsStoredToo) {
  registered("R", R"({"type":"record","name":"R","namespace":"n","b":1,"a":2,"fields":[]})");
  const std::string other = R"({"type":"record","name":"R","namespace":"n","a":2,"b":1,"fields":[]})";
  EXPECT_THAT(look_up_schema("R", other), is_refused(40403));
  EXPECT_THAT(look_up_schema("R", other, Normalize::kYes), is_taken());
}

TEST_F(RegisterTest, TheStateSurvivesARestart) {
  registered("Order", order());
  registered("Order", order({"a"}));
  registered("Copy", order());
  EXPECT_THAT(soft_delete("Copy", 1), is_taken());
  restart();
  EXPECT_EQ(versions("Order"), (Numbers{1, 2}));
  EXPECT_THAT(versions("Copy"), IsEmpty());
  EXPECT_EQ(versions("Copy", Shown::kAll), (Numbers{1}));
  EXPECT_EQ(registered("Order", order()), 1u);
  EXPECT_EQ(registered("Order", order({"a", "b"})), 3u);
}

TEST_F(RegisterTest, EventsFindTheirSchemas) {
  EXPECT_EQ(registry().latest("Order"), nullptr);
  registered("Order", order());
  registered("Order", order({"a"}));
  EXPECT_EQ(registry().latest("Order")->id, SchemaId{2});
  EXPECT_EQ(registry().latest("Order")->schema.root().fields.size(), 2u);
  EXPECT_EQ(registry().version("Order", 1)->id, SchemaId{1});
  EXPECT_EQ(registry().version("Order", 3), nullptr);
  EXPECT_EQ(registry().version_of("Order", SchemaId{1}), 1u);
  EXPECT_EQ(registry().version_of("Order", SchemaId{3}), std::nullopt);
  EXPECT_EQ(registry().version_of("Other", SchemaId{1}), std::nullopt);
  EXPECT_THAT(soft_delete("Order", 2), is_taken());
  EXPECT_EQ(registry().latest("Order")->id, SchemaId{1});
  EXPECT_EQ(registry().version("Order", 2)->id, SchemaId{2}) << "events written with it must stay readable";
  EXPECT_EQ(registry().version_of("Order", SchemaId{2}), 2u);
  EXPECT_THAT(soft_delete("Order", 1), is_taken());
  EXPECT_EQ(registry().latest("Order"), nullptr);
}

TEST_F(RegisterTest, ALostVersionGetsItsNumberAndIdBack) {
  registered("Order", order());
  registered("Order", order({"a"}));
  registered("Order", order({"a", "b"}));
  for (const Permanent permanent : {Permanent::kNo, Permanent::kYes})
    ASSERT_THAT(registry().delete_version("Order", 2, permanent), is_taken());
  Registration wanted{"Order", {order({"a"}), {}}};
  wanted.lost = {{9, {99}}, {2, {2}}};
  EXPECT_THAT(registry().register_schema(wanted), answers(SchemaId{2}));
  EXPECT_EQ(registry().version("Order", 2)->id, SchemaId{2});
  EXPECT_EQ(registry().latest("Order")->id, SchemaId{3});
  EXPECT_THAT(registry().register_schema(wanted), answers(SchemaId{2}));
  restart();
  EXPECT_EQ(registry().version("Order", 2)->id, SchemaId{2});
  EXPECT_EQ(registry().latest("Order")->id, SchemaId{3});
}

TEST_F(RegisterTest, ALostVersionWhoseNumberIsTakenGetsItsId) {
  registered("Order", order());
  registered("Order", order({"a"}));
  for (const Permanent permanent : {Permanent::kNo, Permanent::kYes})
    ASSERT_THAT(registry().delete_version("Order", 2, permanent), is_taken());
  registered("Order", order({"b"}));  // becomes version 2, with the id 3
  Registration wanted{"Order", {order({"a"}), {}}};
  wanted.lost = {{2, {2}}};
  EXPECT_THAT(registry().register_schema(wanted), answers(SchemaId{2}));
  EXPECT_EQ(registry().version("Order", 3)->id, SchemaId{2});
  Registration other{"Order", {order({"c"}), {}}};
  other.lost = wanted.lost;
  EXPECT_THAT(registry().register_schema(other), answers(SchemaId{4}));
}

TEST_F(RegisterTest, AnEventOfANewerProgramIsRefused) {
  registered("Order", order());
  AppendRequest request =
      cairn::test::request({to("$schemas", ExpectedVersion::any(), {event("SchemaPainted")})});
  request.origin = Origin::kSystem;
  ASSERT_THAT(submit(std::move(request)), succeeds());
  const auto opened = SchemaRegistry::open(store());
  ASSERT_THAT(opened, fails_with(Errc::kFailedPrecondition));
  EXPECT_THAT(opened.error().message, HasSubstr("SchemaPainted"));
}

TEST_F(RegisterTest, EventsThatContradictEachOtherAreCorruption) {
  registered("Order", order());
  for (const RegistryEvent& wrong : std::vector<RegistryEvent>{
           SchemaRegistered{"Order", 1, {2}, order({"a"}), {}},
           SchemaRegistered{"X", 1, {1}, order({"a"}), {}},
           SchemaRegistered{"X", 1, {9}, R"("string")", {{"a", "None", 1}}}, VersionDeleted{"Order", 2},
           VersionDeleted{"None", 1}, VersionPermanentlyDeleted{"Order", 7},
           SubjectPermanentlyDeleted{"None"}, SubjectDeleted{"Order", {1, 2}}}) {
    const auto checked = *registry().read([&](const RegistryState& state) -> RegistryResult<Errc> {
      const auto result = state.check(wrong);
      return result.ok() ? Errc::kIo : result.error().code;
    });
    EXPECT_EQ(checked, Errc::kCorruption) << to_new_event(wrong).data;
  }
}

}  // namespace
}  // namespace cairn::test
