// Events whose type has a schema: validated, stored as Avro, read as JSON.

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/api/server/api_fixture.h"
#include "tests/api/server/sse_client.h"

namespace cairn::test {
namespace {

using namespace std::string_literals;

constexpr std::string_view kPlaced = R"({"type":"record","name":"Placed","fields":[
  {"name":"order","type":"string"},{"name":"cents","type":"long"},
  {"name":"note","type":["null","string"],"default":null},{"name":"raw","type":"bytes","default":""}]})";
constexpr std::string_view kPlacedWithCurrency = R"({"type":"record","name":"Placed","fields":[
  {"name":"order","type":"string"},{"name":"cents","type":"long"},
  {"name":"note","type":["null","string"],"default":null},{"name":"raw","type":"bytes","default":""},
  {"name":"currency","type":"string","default":"EUR"}]})";

class SchemaAppendTest : public ApiTest {
 protected:
  void SetUp() override {
    serve({});  // schemas are required by default
    ASSERT_EQ(register_schema("Placed", kPlaced), 1);
  }

  // The schema's id.
  int register_schema(const std::string& subject, std::string_view text) {
    const Json body = {{"schema", text}};
    const HttpAnswer answer = post("/subjects/" + subject + "/versions", body.dump());
    EXPECT_EQ(answer.status, 200) << answer.body;
    return answer.json().value("id", -1);
  }

  static std::string placed(std::string_view data, std::string_view id = "") {
    return event_text("Placed", std::string(data), std::string(id));
  }

  // The server's text, so that digits are compared.
  std::string data_of(const std::string& stream, int version, const std::string& shape = "latest") {
    const std::string body =
        get("/streams/" + stream + "/events?limit=1&from=" + std::to_string(version) + "&shape=" + shape)
            .body;
    const auto begin = body.find("\"data\":") + 7;
    return body.substr(begin, body.find(",\"metadata\"") - begin);
  }

  HttpAnswer append_framed(const std::string& query, const std::string& bytes) {
    return post("/streams/a-1/events?" + query, bytes, "application/vnd.confluent.avro");
  }

  std::uint64_t version_of(const std::string& stream) {
    return get("/streams/" + stream).json().value("version", 0u);
  }
};

TEST_F(SchemaAppendTest, DataIsReadWithDefaultsAndAllDigits) {
  ASSERT_EQ(append("a-1", {placed(R"({"cents":9223372036854775807,"order":"é\n","raw":"\u00ff"})")}).status,
            201);
  EXPECT_EQ(data_of("a-1", 1), R"({"order":"é\n","cents":9223372036854775807,"note":null,"raw":"ÿ"})");
  const Json event = get("/streams/a-1/events").json()["events"][0];
  EXPECT_EQ(event["schemaId"], 1);
  EXPECT_EQ(event["schemaVersion"], 1);
  EXPECT_EQ(event["storedSchemaVersion"], 1);
}

TEST_F(SchemaAppendTest, EveryFormOfReadReturnsJson) {
  ASSERT_EQ(append("a-1", {placed(R"({"order":"7","cents":5})")}).status, 201);
  const Json wanted = {{"order", "7"}, {"cents", 5}, {"note", nullptr}, {"raw", ""}};
  EXPECT_EQ(get("/events?type=Placed").json()["events"][0]["data"], wanted);
  const std::string line = get("/streams/a-1/events", {{"Accept", "application/x-ndjson"}}).body;
  EXPECT_EQ(Json::parse(line)["data"], wanted);
  SseClient follower(port(), "/events?type=Placed");
  const auto event = follower.next();
  ASSERT_TRUE(event.has_value());
  EXPECT_EQ(Json::parse(event->data)["data"], wanted);
}

TEST_F(SchemaAppendTest, InvalidDataIsNamedByPathAndNotStored) {
  const std::uint64_t before = head();
  const Json told = problem(append("a-1", {placed(R"({"order":"7","cents":5})"),
                                           placed(R"({"order":7,"cents":1.5,"note":[],"color":"red"})"),
                                           placed(R"({"order":"8"})")}),
                            422, "invalid-data");
  const Json wanted = Json::array({
      {{"event", 1}, {"path", "/order"}, {"expected", "string"}, {"found", "7"}},
      {{"event", 1}, {"path", "/cents"}, {"expected", "long"}, {"found", "1.5"}},
      {{"event", 1}, {"path", "/note"}, {"expected", "one of null, string"}, {"found", "[]"}},
      {{"event", 1}, {"path", "/color"}, {"expected", "no such field in Placed"}, {"found", "\"red\""}},
      {{"event", 2}, {"path", "/cents"}, {"expected", "long"}, {"found", "nothing"}},
  });
  EXPECT_EQ(told["errors"], wanted);
  EXPECT_EQ(head(), before);
}

