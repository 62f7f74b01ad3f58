// /schemas, /compatibility, /config, /mode, and the paths of the whole registry.

#include <chrono>
#include <thread>

#include "tests/api/server/registry_fixture.h"

namespace cairn::test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class RegistrySchemasTest : public RegistryApiTest {
 protected:
  HttpAnswer test(const std::string& subject, const std::string& version, const std::string& text,
                  const std::string& query = "") {
    return send("/compatibility/subjects/" + subject + "/versions" + version + query, text);
  }
};

TEST_F(RegistrySchemasTest, SchemasByTheirIds) {
  registered("Order", order_schema());
  registered("Copy", order_schema());
  registered("Order", order_schema({"x"}));
  EXPECT_EQ(got("/schemas/ids/1"), Json({{"schema", order_schema()}}));
  EXPECT_EQ(got("/schemas/ids/1?subject=Copy"),
            Json({{"schema", order_schema()}, {"subject", "Copy"}, {"version", 1}}));
  EXPECT_EQ(got("/schemas/ids/1?subject=None"), Json({{"schema", order_schema()}}));
  EXPECT_EQ(got("/schemas/ids/1?fetchMaxId=true")["maxId"], 2);
  EXPECT_EQ(get("/schemas/ids/1/schema").body, order_schema());
  EXPECT_EQ(got("/schemas/ids/1/subjects"), Json({"Copy", "Order"}));
  EXPECT_EQ(got("/schemas/ids/1/subjects?subject=Copy"), Json::array({"Copy"}));
  EXPECT_EQ(got("/schemas/ids/1/versions"),
            Json({{{"subject", "Copy"}, {"version", 1}}, {{"subject", "Order"}, {"version", 1}}}));
  EXPECT_EQ(got("/schemas/ids/1/versions?limit=1&offset=1"),
            Json::array({{{"subject", "Order"}, {"version", 1}}}));
  remove("/subjects/Copy");
  EXPECT_EQ(got("/schemas/ids/1/subjects"), Json::array({"Order"}));
  EXPECT_EQ(got("/schemas/ids/1/subjects?deleted=true"), Json({"Copy", "Order"}));
}

TEST_F(RegistrySchemasTest, UnknownIds) {
  registered("Order", order_schema());
  for (const char* id : {"2", "0", "-1", "x", "99999999999"}) {
    for (const char* part : {"", "/schema", "/subjects", "/versions"}) {
      EXPECT_EQ(refused(get("/schemas/ids/" + std::string(id) + part), 40403),
                "Schema " + std::string(id) + " not found");
    }
  }
  refused(get("/schemas/guids/018f3c9e-7f4a-7c30-9a1b-000000000001"), 40403);
  refused(get("/schemas/guids/018f3c9e-7f4a-7c30-9a1b-000000000001/ids"), 40403);
}

TEST_F(RegistrySchemasTest, AllSchemas) {
  EXPECT_EQ(got("/schemas"), Json::array());
  EXPECT_EQ(got("/schemas/types"), Json::array({"AVRO"}));
  registered("b", R"("string")");
  registered("a", order_schema());
  registered("a", order_schema({"x"}));
  const auto named = [this](const std::string& query) {
    std::vector<std::string> names;
    for (const Json& one : got("/schemas" + query)) {
      names.push_back(one["subject"].get<std::string>() + std::to_string(one["version"].get<int>()));
    }
    return names;
  };
  EXPECT_THAT(named(""), ElementsAre("a1", "a2", "b1"));
  EXPECT_THAT(named("?latestOnly=true"), ElementsAre("a2", "b1"));
  EXPECT_THAT(named("?subjectPrefix=b"), ElementsAre("b1"));
  EXPECT_THAT(named("?subjectPrefix=:*:a"), ElementsAre("a1", "a2"));
  EXPECT_THAT(named("?offset=1&limit=1"), ElementsAre("a2"));
  remove("/subjects/a/versions/2");
  EXPECT_THAT(named("?latestOnly=true"), ElementsAre("a1", "b1"));
  EXPECT_THAT(named("?deleted=true"), ElementsAre("a1", "a2", "b1"));
}

