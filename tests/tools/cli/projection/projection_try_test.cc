// `cairn projection try`, `cairn aggregate try` and `cairn upcaster try`, with a real server and without one.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/support/cairn_process.h"
#include "tests/support/random.h"
#include "tests/tools/cli/schema/schema_files.h"
#include "tests/tools/running_server.h"

namespace cairn::test {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

constexpr char kProjection[] = R"(return projection {
  from = {categories = {"order"}},
  key = function(event) return event.data.customer end,
  on = {
    Placed = function(row, event)
      row.total = (row.total or 0) + event.data.amount
      for _, tag in ipairs(event.tags) do row[tag] = true end
    end,
    Cancelled = function(row, event) return DELETE end
  }
}
)";

constexpr char kAggregate[] = R"(return aggregate {
  category = "order",
  on = {
    Placed = function(state, event) state.total = (state.total or 0) + event.data.amount end
  }
}
)";

constexpr char kUpcaster[] = R"(return upcaster {
  type = "Placed", from = 1, to = 2,
  upcast = function(data, event)
    data.cents = data.amount * 100
    return data
  end
}
)";

class ScriptTryTest : public ::testing::Test {
 protected:
  ScriptTryTest() {
    files_.put("p.lua", kProjection);
    files_.put("a.lua", kAggregate);
    files_.put("u.lua", kUpcaster);
  }
  std::string file(const std::string& name) const { return files_.path_of(name); }

  SchemaFiles files_;
};

class ScriptTryServerTest : public ScriptTryTest {
 protected:
  Finished run(std::vector<std::string> words) const {
    words.insert(words.end(), {"--url", server_.url()});
    return run_cairn(words);
  }
  void place(const std::string& stream, const std::string& data, const std::string& type = "Placed") const {
    EXPECT_EQ(run({"append", stream, "--type", type, "--data", data}).exit_code, 0);
  }

  RunningServer server_;
};

TEST_F(ScriptTryTest, OfflineNeedsNoServer) {
  files_.put(
      "e.ndjson",
      "{\"stream\":\"order-1\",\"type\":\"Placed\",\"data\":{\"customer\":\"ann\",\"amount\":5}}\n"
      "\n"
      "{\"stream\":\"order-7\",\"type\":\"Placed\",\"position\":4711,\"data\":{\"customer\":\"bob\"}}\n");
  const Finished tried =
      run_cairn({"projection", "try", file("p.lua"), "--events", file("e.ndjson"), "--offline"});
  EXPECT_EQ(tried.exit_code, 1) << "the script fails on an event";
  EXPECT_THAT(tried.output, HasSubstr("KEY  ROW\nann  {\"total\":5}\n"));
  EXPECT_THAT(tried.output, HasSubstr("2 events: 1 applied, 1 failed\n"));
  EXPECT_THAT(tried.output, HasSubstr("fields of Placed: data.amount, data.customer, tags[]\n"));
  EXPECT_THAT(tried.errors,
              HasSubstr("p.lua:6: attempt to perform arithmetic on a nil value (field 'amount') (event "
                        "4711, stream order-7, key bob)\n"));
  EXPECT_THAT(tried.errors, HasSubstr("warning: on.Cancelled was never called"));

  const Finished state =
      run_cairn({"aggregate", "try", file("a.lua"), "--events", file("e.ndjson"), "--offline"});
  EXPECT_EQ(state.exit_code, 1);
  EXPECT_THAT(state.output, HasSubstr("order-1  {\"total\":5}\n"));
}

TEST_F(ScriptTryTest, AllFineIsExitCode0) {
  files_.put("e.ndjson", "{\"type\":\"Placed\",\"data\":{\"amount\":5}}\n");
  const Finished tried =
      run_cairn({"upcaster", "try", file("u.lua"), "--events", file("e.ndjson"), "--offline"});
  EXPECT_EQ(tried.exit_code, 0) << tried.errors;
  EXPECT_THAT(tried.output, HasSubstr("  before  {\"amount\":5}\n  after   {\"amount\":5,\"cents\":500}\n"));
  EXPECT_THAT(tried.errors, IsEmpty());
}

TEST_F(ScriptTryTest, WrongArgumentsAndFilesAreRefused) {
  const auto refused = [&](std::vector<std::string> words, int code, const std::string& why) {
    words.insert(words.begin(), {"projection", "try"});
    const Finished done = run_cairn(words);
    EXPECT_EQ(done.exit_code, code) << why;
    EXPECT_THAT(done.errors, HasSubstr(why));
    EXPECT_THAT(done.output, IsEmpty());
  };
  files_.put("broken.ndjson", "{\"stream\":\"a-1\",\"type\":\"T\"}\n{\"stream\":\n");
  files_.put("nameless.ndjson", "{\"type\":\"T\"}\n");
  files_.put("empty.ndjson", "\n");
  files_.put("syntax.lua", "return projection {\n on = = }");
  files_.put("one.ndjson", "{\"stream\":\"a-1\",\"type\":\"T\"}\n");
  refused({file("p.lua"), "--offline"}, 2, "--offline needs --events");
  refused({file("p.lua"), "--events", file("one.ndjson"), "--last", "3"}, 2, "give one of");
  refused({file("p.lua"), "--last", "10001"}, 2, "--last");
  refused({file("p.lua"), "--events", file("none.ndjson"), "--offline"}, 2, "none.ndjson");
  refused({file("none.lua"), "--events", file("one.ndjson"), "--offline"}, 2, "none.lua");
  refused({file("p.lua"), "--events", file("broken.ndjson"), "--offline"}, 2,
          "broken.ndjson:2: is not an event");
  refused({file("p.lua"), "--events", file("nameless.ndjson"), "--offline"}, 2,
          "events[0].stream is missing");
  refused({file("p.lua"), "--events", file("empty.ndjson"), "--offline"}, 2, "has no events");
  refused({file("syntax.lua"), "--events", file("one.ndjson"), "--offline"}, 1, "syntax.lua:2:");
  refused({file("p.lua"), "--url", "http://127.0.0.1:1"}, 3, "127.0.0.1:1");
}

