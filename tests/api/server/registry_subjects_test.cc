// /subjects: registering, looking up, listing, deleting.

#include "tests/api/server/registry_fixture.h"

namespace cairn::test {
namespace {

using ::testing::HasSubstr;

class RegistrySubjectsTest : public RegistryApiTest {};

TEST_F(RegistrySubjectsTest, ASchemaIsRegisteredAndFound) {
  const HttpAnswer answer = register_schema("Order", order_schema());
  EXPECT_EQ(answer.body, R"({"id":1})");
  EXPECT_EQ(answer.header("Content-Type"), kRegistryType);
  const Json version = {{"subject", "Order"}, {"version", 1}, {"id", 1}, {"schema", order_schema()}};
  EXPECT_EQ(got("/subjects/Order/versions/1"), version);
  EXPECT_EQ(got("/subjects/Order/versions/latest"), version);
  EXPECT_EQ(got("/subjects/Order/versions/LATEST"), version);
  EXPECT_EQ(got("/subjects/Order/versions/%20latest%20"), version);
  EXPECT_EQ(got("/subjects/Order/versions/-1"), version);
  EXPECT_EQ(answered(look_up("Order", order_schema())), version);
  EXPECT_EQ(get("/subjects/Order/versions/1/schema").body, order_schema()) << "not quoted";
  EXPECT_EQ(get("/subjects/Order/versions/latest/schema").body, order_schema());
}

TEST_F(RegistrySubjectsTest, VersionsAndSubjectsAreListed) {
  EXPECT_EQ(got("/subjects"), Json::array());
  registered("b", R"("string")");
  registered("a", order_schema());
  registered("a", order_schema({"x"}));
  EXPECT_EQ(got("/subjects"), Json({"a", "b"}));
  EXPECT_EQ(got("/subjects/a/versions"), Json({1, 2}));
  EXPECT_EQ(got("/subjects?subjectPrefix=b"), Json::array({"b"}));
  EXPECT_EQ(got("/subjects?subjectPrefix=:*:"), Json({"a", "b"}));
  EXPECT_EQ(got("/subjects?subjectPrefix=:.:a"), Json::array({"a"}));
  EXPECT_EQ(got("/subjects?offset=1"), Json::array({"b"}));
  EXPECT_EQ(got("/subjects?limit=1"), Json::array({"a"}));
  EXPECT_EQ(got("/subjects?limit=-1"), Json({"a", "b"}));
  EXPECT_EQ(got("/subjects?offset=7"), Json::array());
  EXPECT_EQ(got("/subjects/a/versions?offset=1&limit=1"), Json::array({2}));
  refused(get("/subjects/none/versions"), 40401);
}

TEST_F(RegistrySubjectsTest, NumbersThatAreNotVersionsAreRefused) {
  registered("Order", order_schema());
  for (const char* version : {"0", "-2", "abc", "99999999999", "2147483648", "1.0", "+1", "%201x"}) {
    const std::string message = refused(get(std::string("/subjects/Order/versions/") + version), 42202);
    EXPECT_THAT(message,
                HasSubstr("is not a valid version id. Allowed values are between [1, 2^31-1] and the string "
                          "\"latest\""));
    refused(get(std::string("/subjects/Order/versions/") + version + "/schema"), 42202);
    refused(remove(std::string("/subjects/Order/versions/") + version), 42202);
  }
  EXPECT_EQ(refused(get("/subjects/Order/versions/2"), 40402), "Version 2 not found.");
  EXPECT_EQ(refused(get("/subjects/None/versions/1"), 40401), "Subject 'None' not found.");
  refused(get("/subjects/None/versions/latest"), 40401);
}

TEST_F(RegistrySubjectsTest, RefusalsOfRegistering) {
  registered("Order", order_schema());
  EXPECT_THAT(
      refused(register_schema("Order", incompatible_schema_text()), 409),
      HasSubstr(
          "Schema being registered is incompatible with an earlier schema for subject \"Order\", details: "
          "[{errorType:'READER_FIELD_MISSING_DEFAULT_VALUE'"));
  refused(register_schema("New", "{"), 42201);
  refused(register_schema("New", ""), 42201);
  refused(register_schema("New", order_schema(), {{"schemaType", "JSON"}}), 42201);
  refused(register_schema("New", order_schema(), {{"schemaType", "PROTOBUF"}}), 42201);
  refused(register_schema("New", order_schema(), {{"id", 5}}), 42205);
  refused(register_schema("New", order_schema(), {{"version", 1}}), 42205);
  refused(register_schema("__GLOBAL", order_schema()), 42208);
  refused(register_schema("__EMPTY", order_schema()), 42208);
  refused(register_schema("a%0Ab", order_schema()), 42208);
  refused(register_schema("%FF", order_schema()), 42208);
  EXPECT_EQ(got("/subjects"), Json::array({"Order"}));
}

TEST_F(RegistrySubjectsTest, UnknownMembersOfNewerClientsAreIgnored) {
  EXPECT_EQ(registered("Order", order_schema(),
                       {{"schemaType", "AVRO"},
                        {"references", Json::array()},
                        {"metadata", {{"properties", {{"owner", "me"}}}}},
                        {"ruleSet", nullptr},
                        {"schemaTagsToAdd", Json::array()},
                        {"propagateSchemaTags", false},
                        {"id", nullptr},
                        {"version", nullptr},
                        {"something", {1, 2}}}),
            1);
  EXPECT_EQ(registered("Order", order_schema(), {{"id", -1}, {"version", 0}, {"schemaType", nullptr}}), 1);
  EXPECT_EQ(got("/subjects/Order/versions/1").size(), 4u)
      << "and nothing is sent that older ones do not know";
}

TEST_F(RegistrySubjectsTest, InvalidBodies) {
  const std::string path = "/subjects/Order/versions";
  refused(client().post(path, "{", kRegistryType), 400);
  refused(client().post(path, "", kRegistryType), 422);
  refused(client().post(path, "[]", kRegistryType), 422);
  refused(client().post(path, R"("x")", kRegistryType), 422);
  refused(client().post(path, R"({"schema":{"type":"string"}})", kRegistryType), 422);
  refused(client().post(path, R"({"schema":"\"string\"","references":{}})", kRegistryType), 422);
  refused(client().post(path, R"({"schema":"\"string\"","references":[1]})", kRegistryType), 422);
  refused(client().post(path, R"({"schema":"\"string\"","references":[{"name":"a"}]})", kRegistryType),
          42201);
  refused(client().post(path, R"({"schema":"\"string\"","id":"x"})", kRegistryType), 422);
  refused(client().post(path, R"({"schema":"\"string\"","id":1.5})", kRegistryType), 422);
  refused(client().post(path, R"({"schema":"\"string\"","version":99999999999})", kRegistryType), 422);
  refused(client().post(path, "{\"schema\":\"\xff\"}", kRegistryType), 400);
  refused(client().post(path, schema_body(order_schema()), "text/plain"), 415);
  refused(client().post(path, schema_body(order_schema()), "application/x-www-form-urlencoded"), 415);
  EXPECT_EQ(got("/subjects"), Json::array());
}

TEST_F(RegistrySubjectsTest, ContentTypesOfAllClientsAreAccepted) {
  for (const char* type : {"application/vnd.schemaregistry.v1+json", "application/vnd.schemaregistry+json",
                           "application/json", "application/octet-stream", "application/json; charset=utf-8",
                           "Application/JSON", "application/vnd.schemaregistry.v1+json;charset=UTF-8"}) {
    EXPECT_EQ(client().post("/subjects/Order/versions", schema_body(order_schema()), type).status, 200)
        << type;
  }
}

TEST_F(RegistrySubjectsTest, AnswersHaveTheContentTypeOfAccept) {
  registered("Order", order_schema());
  const auto type_for = [this](const std::string& accept, const std::string& path) {
    return get(path, {{"Accept", accept}}).header("Content-Type");
  };
  for (const char* path : {"/subjects", "/subjects/None/versions"}) {
    EXPECT_EQ(type_for("application/json", path), "application/json");
    EXPECT_EQ(type_for("application/vnd.schemaregistry+json", path), "application/vnd.schemaregistry+json");
    EXPECT_EQ(type_for("*/*", path), kRegistryType);
    EXPECT_EQ(type_for("text/html", path), kRegistryType);
    EXPECT_EQ(type_for("application/vnd.schemaregistry.v1+json, application/vnd.schemaregistry+json; q=0.9, "
                       "application/json; q=0.5",
                       path),
              kRegistryType);
  }
}

TEST_F(RegistrySubjectsTest, NamesAreDecodedOnceAndTrailingSlashesIgnored) {
  EXPECT_EQ(registered("a%2Fb%20c%3Ad%25", order_schema()), 1);
  EXPECT_EQ(got("/subjects"), Json::array({"a/b c:d%"}));
  EXPECT_EQ(got("/subjects/a%2Fb%20c%3Ad%25/versions/"), Json::array({1}));
  EXPECT_EQ(got("/subjects/a%2Fb%20c:d%25/versions/1/")["subject"], "a/b c:d%");
  EXPECT_EQ(got("/subjects/"), got("/subjects"));
  EXPECT_EQ(registered("%3A.%3Aplain", order_schema()), 1) << "the default context";
  EXPECT_EQ(got("/subjects/plain/versions"), Json::array({1}));
}

TEST_F(RegistrySubjectsTest, LookupNamesWhatIsMissing) {
  EXPECT_EQ(refused(look_up("Order", order_schema()), 40401), "Subject 'Order' not found.");
  registered("Order", order_schema());
  EXPECT_EQ(refused(look_up("Order", order_schema({"x"})), 40403), "Schema not found");
  refused(look_up("Order", "{"), 42201);
  remove("/subjects/Order/versions/1");
  refused(look_up("Order", order_schema()), 40401);
  EXPECT_EQ(answered(look_up("Order", order_schema(), "?deleted=true"))["version"], 1);
  EXPECT_EQ(answered(look_up("Order", order_schema(), "?deleted=TRUE"))["version"], 1);
  refused(look_up("Order", order_schema(), "?deleted=1"), 40401);
}

TEST_F(RegistrySubjectsTest, NormalizeIgnoresTheOrderOfAttributes) {
  registered("R", R"({"type":"record","name":"R","b":1,"a":2,"fields":[]})");
  const std::string other = R"({"type":"record","name":"R","a":2,"b":1,"fields":[]})";
  refused(look_up("R", other), 40403);
  EXPECT_EQ(answered(look_up("R", other, "?normalize=true"))["id"], 1);
  EXPECT_EQ(answered(send("/subjects/S/versions?normalize=true", other))["id"],
            answered(send("/subjects/S/versions?normalize=true",
                          R"({"type":"record","name":"R","b":1,"a":2,"fields":[]})"))["id"]);
}

TEST_F(RegistrySubjectsTest, DeletesOfVersions) {
  registered("Order", order_schema());
  registered("Order", order_schema({"x"}));
  registered("Order", order_schema({"x", "y"}));
  EXPECT_EQ(remove("/subjects/Order/versions/1").body, "1") << "a bare number";
  refused(remove("/subjects/Order/versions/1"), 40406);
  EXPECT_EQ(refused(remove("/subjects/Order/versions/2?permanent=true"), 40407),
            "Subject 'Order' Version 2 was not deleted first before being permanently deleted");
  EXPECT_EQ(remove("/subjects/Order/versions/latest").body, "3");
  EXPECT_EQ(got("/subjects/Order/versions"), Json::array({2}));
  EXPECT_EQ(got("/subjects/Order/versions?deleted=true"), Json({1, 2, 3}));
  EXPECT_EQ(got("/subjects/Order/versions?deletedOnly=true"), Json({1, 3}));
  EXPECT_EQ(got("/subjects/Order/versions?deleted=true&deletedAsNegative=true"), Json({-1, 2, -3}));
  refused(get("/subjects/Order/versions/1"), 40402);
  EXPECT_EQ(got("/subjects/Order/versions/1?deleted=true")["id"], 1);
  EXPECT_EQ(got("/schemas/ids/1")["schema"], order_schema()) << "old data must stay readable";
  EXPECT_EQ(remove("/subjects/Order/versions/1?permanent=true").body, "1");
  refused(remove("/subjects/Order/versions/1?permanent=true"), 40402);
  refused(get("/schemas/ids/1"), 40403);
  refused(remove("/subjects/None/versions/1"), 40401);
}

TEST_F(RegistrySubjectsTest, DeletesOfSubjects) {
  refused(remove("/subjects/Order"), 40401);
  registered("Order", order_schema());
  registered("Order", order_schema({"x"}));
  refused(remove("/subjects/Order?permanent=true"), 40405);
  EXPECT_EQ(remove("/subjects/Order").body, "[1,2]");
  EXPECT_EQ(refused(remove("/subjects/Order"), 40404),
            "Subject 'Order' was soft deleted.Set permanent=true to delete permanently");
  EXPECT_EQ(got("/subjects"), Json::array());
  EXPECT_EQ(got("/subjects?deleted=true"), Json::array({"Order"}));
  EXPECT_EQ(got("/subjects?deletedOnly=true"), Json::array({"Order"}));
  refused(get("/subjects/Order/versions"), 40401);
  EXPECT_EQ(got("/subjects/Order/versions?deleted=true"), Json({1, 2}));
  EXPECT_EQ(registered("Order", order_schema()), 1);
  EXPECT_EQ(got("/subjects/Order/versions"), Json::array({3})) << "the count goes on";
  EXPECT_EQ(remove("/subjects/Order").body, "[3]");
  EXPECT_EQ(remove("/subjects/Order?permanent=true").body, "[2,3]");
  EXPECT_EQ(registered("Order", order_schema()), 3);
  EXPECT_EQ(got("/subjects/Order/versions"), Json::array({1})) << "it begins again";
}

TEST_F(RegistrySubjectsTest, References) {
  const std::string money = R"({"type":"record","name":"Money","namespace":"shop","fields":[]})";
  const std::string line =
      R"({"type":"record","name":"Line","namespace":"shop","fields":[{"name":"m","type":"Money"}]})";
  registered("Money", money);
  refused(register_schema("Line", line), 42201);
  EXPECT_THAT(
      refused(register_schema("Line", line, {{"references", {reference("shop.Money", "Money", 9)}}}), 42201),
      HasSubstr("No schema reference found for subject"));
  EXPECT_EQ(registered("Line", line, {{"references", {reference("shop.Money", "Money", -1)}}}), 2);
  const Json stored = {reference("shop.Money", "Money", 1)};
  EXPECT_EQ(got("/subjects/Line/versions/1")["references"], stored);
  EXPECT_EQ(got("/schemas/ids/2")["references"], stored);
  EXPECT_FALSE(got("/schemas/ids/1").contains("references"));
  EXPECT_EQ(got("/subjects/Money/versions/1/referencedby"), Json::array({2}));
  EXPECT_EQ(got("/subjects/Line/versions/latest/referencedby"), Json::array());
  refused(get("/subjects/None/versions/1/referencedby"), 40401);
  refused(get("/subjects/Money/versions/2/referencedby"), 40402);
  refused(get("/subjects/Money/versions/x/referencedby"), 42202);
  EXPECT_EQ(refused(remove("/subjects/Money/versions/1"), 42206),
            "One or more references exist to the schema {magic=1,keytype=SCHEMA,subject=Money,version=1}.");
  refused(remove("/subjects/Money"), 42206);
  EXPECT_EQ(remove("/subjects/Line").body, "[1]");
  EXPECT_EQ(got("/subjects/Money/versions/1/referencedby"), Json::array());
  EXPECT_EQ(got("/subjects/Money/versions/1/referencedby?deleted=true"), Json::array({2}));
}

TEST_F(RegistrySubjectsTest, SchemasSurviveACrash) {
  registered("Order", order_schema());
  registered("Order", order_schema({"x"}));
  put("/config/Order", R"({"compatibility":"FULL"})");
  remove("/subjects/Order/versions/1");
  restart();
  EXPECT_EQ(got("/subjects/Order/versions"), Json::array({2}));
  EXPECT_EQ(got("/config/Order")["compatibilityLevel"], "FULL");
  EXPECT_EQ(registered("Order", order_schema({"x"})), 2);
  EXPECT_EQ(registered("Order", order_schema({"x", "y"})), 3);
}

TEST_F(RegistrySubjectsTest, UnknownPaths) {
  for (const char* path : {"/subjects/a/metadata", "/subjects/a/versions/1/tags", "/schemas/x", "/mode/a/b",
                           "/compatibility/x", "/v1/metadata", "/subjects//versions"}) {
    SCOPED_TRACE(path);
    refused(get(path), 404);
  }
  refused(client().put("/subjects", "{}"), 405);
  refused(remove("/subjects"), 405);
  refused(client().post("/subjects/a/versions/1/tags", "{}"), 404);
}

}  // namespace
}  // namespace cairn::test
