// Each problem has its status, type and fields, and stores nothing.

#include <string>
#include <vector>

#include "tests/api/server/api_fixture.h"

namespace cairn::test {
namespace {

using ::testing::HasSubstr;

class RefusalTest : public ApiTest {
 protected:
  void SetUp() override {
    serve();
    ASSERT_EQ(
        append("order-1", {event_text("Placed", "1", uuid(1)), event_text("Paid", "2", uuid(2))}).status,
        201);
  }
  void TearDown() override { EXPECT_EQ(head(), 2u) << "something was stored"; }
};

TEST_F(RefusalTest, SystemStreamsAreForbidden) {
  for (const char* name : {"$system", "%24system", "$", "%24-1"}) {
    problem(post("/streams/" + std::string(name) + "/events", events_text({event_text("T")})), 403,
            "forbidden");
  }
  problem(append_all({entry_text("ok-1", {event_text("T")}), entry_text("$x", {event_text("T")})}), 403,
          "forbidden");
  problem(append_all({entry_text("ok-1", {event_text("T")}), entry_text("\\u0024x", {event_text("T")})}), 403,
          "forbidden");
}

TEST_F(RefusalTest, MissingStreamsAndPathsAreNamed) {
  for (const char* path : {"/streams/order-2", "/streams/order-2/events"}) {
    const Json missing = problem(get(path), 404, "not-found");
    EXPECT_EQ(missing["kind"], "stream");
    EXPECT_EQ(missing["name"], "order-2");
  }
  EXPECT_EQ(problem(get("/streams/gr%C3%BC%C3%9Fe%20%22"), 404, "not-found")["name"], "grüße \"");
  for (const char* path : {"/nowhere", "/streams/order-1/events/1", "/events/", "/streams/a/b"}) {
    const Json missing = problem(get(path), 404, "not-found");
    EXPECT_EQ(missing["kind"], "path");
    EXPECT_EQ(missing["name"], path);
  }
  for (const char* accept : {"application/x-ndjson", "text/event-stream"}) {
    problem(get("/streams/order-2/events", {{"Accept", accept}}), 404, "not-found");
  }
}

TEST_F(RefusalTest, OtherMethodsGet405WithAllow) {
  const HttpAnswer answer = post("/ready", "{}");
  problem(answer, 405, "method-not-allowed");
  EXPECT_THAT(answer.header("Allow"), HasSubstr("GET"));
  const HttpAnswer read = get("/append");
  problem(read, 405, "method-not-allowed");
  EXPECT_THAT(read.header("Allow"), HasSubstr("POST"));
}

TEST_F(RefusalTest, WrongVersionHasBothVersions) {
  const auto refused = [this](const std::string& stream, const std::string& expected) {
    return problem(append(stream, {event_text("T")}, expected), 409, "wrong-version");
  };
  for (const char* expected : {"0", "1", "3", "9007199254740993", "18446744073709551615"}) {
    const Json conflict = refused("order-1", expected);
    EXPECT_EQ(conflict["stream"], "order-1");
    EXPECT_EQ(conflict["expectedVersion"].dump(), expected);
    EXPECT_EQ(conflict["currentVersion"], 2);
  }
  const Json absent = refused("order-2", "1");
  EXPECT_EQ(absent["stream"], "order-2");
  EXPECT_EQ(absent["currentVersion"], 0);
  const Json missing = refused("order-2", "\"exists\"");
  EXPECT_EQ(missing["expectedVersion"], "exists");
  EXPECT_EQ(missing["currentVersion"], 0);
}

TEST_F(RefusalTest, AReusedIdNamesTheEventThatHasIt) {
  const std::vector<std::pair<std::string, std::string>> reuses = {
      {"order-2", event_text("Paid", "2", uuid(2))},
      {"order-1", event_text("Refunded", "2", uuid(2))},
      {"order-1", event_text("Paid", "3", uuid(2))},
      {"order-1", R"({"type":"Paid","data":2,"metadata":{"a":1},"id":")" + uuid(2) + "\"}"},
      {"order-1", R"({"type":"Paid","data":2,"tags":["a"],"id":")" + uuid(2) + "\"}"},
  };
  for (const auto& [stream, event] : reuses) {
    SCOPED_TRACE(event);
    const Json reused = problem(append(stream, {event}), 409, "event-id-reused");
    EXPECT_EQ(reused["eventId"], uuid(2));
    EXPECT_EQ(reused["stream"], "order-1");
    EXPECT_EQ(reused["version"], 2);
  }
  problem(append("order-1", {event_text("Paid", "2", uuid(2)), event_text("Sent", "3", uuid(3))}), 409,
          "event-id-reused");
  const std::string twice = event_text("T", "1", uuid(9));
  EXPECT_THAT(append("order-3", {twice, twice}).status, ::testing::AnyOf(400, 409));
}

