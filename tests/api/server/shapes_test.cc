// Old events in new shapes, in every form of read.

#include <string>

#include "tests/api/server/sse_client.h"
#include "tests/api/server/upcaster_fixture.h"

namespace cairn::test {
namespace {

using ::testing::HasSubstr;

class ShapesTest : public UpcasterApiTest {};

TEST_F(ShapesTest, OldEventsAreReadInTheNewestShape) {
  begin_with({"Ada Lovelace", "Alan Turing"});
  deployed(split_name());
  ASSERT_EQ(append("person-1", {event_text("Person", R"({"n":3,"first":"Grace","last":"Hopper"})")}).status,
            201);
  const Json page = events("/streams/person-1/events");
  ASSERT_EQ(page.size(), 3u);
  EXPECT_EQ(page[0]["data"], Json({{"n", 1}, {"first", "Ada"}, {"last", "Lovelace"}}));
  EXPECT_EQ(page[0]["schemaId"], 2);
  EXPECT_EQ(each(page, "/schemaVersion"), Json({2, 2, 2}));
  EXPECT_EQ(each(page, "/storedSchemaVersion"), Json({1, 1, 2}));
  EXPECT_EQ(each(page, "/part"), Json({nullptr, nullptr, nullptr}));
  EXPECT_EQ(each(page, "/data/last"), Json({"Lovelace", "Turing", "Hopper"}));
}

TEST_F(ShapesTest, LinesAndServerSentEventsHaveTheSameEvents) {
  begin_with({"Ada Lovelace", "Alan Turing"});
  deployed(split_name());
  const Json page = events("/events?type=Person");
  ASSERT_EQ(page.size(), 2u);
  EXPECT_EQ(Json(lines("/events?type=Person")), page);
  SseClient follower(port(), "/streams/person-1/events");
  for (const Json& event : page) {
    const auto sent = follower.next();
    ASSERT_TRUE(sent.has_value());
    EXPECT_EQ(sent->id, event["position"]);
    EXPECT_EQ(sent->type, "Person");
    EXPECT_EQ(Json::parse(sent->data), event);
  }
}

TEST_F(ShapesTest, StoredEventsAreUnchangedToTheByte) {
  register_schema("Person", kPersonV1);
  append_people("person-1", {"Ada Lovelace", "Alan Turing"});
  const std::string path = "/streams/person-1/events?shape=stored";
  const std::string page = get(path).body;
  const std::string as_lines = get(path, {{"Accept", "application/x-ndjson"}}).body;
  EXPECT_EQ(get("/streams/person-1/events").body, page) << "the only version there is";
  register_schema("Person", kPersonV2);
  deployed(split_name());
  EXPECT_NE(get("/streams/person-1/events").body, page);
  EXPECT_EQ(get(path).body, page);
  EXPECT_EQ(get(path, {{"Accept", "application/x-ndjson"}}).body, as_lines);
}

TEST_F(ShapesTest, AVersionCanBeRequested) {
  begin_with({"Ada Lovelace"});
  deployed(split_name());
  register_schema("Person", kPersonV3);
  const auto in_shape = [this](const std::string& shape) {
    return events("/streams/person-1/events?shape=" + shape)[0];
  };
  EXPECT_EQ(in_shape("1")["data"], Json({{"n", 1}, {"name", "Ada Lovelace"}}));
  EXPECT_EQ(in_shape("2")["data"], Json({{"n", 1}, {"first", "Ada"}, {"last", "Lovelace"}}));
  EXPECT_EQ(in_shape("2")["schemaVersion"], 2);
  EXPECT_EQ(in_shape("3")["data"]["title"], "none");
  EXPECT_EQ(in_shape("latest"), in_shape("3"));
  EXPECT_EQ(in_shape("stored"), in_shape("1"));
  EXPECT_EQ(in_shape("3")["storedSchemaVersion"], 1);
}

TEST_F(ShapesTest, AnUnknownVersionIsAnInvalidRequest) {
  begin_with({"Ada Lovelace"});
  const Json told = problem(get("/streams/person-1/events?shape=7"), 400, "invalid-request");
  EXPECT_EQ(told["field"], "shape");
  EXPECT_THAT(told.value("detail", ""), ::testing::AllOf(HasSubstr("Person"), HasSubstr("7")));
  for (const std::string wrong : {"0", "-1", "newest", "2147483648", "1.0", ""}) {
    SCOPED_TRACE(wrong);
    EXPECT_EQ(problem(get("/events?shape=" + wrong), 400, "invalid-request")["field"], "shape");
  }
  EXPECT_EQ(get("/events?shape=2147483647&type=None").status, 200);
}

TEST_F(ShapesTest, AMissingUpcasterIsNamed) {
  begin_with({"Ada Lovelace"});
  const Json told = problem(get("/streams/person-1/events"), 422, "upcaster-failed");
  EXPECT_EQ(told["checked"], 1);
  EXPECT_EQ(told["failed"], 1);
  ASSERT_EQ(told["failures"].size(), 1u);
  EXPECT_EQ(told["failures"][0]["position"], 2);
  EXPECT_EQ(told["failures"][0]["stream"], "person-1");
  EXPECT_EQ(told["failures"][0]["version"], 1);
  EXPECT_THAT(told["failures"][0].value("error", ""), HasSubstr("Person"));
  EXPECT_THAT(told.value("detail", ""), HasSubstr("shape=stored"));
  EXPECT_EQ(get("/streams/person-1/events?shape=stored").status, 200);
  EXPECT_THAT(get("/metrics").body, HasSubstr("\ncairn_shape_failures_total 1\n"));
}

// An event that cannot reach an upcaster is neither corrupt nor the upcaster's failure.
TEST_F(ShapesTest, ALaterUpcasterIsNotBlamedForAGapBeforeIt) {
  begin_with({"Ada Lovelace"});
  ASSERT_EQ(append("person-1", {event_text("Person", R"({"n":3,"first":"Grace","last":"Hopper"})")}).status,
            201);
  register_schema("Person", kPersonV3);
  EXPECT_EQ(deployed(upcaster_text("data.title = 'Admiral' return data", "Person", 2, 3), "",
                     "Person/2")["checked"],
            1);
  EXPECT_EQ(events("/streams/person-1/events?from=2")[0]["data"]["title"], "Admiral");
  const Json told = problem(get("/streams/person-1/events"), 422, "upcaster-failed");
  EXPECT_THAT(told["failures"][0].value("error", ""), HasSubstr("version 2 of Person cannot read the data"));
}

// The answer has begun by then: it ends without its last chunk, after the events before the failure.
TEST_F(ShapesTest, AFeedEndsAfterTheLastReadableEvent) {
  register_schema("Person", kPersonV1);
  register_schema("Other", R"({"type":"record","name":"Other","fields":[]})");
  ASSERT_EQ(append("a-1", {event_text("Other"), person("Ada Lovelace"), event_text("Other")}).status, 201);
  register_schema("Person", kPersonV2);

  RawClient raw_lines = raw();
  raw_lines.send(
      "GET /streams/a-1/events HTTP/1.1\r\nHost: localhost\r\nAccept: application/x-ndjson\r\n\r\n");
  EXPECT_EQ(raw_lines.receive(false).status, 200);
  const std::string broken = raw_lines.rest();
  EXPECT_THAT(broken, HasSubstr(R"("version":1,)"));
  EXPECT_THAT(broken, ::testing::Not(HasSubstr(R"("version":2,)")));
  EXPECT_THAT(broken, ::testing::Not(HasSubstr("\r\n0\r\n\r\n"))) << "no last chunk";

  RawClient raw_events = raw();
  raw_events.send("GET /streams/a-1/events HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\n\r\n");
  EXPECT_EQ(raw_events.receive(false).status, 200);
  const std::string sent = raw_events.rest();
  EXPECT_THAT(sent, HasSubstr("id: 3\n"));
  EXPECT_THAT(sent, HasSubstr("\n: broken off at position 4: "));
  EXPECT_THAT(sent, ::testing::Not(HasSubstr("\r\n0\r\n\r\n")));
}

TEST_F(ShapesTest, EventsWithoutASchemaAreUnchanged) {
  EXPECT_EQ(stop_server().exit_code, 0);
  serve({"--schemas", "optional"});
  ASSERT_EQ(append("a-1", {event_text("Free", R"({"any":[1]})")}).status, 201);
  for (const std::string shape : {"latest", "stored", "3"}) {
    const Json event = events("/streams/a-1/events?shape=" + shape)[0];
    EXPECT_EQ(event["data"], Json({{"any", {1}}}));
    EXPECT_EQ(event["schemaId"], nullptr);
    EXPECT_EQ(event["part"], nullptr);
  }
}

// A follower that began before the upcaster was installed gets later events in the new shape.
TEST_F(ShapesTest, AFollowerUsesNewUpcasters) {
  register_schema("Person", kPersonV1);
  append_people("person-1", {"Ada Lovelace"});
  SseClient follower(port(), "/events?type=Person");
  const auto before = follower.next();
  ASSERT_TRUE(before.has_value());
  EXPECT_EQ(Json::parse(before->data)["data"]["name"], "Ada Lovelace");
  register_schema("Person", kPersonV2);
  deployed(split_name());
  append_people("person-1", {"Alan Turing"});
  const auto behind = follower.next();
  ASSERT_TRUE(behind.has_value());
  EXPECT_EQ(Json::parse(behind->data)["data"]["last"], "Turing");
}

TEST_F(ShapesTest, UpcastersSurviveARestart) {
  begin_with({"Ada Lovelace"});
  deployed(split_name());
  const std::string page = get("/streams/person-1/events").body;
  const Json list = get("/upcasters").json();
  restart();
  EXPECT_EQ(get("/streams/person-1/events").body, page);
  EXPECT_EQ(get("/upcasters").json(), list);
}

}  // namespace
}  // namespace cairn::test
