// Events that an upcaster turns into several events, none, or events of another type.

#include <string>

#include "tests/api/server/sse_client.h"
#include "tests/api/server/upcaster_fixture.h"

namespace cairn::test {
namespace {

constexpr const char* kMovedV1 = R"({"type":"record","name":"Moved","fields":[
  {"name":"n","type":"long"},{"name":"steps","type":"long"}]})";
constexpr const char* kMovedV2 = R"({"type":"record","name":"Moved","fields":[
  {"name":"n","type":"long"},{"name":"step","type":"long"}]})";
constexpr const char* kStood = R"({"type":"record","name":"Stood","fields":[{"name":"n","type":"long"}]})";

// One event for each step; an event without steps becomes none or an event of another type.
const std::string kOneEach =
    upcaster_text(R"(if data.steps < 0 then return {{type = "Stood", data = {n = data.n}}} end
    local parts = {}
    for step = 1, data.steps do parts[step] = {data = {n = data.n, step = step}} end
    return parts)",
                  "Moved");

class PartsTest : public UpcasterApiTest {
 protected:
  void SetUp() override {
    UpcasterApiTest::SetUp();
    register_schema("Stood", kStood);
    register_schema("Moved", kMovedV1);
  }

  // Events that make this many steps each, from position 3 on.
  void move(const std::vector<int>& steps) {
    std::vector<std::string> all;
    for (const int one : steps) {
      all.push_back(R"({"type":"Moved","schemaVersion":1,"data":{"n":)" + std::to_string(all.size() + 1) +
                    R"(,"steps":)" + std::to_string(one) + "}}");
    }
    const HttpAnswer answer = append("m-1", all);
    ASSERT_EQ(answer.status, 201) << answer.body;
  }
  void deploy_one_each() {
    register_schema("Moved", kMovedV2);
    deployed(kOneEach, "", "Moved/1");
  }
  HttpAnswer page(const std::string& query) { return get("/streams/m-1/events" + query); }
};

TEST_F(PartsTest, PartsHaveThePositionOfTheirEventAndANumber) {
  move({2, 1, 3});
  deploy_one_each();
  const Json all = events("/streams/m-1/events");
  EXPECT_EQ(each(all, "/version"), Json({1, 1, 2, 3, 3, 3}));
  EXPECT_EQ(each(all, "/position"), Json({3, 3, 4, 5, 5, 5}));
  EXPECT_EQ(each(all, "/part"), Json({1, 2, nullptr, 1, 2, 3}));
  EXPECT_EQ(each(all, "/data/step"), Json({1, 2, 1, 1, 2, 3}));
  EXPECT_EQ(each(all, "/storedSchemaVersion"), Json({1, 1, 1, 1, 1, 1}));
  EXPECT_EQ(all[0]["id"], all[1]["id"]);
}

TEST_F(PartsTest, ReadingBackwardTheLastPartComesFirst) {
  move({2, 1, 3});
  deploy_one_each();
  const Json all = events("/streams/m-1/events?direction=backward");
  EXPECT_EQ(each(all, "/version"), Json({3, 3, 3, 2, 1, 1}));
  EXPECT_EQ(each(all, "/part"), Json({3, 2, 1, nullptr, 2, 1}));
  EXPECT_EQ(Json(lines("/streams/m-1/events?direction=backward")), all);
}

TEST_F(PartsTest, LimitsAndPagesCountStoredEvents) {
  move({2, 0, 3, 1});
  deploy_one_each();
  const Json first = page("?limit=1").json();
  EXPECT_EQ(each(first["events"], "/part"), Json({1, 2}));
  EXPECT_EQ(first["next"], 2);
  const Json second = page("?limit=1&from=2").json();
  EXPECT_EQ(second["events"], Json::array()) << "the event was dropped";
  EXPECT_EQ(second["next"], 3) << "and the way goes on";
  EXPECT_EQ(each(page("?limit=2&from=3").json()["events"], "/version"), Json({3, 3, 3, 4}));
  EXPECT_EQ(page("?limit=2&from=3").json()["next"], nullptr);
  EXPECT_EQ(each(Json(lines("/streams/m-1/events?limit=2")), "/part"), Json({1, 2}));
  EXPECT_EQ(each(get("/events?from=5&limit=1").json()["events"], "/part"), Json({1, 2, 3}));
  EXPECT_EQ(get("/events?from=5&limit=1").json()["next"], 6);
  EXPECT_EQ(each(page("?limit=1&from=3&direction=backward").json()["events"], "/part"), Json({3, 2, 1}));
}

