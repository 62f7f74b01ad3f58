// POST /projections/try, /aggregates/try and /upcasters/try: scripts on events, without deploying them.

#include <chrono>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include "tests/api/server/access_fixture.h"
#include "tests/api/server/projection_fixture.h"

namespace cairn::test {
namespace {

using ::testing::HasSubstr;

std::string endless() {
  return "return projection {\n  on = {\n    Sold = function(row, event)\n      while true do end\n    end\n "
         " }\n}\n";
}

class TryTest : public ProjectionApiTest {
 protected:
  HttpAnswer ask(const std::string& what, const Json& body) { return post("/" + what + "/try", body.dump()); }
  Json report(const std::string& what, const Json& body) {
    const HttpAnswer answer = ask(what, body);
    EXPECT_EQ(answer.status, 200) << answer.body.substr(0, 1'000);
    return answer.status == 200 ? answer.json() : Json::object();
  }
  static Json given(const std::string& stream, const std::string& type, const Json& data) {
    return {{"stream", stream}, {"type", type}, {"data", data}};
  }
  static Json kinds(const Json& report) {
    Json kinds = Json::array();
    for (const Json& warning : report["warnings"]) kinds.push_back(warning["kind"]);
    return kinds;
  }
  // Every file of the store but LMDB's reader tables, which each reader changes.
  std::map<std::string, std::string> bytes() const {
    std::map<std::string, std::string> files;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder())) {
      if (!entry.is_regular_file() || entry.path().filename() == "lock.mdb") continue;
      std::ifstream file(entry.path(), std::ios::binary);
      files[entry.path().string()] = std::string(std::istreambuf_iterator<char>(file), {});
    }
    return files;
  }
  // The bytes once the background threads have nothing left to write.
  std::map<std::string, std::string> settled_bytes() const {
    auto before = bytes();
    for (int same = 0; same < 3;) {
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
      auto now = bytes();
      same = now == before ? same + 1 : 0;
      before = std::move(now);
    }
    return before;
  }
  double metric(const std::string& name) {
    const std::string text = get("/metrics").body;
    const auto at = text.find("\n" + name + " ");
    return at == std::string::npos ? 0 : std::stod(text.substr(at + name.size() + 2));
  }
};

TEST_F(TryTest, AProjectionAnswersRowsErrorsAndWhatItPassedOver) {
  sell({sold("ann", 10), sold("bob", 1)});
  const std::uint64_t failing = sell({sold_badly("ann")});
  sell({sold("ann", 5), event_text("Sold", R"({"amount":7})")});
  const Json tried = report("projections", {{"source", sales()}, {"last", 100}, {"file", "sales.lua"}});
  EXPECT_EQ(tried["complete"], true);
  EXPECT_EQ(tried["given"], 5);
  EXPECT_EQ(tried["events"], 2);
  EXPECT_EQ(tried["waiting"], 1);
  EXPECT_EQ(tried["passedOver"], 1);
  EXPECT_EQ(tried["passedOverWhy"], (Json{{"key was nil", 1}}));
  EXPECT_EQ(tried["rows"],
            (Json{{{"key", "ann"}, {"row", bought(10, 1)}}, {{"key", "bob"}, {"row", bought(1, 1)}}}));
  EXPECT_EQ(tried["fieldsUsed"], (Json{{"Sold", {"data.amount", "data.customer"}}}));
  ASSERT_EQ(tried["errors"].size(), 1u);
  const Json& error = tried["errors"][0];
  EXPECT_EQ(error["position"], failing);
  EXPECT_EQ(error["stream"], "sale-1");
  EXPECT_EQ(error["key"], "ann");
  EXPECT_EQ(error["file"], "sales.lua");
  EXPECT_EQ(error["line"], 6);
  EXPECT_EQ(error["event"]["data"], (Json{{"customer", "ann"}}));
  EXPECT_EQ(kinds(tried), (Json{"parked"}));

  const Json last = report("projections", {{"source", sales()}, {"last", 2}});
  EXPECT_EQ(last["given"], 2) << "the last two that it selects";
  EXPECT_EQ(last["rows"], (Json{{{"key", "ann"}, {"row", bought(5, 1)}}}));
}

TEST_F(TryTest, NothingIsChanged) {
  use(sales());
  const std::uint64_t through = sell({sold("ann", 10), sold_badly("bob")});
  EXPECT_EQ(row("ann", through), bought(10, 1));
  const auto before = settled_bytes();
  const std::uint64_t head_before = head();
  const Json projections = get("/projections").json(), aggregates = get("/aggregates").json();
  for (const Json& events :
       {Json{{"last", 100}}, Json{{"events", {given("sale-9", "Sold", {{"amount", 1}})}}}}) {
    for (const auto& [what, source] :
         {std::pair<std::string, std::string>("projections", sales(2)),
          {"aggregates",
           "return aggregate { category = 'sale', on = { Sold = function(state) state.n = 1 end } }"},
          {"upcasters", upcaster_text("return data", "Sold")}}) {
      Json body = events;
      body["source"] = source;
      report(what, body);
    }
  }
  EXPECT_EQ(head(), head_before);
  EXPECT_EQ(get("/projections").json()["projections"][0]["fingerprint"],
            projections["projections"][0]["fingerprint"]);
  EXPECT_EQ(get("/aggregates").json(), aggregates);
  EXPECT_EQ(get("/upcasters").json()["upcasters"], Json::array());
  EXPECT_EQ(row("ann", through), bought(10, 1));
  EXPECT_TRUE(settled_bytes() == before) << "the files of the store";
}

TEST_F(TryTest, ATypeThatNoSchemaHasIsAWarningWithTheNearestName) {
  sell({sold("ann", 1)});
  const std::string source = "return projection { on = { Solt = function(row) row.n = 1 end } }";
  const Json tried = report("projections", {{"source", source}, {"last", 10}});
  ASSERT_EQ(kinds(tried), (Json{"unknown-type"})) << "there were no events to try it on";
  EXPECT_THAT(tried["warnings"][0]["message"].get<std::string>(), HasSubstr("'Solt'; did you mean 'Sold'?"));
}

TEST_F(TryTest, WhereEventsNeedASchemaEveryUnknownTypeIsAWarning) {
  const std::string source = "return projection { on = { Sold = function(row) row.n = 1 end } }";
  EXPECT_EQ(deploy_projection(source).json()["warnings"], Json::array()) << "it may still come";
  stop_server();
  serve({});
  EXPECT_EQ(kinds(report("projections", {{"source", source}, {"last", 10}})), (Json{"unknown-type"}));
  EXPECT_EQ(kinds(deploy_projection(source).json()), (Json{"unknown-type"}));
  register_schema("Sold", R"({"type":"record","name":"Sold","fields":[]})");
  EXPECT_EQ(deploy_projection(source).json()["warnings"], Json::array());
}

TEST_F(TryTest, AnAggregateFoldsAStream) {
  sell({sold("ann", 10), sold("ann", 5)});
  sell({sold("bob", 1)}, "sale-2");
  const std::string source =
      "return aggregate { category = 'sale', on = { Sold = function(state, event)\n"
      "  state.total = (state.total or 0) + event.data.amount\nend } }";
  const Json one = report("aggregates", {{"source", source}, {"stream", "sale-1"}});
  EXPECT_EQ(one["rows"], (Json{{{"key", "sale-1"}, {"row", {{"total", 15}}}}}));
  const Json last = report("aggregates", {{"source", source}, {"last", 2}});
  EXPECT_EQ(last["rows"].size(), 2u);
  EXPECT_EQ(kinds(last), (Json{"partial-stream"}));
  EXPECT_EQ(problem(ask("aggregates", {{"source", source}, {"stream", "order-1"}}), 400,
                    "invalid-request")["field"],
            "stream");
  problem(ask("aggregates", {{"source", source}, {"stream", "sale-9"}}), 404, "not-found");
}

TEST_F(TryTest, AnUpcasterIsCheckedAgainstTheTargetsSchema) {
  begin_with({"Ann Lee", "Bob", "Cyd Jones"});
  const Json tried = report("upcasters", {{"source", split_name()}, {"last", 10}});
  EXPECT_EQ(tried["checkedAgainst"], 2);
  EXPECT_EQ(tried["events"], 2);
  ASSERT_EQ(tried["results"].size(), 2u);
  EXPECT_EQ(tried["results"][0]["before"], (Json{{"n", 1}, {"name", "Ann Lee"}}));
  EXPECT_EQ(tried["results"][0]["after"],
            (Json{{{"type", "Person"}, {"data", {{"n", 1}, {"first", "Ann"}, {"last", "Lee"}}}}}));
  ASSERT_EQ(tried["errors"].size(), 1u);
  EXPECT_EQ(tried["errors"][0]["line"], 5);
  EXPECT_EQ(tried["errors"][0]["message"], "one name only: Bob");
  EXPECT_EQ(tried["fieldsUsed"], (Json{{"Person", {"data.n", "data.name"}}}));

  const Json wrong = report("upcasters", {{"source", upcaster_text("return {n = 'x'}")}, {"last", 1}});
  EXPECT_EQ(wrong["failed"], 1);
  EXPECT_THAT(wrong["errors"][0]["message"].get<std::string>(),
              HasSubstr("does not fit version 2 of Person"));

  const Json person = {{"type", "Person"}, {"data", {{"n", 7}, {"name", "Dee Fox"}}}};
  const Json misfit = {{"type", "Person"}, {"data", {{"n", "seven"}}}};
  const Json own = report("upcasters", {{"source", split_name()}, {"events", {person, misfit}}});
  EXPECT_EQ(own["results"][0]["after"][0]["data"]["first"], "Dee");
  EXPECT_THAT(own["errors"][0]["message"].get<std::string>(), HasSubstr("does not fit version 1 of Person"));

  const Json unknown = report("upcasters", {{"source", upcaster_text("return data", "Animal")}, {"last", 1}});
  EXPECT_EQ(kinds(unknown), (Json{"unknown-type", "not-checked"}));
  EXPECT_TRUE(unknown["checkedAgainst"].is_null());
}

TEST_F(TryTest, AScriptThatDoesNotLoadIsAScriptError) {
  for (const char* what : {"projections", "aggregates", "upcasters"}) {
    const Json refused =
        problem(ask(what, {{"source", "local a = 1\nreturn nothing {"}, {"last", 1}, {"file", "x.lua"}}), 422,
                "script-error");
    EXPECT_EQ(refused["file"], "x.lua");
    EXPECT_EQ(refused["line"], 2);
  }
}

TEST_F(TryTest, AWrongBodyNamesTheField) {
  const Json good = {{"source", sales()}, {"last", 1}};
  const auto with = [&](const std::string& name, const Json& value) {
    Json body = good;
    body[name] = value;
    return problem(ask("projections", body), 400, "invalid-request")["field"];
  };
  EXPECT_EQ(with("last", 0), "last");
  EXPECT_EQ(with("last", 10'001), "last");
  EXPECT_EQ(with("last", "all"), "last");
  EXPECT_EQ(with("source", 7), "source");
  EXPECT_EQ(with("file", ""), "file");
  EXPECT_EQ(with("stream", "sale-1"), "stream") << "of aggregates only";
  EXPECT_EQ(with("events", 7), "events");
  EXPECT_EQ(with("events", Json::array()), "events") << "and last";
  EXPECT_EQ(problem(ask("projections", {{"last", 1}}), 400, "invalid-request")["field"], "source");
  EXPECT_EQ(problem(ask("projections", {{"source", sales()}}), 400, "invalid-request")["field"], "events");
  EXPECT_EQ(problem(post("/projections/try", "{"), 400, "invalid-request")["field"], "body");
  EXPECT_EQ(problem(post("/projections/try?dryRun=true", good.dump()), 400, "invalid-request")["field"],
            "dryRun");
  problem(post("/projections/try", good.dump(), kLuaType), 415, "unsupported-media-type");
  problem(ask("projections", {{"source", sales()}, {"events", {{{"type", "Sold"}}}}}), 400,
          "invalid-request");
  problem(ask("projections", {{"source", std::string((1u << 20) + 1, ' ')}, {"last", 1}}), 413, "too-large");
  Json many = Json::array();
  for (int i = 0; i < 10'001; ++i) many.push_back({{"stream", "a-1"}, {"type", "T"}});
  problem(ask("projections", {{"source", sales()}, {"events", many}}), 413, "too-large");
}

TEST_F(TryTest, AnEndlessLoopEndsWithinTheBudgetAndOthersAreServed) {
  stop_server();
  serve({"--schemas", "optional", "--request-cpu-ms", "500"});
  Json events = Json::array();
  for (int i = 0; i < 2'000; ++i)
    events.push_back(given("sale-" + std::to_string(i), "Sold", Json::object()));
  Json tried;
  std::thread loop([&] {
    ApiClient other = new_client();
    tried = other
                .post("/projections/try", Json{{"source", endless()}, {"events", events}}.dump(),
                      "application/json")
                .json();
  });
  EXPECT_EQ(append("order-1", {event_text("T")}).status, 201);
  expect_healthy();
  loop.join();
  EXPECT_EQ(tried["complete"], false);
  EXPECT_GE(tried["failed"], 1);
  EXPECT_LT(tried["given"], 2'000);
  EXPECT_EQ(tried["errors"][0]["line"], 4);
  EXPECT_EQ(kinds(tried)[0], "incomplete");
}

TEST_F(TryTest, ATrialEndsWhenItsClientLeaves) {
  stop_server();
  serve({"--schemas", "optional", "--request-cpu-ms", "600000"});
  sell({sold("ann", 1)});
  Json events = Json::array();
  for (int i = 0; i < 10'000; ++i)
    events.push_back(given("sale-" + std::to_string(i), "Sold", Json::object()));
  const std::string body = Json{{"source", endless()}, {"events", events}}.dump();
  const unsigned all_workers = std::max(1u, std::thread::hardware_concurrency());
  {
    std::vector<RawClient> leaving;
    for (unsigned i = 0; i < all_workers; ++i) {
      leaving.emplace_back(port());
      leaving.back().send(
          "POST /projections/try HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
          "Content-Length: " +
          std::to_string(body.size()) + "\r\n\r\n" + body);
    }
    EXPECT_EQ(get("/health").status, 200);
  }
  // Each of them alone would take a worker for minutes.
  EXPECT_EQ(get("/events").status, 200);
}

TEST_F(TryTest, ADeploymentWarns) {
  sell({sold("ann", 1), sold_badly("bob")});
  const Json parks = deploy_projection(sales(), "parks").json();
  ASSERT_EQ(kinds(parks), (Json{"parked"})) << parks;
  EXPECT_THAT(parks["warnings"][0]["message"].get<std::string>(), HasSubstr("tried on the last 2 events"));
  const std::string keyless =
      "return projection { key = function(event) return event.data.kunde end,\n"
      "  on = { Sold = function(row) row.n = 1 end, Solt = function(row) row.n = 1 end } }";
  EXPECT_EQ(kinds(deploy_projection(keyless, "keyless").json()), (Json{"unknown-type", "key-nil"}));
  EXPECT_EQ(deploy_projection("return projection { on = { Sold = function(row) row.n = 1 end } }", "fine")
                .json()["warnings"],
            Json::array());
}

TEST_F(TryTest, TheStatusCountsEventsPassedOverAlsoAfterARestart) {
  use(sales());
  const std::uint64_t through =
      sell({event_text("Sold", R"({"amount":7})"), sold("ann", 1), event_text("Sold", R"({"amount":8})")});
  EXPECT_EQ(row("ann", through), bought(1, 1));
  EXPECT_EQ(status_when([](const Json& now) { return now["eventsPassedOver"] == 2; })["rows"], 1);
  stop_server();
  serve();
  const std::uint64_t more = sell({event_text("Sold", R"({"amount":9})"), event_text("Other", "{}")});
  EXPECT_EQ(row("ann", more), bought(1, 1));
  status_when([](const Json& now) { return now["eventsPassedOver"] == 3; });
}

TEST_F(TryTest, AParkedKeyShowsTheEvent) {
  use(sales());
  const std::uint64_t failing =
      sell({event_text("Sold", R"({"customer":"ann","note":")" + std::string(2'000, 'x') + "\"}")});
  row("bob", sell({sold("bob", 1)}));
  const Json listed = get("/projections/sales/parked").json()["parked"][0];
  EXPECT_EQ(listed["event"]["position"], failing);
  EXPECT_EQ(listed["event"]["stream"], "sale-1");
  EXPECT_EQ(listed["event"]["version"], 1);
  EXPECT_EQ(listed["event"]["type"], "Sold");
  EXPECT_TRUE(listed["event"]["data"].is_null()) << "too long for a list";
  EXPECT_GT(listed["event"]["dataBytes"], 2'000);
  const Json shown = get("/projections/sales/parked/ann").json()["entries"][0];
  EXPECT_EQ(shown["line"], 6);
  EXPECT_EQ(shown["event"]["data"]["customer"], "ann");
}

class TryAccessTest : public AccessTest {};

TEST_F(TryAccessTest, TriesNeedAdminAndTheCategoriesOfTheEvents) {
  serve_with_tokens();
  const auto ask = [&](const char* token, const std::string& what, const std::string& source,
                       const Json& events) {
    Json body = events;
    body["source"] = source;
    return as(token).post("/" + what + "/try", body.dump(), "application/json");
  };
  const Json last = {{"last", 1}};
  const std::string order = "return aggregate { category = 'order', on = {} }";
  const std::string sale = "return aggregate { category = 'sale', on = {} }";
  expect_forbidden(ask(kReader, "aggregates", order, last), "admin");
  expect_forbidden(ask(kWriter, "projections", sales(), last), "admin");
  expect_forbidden(ask(kBoth, "upcasters", upcaster_text("return data"), last), "admin");
  EXPECT_EQ(ask(kAdmin, "aggregates", sale, last).status, 200);
  EXPECT_EQ(ask(kOrdersAdmin, "aggregates", order, last).status, 200);
  EXPECT_EQ(ask(kOrdersAdmin, "aggregates", sale, last).status, 403);
  EXPECT_EQ(ask(kOrdersAdmin, "aggregates", sale, {{"stream", "sale-1"}}).status, 403);
  EXPECT_EQ(ask(kOrdersAdmin, "upcasters", upcaster_text("return data"), last).status, 403);
  EXPECT_EQ(ask(kOrdersAdmin, "projections", sales(), last).status, 403);
  const Json given = {{"events", {{{"stream", "sale-1"}, {"type", "Sold"}, {"data", 1}}}}};
  EXPECT_EQ(ask(kOrdersAdmin, "aggregates", sale, given).status, 200) << "nothing of the store is read";
}

}  // namespace
}  // namespace cairn::test