TEST_F(SchemaAppendTest, EventsAreNumberedAcrossStreams) {
  const Json told =
      problem(append_all({R"({"stream":"a-1","events":[)" + placed(R"({"order":"7","cents":5})") + "]}",
                          R"({"stream":"b-1","events":[)" + placed(R"({"order":"7"})") + "]}"}),
              422, "invalid-data");
  EXPECT_EQ(told["errors"][0]["event"], 1);
  EXPECT_EQ(get("/streams/a-1").status, 404) << "all or nothing";
}

TEST_F(SchemaAppendTest, AVersionMayBeNamed) {
  ASSERT_EQ(register_schema("Placed", kPlacedWithCurrency), 2);
  ASSERT_EQ(append("a-1", {placed(R"({"order":"1","cents":1})")}).status, 201);
  EXPECT_EQ(data_of("a-1", 1), R"({"order":"1","cents":1,"note":null,"raw":"","currency":"EUR"})")
      << "the newest";
  const std::string old = R"({"type":"Placed","schemaVersion":1,"data":{"order":"2","cents":2}})";
  ASSERT_EQ(append("a-1", {old}).status, 201);
  EXPECT_EQ(data_of("a-1", 2, "stored"), R"({"order":"2","cents":2,"note":null,"raw":""})");
  EXPECT_EQ(data_of("a-1", 2), R"({"order":"2","cents":2,"note":null,"raw":"","currency":"EUR"})")
      << "read as the newest";
  const std::string none = R"({"type":"Placed","schemaVersion":3,"data":{"order":"2","cents":2}})";
  const Json told = problem(append("a-1", {none}), 422, "unknown-type");
  EXPECT_EQ(told["errors"][0]["expected"], "version 3 of a registered schema");
}

TEST_F(SchemaAppendTest, ATypeWithoutSchemaIsRefusedUnlessSchemasAreOptional) {
  problem(append("a-1", {event_text("Other")}), 422, "unknown-type");
  EXPECT_EQ(stop_server().exit_code, 0);
  serve({"--schemas", "optional"});
  EXPECT_EQ(append("a-1", {event_text("Other", R"({"any":[1]})")}).status, 201);
  EXPECT_EQ(data_of("a-1", 1), R"({"any":[1]})");
  problem(append("a-1", {placed("{}")}), 422, "invalid-data");
}

// A client gets no answer, the type gets a new schema, and the client retries.
TEST_F(SchemaAppendTest, ARepeatIsRecognisedAcrossSchemaVersions) {
  for (const std::string expected : {"0", "\"any\""}) {
    SCOPED_TRACE(expected);
    const std::string stream = expected == "0" ? "a-1" : "b-1";
    const std::string own_id = expected == "0" ? uuid(1) : uuid(2);
    ASSERT_EQ(append(stream, {placed(R"({"order":"1","cents":1})", own_id)}, expected).status, 201);
    register_schema("Placed", kPlacedWithCurrency);
    const HttpAnswer again = append(stream, {placed(R"({"order":"1","cents":1})", own_id)}, expected);
    EXPECT_EQ(again.status, 200) << again.body;
    EXPECT_EQ(again.json()["alreadyApplied"], true);
    problem(append(stream, {placed(R"({"order":"1","cents":2})", own_id)}, expected), 409, "event-id-reused");
    EXPECT_EQ(version_of(stream), 1u);
    ASSERT_EQ(client().remove("/subjects/Placed/versions/latest").status, 200);
  }
}

TEST_F(SchemaAppendTest, ARepeatIsRecognisedAfterTheSchemaWasDeleted) {
  EXPECT_EQ(stop_server().exit_code, 0);
  serve({"--schemas", "optional"});
  const std::string event = placed(R"({"order":"1","cents":1})", uuid(1));
  ASSERT_EQ(append("a-1", {event}, "0").status, 201);
  ASSERT_EQ(client().remove("/subjects/Placed").status, 200);
  EXPECT_EQ(append("a-1", {event}, "0").status, 200);
}

