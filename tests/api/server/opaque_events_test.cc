// Events whose data is bytes of any kind: appended, read, followed, projected, exported and imported as they
// are.

#include <fstream>
#include <string>

#include "eventstore/base/base64.h"
#include "eventstore/base/file.h"
#include "tests/api/server/projection_fixture.h"
#include "tests/api/server/sse_client.h"

namespace cairn::test {
namespace {

using namespace std::string_literals;
using ::testing::HasSubstr;

const std::string kBytes = "\x00\xff\"{\n\r\x80 and text"s;

std::string encoded(const std::string& bytes) {
  std::string text;
  append_base64(text, bytes);
  return text;
}

class OpaqueEventsTest : public ProjectionApiTest {
 protected:
  HttpAnswer append_bytes(const std::string& query, const std::string& bytes,
                          const std::string& stream = "file-1") {
    return post("/streams/" + stream + "/events?" + query, bytes, "application/octet-stream");
  }

  static void expect_bytes(const Json& event, const std::string& content_type = "image/png") {
    EXPECT_EQ(event["contentType"], content_type);
    EXPECT_EQ(event["data"], encoded(kBytes));
    EXPECT_TRUE(event["schemaId"].is_null());
    EXPECT_FALSE(event.contains("sealed"));
  }

  std::string cairn(std::vector<std::string> words) {
    words.insert(words.end(), {"--url", url()});
    const Finished finished = run_cairn(words);
    EXPECT_EQ(finished.exit_code, 0) << finished.errors;
    return finished.output;
  }
};

TEST_F(OpaqueEventsTest, BytesComeBackInEveryRead) {
  const HttpAnswer stored =
      append_bytes("type=Scanned&contentType=image/png&expectedVersion=0&id=" + uuid(1), kBytes);
  EXPECT_EQ(stored.status, 201) << stored.body;
  ASSERT_EQ(append("file-1", {event_text("Placed", "{}")}).status, 201);
  for (int round = 0; round < 2; ++round) {
    expect_bytes(get("/streams/file-1/events").json()["events"][0]);
    expect_bytes(get("/events?type=Scanned&shape=stored").json()["events"][0]);
    const HttpAnswer lines = get("/events", {{"Accept", "application/x-ndjson"}});
    expect_bytes(Json::parse(lines.body.substr(0, lines.body.find('\n'))));
    SseClient follower(port(), "/events?from=1");
    const auto followed = follower.next();
    ASSERT_TRUE(followed);
    expect_bytes(Json::parse(followed->data));
    EXPECT_FALSE(get("/streams/file-1/events").json()["events"][1].contains("contentType"));
    restart();
  }
}

TEST_F(OpaqueEventsTest, ARepeatIsRecognised) {
  const std::string query = "type=Scanned&id=" + uuid(1);
  EXPECT_EQ(append_bytes(query, kBytes).status, 201);
  const HttpAnswer repeat = append_bytes(query, kBytes);
  EXPECT_EQ(repeat.status, 200) << repeat.body;
  expect_bytes(get("/events").json()["events"][0], "application/octet-stream");
  problem(append_bytes(query, kBytes + "x"), 409, "event-id-reused");
  problem(append_bytes(query + "&contentType=image/png", kBytes), 409, "event-id-reused");
  problem(append_bytes("type=Scanned&expectedVersion=7", kBytes), 409, "wrong-version");

  ASSERT_EQ(post("/subjects/Scanned/versions", R"({"schema":"\"string\""})").status, 200);
  EXPECT_EQ(append_bytes(query, kBytes).status, 200) << "also when the type has got a schema since";
  EXPECT_EQ(head(), 2u);
}

TEST_F(OpaqueEventsTest, JsonBodiesHaveTheBytesInBase64) {
  const std::string event =
      R"({"type":"Scanned","contentType":"image/png","data":")" + encoded(kBytes) + "\"}";
  EXPECT_EQ(append("file-1", {event}).status, 201);
  EXPECT_EQ(append_all({R"({"stream":"file-2","events":[)" + event + "]}"}).status, 201);
  const Json page = get("/events").json();
  EXPECT_EQ(page["events"].size(), 2u);
  for (const Json& stored : page["events"]) expect_bytes(stored);
}

TEST_F(OpaqueEventsTest, BadInputIsRefusedAndChangesNothing) {
  for (const char* data :
       {"\"A\"", "\"AA=A\"", "\"AAA \"", "\"AB==\"", "\"AAB=\"", "\"-_-_\"", "7", "null", "{}"}) {
    const HttpAnswer answer = append(
        "file-1", {R"({"type":"Scanned","contentType":"image/png","data":)" + std::string(data) + "}"});
    EXPECT_EQ(problem(answer, 400, "invalid-request")["field"], "events[0].data") << data;
  }
  EXPECT_EQ(problem(append("file-1", {R"({"type":"T","contentType":"","data":"AAAA"})"}), 400,
                    "invalid-request")["field"],
            "events[0].contentType");
  EXPECT_EQ(problem(append("file-1", {R"({"type":"T","contentType":"a/b","schemaVersion":1,"data":"AAAA"})"}),
                    400, "invalid-request")["field"],
            "events[0].schemaVersion");
  EXPECT_EQ(problem(append_bytes("", kBytes), 400, "invalid-request")["field"], "type");
  EXPECT_EQ(problem(append_bytes("type=T&id=7", kBytes), 400, "invalid-request")["field"], "id");
  EXPECT_EQ(problem(append_bytes("type=T&contentType=", kBytes), 400, "invalid-request")["field"],
            "contentType");
  EXPECT_EQ(problem(append_bytes("type=T&contentType=a%0Ab", kBytes), 400, "invalid-request")["field"],
            "contentType");
  problem(append_bytes("type=T&contentType=" + std::string(201, 'x'), kBytes), 400, "invalid-request");
  problem(append_bytes("type=T&color=red", kBytes), 400, "invalid-request");
  problem(append_bytes("type=T", kBytes, "$audit"), 403, "forbidden");
  problem(post("/append", kBytes, "application/octet-stream"), 415, "unsupported-media-type");
  EXPECT_EQ(head(), 0u);
}

TEST_F(OpaqueEventsTest, ATypeWithASchemaTakesNoBytesAndOneWithoutDoes) {
  kill_server();
  serve({"--schemas", "required"});
  ASSERT_EQ(post("/subjects/Placed/versions", R"({"schema":"\"bytes\""})").status, 200);
  const Json refused = problem(append_bytes("type=Placed", kBytes), 422, "invalid-data");
  EXPECT_THAT(refused["detail"].get<std::string>(), HasSubstr("opaque bytes (application/octet-stream)"));
  EXPECT_EQ(append_bytes("type=Scanned", kBytes).status, 201);
  problem(append("file-1", {event_text("Scanned", "{}")}), 422, "unknown-type");
}

TEST_F(OpaqueEventsTest, ProjectionsGetTheBytes) {
  use(R"(return projection {
    key = function(event) return event.stream end,
    on = { Scanned = function(row, event)
      row.size = #event.bytes
      row.last = event.bytes:byte(2)
      row.kind = event.content_type
      row.has_data = event.data ~= nil
    end, Placed = function(row, event) row.bytes_of_json = event.bytes ~= nil end } })");
  ASSERT_EQ(append_bytes("type=Scanned&contentType=image/png", kBytes).status, 201);
  ASSERT_EQ(append("file-1", {event_text("Placed", "{}")}).status, 201);
  const Json row = ask_rows("/file-1", head()).json()["row"];
  EXPECT_EQ(row, (Json{{"size", kBytes.size()},
                       {"last", 255},
                       {"kind", "image/png"},
                       {"has_data", false},
                       {"bytes_of_json", false}}));
}

