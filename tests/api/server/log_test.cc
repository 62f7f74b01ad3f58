// The log of a server: each line has a cause here, comes once, and has the name and number that matter.

#include <csignal>
#include <string>
#include <vector>

#include "tests/api/server/access_fixture.h"
#include "tests/api/server/log_fixture.h"
#include "tests/api/server/projection_fixture.h"
#include "tests/support/io_fault.h"
#include "tests/support/small_disk.h"

namespace cairn::test {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::SizeIs;

class LogTest : public AccessTest {
 protected:
  void serve_json(std::vector<std::string> more = {}, ProcessOptions options = {}) {
    more.insert(more.end(), {"--schemas", "optional", "--log-format", "json"});
    serve(std::move(more), std::move(options));
  }
};

TEST_F(LogTest, StartRecoveryAndStopAreLogged) {
  serve_json();
  append_numbered("a-1", 5);
  kill_server();
  serve_json();
  const std::string log = stop_server().errors;
  const Json opened = line_with(log, "store-opened");
  EXPECT_EQ(opened.value("level", ""), "info");
  EXPECT_EQ(opened.value("data", ""), folder());
  EXPECT_EQ(opened.value("head", 0), 5);
  EXPECT_EQ(opened.value("recoveredEvents", 0), 5);
  EXPECT_GE(opened.value("durationMs", -1), 0);
  EXPECT_EQ(line_with(log, "stopping").value("signal", ""), "SIGTERM");
  EXPECT_GE(line_with(log, "stopped").value("durationMs", -1), 0);
  EXPECT_THAT(opened.value("time", ""),
              ::testing::MatchesRegex("[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:]{8}\\.[0-9]{3}Z"));
}

TEST_F(LogTest, LevelsBelowTheOneAskedForAreLeftOut) {
  serve_json({"--log-level", "warning"});
  for (const Json& line : json_lines(stop_server().errors))
    EXPECT_EQ(line.value("code", ""), "disk-untrusted") << "the only warning, where the folder is in memory";
  serve_json({"--log-level", "debug"});
  EXPECT_FALSE(lines_with(stop_server().errors, "stopped").empty());
}

TEST_F(LogTest, AServerThatCannotStartSaysWhyInJson) {
  const Finished refused = try_to_serve({"--listen", "192.0.2.1:0", "--log-format", "json"});
  EXPECT_EQ(refused.exit_code, 1);
  const Json line = line_with(refused.errors, "cannot-start");
  EXPECT_EQ(line.value("level", ""), "error");
  EXPECT_THAT(line.value("error", ""), HasSubstr("192.0.2.1"));
}

TEST_F(LogTest, AFullDiskIsLoggedOnceAndItsEndOnce) {
  SmallDisk disk(SmallDisk::Kind::kTmpfs, 160u << 20);
  if (!disk.missing().empty()) GTEST_SKIP() << disk.missing();
  keep_data_in((disk.path() / "data").string());
  serve_json();
  disk.fill_up();
  const std::string large = event_text("T", "\"" + std::string(1u << 20, 'x') + "\"");
  int refused = 0;
  for (int i = 0; i < 300 && refused < 5; ++i) refused += append("a-1", {large}).status == 507 ? 1 : 0;
  ASSERT_EQ(refused, 5);
  disk.free_up();
  const HttpAnswer stored = append("a-1", {event_text("T")});
  ASSERT_EQ(stored.status, 201) << stored.body;
  const std::string log = stop_server().errors;
  const Json full = line_with(log, "disk-full");
  EXPECT_EQ(full.value("level", ""), "error");
  EXPECT_LT(full.value("freeBytes", std::uint64_t{1} << 40), 16u << 20);
  EXPECT_EQ(full.value("folder", ""), (disk.path() / "data").string());
  EXPECT_THAT(full.value("message", ""), HasSubstr("bytes are free in"));
  const Json ended = line_with(log, "disk-full-ended");
  EXPECT_EQ(ended.value("refusedAppends", 0), 5);
  EXPECT_GE(ended.value("durationMs", -1), 0);
  EXPECT_EQ(ended.value("position", 0), stored.json().value("lastPosition", 1));
}

TEST_F(LogTest, SlowCommitsAreLoggedOnceAMinute) {
  IoFaultPanel panel;
  ChildProcess::Command command;
  panel.connect(command);
  serve_json({}, {.input = "", .variables = command.environment});
  ASSERT_EQ(append("a-1", {event_text("T")}).status, 201);
  panel.arm({.folder = folder(),
             .suffix = "/log/journal",
             .calls = kIoSync,
             .at = 1,
             .forever = true,
             .action = IoAction::kDelay});
  for (int i = 0; i < 3; ++i) ASSERT_EQ(append("a-1", {event_text("T"), event_text("T")}).status, 201);
  panel.disarm();
  ASSERT_GE(panel.fired(), 3u);
  const Json slow = line_with(stop_server().errors, "slow-commit");
  EXPECT_EQ(slow.value("level", ""), "warning");
  EXPECT_GE(slow.value("durationMs", 0), 200);
  EXPECT_EQ(slow.value("events", 0), 2);
  EXPECT_GT(slow.value("bytes", 0), 0);
  EXPECT_EQ(slow.value("position", 0), 3);
}

TEST_F(LogTest, AFailedCommitIsLoggedAndWhyTheServerEnds) {
  IoFaultPanel panel;
  ChildProcess::Command command;
  panel.connect(command);
  serve_json({}, {.input = "", .variables = command.environment});
  panel.arm({.folder = folder(), .suffix = "/log/journal", .calls = kIoSync, .at = 1});
  EXPECT_EQ(append("a-1", {event_text("T")}).status, 500);
  const Finished finished = server().finish(10s);
  EXPECT_EQ(finished.exit_code, 1);
  EXPECT_NE(line_with(finished.errors, "commit-failed").value("error", ""), "");
  EXPECT_THAT(line_with(finished.errors, "store-failed").value("error", ""), HasSubstr("journal"));
}

TEST_F(LogTest, RefusedTokensAreLoggedOnceForEachStatusAndNeverTheToken) {
  serve_json({"--tokens", tokens_path()});
  for (int i = 0; i < 20; ++i) {
    EXPECT_EQ(as("cairn_secretsecretsecretsecretsecretsecretsecre00").get("/ready").status, 401);
    EXPECT_EQ(as(kReader).append("a-1", {event_text("T")}).status, 403);
  }
  const std::string log = stop_server().errors;
  EXPECT_THAT(log, Not(HasSubstr("secretsecret")));
  EXPECT_THAT(log, Not(HasSubstr(kReader)));
  const auto refused = lines_with(log, "request-refused");
  ASSERT_THAT(refused, SizeIs(2)) << log;
  EXPECT_EQ(refused[0].value("status", 0), 401);
  EXPECT_EQ(refused[0].value("remote", ""), "127.0.0.1");
  EXPECT_EQ(refused[0].value("path", ""), "/ready");
  EXPECT_EQ(refused[1].value("status", 0), 403);
  EXPECT_THAT(refused[1].value("message", ""), HasSubstr("The token 'reader' lacks the scope 'append'."));
}

TEST_F(LogTest, ReloadsAreLoggedWithTheirCauseAndTheNumberOfTokens) {
  serve_json({"--tokens", tokens_path()});
  EXPECT_EQ(as(kAdmin).post("/reload", "").status, 200);
  std::filesystem::remove(tokens_path());
  server().signal(SIGHUP);
  ASSERT_TRUE(server().complains("\"reload-failed\""));
  const std::string log = stop_server().errors;
  const Json reloaded = line_with(log, "reloaded");
  EXPECT_EQ(reloaded.value("cause", ""), "POST /reload");
  EXPECT_EQ(reloaded.value("tokens", 0), 6);
  EXPECT_THAT(reloaded.value("message", ""), HasSubstr(tokens_path() + ": 6 tokens"));
  const Json failed = line_with(log, "reload-failed");
  EXPECT_EQ(failed.value("cause", ""), "SIGHUP");
  EXPECT_THAT(failed.value("error", ""), HasSubstr(tokens_path()));
}

TEST_F(LogTest, TextsOfClientsForgeNoLine) {
  for (const bool json : {true, false}) {
    json ? serve_json({"--tokens", tokens_path()})
         : serve({"--schemas", "optional", "--tokens", tokens_path()});
    const std::string path = "/streams/%0a" + std::string(9'000, 'x') + "\xc2\x9b\x80";
    raw().exchange("GET " + path + " HTTP/1.1\r\nHost: localhost\r\n\r\n");
    const std::string log = stop_server().errors;
    std::istringstream lines(log);
    for (std::string line; std::getline(lines, line);) {
      EXPECT_LT(line.size(), 16'000u);
      EXPECT_THAT(line, Not(HasSubstr("\x9b\x80")));
      if (json) continue;
      EXPECT_THAT(line, ::testing::MatchesRegex("20[0-9-]{8}T[0-9:.]{12}Z (info|warning|error) .*"));
    }
    if (json) json_lines(log);
  }
}

// Nobody reads the log: the server goes on, counts what it drops, and stops in time.
TEST_F(LogTest, APipeThatNobodyReadsStopsNoRequest) {
  serve_json({"--access-log", "-"});
  const std::string request =
      "GET /health?x=" + std::string(2'000, 'x') + " HTTP/1.1\r\nHost: localhost\r\n\r\n";
  // Above 4 MiB in the buffer, as many in the thread, and the pipe's own 64 KiB.
  RawClient client = raw();
  for (int i = 0; i < 5'000; ++i) {
    ASSERT_TRUE(client.send(request));
    ASSERT_EQ(client.receive().status, 200) << i;
  }
  const std::string metrics = get("/metrics").body;
  EXPECT_THAT(metrics, HasSubstr("cairn_log_lines_dropped_total{log=\"server\"}"));
  EXPECT_THAT(metrics, Not(HasSubstr("cairn_log_lines_dropped_total{log=\"server\"} 0\n")));
  server().signal(SIGTERM);
  // Reading begins only now, so the last lines are those that the bounded buffer had.
  EXPECT_EQ(server().finish(5s).exit_code, 0);
}

class ProjectionLogTest : public ProjectionApiTest {
 protected:
  void SetUp() override { serve({"--schemas", "optional", "--log-format", "json"}); }
};

TEST_F(ProjectionLogTest, AParkedKeyIsLoggedWithPlaceAndReason) {
  use(sales());
  const std::uint64_t position = sell({sold("ann", 1), sold_badly("bob")});
  ask_rows("/ann", position);
  const std::string log = stop_server().errors;
  const Json parked = line_with(log, "key-parked");
  EXPECT_EQ(parked.value("projection", ""), "sales");
  EXPECT_EQ(parked.value("key", ""), "bob");
  EXPECT_EQ(parked.value("position", std::uint64_t{0}), position);
  EXPECT_EQ(parked.value("type", ""), "Sold");
  EXPECT_EQ(parked.value("line", 0), 6);
  EXPECT_EQ(line_with(log, "projection-live").value("generation", 0), 1);
}

TEST_F(ProjectionLogTest, ScriptOutputIsALineOfJson) {
  use("return projection {\n from = {types = {\"Sold\"}},\n key = function(e) return e.data.customer end,\n"
      " on = { Sold = function(row, e) log('seen \"' .. e.data.customer .. '\"\\nforged') row.n = 1 end "
      "}\n}\n");
  ask_rows("/ann", sell({sold("ann", 1)}));
  const Json line = line_with(stop_server().errors, "script");
  EXPECT_EQ(line.value("text", ""), "seen \"ann\" forged");
}

class UpcasterLogTest : public UpcasterApiTest {
 protected:
  void SetUp() override { serve({"--log-format", "json"}); }
};

TEST_F(UpcasterLogTest, ARefusedUpcasterIsLoggedWithStepAndPosition) {
  begin_with({"Ada Lovelace", "Plato"});
  for (int i = 0; i < 3; ++i) EXPECT_EQ(deploy(split_name()).status, 422);
  EXPECT_EQ(deploy(split_name(), "?dryRun=true").status, 422);
  const Json refused = line_with(stop_server().errors, "upcaster-refused");
  EXPECT_EQ(refused.value("type", ""), "Person");
  EXPECT_EQ(refused.value("from", 0), 1);
  EXPECT_EQ(refused.value("to", 0), 2);
  EXPECT_GT(refused.value("position", 0), 0);
  EXPECT_EQ(refused.value("failed", 0), 1);
  EXPECT_THAT(refused.value("error", ""), HasSubstr("one name only: Plato"));
}

}  // namespace
}  // namespace cairn::test
