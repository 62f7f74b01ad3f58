// Queries over types, tags and categories, and appends that fail if events match one.

#include <atomic>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "tests/api/server/access_fixture.h"
#include "tests/api/server/sse_client.h"
#include "tests/api/server/upcaster_fixture.h"

namespace cairn::test {
namespace {

using ::testing::HasSubstr;
using Positions = std::vector<std::uint64_t>;

Json item(const Json& tags, const Json& types = Json::array(), const Json& categories = Json::array()) {
  Json made = Json::object();
  if (!tags.empty()) made["tags"] = tags;
  if (!types.empty()) made["types"] = types;
  if (!categories.empty()) made["categories"] = categories;
  return made;
}

Json condition(const Json& items, std::uint64_t after = 0) {
  Json made = {{"failIfEventsMatch", {{"items", items}}}};
  if (after > 0) made["after"] = after;
  return made;
}

// A body of POST /append with one event.
std::string conditional(const std::string& stream, const std::string& event, const Json& condition) {
  Json entry = {{"events", Json::array({Json::parse(event)})}};
  if (!stream.empty()) entry["stream"] = stream;
  return Json({{"appends", Json::array({entry})}, {"condition", condition}}).dump();
}

class ConditionsTest : public ApiTest {
 protected:
  void SetUp() override {
    serve();
    store("course-1", tagged_text("Defined", {"course:1"}));
    store("student-7", tagged_text("Joined", {"student:7"}));
    store("course-1", tagged_text("Subscribed", {"course:1", "student:7"}));
    store("course-2", tagged_text("Subscribed", {"course:2", "student:8"}));
    // The server's own: position 5, in $schemas.
    ASSERT_EQ(post("/subjects/Named/versions", R"({"schema":"\"string\""})").status, 200);
    store("room-1", tagged_text("Defined", {"room:1"}));
  }
  void store(const std::string& stream, const std::string& event) {
    ASSERT_EQ(append(stream, {event}).status, 201);
  }

  HttpAnswer query(const Json& body, const httplib::Headers& more = {}) {
    return client().post("/events/query", body.dump(), "application/json", more);
  }

  // As a page, in pages of one event, and as lines, which are the same.
  Positions found(const Json& items) {
    SCOPED_TRACE(items.dump());
    Positions all, paged, lined;
    const Json page = query({{"items", items}}).json();
    EXPECT_EQ(page["head"], 6);
    EXPECT_TRUE(page["next"].is_null());
    for (const Json& event : page["events"]) all.push_back(event["position"]);
    Json from = 1;
    for (int i = 0; i < 8 && !from.is_null(); ++i) {
      const Json one = query({{"items", items}, {"limit", 1}, {"from", from}}).json();
      for (const Json& event : one["events"]) paged.push_back(event["position"]);
      from = one["next"];
    }
    std::istringstream lines(query({{"items", items}}, {{"Accept", "application/x-ndjson"}}).body);
    for (std::string line; std::getline(lines, line);) lined.push_back(Json::parse(line)["position"]);
    EXPECT_EQ(paged, all);
    EXPECT_EQ(lined, all);
    return all;
  }

  Json append_if(const Json& condition, int status, const std::string& event = tagged_text("New", {"new"})) {
    const HttpAnswer answer = post("/append", conditional("new-1", event, condition));
    EXPECT_EQ(answer.status, status) << answer.body;
    return answer.json();
  }

