// `cairn aggregate`, `cairn state` and `cairn snapshot`, with a real server.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/support/cairn_process.h"
#include "tests/tools/cli/schema/schema_files.h"
#include "tests/tools/running_server.h"

namespace cairn::test {
namespace {

using nlohmann::json;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::MatchesRegex;
using ::testing::Not;
using ::testing::StartsWith;

constexpr char kOrder[] = R"(return aggregate {
  category = "order", snapshot_every = false,
  initial = function() return {status = "new", items = array{}} end,
  on = {
    Placed = function(state, event) state.status = "placed" end,
    Added = function(state, event) state.items[#state.items + 1] = event.data.item end,
    Shipped = function(state, event)
      state.status = "shipped"
      state.by = event.data.by
    end,
    Broken = function() error("it broke") end
  }
}
)";

class AggregateToolTest : public ::testing::Test {
 protected:
  AggregateToolTest() { files_.put("order.lua", kOrder); }

  Finished run(std::vector<std::string> words, const ProcessOptions& options = {}) const {
    words.insert(words.end(), {"--url", server_.url()});
    return run_cairn(words, options);
  }
  // The output of a command that must succeed.
  std::string output(const std::vector<std::string>& words) const {
    const Finished done = run(words);
    EXPECT_EQ(done.exit_code, 0) << done.errors;
    return done.output;
  }
  void append(const std::string& stream, const std::string& type, const std::string& data = "{}") const {
    output({"append", stream, "--type", type, "--data", data});
  }
  void deploy() const { output({"aggregate", "deploy", file_}); }

  // An order that was placed, filled and shipped.
  void order(const std::string& stream) const {
    append(stream, "Placed");
    append(stream, "Added", R"({"item":"apple"})");
    append(stream, "Added", R"({"item":"pear"})");
    append(stream, "Shipped", R"({"by":"ship"})");
  }

