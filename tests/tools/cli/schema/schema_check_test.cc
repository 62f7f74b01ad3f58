// `cairn schema check --against`, which needs no server.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/support/cairn_process.h"
#include "tests/tools/cli/schema/schema_files.h"
#include "tests/tools/cli/upcaster/upcaster_files.h"

namespace cairn::test {
namespace {

using nlohmann::json;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;
using ::testing::StartsWith;

class SchemaCheckTest : public ::testing::Test {
 protected:
  Finished check(const std::vector<std::string>& more = {}) const {
    std::vector<std::string> words = {"schema", "check", "--dir", now_.path(), "--against", before_.path()};
    words.insert(words.end(), more.begin(), more.end());
    return run_cairn(words);
  }

  // The verdict on each file, in the order of the output.
  std::string verdicts(const std::vector<std::string>& more = {}) const {
    std::vector<std::string> words = more;
    words.emplace_back("--json");
    const Finished done = check(words);
    std::string text;
    const json output = json::parse(done.output, nullptr, false);
    if (!output.is_object()) return done.errors;
    for (const json& schema : output["schemas"]) {
      text += (text.empty() ? "" : " ") + schema["verdict"].get<std::string>();
    }
    EXPECT_EQ(done.exit_code, output["refused"] == 0 ? 0 : 1);
    return text;
  }