// Members that the server adds for what only it knows.
json without_unknown_types(json report) {
  json kept = json::array();
  for (const json& warning : report["warnings"]) {
    const std::string kind = warning["kind"];
    if (kind != "unknown-type" && kind != "unknown-version" && kind != "not-checked") kept.push_back(warning);
  }
  report["warnings"] = kept;
  return report;
}

TEST_F(ScriptTryServerTest, OfflineAndOnlineAgreeOnRandomEvents) {
  Random random("scripts on given events");
  std::string lines;
  for (int i = 0; i < 300; ++i) {
    json data = json::object();
    if (random.below(20) > 0) data["customer"] = "c" + std::to_string(random.below(7));
    if (random.below(20) > 0) data["amount"] = random.below(2) == 0 ? json(random.below(100)) : json(0.5);
    json event = {{"stream", (random.below(9) == 0 ? "cart-" : "order-") + std::to_string(random.below(9))},
                  {"type", std::vector<const char*>{"Placed", "Placed", "Placed", "Cancelled",
                                                    "Other"}[random.below(5)]},
                  {"data", data}};
    if (random.below(3) == 0) event["tags"] = {"t" + std::to_string(random.below(3))};
    lines += event.dump() + "\n";
  }
  files_.put("e.ndjson", lines);
  for (const auto& [what, script] :
       {std::pair("projection", "p.lua"), std::pair("aggregate", "a.lua"), std::pair("upcaster", "u.lua")}) {
    const std::vector<std::string> words = {what,    "try", file(script), "--events", file("e.ndjson"),
                                            "--json"};
    const Finished online = run(words);
    std::vector<std::string> here = words;
    here.push_back("--offline");
    const Finished offline = run_cairn(here);
    EXPECT_EQ(online.exit_code, offline.exit_code) << what;
    const json report = json::parse(offline.output);
    EXPECT_EQ(without_unknown_types(json::parse(online.output)), without_unknown_types(report)) << what;
    EXPECT_GT(report["events"], 50) << what;
    EXPECT_GT(report["failed"], 0) << what;
  }
}

TEST_F(ScriptTryServerTest, WhatIsReadOfTheServerGivesTheSameOffline) {
  place("order-1", R"({"customer":"ann","amount":12.0})");
  place("order-2", R"({"customer":"bob","amount":3})");
  place("order-1", "{}", "Cancelled");
  const Finished read = run({"read", "--all", "--category", "order", "--json"});
  files_.put("e.ndjson", read.output);
  const Finished online = run({"projection", "try", file("p.lua"), "--json"});
  const Finished offline =
      run_cairn({"projection", "try", file("p.lua"), "--events", file("e.ndjson"), "--offline", "--json"});
  EXPECT_EQ(json::parse(online.output), json::parse(offline.output));
  const Finished state = run({"aggregate", "try", file("a.lua"), "--stream", "order-2"});
  EXPECT_EQ(state.exit_code, 0) << state.errors;
  EXPECT_THAT(state.output, HasSubstr("order-2  {\"total\":3}\n"));
}

TEST_F(ScriptTryServerTest, ADeploymentThatNeedsAttentionIsExitCode4) {
  place("order-1", R"({"customer":"ann","amount":1})");
  place("order-2", R"({"customer":"bob"})");
  const Finished parks = run({"projection", "deploy", "parks", file("p.lua"), "--wait"});
  EXPECT_EQ(parks.exit_code, 4);
  EXPECT_THAT(parks.output, HasSubstr("generation 1 is live"));
  EXPECT_THAT(parks.errors, HasSubstr("warning: 1 key is parked; `cairn projection parked parks`"));

  files_.put("k.lua",
             "return projection { key = function(event) return event.data.kunde end,\n"
             "  on = { Placed = function(row) row.n = 1 end } }");
  const Finished keyless = run({"projection", "deploy", "keyless", file("k.lua"), "--wait", "--json"});
  EXPECT_EQ(keyless.exit_code, 4);
  EXPECT_EQ(json::parse(keyless.output)["warnings"][0]["kind"], "key-nil");
  EXPECT_EQ(json::parse(keyless.output)["status"]["eventsPassedOver"], 2);
  EXPECT_THAT(run({"projection", "status", "keyless"}).output, HasSubstr("2 events, for which key was nil"));

  files_.put("t.lua", "return projection { on = { Placd = function(row) row.n = 1 end } }");
  const Finished typo = run({"projection", "deploy", "typo", file("t.lua"), "--wait"});
  EXPECT_EQ(typo.exit_code, 4);
  EXPECT_THAT(typo.errors, HasSubstr("has the type 'Placd'; did you mean 'Placed'?"));

  files_.put("f.lua", "return projection { on = { Placed = function(row) row.n = 1 end } }");
  const Finished fine = run({"projection", "deploy", "fine", file("f.lua"), "--wait"});
  EXPECT_EQ(fine.exit_code, 0);
  EXPECT_THAT(fine.errors, Not(HasSubstr("warning")));

  const Finished shown = run({"projection", "parked", "parks", "show", "bob"});
  EXPECT_THAT(shown.output, HasSubstr("Placed, version 1 of order-2: {\"customer\":\"bob\"}"));
  EXPECT_THAT(shown.output, HasSubstr("parks.lua:6:"));
}

}  // namespace
}  // namespace cairn::test