TEST_F(RefusalTest, TooLargeHasTheLimit) {
  const std::vector<std::string> many(10'001, R"({"type":"T","data":1})");
  EXPECT_EQ(problem(append("order-1", many), 413, "too-large")["limit"], 10'000);
  const std::vector<std::string> half(5'001, R"({"type":"T","data":1})");
  EXPECT_EQ(problem(append_all({entry_text("a", half), entry_text("b", half)}), 413, "too-large")["limit"],
            10'000);

  const std::string body = events_text({event_text("T", "\"" + std::string(16u << 20, 'x') + "\"")});
  EXPECT_EQ(problem(post("/streams/order-1/events", body), 413, "too-large")["limit"], 16u << 20);
  const std::string event = event_text("T", "\"" + std::string(8u << 20, 'x') + "\"");
  EXPECT_EQ(problem(append("order-1", {event}), 413, "too-large")["limit"], 8u << 20);

  std::string tags = "\"t\"";
  for (int i = 0; i < 64; ++i) tags += ",\"t" + std::to_string(i) + "\"";
  EXPECT_EQ(problem(append("order-1", {R"({"type":"T","data":1,"tags":[)" + tags + "]}"}), 413,
                    "too-large")["limit"],
            64);
  std::vector<std::string> entries;
  for (int i = 0; i <= 1'000; ++i) entries.push_back(check_text("s-" + std::to_string(i), "0"));
  EXPECT_EQ(problem(append_all(entries), 413, "too-large")["limit"], 1'000);
}

TEST_F(RefusalTest, BodiesOfOtherTypesAreRefused) {
  const std::string body = events_text({event_text("T")});
  for (const char* type : {"text/plain", "application/x-www-form-urlencoded", "application/jsonx",
                           "application/xml", "text/json", "application/json-patch+json"}) {
    SCOPED_TRACE(type);
    problem(post("/streams/order-1/events", body, type), 415, "unsupported-media-type");
    problem(post("/append", appends_text({entry_text("a", {event_text("T")})}), type), 415,
            "unsupported-media-type");
  }
  RawClient client = raw();
  const RawResponse none =
      client.exchange("POST /streams/order-1/events HTTP/1.1\r\nHost: localhost\r\n" +
                      ("Content-Length: " + std::to_string(body.size())) + "\r\n\r\n" + body);
  EXPECT_EQ(none.status, 415);
}

TEST_F(RefusalTest, ForeignHostsAreForbiddenWithoutTokens) {
  for (const char* host : {"evil.example", "evil.example:80", "localhost.evil.example", "127.0.0.1.nip.io"}) {
    SCOPED_TRACE(host);
    const RawResponse answer =
        raw().exchange("GET /events HTTP/1.1\r\nHost: " + std::string(host) + "\r\n\r\n");
    EXPECT_EQ(answer.status, 403);
    EXPECT_TRUE(answer.has("application/problem+json"));
  }
  for (const char* host : {"localhost", "LOCALHOST:1", "127.0.0.1:80", "[::1]:80", "[::1]"}) {
    SCOPED_TRACE(host);
    EXPECT_EQ(raw().exchange("GET /ready HTTP/1.1\r\nHost: " + std::string(host) + "\r\n\r\n").status, 200);
  }
}

class SchemasRequiredTest : public ApiTest {};

TEST_F(SchemasRequiredTest, TypesWithoutASchemaAreRefusedByDefault) {
  serve({});
  const Json one = problem(append("order-1", {event_text("Placed")}), 422, "unknown-type");
  EXPECT_EQ(one["errors"],
            Json::parse(R"([{"event":0,"path":"","expected":"a registered schema","found":"Placed"}])"));
  const Json several =
      problem(append_all({check_text("c-1", "0"), entry_text("a-1", {event_text("A"), event_text("B")}),
                          entry_text("b-1", {event_text("C")})}),
              422, "unknown-type");
  ASSERT_EQ(several["errors"].size(), 3u);
  EXPECT_EQ(several["errors"][2]["event"], 2);
  EXPECT_EQ(several["errors"][2]["found"], "C");
  EXPECT_EQ(head(), 0u);
}

TEST_F(SchemasRequiredTest, ASchemaVersionAlwaysNeedsASchema) {
  serve();
  problem(append("order-1", {R"({"type":"Placed","data":1,"schemaVersion":1})"}), 422, "unknown-type");
  EXPECT_EQ(head(), 0u);
}

}  // namespace
}  // namespace cairn::test
