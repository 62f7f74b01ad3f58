// A schema that is registered together with the upcaster to it.

#include <string>

#include "tests/api/server/upcaster_fixture.h"

namespace cairn::test {
namespace {

using ::testing::HasSubstr;

class UpcasterSchemaTest : public UpcasterApiTest {
 protected:
  void SetUp() override {
    UpcasterApiTest::SetUp();
    register_schema("Person", kPersonV1);
  }

  HttpAnswer send_both(const std::string& script, const std::string& query = "", Json more = Json::object()) {
    more["upcaster"] = script;
    return send_schema("Person", kPersonV2, more, query);
  }
  Json refused(const HttpAnswer& answer, int code) {
    EXPECT_EQ(answer.status, code / 100) << answer.body;
    const Json told = answer.json();
    EXPECT_EQ(told.value("error_code", 0), code) << answer.body;
    EXPECT_FALSE(told.value("message", "").empty());
    return told;
  }
  void expect_nothing_changed() {
    EXPECT_EQ(get("/subjects/Person/versions").json(), Json({1}));
    EXPECT_EQ(get("/upcasters").json()["upcasters"], Json::array());
  }
};

TEST_F(UpcasterSchemaTest, AnIncompatibleSchemaIsAcceptedWithItsUpcaster) {
  append_people("person-1", {"Ada Lovelace"});
  EXPECT_EQ(send_schema("Person", kPersonV2).status, 409) << "not alone";
  const HttpAnswer answer = send_both(split_name());
  EXPECT_EQ(answer.status, 200) << answer.body;
  EXPECT_EQ(answer.json(), Json({{"id", 2}}));
  EXPECT_EQ(get("/subjects/Person/versions").json(), Json({1, 2}));
  EXPECT_EQ(events("/streams/person-1/events")[0]["data"]["last"], "Lovelace");
  EXPECT_EQ(get("/upcasters/Person").json()["upcasters"][0]["source"], split_name());
  const HttpAnswer again = send_both(split_name());
  EXPECT_EQ(again.status, 200) << "the same again changes nothing";
  EXPECT_EQ(again.json(), Json({{"id", 2}}));
  restart();
  EXPECT_EQ(events("/streams/person-1/events")[0]["data"]["last"], "Lovelace");
}

TEST_F(UpcasterSchemaTest, AFailingUpcasterRegistersNothing) {
  append_people("person-1", {"Ada Lovelace", "Plato"});
  const std::uint64_t before = head();
  const Json told = refused(send_both(split_name()), 42250);
  EXPECT_EQ(told["checked"], 2);
  EXPECT_EQ(told["failed"], 1);
  EXPECT_EQ(told["failures"][0]["position"], 3);
  EXPECT_EQ(told["kinds"].size(), 1u);
  ASSERT_EQ(head(), before + 1);
  EXPECT_EQ(get("/events?direction=backward&limit=1").json()["events"][0]["type"], "CommandRefused");
  expect_nothing_changed();
}

TEST_F(UpcasterSchemaTest, ScriptErrorsAndWrongStepsAreReported) {
  const Json script = refused(send_both("return upcaster {", "", {{"upcasterFile", "1-2.lua"}}), 42251);
  EXPECT_EQ(script["file"], "1-2.lua");
  EXPECT_EQ(script["line"], 1);
  EXPECT_EQ(refused(send_both(upcaster_text("return data", "Person", 1, 3)), 42252)["reason"],
            "wrong-target");
  EXPECT_EQ(refused(send_both(upcaster_text("return data", "Other")), 42252)["reason"], "wrong-target");
  EXPECT_EQ(refused(send_schema("Person", "{", {{"upcaster", split_name()}}), 42201).size(), 2u);
  EXPECT_EQ(send_both(std::string((1u << 20) + 1, ' ')).status, 413);
  EXPECT_EQ(send_schema("Person", kPersonV2, {{"upcaster", 7}}).status, 422);
  expect_nothing_changed();
}

TEST_F(UpcasterSchemaTest, ADryRunRegistersNothing) {
  append_people("person-1", {"Ada Lovelace"});
  const std::uint64_t before = head();
  EXPECT_EQ(send_both(split_name(), "?dryRun=true").status, 200);
  EXPECT_EQ(head(), before);
  expect_nothing_changed();
  // A client that asks for a dry run without an upcaster does not expect a registration.
  EXPECT_EQ(send_schema("Person", kPersonV1, Json::object(), "?dryRun=true").status, 422);
}

// Events of an older version are upcast for a check before they are appended.
class UpcastOnAppendTest : public UpcasterApiTest {
 protected:
  void SetUp() override {
    UpcasterApiTest::SetUp();
    begin_with({"Ada Lovelace"});
    deployed(split_name());
  }
};

TEST_F(UpcastOnAppendTest, EventsThatTheUpcasterFailsOnAreRefused) {
  const std::uint64_t before = head();
  const Json told = problem(append("person-2", {person("Alan Turing"), person("Plato"), person("Socrates")}),
                            422, "upcaster-failed");
  ASSERT_EQ(told["failures"].size(), 2u);
  EXPECT_EQ(told["failures"][0]["event"], 1);
  EXPECT_THAT(told["failures"][0].value("error", ""), HasSubstr("one name only: Plato"));
  EXPECT_EQ(told["failures"][1]["event"], 2);
  EXPECT_EQ(told["checked"], 3);
  EXPECT_EQ(told["failed"], 2);
  EXPECT_EQ(head(), before);
}

TEST_F(UpcastOnAppendTest, EventsAreNumberedAcrossStreams) {
  const Json told = problem(append_all({entry_text("a-1", {person("Alan Turing")}), check_text("b-1", "0"),
                                        entry_text("c-1", {person("Plato")})}),
                            422, "upcaster-failed");
  EXPECT_EQ(told["failures"][0]["event"], 1);
  EXPECT_EQ(get("/streams/a-1").status, 404);
}

TEST_F(UpcastOnAppendTest, EventsThatPassAndEventsOfTheNewestVersionAreAppended) {
  ASSERT_EQ(append("person-2", {person("Alan Turing"),
                                event_text("Person", R"({"n":1,"first":"Grace","last":"Hopper"})")})
                .status,
            201);
  EXPECT_EQ(each(events("/streams/person-2/events"), "/data/last"), Json({"Turing", "Hopper"}));
}

TEST_F(UpcastOnAppendTest, FramedEventsAreCheckedToo) {
  using namespace std::string_literals;
  const auto send = [this](const std::string& name) {
    const std::string body = "\0\0\0\0\1"s + "\x02" + static_cast<char>(2 * name.size()) + name;
    return post("/streams/person-2/events?type=Person", body, "application/vnd.confluent.avro");
  };
  problem(send("Plato"), 422, "upcaster-failed");
  EXPECT_EQ(send("Alan Turing").status, 201);
}

// A client that got no answer retries after an upcaster was installed.
TEST_F(UpcastOnAppendTest, ARepeatIsRecognisedAfterAnUpcasterWasInstalled) {
  const std::string event =
      R"({"type":"Person","schemaVersion":1,"id":")" + uuid(1) + R"(","data":{"n":1,"name":"Alan Turing"}})";
  ASSERT_EQ(append("person-2", {event}).status, 201);
  EXPECT_EQ(append("person-2", {event}).status, 200);
}

// The data of the repeat does not fit the newest schema, and the event names no version.
TEST_F(UpcasterSchemaTest, ARepeatIsRecognisedAfterAnIncompatibleSchema) {
  register_schema("Place", R"({"type":"record","name":"Place","fields":[{"name":"a","type":"long"}]})");
  const std::string ada =
      R"({"type":"Person","id":")" + uuid(1) + R"(","data":{"n":1,"name":"Ada Lovelace"}})";
  const std::string place = R"({"type":"Place","id":")" + uuid(2) + R"(","data":{"a":1}})";
  const HttpAnswer first = append("person-1", {ada, place}, "0");
  ASSERT_EQ(first.status, 201) << first.body;
  ASSERT_EQ(send_both(split_name()).status, 200);
  const std::string renamed = R"({"type":"record","name":"Place","fields":[{"name":"b","type":"long"}]})";
  ASSERT_EQ(
      send_schema("Place", renamed, {{"upcaster", upcaster_text("return {b = data.a}", "Place")}}).status,
      200);
  const std::uint64_t before = head();
  for (const char* expected : {"0", "\"any\""}) {
    const HttpAnswer again = append("person-1", {ada, place}, expected);
    EXPECT_EQ(again.status, 200) << again.body;
    EXPECT_EQ(again.json()["firstPosition"], first.json()["firstPosition"]);
  }
  const std::string other = R"({"type":"Person","id":")" + uuid(3) + R"(","data":{"n":1,"name":"Plato"}})";
  problem(append("person-1", {other}), 422, "invalid-data");
  problem(append("person-1", {ada, other}), 422, "invalid-data");
  const std::string changed = R"({"type":"Person","id":")" + uuid(1) + R"(","data":{"n":2,"name":"Ada"}})";
  EXPECT_THAT(append("person-1", {changed}).status, ::testing::AnyOf(409, 422));
  EXPECT_EQ(head(), before) << "nothing of these was stored";
}

TEST_F(UpcastOnAppendTest, ASlowUpcasterDoesNotBlockTheServer) {
  deployed(
      upcaster_text("if data.n > 1 then while true do end end\n    return {n = 1, first = '', last = ''}"));
  std::vector<std::string> many(500, person("Ada Lovelace", 2));
  const auto began = std::chrono::steady_clock::now();
  EXPECT_THAT(append("person-2", many).status, ::testing::AnyOf(422, 503));
  EXPECT_LT(std::chrono::steady_clock::now() - began, std::chrono::seconds(10));
  expect_healthy();
}

}  // namespace
}  // namespace cairn::test