TEST_F(RegistrySchemasTest, Compatibility) {
  EXPECT_EQ(test("Order", "/latest", order_schema()).body, R"({"is_compatible":true})")
      << "nothing to compare with";
  EXPECT_EQ(test("Order", "", order_schema()).body, R"({"is_compatible":true})");
  refused(test("Order", "/1", order_schema()), 40402);
  registered("Order", order_schema());
  for (const char* version : {"/1", "/latest", "/-1", "", "/"}) {
    EXPECT_EQ(test("Order", version, order_schema({"x"})).body, R"({"is_compatible":true})") << version;
    EXPECT_EQ(test("Order", version, incompatible_schema_text()).body, R"({"is_compatible":false})")
        << version;
    EXPECT_EQ(test("Order", version, order_schema({"x"}), "?verbose=true").body,
              R"({"is_compatible":true,"messages":[]})");
    const Json verdict =
        answered(test("Order", version, incompatible_schema_text(), "?verbose=true&normalize=false"));
    EXPECT_EQ(verdict["is_compatible"], false);
    EXPECT_EQ(verdict["messages"][0],
              "{errorType:'READER_FIELD_MISSING_DEFAULT_VALUE', description:'The field 'must' at path "
              "'/fields/1' in the "
              "new schema has no default value and is missing in the old schema', additionalInfo:'must'}");
    EXPECT_EQ(verdict["messages"][1], "{oldSchemaVersion: 1}");
    refused(test("Order", version, "{"), 42201);
    const Json invalid = answered(test("Order", version, "{", "?verbose=true"));
    EXPECT_EQ(invalid["is_compatible"], false);
    EXPECT_EQ(invalid["messages"].size(), 1u);
  }
  refused(test("Order", "/2", order_schema()), 40402);
  refused(test("Order", "/abc", order_schema()), 42202);
  EXPECT_EQ(got("/subjects/Order/versions"), Json::array({1})) << "tests store nothing";
}

TEST_F(RegistrySchemasTest, ConfigHasLevelInGetAndCompatibilityInPut) {
  EXPECT_EQ(get("/config").body, R"({"compatibilityLevel":"BACKWARD"})");
  EXPECT_EQ(get("/config/").body, R"({"compatibilityLevel":"BACKWARD"})");
  EXPECT_EQ(put("/config", R"({"compatibility":"full_transitive"})").body,
            R"({"compatibility":"FULL_TRANSITIVE"})");
  EXPECT_EQ(get("/config").body, R"({"compatibilityLevel":"FULL_TRANSITIVE"})");
  EXPECT_EQ(refused(get("/config/Order"), 40408),
            "Subject 'Order' does not have subject-level compatibility configured");
  EXPECT_EQ(get("/config/Order?defaultToGlobal=true").body, R"({"compatibilityLevel":"FULL_TRANSITIVE"})");
  EXPECT_EQ(put("/config/Order", R"({"compatibility":"NONE","alias":"x"})").body,
            R"({"compatibility":"NONE"})");
  EXPECT_EQ(get("/config/Order").body, R"({"compatibilityLevel":"NONE"})");
  EXPECT_EQ(put("/config/Order", R"({"normalize":true})").body, R"({"normalize":true})");
  EXPECT_EQ(got("/config/Order"), Json({{"compatibilityLevel", "NONE"}, {"normalize", true}}));
  EXPECT_EQ(answered(remove("/config/Order"))["compatibilityLevel"], "NONE");
  refused(remove("/config/Order"), 40401);
  EXPECT_EQ(remove("/config").body, R"({"compatibilityLevel":"FULL_TRANSITIVE"})");
  EXPECT_EQ(get("/config").body, R"({"compatibilityLevel":"BACKWARD"})");
}

TEST_F(RegistrySchemasTest, UnknownLevels) {
  for (const char* body : {R"({"compatibility":"SOMEWHAT"})", "{}", R"({"compatibility":null})"}) {
    EXPECT_EQ(
        refused(put("/config", body), 42203),
        "Invalid compatibility level. Valid values are none, backward, forward, full, backward_transitive, "
        "forward_transitive, and full_transitive");
    refused(put("/config/Order", body), 42203);
  }
  refused(put("/config", R"({"compatibility":1})"), 422);
  refused(put("/config", "{"), 400);
  refused(put("/config/__GLOBAL", R"({"compatibility":"FULL"})"), 42208);
}

