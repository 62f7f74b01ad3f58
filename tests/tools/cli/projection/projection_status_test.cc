// `cairn projection list` and `status`.

#include <csignal>

#include "tests/tools/cli/projection/projection_fixture.h"

namespace cairn::test {
namespace {

using ::testing::AllOf;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;
using ::testing::StartsWith;

class ProjectionStatusTest : public ProjectionToolTest {
 protected:
  static Reply list(const std::vector<json>& statuses) { return says({{"projections", statuses}}); }
};

TEST_F(ProjectionStatusTest, TheListIsATableWithReasonsBelow) {
  script({list({status(), rebuilding(),
                status({{"name", "late"},
                        {"state", "stalled"},
                        {"reason", "has not moved for 40 s"},
                        {"position", 7},
                        {"lag", {{"events", 3}, {"seconds", 75.0}}},
                        {"eventsPerSecond", 2.5},
                        {"parkedKeys", 2}})})});
  const Finished done = run({"list"});
  EXPECT_EQ(done.exit_code, 0) << done.errors;
  EXPECT_EQ(done.output,
            "NAME    STATE       POSITION   BEHIND                EVENTS/S  PARKED  ROWS    REBUILD\n"
            "orders  running     1,234,567  -                     0         0       12,345  -\n"
            "orders  rebuilding  1,234,567  -                     0         0       12,345  40 %  250,000/s  "
            "ETA 2.4 s\n"
            "late    stalled     7          3 events, 1 min 15 s  2.5       2       12,345  -\n"
            "\n"
            "late is stalled: has not moved for 40 s\n");
  EXPECT_EQ(asked(0), "GET /projections");
}

TEST_F(ProjectionStatusTest, AnEmptyListIsReported) {
  script({list({})});
  EXPECT_EQ(run({"list"}).output, "No projection is deployed.\n");
}

TEST_F(ProjectionStatusTest, StatusShowsAllFacts) {
  json ill = rebuilding(400'000, {{"eventsPerSecondMax", 5'000}, {"holds", "90 keys are parked in it"}});
  ill.update({{"state", "faulted"},
              {"reason", "the disk is full"},
              {"lag", {{"events", 1}, {"seconds", 0.25}}},
              {"parkedKeys", 2},
              {"parkedEvents", 14},
              {"oldestParkedSeconds", 180},
              {"retries", 9},
              {"firstError", {{"message", "one"}, {"position", 7}, {"at", "2026-11-16T20:55:35Z"}}},
              {"lastError", {{"message", "two\n"}, {"position", nullptr}, {"at", "2026-11-16T20:55:36Z"}}},
              {"outdated", true}});
  script({says(ill)});
  const Finished done = run({"status", "my orders"});
  EXPECT_EQ(done.exit_code, 0) << done.errors;
  EXPECT_EQ(done.output,
            "orders       faulted: the disk is full\n"
            "position     1,234,567 of 1,234,567, behind by 1 event, 0.2 s\n"
            "speed        0 events/s\n"
            "rows         12,345, 1.0 MiB\n"
            "generation   4, and 3 to roll back to\n"
            "rebuild      generation 5  [############..................]  40 %  250,000 events/s  ETA 2.4 s  "
            "400,000 of 1,000,000\n"
            "             100 rows, 0 parked keys, at most 5,000 events/s\n"
            "             does not take over: 90 keys are parked in it\n"
            "parked       2 keys with 14 events, the oldest for 3 min\n"
            "retries      9\n"
            "first error  one (position 7, 2026-11-16T20:55:35Z)\n"
            "last error   two? (2026-11-16T20:55:36Z)\n"
            "definition   revision 2; rows are made by fingerprint abcd1234…\n"
            "outdated     schemas or upcasters have changed since; a rebuild could give other rows\n");
  EXPECT_EQ(asked(0), "GET /projections/my%20orders");
}

TEST_F(ProjectionStatusTest, JsonIsTheStatusWithoutTheSource) {
  json with_source = status();
  with_source["source"] = "return projection {}";
  script({says(with_source), list({status()})});
  EXPECT_EQ(json::parse(run({"status", "orders", "--json"}).output), status());
  EXPECT_EQ(json::parse(run({"list", "--json"}).output)["projections"][0], status());
}

TEST_F(ProjectionStatusTest, TheStateIsInColourOnATerminal) {
  script({list({status(), status({{"state", "paused"}}), status({{"state", "faulted"}})}), says(status()),
          list({status()})});
  ProcessOptions terminal;
  terminal.terminal_width = 120;
  terminal.variables = {{"TERM", "xterm"}};
  EXPECT_THAT(run({"list"}, terminal).output,
              AllOf(HasSubstr("\033[1;32mrunning  \033[0m"), HasSubstr("\033[1;33mpaused   \033[0m"),
                    HasSubstr("\033[1;31mfaulted  \033[0m")));
  EXPECT_THAT(run({"status", "orders"}, terminal).output, HasSubstr("\033[1;32mrunning\033[0m"));
  EXPECT_THAT(run({"list"}).output, Not(HasSubstr("\033")));
}

TEST_F(ProjectionStatusTest, WatchingRedrawsInPlace) {
  script({list({status(), rebuilding()}), list({status(), rebuilt()}), list({status()}),
          refuses(401, "unauthorized", "the token is gone")});
  ProcessOptions terminal;
  terminal.terminal_width = 60;
  const Finished done = run({"list", "--watch", "--interval", "0.05"}, terminal);
  EXPECT_EQ(done.exit_code, 1);
  EXPECT_THAT(done.errors, HasSubstr("the token is gone"));
  // Up over the three lines, and everything below is cleared.
  EXPECT_THAT(done.output, HasSubstr("\033[3A\r\033[JNAME    STATE    POSITION   BEHIND"));
  EXPECT_THAT(done.output, Not(HasSubstr("REBUILD"))) << "it is cut";
  EXPECT_THAT(done.output, EndsWith("\r\n"));
}