TEST_F(OpaqueEventsTest, TheCommandLinePassesThemThrough) {
  const std::filesystem::path file = temp() / "scan.png", copy = temp() / "copy.ndjson",
                              avro = temp() / "scan.avro";
  ASSERT_TRUE(write_file(file, kBytes).ok());
  cairn({"append", "file-1", "--type", "Scanned", "--data", "@" + file.string(), "--content-type",
         "image/png"});
  const std::string read = cairn({"read", "--all", "--json"});
  expect_bytes(Json::parse(read.substr(0, read.find('\n'))));
  std::ofstream(copy) << read;
  const std::string exported = cairn({"export", "--type", "Scanned", "--out", avro.string(), "--bytes"});
  const bool has_avro = exported.find("1 event of Scanned exported as bytes") != std::string::npos;
  EXPECT_EQ(has_avro, CAIRN_HAVE_AVRO == 1) << exported;

  EXPECT_THAT(cairn({"import", copy.string()}), HasSubstr("1 were there already"));
  EXPECT_EQ(head(), 1u);
  stop_server();
  TempFolder other;
  keep_data_in(other.path().string());
  serve();
  cairn({"import", avro.string()});
  cairn({"import", copy.string()});
  EXPECT_EQ(head(), 1u) << "both have the same event";
  expect_bytes(get("/events").json()["events"][0]);
}

}  // namespace
}  // namespace cairn::test