  SchemaFiles files_;
  const std::string file_ = files_.path_of("order.lua");
  RunningServer server_;
};

TEST_F(AggregateToolTest, ItIsDeployedListedAndShown) {
  const Finished none = run({"aggregate", "list"});
  EXPECT_EQ(none.exit_code, 0);
  EXPECT_EQ(none.errors, "No aggregate is deployed.\n");
  EXPECT_THAT(output({"aggregate", "deploy", file_}),
              MatchesRegex("order: deployed as revision 1 \\(fingerprint [0-9a-f]{8}…\\)\n"));
  EXPECT_THAT(output({"aggregate", "deploy", file_}), StartsWith("order: already deployed as revision 1 "));
  EXPECT_THAT(output({"aggregate", "list"}),
              MatchesRegex("CATEGORY  REVISION  FINGERPRINT   SNAPSHOT EVERY  DEPLOYED\n"
                           "order     1         [0-9a-f]{12}  never           20[^ ]+Z\n"));
  const Finished shown = run({"aggregate", "show", "order"});
  EXPECT_EQ(shown.output, kOrder);
  EXPECT_THAT(shown.errors, StartsWith("order, revision 1, fingerprint "));
  EXPECT_EQ(json::parse(output({"aggregate", "show", "order", "--json"}))["source"], kOrder);
  EXPECT_EQ(json::parse(output({"aggregate", "list", "--json"}))["aggregates"].size(), 1u);
  EXPECT_EQ(json::parse(output({"aggregate", "deploy", file_, "--json"}))["unchanged"], true);
}

TEST_F(AggregateToolTest, TheScriptMayComeFromStdin) {
  ProcessOptions options;
  options.input = kOrder;
  EXPECT_EQ(run({"aggregate", "deploy", "-"}, options).exit_code, 0);
}

TEST_F(AggregateToolTest, AScriptThatCannotBeUsedIsNotSent) {
  files_.put("order.lua", "return aggregate {\n  category = = 1\n}\n");
  const Finished no = run_cairn({"aggregate", "deploy", file_, "--url", "http://127.0.0.1:1"});
  EXPECT_EQ(no.exit_code, 1);
  EXPECT_THAT(no.errors, StartsWith("cairn: " + file_ + ":2: "));
  const json problem = json::parse(run({"aggregate", "deploy", file_, "--json"}).output);
  EXPECT_EQ(problem["type"], "/problems/script-error");
  EXPECT_EQ(problem["line"], 2);
  EXPECT_EQ(run({"aggregate", "deploy", "/nowhere.lua"}).exit_code, 2);
}

TEST_F(AggregateToolTest, AMissingObjectIsExitCodeOne) {
  const Finished none = run({"aggregate", "show", "order"});
  EXPECT_EQ(none.exit_code, 1);
  EXPECT_THAT(none.errors, HasSubstr("404 not-found"));
  append("order-1", "Placed");
  EXPECT_EQ(run({"state", "order-1"}).exit_code, 1) << "no aggregate";
  EXPECT_EQ(run({"snapshot", "create", "--all", "--category", "order"}).exit_code, 1);
  deploy();
  EXPECT_EQ(run({"state", "order-9"}).exit_code, 1) << "no stream";
  EXPECT_THAT(run({"state", "order-1", "--version", "2"}).errors, HasSubstr("has no version 2"));
  EXPECT_THAT(run({"state", "order-1", "--time", "1999-01-01T00:00:00Z"}).errors, HasSubstr("first event"));
  EXPECT_EQ(run({"snapshot", "show", "order-1"}).exit_code, 1);
  EXPECT_EQ(json::parse(run({"state", "order-9", "--json"}).output)["kind"], "stream");
}

TEST_F(AggregateToolTest, AnUnreachableServerIsExitCodeThree) {
  for (const std::vector<std::string>& words : {std::vector<std::string>{"aggregate", "deploy", file_},
                                                {"aggregate", "list"},
                                                {"state", "order-1"},
                                                {"state", "order-1", "--diff", "1", "2"},
                                                {"state", "order-1", "--history", "a"},
                                                {"snapshot", "create", "order-1"},
                                                {"snapshot", "create", "--all", "--category", "order"},
                                                {"snapshot", "list", "order-1"},
                                                {"snapshot", "prune", "order-1", "--keep", "1"}}) {
    std::vector<std::string> command = words;
    command.insert(command.end(), {"--url", "http://127.0.0.1:1"});
    EXPECT_EQ(run_cairn(command).exit_code, 3) << words[0];
  }
}

TEST_F(AggregateToolTest, WrongUsageIsExitCodeTwo) {
  EXPECT_EQ(run({"state"}).exit_code, 2);
  EXPECT_EQ(run({"state", "order-1", "--version", "0"}).exit_code, 2);
  EXPECT_EQ(run({"state", "order-1", "--version", "1", "--time", "2026-11-16T20:55:35Z"}).exit_code, 2);
  EXPECT_EQ(run({"state", "order-1", "--diff", "1"}).exit_code, 2);
  EXPECT_EQ(run({"state", "order-1", "--diff", "1", "2", "--history", "a"}).exit_code, 2);
  EXPECT_EQ(run({"snapshot", "create"}).exit_code, 2);
  EXPECT_EQ(run({"snapshot", "create", "--all"}).exit_code, 2);
  EXPECT_EQ(run({"snapshot", "create", "--category", "order"}).exit_code, 2);
  EXPECT_EQ(run({"snapshot", "create", "order-1", "--all", "--category", "order"}).exit_code, 2);
  EXPECT_EQ(run({"snapshot", "prune", "order-1"}).exit_code, 2);
  EXPECT_THAT(run_cairn({"snapshot", "crate"}).errors, HasSubstr("did you mean 'cairn snapshot create'?"));
  EXPECT_THAT(run_cairn({"aggregate", "lst"}).errors, HasSubstr("did you mean 'cairn aggregate list'?"));
}

TEST_F(AggregateToolTest, HelpHasExamplesAndCompletionKnowsTheCommands) {
  for (const std::vector<std::string>& words : {std::vector<std::string>{"aggregate"},
                                                {"aggregate", "deploy"},
                                                {"state"},
                                                {"snapshot"},
                                                {"snapshot", "create"},
                                                {"snapshot", "prune"}}) {
    std::vector<std::string> command = words;
    command.push_back("--help");
    EXPECT_THAT(run_cairn(command).output, HasSubstr("Examples:\n  cairn " + words[0]));
  }
  EXPECT_THAT(run_cairn({"completion", "bash"}).output,
              AllOf(HasSubstr("--history"), HasSubstr("prune"), HasSubstr("aggregate")));
}

TEST_F(AggregateToolTest, AStateIsPrinted) {
  deploy();
  order("order-1");
  const Finished done = run({"state", "order-1"});
  EXPECT_EQ(done.output,
            "{\n  \"by\": \"ship\",\n  \"items\": [\n    \"apple\",\n    \"pear\"\n  ],\n"
            "  \"status\": \"shipped\"\n}\n");
  EXPECT_THAT(done.errors, MatchesRegex("order-1 at version 4, recorded 20[^ ]+Z: 4 events folded\n"));
  EXPECT_EQ(json::parse(output({"state", "order-1", "--version", "1"}))["status"], "placed");
  const json asked = json::parse(output({"state", "order-1", "--version", "3", "--json"}));
  EXPECT_EQ(asked["version"], 3);
  EXPECT_EQ(asked["state"]["items"].size(), 2u);
  const std::string time = asked["recordedAt"];
  EXPECT_EQ(json::parse(output({"state", "order-1", "--time", time, "--json"}))["version"], 3);
  EXPECT_EQ(run({"state", "order-1", "--time", "yesterday"}).exit_code, 1);
}

TEST_F(AggregateToolTest, ADiffListsTheChanges) {
  deploy();
  order("order-1");
  EXPECT_EQ(output({"state", "order-1", "--diff", "2", "4"}),
            "PATH      BEFORE    AFTER\n"
            "/items/1  -         \"pear\"\n"
            "/status   \"placed\"  \"shipped\"\n"
            "/by       -         \"ship\"\n");
  const json changes = json::parse(output({"state", "order-1", "--diff", "4", "2", "--json"}));
  EXPECT_EQ(changes["from"], 4);
  EXPECT_EQ(changes["to"], 2);
  EXPECT_EQ(changes["changes"].size(), 3u);
  const Finished nothing = run({"state", "order-1", "--diff", "2", "2"});
  EXPECT_EQ(nothing.exit_code, 0);
  EXPECT_THAT(nothing.output, IsEmpty());
  EXPECT_EQ(run({"state", "order-1", "--diff", "1", "9"}).exit_code, 1);
}

TEST_F(AggregateToolTest, AHistoryListsTheChangesOfOneField) {
  deploy();
  append("cart-1", "Placed");  // So that positions and versions differ.
  order("order-1");
  EXPECT_THAT(output({"state", "order-1", "--history", "status"}),
              MatchesRegex("VERSION  POSITION  RECORDED                     TYPE     VALUE\n"
                           "1        3         20[^ ]+Z  Placed   \"placed\"\n"
                           "4        6         20[^ ]+Z  Shipped  \"shipped\"\n"));
  const json items = json::parse(output({"state", "order-1", "--history", "/items/1", "--json"}));
  EXPECT_EQ(items["field"], "/items/1");
  ASSERT_EQ(items["changes"].size(), 1u);
  EXPECT_EQ(items["changes"][0]["version"], 3);
  EXPECT_EQ(items["changes"][0]["type"], "Added");
  EXPECT_EQ(items["changes"][0]["value"], "pear");
  EXPECT_THAT(output({"state", "order-1", "--history", "status", "--version", "3"}),
              Not(HasSubstr("shipped")));
  const Finished none = run({"state", "order-1", "--history", "nothing"});
  EXPECT_EQ(none.exit_code, 1);
  EXPECT_EQ(none.errors, "cairn: no state of order-1 has a field /nothing\n");
}

TEST_F(AggregateToolTest, SnapshotsAreMadeShownListedAndPruned) {
  deploy();
  order("order-1");
  EXPECT_EQ(run({"snapshot", "list", "order-1"}).errors, "There is no snapshot of this stream.\n");
  EXPECT_THAT(output({"snapshot", "create", "order-1"}),
              MatchesRegex("order-1: snapshot made at version 4, [0-9]+ B\n"));
  EXPECT_THAT(output({"snapshot", "create", "order-1"}),
              StartsWith("order-1: snapshot already there at version 4, "));
  EXPECT_THAT(run({"state", "order-1"}).errors, HasSubstr("0 events folded after the snapshot at version 4"));
  append("order-1", "Placed");
  EXPECT_EQ(json::parse(output({"snapshot", "create", "order-1", "--json"}))["version"], 5);
  EXPECT_THAT(output({"snapshot", "list", "order-1"}),
              MatchesRegex("VERSION  BYTES  USABLE\n4        [0-9]+ +yes\n5        [0-9]+ +yes\n"));
  const Finished shown = run({"snapshot", "show", "order-1"});
  EXPECT_EQ(json::parse(shown.output)["status"], "placed");
  EXPECT_THAT(shown.errors, StartsWith("order-1: the snapshot at version 5, "));
  EXPECT_EQ(output({"snapshot", "prune", "order-1", "--keep", "1"}), "1 snapshot removed\n");
  EXPECT_EQ(json::parse(output({"snapshot", "prune", "order-1", "--keep", "0", "--json"})),
            (json{{"removed", 1}}));
}

TEST_F(AggregateToolTest, AllStreamsOfACategoryGetSnapshots) {
  deploy();
  order("order-1");
  order("order-2");
  EXPECT_EQ(output({"snapshot", "create", "--all", "--category", "order"}),
            "order: 2 streams: 2 made, 0 already there; 8 events folded\n");
  EXPECT_EQ(output({"snapshot", "create", "--all", "--category", "order"}),
            "order: 2 streams: 0 made, 2 already there; 0 events folded\n");
  files_.put("order.lua", std::string(kOrder) + "-- another one\n");
  deploy();
  EXPECT_THAT(output({"snapshot", "list", "order-1"}), HasSubstr("no: another aggregate made it\n"));
  const json report = json::parse(output({"snapshot", "create", "--all", "--category", "order", "--json"}));
  EXPECT_EQ(report["made"], 2);
  EXPECT_THAT(output({"snapshot", "list", "order-1"}), HasSubstr("yes\n"));
}

TEST_F(AggregateToolTest, FailedStreamsAreListed) {
  deploy();
  order("order-1");
  append("order-2", "Broken");
  const Finished no = run({"snapshot", "create", "--all", "--category", "order"});
  EXPECT_EQ(no.exit_code, 1);
  EXPECT_THAT(no.output, AllOf(StartsWith("STREAM   VERSION  POSITION  ERROR\norder-2  1        6 "),
                               HasSubstr("it broke")));
  EXPECT_EQ(no.errors, "cairn: order: 2 streams: 1 made, 0 already there, 1 failed; 4 events folded\n");
  EXPECT_EQ(run({"snapshot", "create", "--all", "--category", "order", "--json"}).exit_code, 1);
  const Finished failed = run({"state", "order-2"});
  EXPECT_EQ(failed.exit_code, 1);
  EXPECT_THAT(failed.errors, AllOf(HasSubstr("it broke"), HasSubstr("422 script-error")));
}

}  // namespace
}  // namespace cairn::test