// The registry reads all registrations again at every start.
TEST_F(SchemaAppendTest, AnUnusableSchemaIsRefused) {
  const auto refused = [this](const std::string& schema, const std::string& query = "") {
    const Json body = {{"schema", schema}};
    const HttpAnswer answer = post("/subjects/Odd/versions" + query, body.dump());
    EXPECT_EQ(answer.status, 422) << schema.substr(0, 100) << " " << answer.body;
  };
  std::string tabs;
  for (int i = 0; i < 200'000; ++i) tabs += "\\t";
  refused(R"({"type":"record","name":"Odd","doc":")" + tabs +
          R"(","fields":[]})");  // grows when it is printed
  refused(R"({"type":"record","name":"Odd","fields":[{"name":"d","type":"double","default":1e999}]})");
  refused(R"({"type":"record","name":"n.Odd","fields":[{"name":"d","type":".Odd"}]})");
  restart();
  EXPECT_EQ(get("/subjects").json(), Json::array({"Placed"}));
}

TEST_F(SchemaAppendTest, FramedAvroIsStoredAsItIs) {
  const std::string body = "\0\0\0\0\1"s +
                           "\x02"
                           "7" +
                           "\x0a" + "\0"s + "\x02\xff";
  const HttpAnswer first = append_framed("type=Placed&expectedVersion=0&id=" + uuid(1), body);
  EXPECT_EQ(first.status, 201) << first.body;
  EXPECT_EQ(data_of("a-1", 1), R"({"order":"7","cents":5,"note":null,"raw":"ÿ"})");
  EXPECT_EQ(append_framed("type=Placed&expectedVersion=0&id=" + uuid(1), body).status, 200) << "a repeat";
  problem(append_framed("type=Placed&expectedVersion=5", body), 409, "wrong-version");
  EXPECT_EQ(version_of("a-1"), 1u);
}

TEST_F(SchemaAppendTest, InvalidFramesAreRefused) {
  const std::string good =
      "\x02"
      "7"
      "\x0a"s +
      "\0\0"s;
  ASSERT_EQ(append_framed("type=Placed", "\0\0\0\0\1"s + good).status, 201);
  problem(append_framed("", "\0\0\0\0\1"s + good), 400, "invalid-request");
  problem(append_framed("type=Placed&color=red", "\0\0\0\0\1"s + good), 400, "invalid-request");
  problem(append_framed("type=Placed&id=7", "\0\0\0\0\1"s + good), 400, "invalid-request");
  problem(append_framed("type=Placed&expectedVersion=x", "\0\0\0\0\1"s + good), 400, "invalid-request");
  problem(append_framed("type=Placed", ""), 400, "invalid-request");
  problem(append_framed("type=Placed", "\1\0\0\0\1"s + good), 400, "invalid-request");
  problem(append_framed("type=Placed", "\0\0\0\0\2"s + good), 422, "unknown-type");
  problem(append_framed("type=Other", "\0\0\0\0\1"s + good), 422, "unknown-type");
  problem(append_framed("type=Placed", "\0\0\0\0\1"s + good + "x"), 422, "invalid-data");
  problem(append_framed("type=Placed", "\0\0\0\0\1"s + good.substr(1)), 422, "invalid-data");
  problem(append_framed("type=Placed", "\0\0\0\0\1\2\xff\x0a\0\0"s), 422,
          "invalid-data");  // a string that is no UTF-8
  problem(post("/append", good, "application/vnd.confluent.avro"), 415, "unsupported-media-type");
  EXPECT_EQ(version_of("a-1"), 1u);
}

TEST_F(SchemaAppendTest, EventsStayReadableAfterACrashAndWithoutTheirSchema) {
  ASSERT_EQ(append("a-1", {placed(R"({"order":"1","cents":1})")}).status, 201);
  restart();
  EXPECT_EQ(data_of("a-1", 1), R"({"order":"1","cents":1,"note":null,"raw":""})");
  ASSERT_EQ(client().remove("/subjects/Placed").status, 200);
  ASSERT_EQ(client().remove("/subjects/Placed?permanent=true").status, 200);
  problem(append("a-1", {placed(R"({"order":"1","cents":1})")}), 422, "unknown-type");
  EXPECT_EQ(data_of("a-1", 1), R"({"order":"1","cents":1,"note":null,"raw":""})");
  restart();
  EXPECT_EQ(data_of("a-1", 1), R"({"order":"1","cents":1,"note":null,"raw":""})");
}

}  // namespace
}  // namespace cairn::test
