// Where events come from: their cause (causedBy) and their trace (traceparent), in their metadata.

#include <string>

#include "tests/api/server/access_fixture.h"

namespace cairn::test {
namespace {

using ::testing::HasSubstr;

const std::string kTrace = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
const std::string kOtherTrace = "00-11111111111111111111111111111111-2222222222222222-00";

class CausationTest : public AccessTest {
 protected:
  ApiClient traced(const std::string& trace, const char* token = kBoth) {
    return ApiClient(port(), {{"Authorization", std::string("Bearer ") + token}, {"traceparent", trace}});
  }
  static std::string body(const std::string& events, const std::string& caused_by = "1") {
    return R"({"causedBy":)" + caused_by + R"(,"events":[)" + events + "]}";
  }
  static std::string event(const std::string& metadata, std::uint64_t id = 0) {
    return R"({"type":"T","data":1,"metadata":)" + metadata +
           (id == 0 ? "" : R"(,"id":")" + uuid(id) + "\"") + "}";
  }
  Json metadata_at(std::uint64_t position) {
    return get("/events?limit=1&from=" + std::to_string(position)).json()["events"][0]["metadata"];
  }
  static Json caused_by(std::uint64_t id, const Json& correlation) {
    return {{"causationId", uuid(id)}, {"correlationId", correlation}};
  }
  // Stores an event with the id 1 at position 1.
  void store_cause(const std::string& metadata = "{}", const std::string& stream = "order-1") {
    ASSERT_EQ(append(stream, {event(metadata, 1)}).status, 201);
  }
};

TEST_F(CausationTest, EventsInheritTheIdsOfTheirCause) {
  serve_with_tokens();
  store_cause();
  ASSERT_EQ(post("/streams/a-1/events", body(event("{}", 2) + "," + event(R"({"n":1})", 3))).status, 201);
  EXPECT_EQ(metadata_at(2), caused_by(1, uuid(1))) << "the first cause has no correlationId";
  Json with_own = caused_by(1, uuid(1));
  with_own["n"] = 1;
  EXPECT_EQ(metadata_at(3), with_own);
  ASSERT_EQ(post("/append", R"({"appends":[)" + entry_text("b-1", {event("{}", 4)}) + "," +
                                entry_text("c-1", {event("{}", 5)}) + R"(],"causedBy":2})")
                .status,
            201);
  restart();
  EXPECT_EQ(metadata_at(4), caused_by(2, uuid(1)));
  EXPECT_EQ(metadata_at(5), caused_by(2, uuid(1)));
}

TEST_F(CausationTest, AnyCorrelationIdIsInheritedUnlessItIsNullOrLarge) {
  serve_with_tokens();
  const std::string longest(254, 'x');
  const std::vector<std::pair<std::string, Json>> cases = {
      {R"("c-\u00e4")", "c-\u00e4"},  {"42.50", 42.5}, {R"({"run":7})", {{"run", 7}}},
      {'"' + longest + '"', longest}, {"null", {}},    {'"' + longest + "x\"", {}}};
  for (std::uint64_t n = 1; n <= cases.size(); ++n) {
    const auto& [text, inherited] = cases[n - 1];
    SCOPED_TRACE(text);
    ASSERT_EQ(append("a-1", {event(R"({"x":{"correlationId":0},"correlationId":)" + text + "}", n)}).status,
              201);
    ASSERT_EQ(append("a-1", {}).status, 400);
    const HttpAnswer caused = post("/streams/b-1/events", body(event("{}"), std::to_string(2 * n - 1)));
    ASSERT_EQ(caused.status, 201) << caused.body;
    EXPECT_EQ(metadata_at(2 * n), caused_by(n, inherited.is_null() ? Json(uuid(n)) : inherited));
  }
}

TEST_F(CausationTest, WhatTheClientGivesStays) {
  serve_with_tokens();
  store_cause();
  const std::string own = R"({"caus\u0061tionId":"mine","correlationId":null,"traceparent":"any"})";
  ASSERT_EQ(traced(kTrace).post("/streams/a-1/events", body(event(own))).status, 201);
  EXPECT_EQ(metadata_at(2), Json::parse(own));
}

TEST_F(CausationTest, BytesAndFramedEventsNameTheirCauseInTheQuery) {
  serve_with_tokens();
  store_cause(R"({"correlationId":"c"})");
  ASSERT_EQ(post("/streams/a-1/events?type=Scanned&causedBy=1", "x", "application/octet-stream").status, 201);
  EXPECT_EQ(metadata_at(2), caused_by(1, "c"));
  ASSERT_EQ(as(kAdmin).post("/subjects/Counted/versions", R"({"schema":"\"long\""})").status, 200);
  const std::string framed("\0\0\0\0\x01\x0e", 6);
  const HttpAnswer answer =
      post("/streams/a-1/events?type=Counted&causedBy=1", framed, "application/vnd.confluent.avro");
  ASSERT_EQ(answer.status, 201) << answer.body;
  EXPECT_EQ(metadata_at(4), caused_by(1, "c"));
  for (const char* wrong : {"0", "-1", "x", ""}) {
    const HttpAnswer refused = post("/streams/a-1/events?type=Scanned&causedBy=" + std::string(wrong), "x",
                                    "application/octet-stream");
    EXPECT_EQ(problem(refused, 400, "invalid-request")["field"], "causedBy") << wrong;
  }
  EXPECT_EQ(
      problem(post("/streams/a-1/events?causedBy=1", body(event("{}"))), 400, "invalid-request")["field"],
      "causedBy")
      << "JSON has it in the body";
  EXPECT_EQ(head(), 4u);
}

TEST_F(CausationTest, ACauseThatIsNotThereIsRefusedAndNothingIsStored) {
  serve_with_tokens();
  store_cause();
  for (const char* position : {"2", "18446744073709551615"}) {
    const Json refused =
        problem(post("/streams/a-1/events", body(event("{}"), position)), 400, "invalid-request");
    EXPECT_EQ(refused["field"], "causedBy");
    EXPECT_EQ(refused["detail"],
              "causedBy is " + std::string(position) + ", and the log ends at position 1.");
  }
  problem(post("/streams/a-1/events?type=T&causedBy=2", "x", "application/octet-stream"), 400,
          "invalid-request");
  EXPECT_EQ(head(), 1u);
}

TEST_F(CausationTest, ATokenNamesCausesOfItsCategoriesOnly) {
  serve_with_tokens();
  store_cause();
  ASSERT_EQ(append("a-1", {event("{}", 2)}).status, 201);
  EXPECT_EQ(as(kOrders).post("/streams/order-2/events", body(event("{}"), "1")).status, 201);
  const HttpAnswer hidden = as(kOrders).post("/streams/order-2/events", body(event("{}"), "2"));
  expect_forbidden(hidden, "The token 'orders' does not reach the event at position 2.");
  EXPECT_EQ(head(), 3u);
  EXPECT_EQ(as(kWriter).post("/streams/order-2/events", body(event("{}"), "2")).status, 201)
      << "the answer tells nothing about the cause";
  EXPECT_EQ(metadata_at(4), caused_by(2, uuid(2)));
}

TEST_F(CausationTest, TheTraceOfTheRequestIsKept) {
  serve_with_tokens();
  store_cause();
  ASSERT_EQ(traced(kTrace).append("a-1", {event_text("T"), event(R"({"n":1})")}).status, 201);
  EXPECT_EQ(metadata_at(2), (Json{{"traceparent", kTrace}}));
  EXPECT_EQ(metadata_at(3), (Json{{"traceparent", kTrace}, {"n", 1}}));
  ASSERT_EQ(traced(kTrace).append_all({entry_text("a-1", {event_text("T")})}).status, 201);
  EXPECT_EQ(metadata_at(4), (Json{{"traceparent", kTrace}}));
  ASSERT_EQ(traced(kTrace).post("/streams/a-1/events?type=S", "x", "application/octet-stream").status, 201);
  EXPECT_EQ(metadata_at(5), (Json{{"traceparent", kTrace}}));
}

TEST_F(CausationTest, AnInvalidTraceIsLeftOut) {
  serve_with_tokens();
  ASSERT_EQ(traced("00-" + std::string(32, '0') + kTrace.substr(35)).append("a-1", {event_text("T")}).status,
            201);
  ASSERT_EQ(traced("\"").append("a-1", {event_text("T")}).status, 201);
  ApiClient twice(port(), {{"Authorization", std::string("Bearer ") + kBoth},
                           {"traceparent", kTrace},
                           {"traceparent", kOtherTrace}});
  ASSERT_EQ(twice.append("a-1", {event_text("T")}).status, 201);
  for (const std::uint64_t position : {1, 2, 3}) EXPECT_EQ(metadata_at(position), Json::object());
}

TEST_F(CausationTest, ARepeatInAnotherTraceIsARepeat) {
  serve_with_tokens();
  store_cause(R"({"correlationId":"c"})");
  const std::string text = body(event(R"({"n":1})", 2) + "," + event("{}", 3));
  ASSERT_EQ(traced(kTrace).post("/streams/a-1/events", text).status, 201);
  const Json stored = metadata_at(2);
  for (const std::string& trace : {kTrace, kOtherTrace, std::string("none")}) {
    const HttpAnswer repeat = traced(trace).post("/streams/a-1/events", text);
    EXPECT_EQ(repeat.status, 200) << repeat.body;
    EXPECT_EQ(repeat.json()["firstPosition"], 2);
  }
  restart();
  const std::string exactly = R"({"expectedVersion":0,)" + text.substr(1);
  EXPECT_EQ(traced(kOtherTrace).post("/streams/a-1/events", exactly).status, 200);
  EXPECT_EQ(metadata_at(2), stored);
  problem(traced(kTrace).post("/streams/a-1/events", body(event(R"({"n":2})", 2) + "," + event("{}", 3))),
          409, "event-id-reused");
  problem(traced(kTrace).append("a-1", {event(R"({"n":1})", 2), event("{}", 3)}), 409, "event-id-reused");
  EXPECT_EQ(head(), 3u) << "another cause is other metadata";
}

TEST_F(CausationTest, ARepeatFromBeforeANewSchemaIsARepeat) {
  serve_with_tokens();
  store_cause();
  const auto with_schema = [&](const char* field) {
    const std::string schema =
        R"({\"type\":\"record\",\"name\":\"T\",\"fields\":[{\"name\":\"n\",\"type\":\"long\"})" +
        std::string(field) + "]}";
    ASSERT_EQ(as(kAdmin).post("/subjects/S/versions", R"({"schema":")" + schema + "\"}").status, 200);
  };
  with_schema("");
  const std::string text = R"({"causedBy":1,"events":[{"type":"S","data":{"n":1},"id":")" + uuid(2) + "\"}]}";
  ASSERT_EQ(traced(kTrace).post("/streams/a-1/events", text).status, 201);
  with_schema(R"(,{\"name\":\"m\",\"type\":\"long\",\"default\":0})");
  const HttpAnswer repeat = traced(kOtherTrace).post("/streams/a-1/events", text);
  EXPECT_EQ(repeat.status, 200) << repeat.body;
}

}  // namespace
}  // namespace cairn::test