TEST_F(ProjectionStatusTest, WatchingIntoAPipeRepeatsTheTable) {
  script({says(status()), says(status()), refuses(404, "not-found", "there is no projection orders")});
  const Finished done = run({"status", "orders", "--watch", "--interval", "0.05"});
  EXPECT_EQ(done.exit_code, 1);
  EXPECT_THAT(done.output,
              AllOf(StartsWith("orders      running\n"), HasSubstr("…\n\norders      running\n")));
}

TEST_F(ProjectionStatusTest, WatchWithJsonPrintsOneLinePerRefresh) {
  script({says(rebuilding()), says(rebuilt()), refuses(404, "not-found", "gone")});
  const Finished done = run({"status", "orders", "--watch", "--interval", "0.05", "--json"});
  std::istringstream lines(done.output);
  std::vector<json> seen;
  for (std::string line; std::getline(lines, line);) seen.push_back(json::parse(line));
  ASSERT_THAT(seen, SizeIs(3));
  EXPECT_EQ(seen[0], rebuilding());
  EXPECT_EQ(seen[1], rebuilt());
  EXPECT_EQ(seen[2]["status"], 404);
}

TEST_F(ProjectionStatusTest, CtrlCEndsTheWatchNotTheWork) {
  for (const int number : {SIGINT, SIGTERM}) {
    script({says(status())});
    const auto process = start({"status", "orders", "--watch", "--interval", "3600"});
    ASSERT_TRUE(process->prints("definition"));
    process->signal(number);
    const Finished done = process->finish();
    EXPECT_EQ(done.exit_code, 0);
    EXPECT_EQ(done.errors, "Stopped watching; the server continues.\n");
  }
}

TEST_F(ProjectionStatusTest, WatchRetriesDuringARestart) {
  script({says(status()), ScriptedServer::hang_up(), refuses(503, "not-yet", "starting"), says(rebuilt()),
          refuses(404, "not-found", "gone")});
  const Finished done = run({"status", "orders", "--watch", "--interval", "0.05"});
  EXPECT_THAT(done.output, AllOf(HasSubstr("4, and 3"), HasSubstr("5, and 4")));
  EXPECT_THAT(done.errors, HasSubstr("lost before the answer was complete; retrying\n"));
  EXPECT_THAT(done.errors, Not(HasSubstr("starting"))) << "that it is gone is said once";
}

TEST_F(ProjectionStatusTest, AClosedPipeEndsTheWatch) {
  script(std::vector<Reply>(1'000, says(status())));
  std::vector<std::string> words = {"projection", "status", "orders", "--watch",     "--json",
                                    "--interval", "0.05",   "--url",  server_->url()};
  std::string command = std::string(CAIRN_TEST_BIN_DIR) + "/cairn";
  for (const std::string& word : words) command += " " + word;
  EXPECT_EQ(std::system((command + " | head -n 1 > /dev/null").c_str()), 0);
}

TEST_F(ProjectionStatusTest, RefusalsAndUnreachableServersHaveTheirExitCodes) {
  script({refuses(404, "not-found", "there is no projection orders")});
  const Finished no = run({"status", "orders"});
  EXPECT_EQ(no.exit_code, 1);
  EXPECT_EQ(no.errors, "cairn: there is no projection orders (404 not-found)\n");
  EXPECT_THAT(no.output, IsEmpty());
  const std::string nobody = "http://127.0.0.1:1";
  EXPECT_EQ(run_cairn({"projection", "list", "--url", nobody}).exit_code, 3);
  EXPECT_EQ(run_cairn({"projection", "list", "--watch", "--url", nobody}).exit_code, 3);
  EXPECT_EQ(run_cairn({"projection", "status", "orders", "--watch", "--url", nobody}).exit_code, 3);
}

TEST_F(ProjectionStatusTest, WrongUsageIsExitCodeTwo) {
  EXPECT_EQ(run_cairn({"projection"}).exit_code, 2);
  EXPECT_EQ(run_cairn({"projection", "status"}).exit_code, 2);
  EXPECT_EQ(run_cairn({"projection", "list", "--interval", "1"}).exit_code, 2);
  EXPECT_EQ(run_cairn({"projection", "list", "--watch", "--interval", "0"}).exit_code, 2);
  EXPECT_THAT(run_cairn({"projection", "rebiuld", "orders"}).errors,
              HasSubstr("did you mean 'cairn projection rebuild'?"));
}

TEST_F(ProjectionStatusTest, HelpHasExamplesAndCompletionKnowsTheCommands) {
  const std::string shell = run_cairn({"completion", "bash"}).output;
  for (const std::string command : {"deploy", "list", "status", "show", "rows", "rebuild", "cancel",
                                    "rollback", "pause", "resume", "verify", "parked", "delete"}) {
    EXPECT_THAT(run_cairn({"projection", command, "--help"}).output,
                HasSubstr("Examples:\n  cairn projection " + command));
    EXPECT_THAT(shell, HasSubstr("'projection " + command + "'"));
  }
  EXPECT_THAT(shell, HasSubstr("'projection parked') words='show retry skip "));
}

}  // namespace
}  // namespace cairn::test