// A subscriber that is disconnected between two parts has not processed the event.
TEST_F(PartsTest, OnlyTheLastPartOfAServerSentEventHasItsId) {
  move({2, 0, 1});
  deploy_one_each();
  SseClient follower(port(), "/streams/m-1/events");
  const auto first = follower.next(), second = follower.next(), third = follower.next();
  ASSERT_TRUE(first && second && third);
  EXPECT_EQ(first->id, 0u);
  EXPECT_EQ(Json::parse(first->data)["part"], 1);
  EXPECT_EQ(second->id, 3u);
  EXPECT_EQ(Json::parse(second->data)["part"], 2);
  EXPECT_EQ(third->id, 5u) << "a dropped event sends nothing";
  SseClient again(port(), "/streams/m-1/events", "Last-Event-ID: 3\r\n");
  const auto behind = again.next();
  ASSERT_TRUE(behind);
  EXPECT_EQ(behind->id, 5u);
}

TEST_F(PartsTest, TypeFiltersApplyAfterUpcasting) {
  move({2, -1, 1});
  ASSERT_EQ(append("m-1", {event_text("Stood", R"({"n":9})")}).status, 201);
  EXPECT_EQ(each(events("/events?type=Stood"), "/data/n"), Json({9}));
  deploy_one_each();
  const Json stood = events("/events?type=Stood");
  EXPECT_EQ(each(stood, "/data/n"), Json({2, 9}));
  EXPECT_EQ(each(stood, "/type"), Json({"Stood", "Stood"}));
  EXPECT_EQ(each(stood, "/schemaId"), Json({1, 1}));
  EXPECT_EQ(each(events("/events?type=Moved"), "/version"), Json({1, 1, 3}));
  EXPECT_EQ(each(events("/events?type=Moved&shape=stored"), "/version"), Json({1, 2, 3}));
  EXPECT_EQ(each(events("/events?type=Stood&shape=stored"), "/data/n"), Json({9}));
  EXPECT_EQ(each(Json(lines("/events?type=Stood")), "/data/n"), Json({2, 9}));
  EXPECT_EQ(events("/events?type=Stood&type=Moved").size(), 5u);
}

// The upcaster that produces the wanted type may be installed after the follower has begun to wait.
TEST_F(PartsTest, AFollowerOfATypeGetsEventsUpcastToIt) {
  ASSERT_EQ(append("m-1", {event_text("Stood", R"({"n":9})")}).status, 201);
  SseClient follower(port(), "/events?type=Stood");
  ASSERT_TRUE(follower.next());
  deploy_one_each();
  move({1, -1});
  const auto sent = follower.next();
  ASSERT_TRUE(sent);
  EXPECT_EQ(sent->type, "Stood");
  EXPECT_EQ(Json::parse(sent->data)["data"]["n"], 2);
}

TEST_F(PartsTest, OneEventMayBecomeMoreThanOnePieceOfAnAnswer) {
  std::vector<int> steps(40, 1'000);
  move(steps);
  deploy_one_each();
  EXPECT_EQ(lines("/streams/m-1/events").size(), 40'000u);
  std::size_t seen = 0;
  for (Json from = 1; from.is_number();) {
    const Json one = page("?limit=10000&from=" + from.dump()).json();
    ASSERT_FALSE(one["events"].empty());
    EXPECT_EQ(one["events"].back()["part"], 1'000) << "no event is cut apart";
    seen += one["events"].size();
    from = one["next"];
  }
  EXPECT_EQ(seen, 40'000u);
}

}  // namespace
}  // namespace cairn::test
