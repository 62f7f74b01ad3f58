// `cairn schema` with a real server.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/support/cairn_process.h"
#include "tests/tools/cli/schema/schema_files.h"
#include "tests/tools/running_server.h"

namespace cairn::test {
namespace {

using nlohmann::json;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class SchemaCommandsTest : public ::testing::Test {
 protected:
  Finished schema(std::vector<std::string> words) const {
    words.insert(words.begin(), "schema");
    words.insert(words.end(), {"--url", server_.url()});
    return run_cairn(words);
  }

  json parsed(const std::vector<std::string>& words, int exit_code = 0) const {
    std::vector<std::string> all = words;
    all.emplace_back("--json");
    const Finished done = schema(all);
    EXPECT_EQ(done.exit_code, exit_code) << done.errors;
    return json::parse(done.output, nullptr, false);
  }

  void register_all() const {
    const Finished done = schema({"register", "--dir", files_.path()});
    EXPECT_EQ(done.exit_code, 0) << done.output << done.errors;
  }

  std::string verdicts() const {
    const Finished done = schema({"check", "--dir", files_.path(), "--json"});
    const json output = json::parse(done.output, nullptr, false);
    if (!output.is_object()) return done.errors;
    EXPECT_EQ(done.exit_code, output["refused"] == 0 ? 0 : 1);
    std::string text;
    for (const json& entry : output["schemas"]) {
      text += (text.empty() ? "" : " ") + entry["verdict"].get<std::string>();
    }
    return text;
  }

  SchemaFiles files_;
  RunningServer server_;
};

TEST_F(SchemaCommandsTest, CheckedSchemasAreRegisteredAndThenUnchanged) {
  files_.put("Order/1.avsc", order_1());
  files_.put("Order/2.avsc", order_2());
  files_.put("Shipped.avsc", record("Shipped", kId));
  EXPECT_EQ(verdicts(), "new compatible new");
  const json done = parsed({"register", "--dir", files_.path()})["schemas"];
  ASSERT_EQ(done.size(), 3u);
  EXPECT_EQ(done[1]["subject"], "Order");
  EXPECT_EQ(done[1]["verdict"], "registered");
  EXPECT_EQ(done[1]["version"], 2);
  EXPECT_EQ(done[2]["version"], 1);
  EXPECT_EQ(verdicts(), "unchanged unchanged unchanged");
  EXPECT_EQ(parsed({"register", "--dir", files_.path()})["schemas"][1]["verdict"], "unchanged");
  EXPECT_EQ(parsed({"register", "--dir", files_.path()})["schemas"][1]["id"], done[1]["id"]);
}

TEST_F(SchemaCommandsTest, OneRefusedSchemaPreventsAllRegistrations) {
  files_.put("Order.avsc", order_1());
  register_all();
  files_.put("Order.avsc", order_2_without_default());
  files_.put("AAA.avsc", record("AAA", kId));
  EXPECT_EQ(verdicts(), "new incompatible");
  const Finished no = schema({"register", "--dir", files_.path()});
  EXPECT_EQ(no.exit_code, 1);
  EXPECT_THAT(no.output, HasSubstr("/fields/1  READER_FIELD_MISSING_DEFAULT_VALUE"));
  EXPECT_THAT(no.errors, HasSubstr("nothing was registered"));
  EXPECT_EQ(parsed({"list"})["subjects"].size(), 1u);

  const Finished single = schema({"register", "Order", files_.path_of("Order.avsc")});
  EXPECT_EQ(single.exit_code, 1);
  EXPECT_THAT(single.output, HasSubstr("incompatible with version 1 (BACKWARD)"));
}

// The server and the folder have to say the same.
TEST_F(SchemaCommandsTest, ServerAndFolderGiveTheSameVerdicts) {
  SchemaFiles before;
  before.put("Order/1.avsc", order_1());
  before.put("Order/2.avsc", order_2());
  before.put("Same.avsc", record("Same", kId));
  before.put("Enum.avsc", R"({"type":"enum","name":"Enum","symbols":["A","B"]})");
  before.put("Union.avsc", record("Union", R"({"name":"u","type":["null","string","long"]})"));
  ASSERT_EQ(schema({"register", "--dir", before.path()}).exit_code, 0);

  files_.put("Order.avsc", record("Order", R"({"name":"id","type":"int"},{"name":"x","type":"int"})"));
  files_.put("Same.avsc", "\n" + record("Same", kId));
  files_.put("Enum.avsc", R"({"type":"enum","name":"Enum2","symbols":["A"]})");
  files_.put("Union.avsc", record("Union", R"({"name":"u","type":["null","string"]})"));
  files_.put("New.avsc", record("New", kId));
  files_.put("Invalid.avsc", record("Invalid", R"({"name":"a","type":"int","default":"x"})"));
  for (const std::string level : {"BACKWARD", "FORWARD", "FULL_TRANSITIVE", "NONE"}) {
    ASSERT_EQ(schema({"config", "--global", level}).exit_code, 0);
    const json by_server = parsed({"check", "--dir", files_.path()}, 1);
    const Finished offline = run_cairn(
        {"schema", "check", "--dir", files_.path(), "--against", before.path(), "--level", level, "--json"});
    EXPECT_EQ(by_server, json::parse(offline.output)) << level;
  }
}

TEST_F(SchemaCommandsTest, ReferencesAreRegisteredFirst) {
  const std::string money =
      R"({"type":"record","name":"Money","namespace":"shop","fields":[{"name":"c","type":"long"}]})";
  files_.put("AOrder.avsc", record("AOrder", R"({"name":"total","type":"shop.Money"})"));
  files_.put("AOrder.refs.json", R"([{"name":"shop.Money","subject":"Money","version":1}])");
  files_.put("Money.avsc", money);
  EXPECT_EQ(verdicts(), "new new");
  register_all();
  EXPECT_EQ(verdicts(), "unchanged unchanged");
  const Finished shown = schema({"show", "AOrder"});
  EXPECT_THAT(shown.errors, HasSubstr("refers to shop.Money, version 1 of Money"));

  // One that the server does not know yet is part of the check.
  files_.put("Money.avsc",
             R"({"type":"record","name":"Money","namespace":"shop","fields":[{"name":"c","type":"long"},)"
             R"({"name":"currency","type":"string","default":"EUR"}]})");
  files_.put("AOrder.refs.json", R"([{"name":"shop.Money","subject":"Money"}])");
  EXPECT_EQ(verdicts(), "compatible compatible");
  register_all();
  EXPECT_EQ(parsed({"show", "AOrder"})["references"][0]["version"], 2);

  const std::string references =
      R"([{"name":"shop.Money","subject":"Money","version":2},{"name":"Tax","subject":"Tax","version":1}])";
  files_.put("Tax.avsc", R"({"type":"enum","name":"Tax","symbols":["LOW"]})");
  files_.put("AOrder.refs.json", references);
  files_.put("AOrder.avsc",
             record("AOrder", R"({"name":"total","type":"shop.Money"},{"name":"tax","type":"Tax"})"));
  EXPECT_EQ(verdicts(), "unchanged new incompatible");
  files_.put("AOrder.avsc", record("AOrder", R"({"name":"total","type":"shop.Money"},)"
                                             R"({"name":"tax","type":"Tax","default":"LOW"})"));
  EXPECT_EQ(verdicts(), "unchanged new compatible");
  register_all();
}

TEST_F(SchemaCommandsTest, SubjectsAreListedAndShown) {
  EXPECT_THAT(schema({"list"}).output, IsEmpty());
  files_.put("Order/1.avsc", order_1());
  files_.put("Order/2.avsc", order_2());
  files_.put("Shipped.avsc", record("Shipped", kId));
  register_all();
  ASSERT_EQ(schema({"config", "Shipped", "full"}).exit_code, 0);
  EXPECT_EQ(schema({"list"}).output,
            "SUBJECT  VERSIONS  LEVEL\nOrder    1, 2      BACKWARD\nShipped  1         FULL\n");
  EXPECT_EQ(parsed({"list"}),
            json::parse(R"({"subjects":[{"subject":"Order","versions":[1,2],"level":"BACKWARD"},
                                            {"subject":"Shipped","versions":[1],"level":"FULL"}]})"));

