// Appends over HTTP: expected versions, idempotency, atomicity.

#include <string>
#include <thread>
#include <vector>

#include "tests/api/server/api_fixture.h"

namespace cairn::test {
namespace {

class ServerAppendTest : public ApiTest {
 protected:
  void SetUp() override { serve(); }

  static Json result(const std::string& stream, std::uint64_t first_version, std::uint64_t last_version,
                     std::uint64_t first_position, std::uint64_t last_position, bool already = false) {
    return {{"stream", stream},
            {"firstVersion", first_version},
            {"lastVersion", last_version},
            {"firstPosition", first_position},
            {"lastPosition", last_position},
            {"alreadyApplied", already}};
  }
  void expect_applied(const HttpAnswer& answer, const Json& wanted) {
    EXPECT_EQ(answer.status, 201) << answer.body;
    EXPECT_EQ(answer.header("Content-Type"), "application/json");
    EXPECT_EQ(answer.json(), wanted);
  }
  void expect_repeated(const HttpAnswer& answer, const Json& wanted) {
    EXPECT_EQ(answer.status, 200) << answer.body;
    EXPECT_EQ(answer.json(), wanted);
  }
  std::vector<std::string> types_in(const std::string& stream) {
    std::vector<std::string> types;
    const Json page = get("/streams/" + stream + "/events").json();
    for (const Json& event : page["events"]) types.push_back(event["type"]);
    return types;
  }
};

TEST_F(ServerAppendTest, EachExpectedVersionAcceptsWhatItDescribes) {
  expect_applied(append("a-1", {event_text("T"), event_text("T")}, "0"), result("a-1", 1, 2, 1, 2));
  expect_applied(append("a-1", {event_text("T")}, "2"), result("a-1", 3, 3, 3, 3));
  expect_applied(append("a-1", {event_text("T")}, "\"any\""), result("a-1", 4, 4, 4, 4));
  expect_applied(append("b-1", {event_text("T")}), result("b-1", 1, 1, 5, 5));
  expect_applied(append("a-1", {event_text("T")}, "\"exists\""), result("a-1", 5, 5, 6, 6));
  EXPECT_EQ(append("a-1", {event_text("T")}, "4").status, 409);
  EXPECT_EQ(append("c-1", {event_text("T")}, "\"exists\"").status, 409);
  EXPECT_EQ(head(), 6u);
}

TEST_F(ServerAppendTest, IdsAreGeneratedWhenNoneAreGiven) {
  ASSERT_EQ(append("a-1", {event_text("T"), event_text("T")}).status, 201);
  const Json events = get("/events").json()["events"];
  for (const Json& event : events) {
    EXPECT_THAT(
        event["id"].get<std::string>(),
        ::testing::MatchesRegex("[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}"));
  }
  EXPECT_NE(events[0]["id"], events[1]["id"]);
}

TEST_F(ServerAppendTest, AStoredEventHasAllFields) {
  ASSERT_EQ(append("order-1", {R"({"type":"Placed","data":{"n":1},"metadata":{"m":2},"tags":["t"],"id":")" +
                               uuid(1) + "\"}"})
                .status,
            201);
  Json event = get("/events").json()["events"][0];
  EXPECT_THAT(event["recordedAt"].get<std::string>(),
              ::testing::MatchesRegex("20[0-9]{2}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\\.[0-9]{6}Z"));
  event.erase("recordedAt");
  EXPECT_EQ(event, Json::parse(
                       R"({"position":1,"stream":"order-1","version":1,"id":")" + uuid(1) +
                       R"(","type":"Placed","schemaId":null,"schemaVersion":null,"storedSchemaVersion":null,)"
                       R"("part":null,"data":{"n":1},"metadata":{"m":2},"tags":["t"]})"));
}

TEST_F(ServerAppendTest, ARepeatGetsTheFirstAnswerAlsoAfterACrash) {
  const std::vector<std::string> guards = {"", "0", "\"any\""};
  for (std::size_t i = 0; i < guards.size(); ++i) {
    const std::string stream = "s-" + std::to_string(i);
    const std::vector<std::string> own = {event_text("A", "1", uuid(10 * i + 1)),
                                          event_text("B", "{ \"n\" : 2.0 }", uuid(10 * i + 2))};
    const auto position = 3 * i;
    expect_applied(append(stream, own, guards[i]), result(stream, 1, 2, position + 1, position + 2));
    expect_repeated(append(stream, own, guards[i]), result(stream, 1, 2, position + 1, position + 2, true));
    ASSERT_EQ(append(stream, {event_text("Later")}).status, 201);
    expect_repeated(append(stream, own, guards[i]), result(stream, 1, 2, position + 1, position + 2, true));
    restart();
    expect_repeated(append(stream, own, guards[i]), result(stream, 1, 2, position + 1, position + 2, true));
    EXPECT_EQ(types_in(stream), (std::vector<std::string>{"A", "B", "Later"}));
  }
}

TEST_F(ServerAppendTest, ARepeatIsRecognisedWithOtherWhiteSpaceAndCase) {
  ASSERT_EQ(
      append("a-1", {R"({"type":"T","data":{"a":1},"id":"018f3c9e-7f4a-7c30-9a1b-00000000000a"})"}).status,
      201);
  expect_repeated(
      append("a-1", {R"({ "id":"018F3C9E-7F4A-7C30-9A1B-00000000000A", "data": { "a" : 1 }, "type":"T" })"}),
      result("a-1", 1, 1, 1, 1, true));
}