TEST_F(RegistrySchemasTest, Modes) {
  EXPECT_EQ(get("/mode").body, R"({"mode":"READWRITE"})");
  EXPECT_EQ(refused(get("/mode/Order"), 40409),
            "Subject 'Order' does not have subject-level mode configured");
  EXPECT_EQ(get("/mode/Order?defaultToGlobal=true").body, R"({"mode":"READWRITE"})");
  registered("Order", order_schema());
  EXPECT_EQ(put("/mode/Order", R"({"mode":"readonly"})").body, R"({"mode":"READONLY"})");
  EXPECT_EQ(get("/mode/Order").body, R"({"mode":"READONLY"})");
  refused(register_schema("Order", order_schema({"x"})), 42205);
  refused(remove("/subjects/Order"), 42205);
  refused(remove("/subjects/Order/versions/1"), 42205);
  EXPECT_EQ(remove("/mode/Order").body, R"({"mode":"READONLY"})");
  refused(remove("/mode/Order"), 40401);
  EXPECT_EQ(refused(put("/mode", R"({"mode":"SLEEP"})"), 42204),
            "Invalid mode. Valid values are READWRITE, READONLY, IMPORT and FORWARD.");
  refused(put("/mode", "{}"), 42204);
  refused(put("/mode", R"({"mode":"IMPORT"})"), 42205);
  EXPECT_EQ(put("/mode?force=true", R"({"mode":"IMPORT"})").body, R"({"mode":"IMPORT"})");
  EXPECT_EQ(registered("New", R"("string")", {{"id", 40}, {"version", 1}}), 40);
  refused(register_schema("New", R"("bytes")", {{"id", 40}}), 42205);
  refused(register_schema("New", R"("string")", {{"id", 41}}), 42207);
  refused(register_schema("New", R"("bytes")", {{"id", 42}, {"version", 7}}), 42201);
  EXPECT_EQ(remove("/mode").body, R"({"mode":"IMPORT"})");
  EXPECT_EQ(registered("New", R"("bytes")"), 41);
}

TEST_F(RegistrySchemasTest, PathsOfTheWholeRegistry) {
  EXPECT_EQ(get("/").body, "{}");
  EXPECT_EQ(get("/").header("Content-Type"), kRegistryType);
  EXPECT_EQ(got("/contexts"), Json::array({"."}));
  EXPECT_TRUE(got("/v1/metadata/id")["scope"]["clusters"].contains("schema-registry-cluster"));
  EXPECT_FALSE(got("/v1/metadata/version").value("version", "").empty());
  EXPECT_EQ(remove("/contexts/.ctx").status, 204);
  EXPECT_EQ(remove("/contexts/.").status, 204);
  registered("Order", order_schema());
  refused(remove("/contexts/."), 42211);
}

TEST_F(RegistrySchemasTest, CountsAreMetrics) {
  registered("Order", order_schema());
  registered("Copy", order_schema());
  registered("Gone", R"("string")");
  remove("/subjects/Gone");
  const std::string metrics = get("/metrics").body;
  EXPECT_THAT(metrics, HasSubstr("\ncairn_schemas 2\n"));
  EXPECT_THAT(metrics, HasSubstr("\ncairn_subjects 2\n"));
}

// Concurrent registrations of the same schemas: each schema has one id.
TEST_F(RegistrySchemasTest, ConcurrentRegistrationsGetOneId) {
  constexpr int kClients = 8;
  std::vector<std::vector<int>> ids(kClients, std::vector<int>(20));
  std::vector<std::thread> threads;
  for (int c = 0; c < kClients; ++c) {
    threads.emplace_back([this, c, &ids] {
      ApiClient own = new_client();
      for (int i = 0; i < 20; ++i) {
        const int n = (i + c * 3) % 20;
        const std::string text = R"({"type":"enum","name":"E)" + std::to_string(n) + R"(","symbols":["A"]})";
        const HttpAnswer answer =
            own.post("/subjects/S" + std::to_string(n) + "/versions", schema_body(text));
        ids[c][n] = answer.json().value("id", 0);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const auto& seen : ids) EXPECT_EQ(seen, ids[0]);
  EXPECT_EQ(got("/schemas").size(), 20u);
}

}  // namespace
}  // namespace cairn::test