  const Finished shown = schema({"show", "Order", "1"});
  EXPECT_EQ(shown.exit_code, 0);
  EXPECT_EQ(json::parse(shown.output), json::parse(order_1()));
  EXPECT_THAT(shown.output, HasSubstr("{\n  \"type\": \"record\",\n"));
  EXPECT_THAT(shown.errors, HasSubstr("Order, version 1, id "));
  EXPECT_EQ(parsed({"show", "Order"})["version"], 2);

  const Finished no = schema({"show", "Order", "9"});
  EXPECT_EQ(no.exit_code, 1);
  EXPECT_THAT(no.errors, HasSubstr("there is no subject 'Order' with a version 9"));
  EXPECT_EQ(schema({"show", "Nothing"}).exit_code, 1);
  EXPECT_EQ(schema({"show", "Order", "first"}).exit_code, 2);
}

TEST_F(SchemaCommandsTest, LevelsAreShownAndSet) {
  EXPECT_EQ(schema({"config"}).output, "BACKWARD\n");
  EXPECT_EQ(schema({"config", "--global", "FORWARD"}).output, "FORWARD\n");
  EXPECT_THAT(schema({"config", "Order"}).output, HasSubstr("Order: FORWARD (as all"));
  EXPECT_EQ(schema({"config", "Order", "none"}).output, "Order: NONE\n");
  EXPECT_EQ(parsed({"config", "Order"}), json::parse(R"({"subject":"Order","level":"NONE","own":true})"));
  EXPECT_THAT(schema({"config", "Order", "DEFAULT"}).output, HasSubstr("Order: FORWARD (as all"));
  EXPECT_EQ(schema({"config", "Order", "SIDEWAYS"}).exit_code, 2);
  EXPECT_EQ(schema({"config", "Order", "--global", "FULL"}).exit_code, 2);
  EXPECT_THAT(schema({"config", "FULL"}).errors, HasSubstr("cairn schema config --global FULL"));
}

TEST_F(SchemaCommandsTest, DeletePrintsTheDeletedVersions) {
  files_.put("Order/1.avsc", order_1());
  files_.put("Order/2.avsc", order_2());
  register_all();
  EXPECT_EQ(schema({"delete", "Order", "--permanent"}).exit_code, 1);
  EXPECT_EQ(schema({"delete", "Order", "2"}).output, "Order: version 2 is deleted\n");
  EXPECT_EQ(parsed({"list"})["subjects"][0]["versions"], json({1}));
  EXPECT_EQ(parsed({"list", "--deleted"})["subjects"][0]["versions"], json({1, 2}));
  EXPECT_EQ(parsed({"delete", "Order"}),
            json::parse(R"({"subject":"Order","versions":[1],"permanent":false})"));
  EXPECT_EQ(schema({"delete", "Order", "--permanent"}).output,
            "Order: versions 1, 2 are deleted permanently\n");
  const Finished no = schema({"delete", "Order"});
  EXPECT_EQ(no.exit_code, 1);
  EXPECT_THAT(no.errors, HasSubstr("Subject 'Order' not found. (404 40401)"));
}

TEST_F(SchemaCommandsTest, SubjectNamesMayHaveAnyCharacter) {
  files_.put("a b%2F-ä?.avsc", record("Order", kId));
  register_all();
  EXPECT_EQ(verdicts(), "unchanged");
  EXPECT_EQ(parsed({"list"})["subjects"][0]["subject"], "a b%2F-ä?");
  EXPECT_EQ(schema({"show", "a b%2F-ä?"}).exit_code, 0);
}

}  // namespace
}  // namespace cairn::test