TEST_F(ServerAppendTest, WritersWithTheSameRequestStoreItOnce) {
  constexpr int kWriters = 8;
  std::vector<HttpAnswer> answers(kWriters);
  {
    std::vector<std::jthread> writers;
    for (int i = 0; i < kWriters; ++i) {
      writers.emplace_back([&, i] {
        ApiClient own = new_client();
        answers[i] = own.append("a-1", {event_text("T", "1", uuid(1))}, i % 2 == 0 ? "" : "0");
      });
    }
  }
  int created = 0;
  for (const HttpAnswer& answer : answers) {
    created += answer.status == 201;
    EXPECT_EQ(answer.json(), result("a-1", 1, 1, 1, 1, answer.status == 200)) << answer.status;
  }
  EXPECT_EQ(created, 1);
  EXPECT_EQ(head(), 1u);
}

TEST_F(ServerAppendTest, OneOfManyWritersAtAVersionWins) {
  constexpr int kWriters = 8;
  constexpr int kRounds = 10;
  std::atomic<int> won = 0;
  {
    std::vector<std::jthread> writers;
    for (int i = 0; i < kWriters; ++i) {
      writers.emplace_back([&] {
        ApiClient own = new_client();
        for (int round = 0; round < kRounds; ++round) {
          const int status = own.append("a-1", {event_text("T")}, std::to_string(round)).status;
          EXPECT_THAT(status, ::testing::AnyOf(201, 409));
          won += status == 201;
        }
      });
    }
  }
  EXPECT_EQ(won, static_cast<int>(head())) << "each version has one winner";
  EXPECT_GE(won, 1);
}

TEST_F(ServerAppendTest, SeveralStreamsAreAppendedToTogether) {
  ASSERT_EQ(append("cart-1", {event_text("T")}).status, 201);
  const HttpAnswer answer =
      append_all({entry_text("order-1", {event_text("A", "1", uuid(1)), event_text("B")}, "0"),
                  check_text("cart-1", "1"), check_text("none-1", "0"),
                  entry_text("pay-1", {event_text("C", "1", uuid(2))})});
  EXPECT_EQ(answer.status, 201) << answer.body;
  const Json check = {{"stream", "cart-1"},       {"firstVersion", nullptr}, {"lastVersion", 1},
                      {"firstPosition", nullptr}, {"lastPosition", nullptr}, {"alreadyApplied", false}};
  Json none = check;
  none["stream"] = "none-1";
  none["lastVersion"] = 0;
  EXPECT_EQ(answer.json()["results"],
            Json({result("order-1", 1, 2, 2, 3), check, none, result("pay-1", 1, 1, 4, 4)}));
}

TEST_F(ServerAppendTest, OneInvalidEntryStoresNone) {
  ASSERT_EQ(append("cart-1", {event_text("T", "1", uuid(1))}).status, 201);
  const std::string good = entry_text("order-1", {event_text("A")});
  const Json stale = problem(append_all({good, check_text("cart-1", "2")}), 409, "wrong-version");
  EXPECT_EQ(stale["stream"], "cart-1");
  EXPECT_EQ(stale["currentVersion"], 1);
  EXPECT_EQ(stale["check"], "versions");
  problem(append_all({check_text("cart-2", "\"exists\""), good}), 409, "wrong-version");
  problem(append_all({good, entry_text("cart-1", {event_text("T")}, "0")}), 409, "wrong-version");
  problem(append_all({good, entry_text("cart-2", {event_text("T", "1", uuid(1))})}), 409, "event-id-reused");
  EXPECT_EQ(head(), 1u);
  EXPECT_EQ(get("/streams/order-1").status, 404);
  restart();
  EXPECT_EQ(head(), 1u);
}

TEST_F(ServerAppendTest, ChecksAloneAnswerAndStoreNothing) {
  ASSERT_EQ(append("cart-1", {event_text("T")}).status, 201);
  const HttpAnswer holds = append_all({check_text("cart-1", "1"), check_text("cart-2", "0")});
  EXPECT_THAT(holds.status, ::testing::AnyOf(200, 201)) << holds.body;
  EXPECT_EQ(holds.json()["results"][0]["lastVersion"], 1);
  EXPECT_EQ(holds.json()["results"][1]["lastVersion"], 0);
  problem(append_all({check_text("cart-1", "2")}), 409, "wrong-version");
  problem(append_all({check_text("cart-2", "\"exists\"")}), 409, "wrong-version");
  EXPECT_EQ(head(), 1u);
}

TEST_F(ServerAppendTest, ARepeatedMultiAppendIsRecognisedAlsoAfterACrash) {
  const std::vector<std::string> entries = {entry_text("a-1", {event_text("A", "1", uuid(1))}, "0"),
                                            check_text("c-1", "0"),
                                            entry_text("b-1", {event_text("B", "1", uuid(2))}, "0")};
  ASSERT_EQ(append_all(entries).status, 201);
  ASSERT_EQ(append("c-1", {event_text("Later")}).status, 201) << "what the check saw has changed since";
  for (int round = 0; round < 2; ++round) {
    const HttpAnswer again = append_all(entries);
    EXPECT_EQ(again.status, 200) << again.body;
    EXPECT_EQ(again.json()["results"][0], result("a-1", 1, 1, 1, 1, true));
    EXPECT_EQ(again.json()["results"][2], result("b-1", 1, 1, 2, 2, true));
    restart();
  }
  EXPECT_EQ(head(), 3u);
}

TEST_F(ServerAppendTest, TenThousandEventsAreOneAppend) {
  const std::vector<std::string> events(10'000, R"({"type":"T","data":1})");
  expect_applied(append("a-1", events, "0"), result("a-1", 1, 10'000, 1, 10'000));
}

}  // namespace
}  // namespace cairn::test