  void expect_refused(const std::string& path, const Json& body, const std::string& field) {
    SCOPED_TRACE(body.dump());
    EXPECT_EQ(problem(post(path, body.dump()), 400, "invalid-request").value("field", ""), field);
    EXPECT_EQ(head(), 6u);
  }
};

TEST_F(ConditionsTest, ItemsAreAlternativesAndTagsAreNot) {
  EXPECT_EQ(found(Json::array({item({"course:1"})})), (Positions{1, 3}));
  EXPECT_EQ(found(Json::array({item({"course:1", "student:7"})})), (Positions{3}));
  EXPECT_EQ(found(Json::array({item({"course:1"}), item({"student:7"})})), (Positions{1, 2, 3}));
  EXPECT_EQ(found(Json::array({item({}, {"Defined", "Joined"})})), (Positions{1, 2, 6}));
  EXPECT_EQ(found(Json::array({item({}, {"Defined"}, {"course", "student"})})), (Positions{1}));
  EXPECT_EQ(found(Json::array({item({"student:8"}, {"Subscribed"}), item({"room:1"}, {"Subscribed"})})),
            (Positions{4}));
}

TEST_F(ConditionsTest, AnItemWithoutListsSelectsAllButTheServersOwn) {
  EXPECT_EQ(found(Json::array()), (Positions{1, 2, 3, 4, 6}));
  EXPECT_EQ(found(Json::array({Json::object()})), (Positions{1, 2, 3, 4, 6}));
  EXPECT_EQ(found(Json::array({item({}, {}, {"$schemas"})})), (Positions{5}));
  EXPECT_EQ(found(Json::array({Json::object(), item({}, {}, {"$schemas"})})), (Positions{1, 2, 3, 4, 5, 6}));
}

TEST_F(ConditionsTest, APageEndsWhereItIsToldTo) {
  const Json items = Json::array({item({}, {"Subscribed", "Defined"})});
  const Json page = query({{"items", items}, {"until", 3}}).json();
  EXPECT_EQ(page["events"].size(), 2u);
  EXPECT_EQ(page["head"], 6);
  const Json backward = query({{"items", items}, {"direction", "backward"}, {"limit", 2}}).json();
  EXPECT_EQ(backward["events"][0]["position"], 6);
  EXPECT_EQ(backward["events"][1]["position"], 4);
  EXPECT_EQ(backward["next"], 3);
}

TEST_F(ConditionsTest, AFollowerGetsOldAndNewEventsOfItsItems) {
  const std::string body = Json({{"items", Json::array({item({"course:1"}), item({"student:9"})})}}).dump();
  SseClient follower(port(), "/events/query", "Last-Event-ID: 1\r\n", 0, body);
  ASSERT_EQ(follower.status(), 200);
  EXPECT_EQ(follower.next()->id, 3u);
  store("course-2", tagged_text("Subscribed", {"course:2"}));
  store("student-9", tagged_text("Joined", {"student:9"}));
  const auto next = follower.next();
  ASSERT_TRUE(next.has_value());
  EXPECT_EQ(next->id, 8u);
  EXPECT_EQ(next->type, "Joined");
  SseClient ahead(port(), "/events/query", "Last-Event-ID: 99\r\n", 0, body);
  EXPECT_EQ(ahead.status(), 409);
}

TEST_F(ConditionsTest, WhatIsNoQueryIsRefused) {
  const auto refused = [&](const Json& body, const std::string& field) {
    expect_refused("/events/query", body, field);
  };
  refused(Json::array(), "body");
  refused(Json::object(), "items");
  refused({{"items", 1}}, "items");
  refused({{"items", {1}}}, "items[0]");
  refused({{"items", {{{"tag", {"a"}}}}}}, "items[0].tag");
  refused({{"items", {{{"tags", "a"}}}}}, "items[0].tags");
  refused({{"items", {{{"tags", {1}}}}}}, "items[0].tags[0]");
  refused({{"items", {{{"tags", {""}}}}}}, "items[0].tags[0]");
  refused({{"items", Json::array()}, {"from", 0}}, "from");
  refused({{"items", Json::array()}, {"limit", 10'001}}, "limit");
  refused({{"items", Json::array()}, {"direction", "up"}}, "direction");
  refused({{"items", Json::array()}, {"shape", "newest"}}, "shape");
  refused({{"items", Json::array()}, {"filter", 1}}, "filter");
  Json names = Json::array();
  for (int i = 0; i < 65; ++i) names.push_back("t" + std::to_string(i));
  EXPECT_EQ(problem(query({{"items", {{{"tags", names}}}}}), 413, "too-large")["limit"], 64);
  EXPECT_EQ(problem(query({{"items", Json(65, item({"a"}))}}), 413, "too-large")["limit"], 64);
  EXPECT_EQ(post("/events/query", "{}", "text/plain").status, 415);
  // What a follower keeps for as long as it follows is bounded.
  refused({{"items", {{{"tags", {"a", std::string(201, 'x')}}}}}}, "items[0].tags[1]");
  Json long_names = Json::array();
  for (int i = 0; i < 60; ++i) long_names.push_back(std::to_string(i) + std::string(190, 'x'));
  EXPECT_EQ(problem(query({{"items", Json::array({item(long_names), item(long_names), item(long_names)})}}),
                    413, "too-large")["limit"],
            32u << 10);
}

TEST_F(ConditionsTest, AnEventBehindThePositionFailsTheAppend) {
  const Json items = Json::array({item({"room:9"}), item({"course:1"}, {"Subscribed"})});
  const Json failed = append_if(condition(items), 409);
  EXPECT_EQ(failed["type"], "/problems/condition-failed");
  EXPECT_EQ(failed["check"], "condition");
  EXPECT_EQ(failed["item"], 1);
  EXPECT_EQ(failed["position"], 3);
  EXPECT_EQ(failed["stream"], "course-1");
  EXPECT_EQ(failed["eventType"], "Subscribed");
  EXPECT_EQ(failed["head"], 6);
  EXPECT_EQ(head(), 6u);
  append_if(condition(items, 2), 409);
  EXPECT_EQ(append_if(condition(items, 3), 201)["results"][0]["firstPosition"], 7);
  append_if(condition(items, 1'000), 201);
  append_if(condition(Json::array(), 8), 201);
  EXPECT_EQ(append_if(condition(Json::array(), 8), 409)["position"], 9);
}

TEST_F(ConditionsTest, ConditionsSurviveARestartAndARebuiltIndex) {
  const Json items = Json::array({item({"course:1", "student:7"})});
  ASSERT_EQ(stop_server().exit_code, 0);
  std::filesystem::remove_all(std::filesystem::path(folder()) / "index");
  serve();
  EXPECT_EQ(append_if(condition(items), 409)["position"], 3);
  append_if(condition(items, 3), 201);
}

TEST_F(ConditionsTest, AnEntryWithoutStreamGoesToTheDefaultStream) {
  const std::string event = tagged_text("New", {"new:1"});
  const HttpAnswer answer =
      post("/append", conditional("", event, condition(Json::array({item({"new:1"})}))));
  ASSERT_EQ(answer.status, 201) << answer.body;
  EXPECT_EQ(answer.json()["results"][0]["stream"], "dcb");
  EXPECT_EQ(post("/append", conditional("", event, condition(Json::array({item({"new:1"})})))).status, 409);
}

TEST_F(ConditionsTest, ARepeatByIdIsRecognisedFirstAndVersionsAreCheckedBefore) {
  const Json taken = condition(Json::array({item({"seat:1"})}));
  Json event = Json::parse(tagged_text("Reserved", {"seat:1"}));
  event["id"] = uuid(1);
  EXPECT_EQ(append_if(taken, 201, event.dump())["results"][0]["alreadyApplied"], false);
  const Json again = append_if(taken, 200, event.dump());
  EXPECT_EQ(again["results"][0]["alreadyApplied"], true);
  EXPECT_EQ(again["results"][0]["firstPosition"], 7);
  event.erase("id");
  append_if(taken, 409, event.dump());
  const Json body = {
      {"appends", {{{"stream", "new-1"}, {"expectedVersion", 5}, {"events", Json::array({event})}}}},
      {"condition", taken}};
  EXPECT_EQ(problem(post("/append", body.dump()), 409, "wrong-version")["check"], "versions");
  EXPECT_EQ(head(), 7u);
}

TEST_F(ConditionsTest, AnAppendToOneStreamMayHaveOne) {
  Json body = {{"events", {Json::parse(tagged_text("Reserved", {"seat:1"}))}},
               {"condition", condition(Json::array({item({"seat:1"})}))}};
  EXPECT_EQ(post("/streams/seat-1/events", body.dump()).status, 201);
  EXPECT_EQ(problem(post("/streams/seat-1/events", body.dump()), 409, "condition-failed")["position"], 7);
}

TEST_F(ConditionsTest, WhatIsNoConditionIsRefused) {
  const auto refused = [&](const Json& condition, const std::string& field) {
    expect_refused("/append",
                   {{"appends", {{{"stream", "new-1"}, {"events", {Json::parse(tagged_text("A", {"b"}))}}}}},
                    {"condition", condition}},
                   field);
  };
  refused(1, "condition");
  refused(Json::object(), "condition.failIfEventsMatch");
  refused({{"failIfEventsMatch", Json::object()}}, "condition.failIfEventsMatch.items");
  refused({{"failIfEventsMatch", {{"items", {{{"ids", {"a"}}}}}}}},
          "condition.failIfEventsMatch.items[0].ids");
  refused({{"failIfEventsMatch", {{"items", Json::array()}}}, {"after", -1}}, "condition.after");
  refused({{"failIfEventsMatch", {{"items", Json::array()}}}, {"before", 1}}, "condition.before");
}

// Over HTTP, some with the position of their last read and some without.
TEST_F(ConditionsTest, OfClientsThatRaceForASeatOneWins) {
  constexpr int kClients = 8, kSeats = 25;
  std::vector<std::atomic<int>> won(kSeats);
  std::atomic<int> lost = 0, other = 0;
  std::vector<std::thread> clients;
  for (int which = 0; which < kClients; ++which) {
    clients.emplace_back([&, which] {
      ApiClient client = new_client();
      for (int seat = 0; seat < kSeats; ++seat) {
        const std::string tag = "seat:" + std::to_string(seat);
        const HttpAnswer answer =
            client.post("/append",
                        conditional("guest-" + std::to_string(which), tagged_text("Reserved", {tag}),
                                    condition(Json::array({item({tag})}), which % 2 == 0 ? 6 : 0)),
                        "application/json");
        if (answer.status == 201)
          ++won[static_cast<std::size_t>(seat)];
        else if (answer.status == 409 && answer.json()["eventType"] == "Reserved")
          ++lost;
        else
          ++other;
      }
    });
  }
  for (std::thread& client : clients) client.join();
  for (const auto& winners : won) EXPECT_EQ(winners, 1);
  EXPECT_EQ(lost, kSeats * (kClients - 1));
  EXPECT_EQ(other, 0);
  EXPECT_EQ(head(), 6u + kSeats);
}

class ConditionAccessTest : public AccessTest {};

TEST_F(ConditionAccessTest, ATokenWithCategoriesNamesItsOwnInEveryItem) {
  serve_with_tokens();
  ApiClient orders = as(kOrders);
  const auto query = [&](const Json& items) {
    return orders.post("/events/query", Json({{"items", items}}).dump(), "application/json");
  };
  EXPECT_EQ(query(Json::array({item({"a"}, {}, {"order"})})).status, 200);
  expect_forbidden(query(Json::array({item({"a"}, {}, {"order"}), item({"a"})})), "items[1].categories");
  expect_forbidden(query(Json::array({item({"a"}, {}, {"order", "cart"})})), "cart");
  expect_forbidden(query(Json::array()), "items[0].categories");
  const auto append = [&](const Json& items) {
    return orders.post("/append", conditional("order-1", tagged_text("Placed", {"a"}), condition(items)),
                       "application/json");
  };
  expect_forbidden(append(Json::array({item({"a"})})), "items[0].categories");
  EXPECT_EQ(append(Json::array({item({"a"}, {}, {"order"})})).status, 201);
  EXPECT_EQ(append(Json::array({item({"a"}, {}, {"order"})})).status, 409);
  EXPECT_EQ(as(kWriter).post("/events/query", R"({"items":[]})", "application/json").status, 403);
  EXPECT_EQ(
      as(kReader)
          .post("/append",
                conditional("order-1", tagged_text("Placed", {}), condition(Json::array({item({"a"})}))),
                "application/json")
          .status,
      403);
}

constexpr const char* kOldV1 = R"({"type":"record","name":"Taken","fields":[{"name":"seat","type":"long"}]})";
constexpr const char* kOldV2 =
    R"({"type":"record","name":"Taken","fields":[{"name":"chair","type":"long"}]})";
constexpr const char* kReserved =
    R"({"type":"record","name":"Reserved","fields":[{"name":"seat","type":"long"}]})";

class WidenedConditionTest : public UpcasterApiTest {
 protected:
  // Events of the old type, which an upcaster then turns into another type.
  void begin() {
    register_schema("Reserved", kReserved);
    register_schema("Taken", kOldV1);
    ASSERT_EQ(append("seat-1", {R"({"type":"Taken","data":{"seat":1},"tags":["seat:1"]})"}).status, 201);
    register_schema("Taken", kOldV2);
  }
  void rename() {
    deployed(upcaster_text("return {{type = 'Reserved', data = {seat = data.seat}}}", "Taken"), "",
             "Taken/1");
  }
  HttpAnswer reserve(const std::string& type) {
    return post("/append", conditional("seat-2", R"({"type":"Reserved","data":{"seat":1},"tags":["seat:1"]})",
                                       condition(Json::array({item({"seat:1"}, {type})}))));
  }
};

TEST_F(WidenedConditionTest, TypesAreThoseThatReadersSee) {
  begin();
  rename();
  const std::uint64_t before = head();
  const Json failed = problem(reserve("Reserved"), 409, "condition-failed");
  EXPECT_EQ(failed["eventType"], "Taken") << "as it is stored";
  EXPECT_EQ(head(), before);
  const auto read = [&](const std::string& type, const Json& shape) {
    return post("/events/query",
                Json({{"items", Json::array({item({"seat:1"}, {type})})}, {"shape", shape}}).dump())
        .json()["events"]
        .size();
  };
  EXPECT_EQ(read("Reserved", "latest"), 1u);
  EXPECT_EQ(read("Reserved", "stored"), 0u);
  EXPECT_EQ(read("Taken", "latest"), 0u);
  EXPECT_EQ(read("Taken", "stored"), 1u);
}

// The type of the condition becomes wider between its verification and the append, or before: never does the append
// pass behind the deployment.
TEST_F(WidenedConditionTest, ADeploymentBesideAppendsIsNotMissed) {
  begin();
  std::atomic<bool> deployed = false;
  std::thread other([&] {
    rename();
    deployed = true;
  });
  std::size_t passed = 0;
  for (;;) {
    const bool was_deployed = deployed;
    const HttpAnswer answer =
        post("/append", conditional("seat-2", R"({"type":"Reserved","data":{"seat":1}})",
                                    condition(Json::array({item({"seat:1"}, {"Reserved"})}))));
    if (answer.status == 201) {
      EXPECT_FALSE(was_deployed);
      ++passed;
    } else {
      EXPECT_EQ(answer.status, 409) << answer.body;
      break;
    }
  }
  other.join();
  // The definition stands in the log: no append that passed stands behind it.
  std::uint64_t installed = 0, last = 0;
  const Json log = get("/events?limit=10000&shape=stored").json();
  for (const Json& event : log["events"]) {
    if (event["stream"] == "$definitions") installed = event["position"];
    if (event["stream"] == "seat-2") last = event["position"];
  }
  EXPECT_GT(installed, last) << passed << " appends passed: " << log.dump().substr(0, 3'000);
}

}  // namespace
}  // namespace cairn::test