  SchemaFiles before_;
  SchemaFiles now_;
};

TEST_F(SchemaCheckTest, EachFileGetsItsVerdict) {
  before_.put("Order.avsc", order_1());
  before_.put("Same.avsc", record("Same", kId));
  before_.put("Bad.avsc", record("Bad", kId));
  now_.put("Order.avsc", order_2());
  now_.put("Same.avsc",
           R"( {"fields":[{"type":{"type":"string"},"name":"id"}],"name":"Same","type":"record"} )");
  now_.put("New.avsc", record("New", kId));
  now_.put("Bad.avsc", record("Bad", std::string(kId) + "," + kTotal));
  now_.put("Broken.avsc", R"({"type":"record","name":"Broken","fields":[{"name":"a","type":"strin"}]})");

  const Finished done = check({"--json"});
  EXPECT_EQ(done.exit_code, 1);
  const json schemas = json::parse(done.output)["schemas"];
  ASSERT_THAT(schemas, SizeIs(5));
  EXPECT_EQ(schemas[0]["subject"], "Bad");
  EXPECT_EQ(schemas[0]["verdict"], "incompatible");
  EXPECT_EQ(schemas[0]["version"], 1);
  EXPECT_EQ(schemas[0]["level"], "BACKWARD");
  EXPECT_EQ(schemas[0]["reasons"][0]["kind"], "READER_FIELD_MISSING_DEFAULT_VALUE");
  EXPECT_EQ(schemas[0]["reasons"][0]["path"], "/fields/1");
  EXPECT_EQ(schemas[1]["verdict"], "invalid");
  EXPECT_THAT(schemas[1]["reasons"][0]["path"].get<std::string>(), StartsWith("/fields/0"));
  EXPECT_THAT(schemas[1]["reasons"][0]["message"].get<std::string>(), HasSubstr("strin"));
  EXPECT_EQ(schemas[2]["verdict"], "new");
  EXPECT_EQ(schemas[3]["verdict"], "compatible");
  EXPECT_EQ(schemas[4]["verdict"], "unchanged");
  EXPECT_EQ(schemas[4]["version"], 1);
  EXPECT_EQ(schemas[4]["file"], now_.path_of("Same.avsc"));
}

TEST_F(SchemaCheckTest, TheTableListsVerdictsAndReasons) {
  before_.put("Order.avsc", order_1());
  now_.put("Order.avsc", order_2_without_default());
  const Finished no = check();
  EXPECT_EQ(no.exit_code, 1);
  EXPECT_THAT(no.output,
              AllOf(HasSubstr("SUBJECT"), HasSubstr("Order.avsc is incompatible with version 1 (BACKWARD)\n"),
                    HasSubstr("  /fields/1  READER_FIELD_MISSING_DEFAULT_VALUE: The field 'total'"),
                    HasSubstr("\n1 schema: 1 incompatible\n")));
  EXPECT_THAT(no.errors, IsEmpty());
  now_.put("Order.avsc", order_2());
  EXPECT_EQ(check().exit_code, 0);
}

TEST_F(SchemaCheckTest, GithubGetsAnAnnotationForEachRefusedFile) {
  before_.put("Order.avsc", order_1());
  before_.put("Same.avsc", record("Same", kId));
  now_.put("Order.avsc", R"({"type":"record","name":"Order","fields":[{"name":"id","type":"int"},)" +
                             std::string(kTotal) + "]}");
  now_.put("Same.avsc", record("Same", kId));
  now_.put("Gap/2.avsc", record("Gap", kId));
  const Finished no = check({"--format", "github"});
  EXPECT_EQ(no.exit_code, 1);
  EXPECT_THAT(no.output,
              HasSubstr("::error file=" + now_.path_of("Order.avsc") +
                        ",line=1,title=Order is incompatible with version 1 (BACKWARD)::/fields/0/type  "
                        "TYPE_MISMATCH: "));
  EXPECT_THAT(no.output, HasSubstr("%0A/fields/1  READER_FIELD_MISSING_DEFAULT_VALUE: "));
  EXPECT_THAT(no.output, HasSubstr("\nunchanged: Same ("));
  EXPECT_THAT(no.output, HasSubstr("\n::warning::"));
  EXPECT_THAT(no.output, HasSubstr("\n3 schemas: 1 new, 1 unchanged, 1 incompatible\n"));
}

TEST_F(SchemaCheckTest, TheLevelDecides) {
  before_.put("Order/1.avsc", order_2());
  before_.put("Order/2.avsc", order_1());
  now_.put("Order.avsc", order_2_without_default());  // does not read version 2, and reads version 1
  EXPECT_EQ(verdicts(), "incompatible");
  EXPECT_EQ(verdicts({"--level", "none"}), "compatible");
  EXPECT_EQ(verdicts({"--level", "FORWARD"}), "compatible");
  EXPECT_EQ(verdicts({"--level", "FULL"}), "incompatible");
  now_.put("Order.avsc",
           record("Order", R"({"name":"id","type":"string"},{"name":"total","type":"string","default":""})"));
  EXPECT_EQ(verdicts({"--level", "BACKWARD"}), "compatible");
  EXPECT_EQ(verdicts({"--level", "BACKWARD_TRANSITIVE"}), "incompatible");
  EXPECT_EQ(check({"--level", "SIDEWAYS"}).exit_code, 2);
}

TEST_F(SchemaCheckTest, VersionsOfAFolderAreComparedWithEachOther) {
  before_.put("Other.avsc", record("Other", kId));
  now_.put("Order/1.avsc", order_1());
  now_.put("Order/2.avsc", order_2());
  now_.put("Order/3.avsc", order_2_without_default());  // reads version 2 but not version 1
  now_.put("Order/4.avsc", record("Order", R"({"name":"id","type":"int"})"));
  EXPECT_EQ(verdicts(), "new compatible compatible incompatible");
  EXPECT_EQ(verdicts({"--level", "BACKWARD_TRANSITIVE"}), "new compatible incompatible incompatible");
  before_.put("Order.avsc", order_1());
  EXPECT_EQ(verdicts(), "unchanged compatible compatible incompatible");
  EXPECT_EQ(verdicts({"--level", "BACKWARD_TRANSITIVE"}), "unchanged compatible incompatible incompatible");
}

TEST_F(SchemaCheckTest, ARefusedVersionIsNotCompared) {
  before_.put("Order/1.avsc", order_1());
  now_.put("Order/1.avsc", order_1());
  now_.put("Order/2.avsc", record("Order", R"({"name":"id","type":"int"})"));
  now_.put("Order/3.avsc", order_2());
  EXPECT_EQ(verdicts(), "unchanged incompatible compatible");
}

TEST_F(SchemaCheckTest, AnUpcasterAllowsAnIncompatibleVersion) {
  before_.put("Order/1.avsc", order_1());
  now_.put("Order/1.avsc", order_1());
  now_.put("Order/2.avsc", order_2_without_default());
  now_.put("Order/3.avsc", record("Order", std::string(kId) + "," + kTotalOr0));
  EXPECT_EQ(verdicts(), "unchanged incompatible compatible");

  now_.put("Order/1-2.lua", upcaster("Order", 1, "data.total = 1"));
  EXPECT_EQ(verdicts(), "unchanged upcast compatible");
  const Finished table = check();
  EXPECT_EQ(table.exit_code, 0);
  EXPECT_THAT(
      table.output,
      AllOf(HasSubstr(
                "incompatible, but 1-2.lua brings events over (tried on history when it is registered)\n"),
            HasSubstr("3 schemas: 1 unchanged, 1 compatible, 1 upcast\n"), Not(HasSubstr("READER_FIELD"))));
  const json second = json::parse(check({"--json"}).output)["schemas"][1];
  EXPECT_EQ(second["version"], 1);
  EXPECT_EQ(second["reasons"][0]["kind"], "READER_FIELD_MISSING_DEFAULT_VALUE");
  EXPECT_EQ(second["upcaster"], json({{"file", now_.path_of("Order/1-2.lua")}, {"error", nullptr}}));
  EXPECT_THAT(check({"--format", "github"}).output,
              AllOf(HasSubstr("\nincompatible, but 1-2.lua brings events over"), Not(HasSubstr("::"))));
}

TEST_F(SchemaCheckTest, TheVersionAfterAnUpcasterIsCompared) {
  before_.put("Order/1.avsc", order_1());
  now_.put("Order/1.avsc", order_1());
  now_.put("Order/1-2.lua", upcaster("Order", 1, "data.id = 1"));
  now_.put("Order/2.avsc", record("Order", R"({"name":"id","type":"int"})"));
  now_.put("Order/3.avsc", record("Order", R"({"name":"id","type":"long"})"));
  EXPECT_EQ(verdicts(), "unchanged upcast compatible");
  now_.put("Order/3.avsc", order_1());
  EXPECT_EQ(verdicts(), "unchanged upcast unchanged");
  now_.put("Order/3.avsc", order_2());
  EXPECT_EQ(verdicts(), "unchanged upcast incompatible");
}

TEST_F(SchemaCheckTest, AnUpcasterThatDoesNotLoadIsRefused) {
  before_.put("Order/1.avsc", order_1());
  now_.put("Order/1.avsc", order_1());
  now_.put("Order/2.avsc", order_2_without_default());
  now_.put("Order/1-2.lua", kNoLua);
  const std::string script = now_.path_of("Order/1-2.lua");
  EXPECT_EQ(verdicts(), "unchanged incompatible");
  EXPECT_THAT(check().output, HasSubstr("\n" + script + " cannot be used\n  " + script + ":4: "));
  EXPECT_EQ(json::parse(check({"--json"}).output)["schemas"][1]["upcaster"]["error"]["line"], 4);
  EXPECT_THAT(check({"--format", "github"}).output,
              HasSubstr("\n::error file=" + script + ",line=4,title=1-2.lua of Order cannot be used::"));

  // Also where the schema needs none.
  now_.put("Order/2.avsc", order_2());
  EXPECT_EQ(verdicts(), "unchanged compatible");
  EXPECT_EQ(check().exit_code, 1);
  before_.put("Order/2.avsc", order_2());
  EXPECT_EQ(verdicts(), "unchanged unchanged");
  EXPECT_EQ(check().exit_code, 1);
}

TEST_F(SchemaCheckTest, AnUpcasterMustMatchItsFolderAndName) {
  before_.put("Order/1.avsc", order_1());
  now_.put("Order/1.avsc", order_1());
  now_.put("Order/2.avsc", order_2());
  for (const auto& [script, message] : std::vector<std::pair<std::string, std::string>>{
           {upcaster("Orders", 1, ""), R"(it is in the folder of Order, but has type = "Orders")"},
           {upcaster("Order", 2, ""), "its name means from = 1, to = 2, but the script has from = 2, to = 3"},
           {"return 1", "it does not end with: return upcaster"}}) {
    now_.put("Order/1-2.lua", script);
    const Finished no = check();
    EXPECT_EQ(no.exit_code, 1);
    EXPECT_THAT(no.output, HasSubstr("Order/1-2.lua: " + message));
    EXPECT_THAT(check({"--format", "github"}).output, HasSubstr("Order/1-2.lua,line=1,"));
  }
}

TEST_F(SchemaCheckTest, AnUpcasterNeedsASourceVersion) {
  before_.put("Other.avsc", record("Other", kId));
  now_.put("Order/2.avsc", order_1());
  now_.put("Order/1-2.lua", upcaster("Order", 1, ""));
  const Finished no = check();
  EXPECT_EQ(no.exit_code, 1);
  EXPECT_THAT(no.output, HasSubstr("it leads from version 1, but there is no version before "));
}

TEST_F(SchemaCheckTest, OneFileMayHaveAnUpcaster) {
  before_.put("Order.avsc", order_1());
  now_.put("new.avsc", order_2_without_default());
  now_.put("up.lua", upcaster("Order", 1, "data.total = 1"));
  const auto single = [&](const std::string& subject) {
    return run_cairn({"schema", "check", subject, now_.path_of("new.avsc"), "--upcaster",
                      now_.path_of("up.lua"), "--against", before_.path()});
  };
  EXPECT_EQ(single("Order").exit_code, 0) << single("Order").output;
  EXPECT_THAT(single("Order").output, HasSubstr("incompatible, but up.lua brings events over"));
  EXPECT_EQ(single("Other").exit_code, 1);
  EXPECT_EQ(check({"--upcaster", now_.path_of("up.lua")}).exit_code, 2);
}

TEST_F(SchemaCheckTest, ReferencesAreFoundInEitherFolder) {
  const std::string money =
      R"({"type":"record","name":"Money","namespace":"shop","fields":[{"name":"cents","type":"long"}]})";
  const std::string order = record("Order", R"({"name":"total","type":"shop.Money"})");
  before_.put("Money.avsc", money);
  before_.put("Order.avsc", order);
  before_.put("Order.refs.json", R"([{"name":"shop.Money","subject":"Money","version":1}])");
  now_.put("Order.avsc", order);
  now_.put("Order.refs.json", R"([{"name":"shop.Money","subject":"Money","version":1}])");
  EXPECT_EQ(verdicts(), "unchanged");

  // One that is new in the folder, and goes before what needs it.
  now_.put("AAA.avsc", record("AAA", R"({"name":"tax","type":"shop.Tax"})"));
  now_.put("AAA.refs.json", R"([{"name":"shop.Tax","subject":"Tax","version":1}])");
  now_.put("Tax.avsc", R"({"type":"enum","name":"Tax","namespace":"shop","symbols":["A"]})");
  EXPECT_EQ(verdicts(), "new new unchanged");

  // What a reference leads to is compared too.
  now_.put("Money.avsc",
           R"({"type":"record","name":"Money","namespace":"shop","fields":[{"name":"cents","type":"int"}]})");
  now_.put("Order.refs.json", R"([{"name":"shop.Money","subject":"Money"}])");
  EXPECT_EQ(verdicts(), "new new incompatible unchanged");
  EXPECT_EQ(verdicts({"--level", "NONE"}), "new new compatible compatible");

  now_.put("Order.refs.json", R"([{"name":"shop.Money","subject":"Nothing"}])");
  const Finished lost = check();
  EXPECT_THAT(lost.output, HasSubstr("the reference shop.Money leads nowhere: there is no subject Nothing"));
  EXPECT_EQ(lost.exit_code, 1);
  now_.put("Order.refs.json", R"([{"name":"shop.Money","subject":"Order"}])");
  EXPECT_THAT(check().errors, HasSubstr("in a cycle"));
}

TEST_F(SchemaCheckTest, OneFileCanBeChecked) {
  before_.put("Order.avsc", order_1());
  now_.put("anything.json", order_2_without_default());
  const Finished no =
      run_cairn({"schema", "check", "Order", now_.path_of("anything.json"), "--against", before_.path()});
  EXPECT_EQ(no.exit_code, 1) << no.errors;
  EXPECT_THAT(no.output, HasSubstr("incompatible with version 1"));
}

TEST_F(SchemaCheckTest, WrongInputIsReported) {
  before_.put("Order.avsc", order_1());
  EXPECT_THAT(check().errors, HasSubstr("holds no schemas"));
  EXPECT_EQ(check().exit_code, 2);
  now_.put("Order.avsc", order_1());
  const std::string file = now_.path_of("Order.avsc");
  for (const std::vector<std::string>& words : std::vector<std::vector<std::string>>{
           {},
           {"Order"},
           {"Order", "/nowhere.avsc", "--against", before_.path()},
           {"Order", now_.path(), "--against", before_.path()},
           {"Order", file, "--dir", now_.path()},
           {"--dir", "/nowhere", "--against", before_.path()},
           {"--dir", now_.path(), "--against", "/nowhere"},
           {"--dir", now_.path(), "--level", "FULL"},
           {"--dir", now_.path(), "--against", before_.path(), "--format", "xml"}}) {
    std::vector<std::string> all = {"schema", "check"};
    all.insert(all.end(), words.begin(), words.end());
    const Finished wrong = run_cairn(all);
    EXPECT_EQ(wrong.exit_code, 2) << ::testing::PrintToString(words);
    EXPECT_THAT(wrong.errors, Not(IsEmpty())) << ::testing::PrintToString(words);
    EXPECT_THAT(wrong.output, IsEmpty()) << ::testing::PrintToString(words);
  }
  before_.put("Order.avsc", R"({"type":"enum","name":"E"})");
  const Finished broken = check();
  EXPECT_EQ(broken.exit_code, 2);
  EXPECT_THAT(broken.errors, AllOf(HasSubstr("--against"), HasSubstr("Order.avsc: "), HasSubstr("symbols")));
}

TEST_F(SchemaCheckTest, AnUnreachableServerIsExitCodeThree) {
  now_.put("Order.avsc", order_1());
  const Finished lost = run_cairn({"schema", "check", "--dir", now_.path(), "--url", "http://127.0.0.1:1"});
  EXPECT_EQ(lost.exit_code, 3);
  EXPECT_THAT(lost.errors, HasSubstr("no server answers there"));
}

}  // namespace
}  // namespace cairn::test
