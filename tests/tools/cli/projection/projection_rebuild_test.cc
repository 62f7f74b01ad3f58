// `cairn projection deploy`, `rebuild`, `verify`, `cancel`, `rollback`, `pause` and `resume`.

#include <csignal>

#include "tests/tools/cli/projection/projection_fixture.h"
#include "tests/tools/cli/schema/schema_files.h"

namespace cairn::test {
namespace {

using ::testing::AllOf;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using ::testing::StartsWith;

constexpr char kSource[] = "return projection {}\n";

class ProjectionRebuildTest : public ProjectionToolTest {
 protected:
  ProjectionRebuildTest() { files_.put("orders.lua", kSource); }

  static Reply deployed(const json& status, bool unchanged = false) {
    return says({{"name", "orders"},
                 {"revision", 2},
                 {"fingerprint", "abcd1234ffff"},
                 {"position", 77},
                 {"deployedAt", "2026-11-16T20:55:35Z"},
                 {"unchanged", unchanged},
                 {"status", status}},
                unchanged ? 200 : 201);
  }
  static Reply verified(const std::string& stage, const json& other = json::object()) {
    json report = {{"stage", stage},   {"position", 400},
                   {"target", 1'000},  {"rows", 1'234},
                   {"missing", 0},     {"extra", 0},
                   {"different", 0},   {"equal", stage == "done"},
                   {"error", nullptr}, {"differences", json::array()},
                   {"seconds", 1.5}};
    report.update(other);
    return says(report);
  }
  static Reply accepted(const json& status) { return says(status, 202); }

  SchemaFiles files_;
  const std::string file_ = files_.path_of("orders.lua");
};

TEST_F(ProjectionRebuildTest, TheScriptIsSentAndTheResultIsOneLine) {
  script({deployed(rebuilding()), deployed(status(), true)});
  const Finished done = run({"deploy", "my orders", file_});
  EXPECT_EQ(done.exit_code, 0) << done.errors;
  EXPECT_EQ(done.output, "my orders: deployed as revision 2 (fingerprint abcd1234…)\n");
  EXPECT_EQ(asked(0), "PUT /projections/my%20orders?file=orders.lua");
  EXPECT_THAT(server_->requests()[0], AllOf(HasSubstr("\r\nContent-Type: text/x-lua\r\n"),
                                            EndsWith(std::string("\r\n\r\n") + kSource)));
  ProcessOptions typed;
  typed.input = kSource;
  EXPECT_EQ(run({"deploy", "orders", "-"}, typed).output,
            "orders: already deployed as revision 2 (fingerprint abcd1234…)\n");
  EXPECT_EQ(asked(1), "PUT /projections/orders?file=stdin");
}

TEST_F(ProjectionRebuildTest, RowsAreKeptOnRequest) {
  script({deployed(status()), deployed(status())});
  const Finished done = run({"deploy", "orders", file_, "--keep-rows"});
  EXPECT_EQ(done.exit_code, 0) << done.errors;
  EXPECT_EQ(done.output, "orders: deployed as revision 2 (fingerprint abcd1234…)\n");
  EXPECT_EQ(asked(0), "PUT /projections/orders?file=orders.lua&keepRows=true");
  const Finished waited = run({"deploy", "orders", file_, "--keep-rows", "--wait"});
  EXPECT_EQ(waited.exit_code, 0) << waited.errors;
  EXPECT_THAT(waited.output, EndsWith("orders: generation 4 is live: 12,345 rows\n"));
}

TEST_F(ProjectionRebuildTest, AScriptErrorIsPrintedAsTheServerSentIt) {
  const json problem = {{"type", "/problems/script-error"},
                        {"title", "The script cannot be used"},
                        {"status", 422},
                        {"detail", "orders.lua:3: no handler"},
                        {"line", 3},
                        {"message", "no handler"}};
  script({says(problem, 422), says(problem, 422)});
  const Finished no = run({"deploy", "orders", file_, "--wait"});
  EXPECT_EQ(no.exit_code, 1);
  EXPECT_EQ(no.errors, "cairn: orders.lua:3: no handler (422 script-error)\n");
  EXPECT_EQ(json::parse(run({"deploy", "orders", file_, "--json"}).output), problem);
  EXPECT_EQ(run({"deploy", "orders", "/nowhere.lua"}).exit_code, 2);
  EXPECT_THAT(server_->requests(), SizeIs(2)) << "a file that is not there is not sent";
}

TEST_F(ProjectionRebuildTest, DeployWaitsUntilTheNewGenerationIsLive) {
  script({deployed(rebuilding(0)), says(rebuilding()), says(rebuilding(900'000)), says(rebuilt())});
  ProcessOptions terminal;
  terminal.errors_width = 200;
  const Finished done = run({"deploy", "orders", file_, "--wait"}, terminal);
  EXPECT_EQ(done.exit_code, 0) << done.errors;
  EXPECT_EQ(done.output,
            "orders: deployed as revision 2 (fingerprint abcd1234…)\n"
            "orders: generation 5 is live: 12,345 rows\n");
  EXPECT_THAT(done.errors,
              HasSubstr("generation 5  [###########################...]  90 %  250,000 events/s  ETA 2.4 s  "
                        "900,000 of 1,000,000"));
  EXPECT_THAT(done.errors, EndsWith("\r\033[K"));
  EXPECT_EQ(asked(1), "GET /projections/orders");
}

TEST_F(ProjectionRebuildTest, WaitToleratesARebuildThatHasNotBegun) {
  const json first = status({{"state", "rebuilding"}, {"generation", 0}, {"fingerprint", ""}});
  const json other = status({{"fingerprint", "of the one before"}});
  for (const json& early : {first, other}) {
    script({deployed(early), says(early), says(rebuilding()), says(rebuilt())});
    EXPECT_THAT(run({"deploy", "orders", file_, "--wait"}).output,
                EndsWith("generation 5 is live: 12,345 rows\n"));
  }
  script({deployed(status(), true)});
  EXPECT_EQ(run({"deploy", "orders", file_, "--wait"}).exit_code, 0) << "nothing to wait for";
}

TEST_F(ProjectionRebuildTest, WaitingWithJsonPrintsOneObject) {
  json last = rebuilt();
  last["source"] = kSource;
  script({deployed(rebuilding()), says(last), accepted(rebuilding()), says(last)});
  const json result = json::parse(run({"deploy", "orders", file_, "--wait", "--json"}).output);
  EXPECT_EQ(result["revision"], 2);
  EXPECT_EQ(result["status"], rebuilt());
  EXPECT_EQ(json::parse(run({"rebuild", "orders", "--wait", "--json"}).output), rebuilt());
}

TEST_F(ProjectionRebuildTest, ARebuildThatCannotBecomeLiveIsExitCodeOne) {
  const std::vector<std::pair<json, std::string>> ends = {
      {status(), "orders: generation 5 was cancelled before it was built"},
      {status({{"state", "faulted"}, {"reason", "the disk is full"}}),
       "orders: the rows are not built: faulted: the disk is full"},
      {status({{"state", "paused"}, {"reason", "1,000 keys are parked"}}),
       "orders: the rows are not built: paused: 1,000 keys are parked"},
      {rebuilding(1'000'000, {{"holds", "90 keys are parked in it"}}),
       "orders: generation 5 is built but does not take over: 90 keys are parked in it"},
      {json::object({{"hello", "world"}}), "orders: the answer is not a Cairn server's"}};
  for (const auto& [end, reason] : ends) {
    script({accepted(rebuilding()), says(end)});
    const Finished no = run({"rebuild", "orders", "--wait"});
    EXPECT_EQ(no.exit_code, 1);
    EXPECT_EQ(no.errors, "cairn: " + reason + "\n");
    EXPECT_EQ(no.output, "orders: generation 5 is being built\n");
  }
}

TEST_F(ProjectionRebuildTest, WaitSurvivesARestartOfTheServer) {
  script({accepted(rebuilding()), says(rebuilding()), ScriptedServer::hang_up(),
          refuses(503, "not-yet", "starting"), says(rebuilding()), says(rebuilt())});
  const Finished done = run({"rebuild", "orders", "--wait"});
  EXPECT_EQ(done.exit_code, 0) << done.errors;
  EXPECT_THAT(done.errors, HasSubstr("; retrying\n"));
  EXPECT_THAT(done.output, EndsWith("generation 5 is live: 12,345 rows\n"));
}

TEST_F(ProjectionRebuildTest, CtrlCEndsTheWaitNotTheRebuild) {
  script({accepted(rebuilding()), {"", ScriptedServer::Then::kKeep}});
  const auto process = start({"rebuild", "orders", "--wait"});
  ASSERT_TRUE(server_->wait_for_requests(2));
  process->signal(SIGINT);
  const Finished done = process->finish();
  EXPECT_EQ(done.exit_code, 1);
  EXPECT_EQ(done.errors, "cairn: interrupted; the server continues the rebuild\n");
}

TEST_F(ProjectionRebuildTest, ARebuildMayBeThrottled) {
  script({accepted(rebuilding()), accepted(rebuilding()), refuses(409, "wrong-state", "one is under way")});
  EXPECT_EQ(run({"rebuild", "orders"}).output, "orders: generation 5 is being built\n");
  EXPECT_EQ(asked(0), "POST /projections/orders/rebuild");
  EXPECT_EQ(json::parse(run({"rebuild", "orders", "--events-per-second", "500", "--json"}).output),
            rebuilding());
  EXPECT_EQ(asked(1), "POST /projections/orders/rebuild?eventsPerSecond=500");
  const Finished no = run({"rebuild", "orders", "--wait"});
  EXPECT_EQ(no.exit_code, 1);
  EXPECT_EQ(no.errors, "cairn: one is under way (409 wrong-state)\n");
  EXPECT_EQ(run({"rebuild", "orders", "--events-per-second", "0"}).exit_code, 2);
}

TEST_F(ProjectionRebuildTest, ChangesAreOneRequestAndOneLine) {
  const std::vector<std::pair<std::string, std::string>> changes = {
      {"cancel", "cancelled"}, {"rollback", "rolled back"}, {"pause", "paused"}, {"resume", "resumed"}};
  for (const auto& [command, done] : changes) {
    script({accepted(status()), accepted(status()), refuses(409, "wrong-state", "nothing to do")});
    EXPECT_EQ(run({command, "orders"}).output,
              "orders: " + done + "; running, generation 4 answers at position 1234567\n");
    EXPECT_EQ(asked(0), "POST /projections/orders/" + command);
    EXPECT_EQ(json::parse(run({command, "orders", "--json"}).output), status());
    EXPECT_EQ(run({command, "orders"}).exit_code, 1);
    EXPECT_EQ(run_cairn({"projection", command, "orders", "--url", "http://127.0.0.1:1"}).exit_code, 3);
  }
}

TEST_F(ProjectionRebuildTest, VerifyWaitsForTheResult) {
  script({accepted(status()), verified("building"), verified("comparing"), verified("done")});
  ProcessOptions terminal;
  terminal.errors_width = 120;
  const Finished done = run({"verify", "orders"}, terminal);
  EXPECT_EQ(done.exit_code, 0) << done.errors;
  EXPECT_EQ(done.output, "orders: 1,234 rows are what the log says\n");
  EXPECT_THAT(done.errors,
              AllOf(HasSubstr("building  [############"), HasSubstr("comparing  [############")));
  EXPECT_EQ(asked(0), "POST /projections/orders/verify");
  EXPECT_EQ(asked(1), "GET /projections/orders/verify");
}

TEST_F(ProjectionRebuildTest, DifferencesAreListed) {
  const Reply differs = ScriptedServer::answer(
      200, R"({"stage":"done","rows":1234,"missing":1,"extra":1,"different":2,"equal":false,"differences":[)"
           R"({"key":"a","live":null,"rebuilt":{"n":1}},{"key":"b","live":{"n":1.00},"rebuilt":null},)"
           R"({"key":"c","live":{"n":18446744073709551615},"rebuilt":{"n":2}}]})");
  script({accepted(status()), differs, accepted(status()), differs});
  const Finished no = run({"verify", "orders"});
  EXPECT_EQ(no.exit_code, 1);
  EXPECT_EQ(no.output,
            "KEY  LIVE                        REBUILT\n"
            "a    -                           {\"n\":1}\n"
            "b    {\"n\":1.00}                  -\n"
            "c    {\"n\":18446744073709551615}  {\"n\":2}\n"
            "and 1 more\n");
  EXPECT_EQ(no.errors,
            "cairn: orders: 4 rows are not what the log says: 1 missing, 1 too many, 2 different (1,234 "
            "compared)\n");
  const Finished as_json = run({"verify", "orders", "--json"});
  EXPECT_EQ(as_json.exit_code, 1);
  EXPECT_EQ(json::parse(as_json.output)["different"], 2);
}

TEST_F(ProjectionRebuildTest, AFailedVerificationIsExitCodeOne) {
  script({accepted(status()), verified("failed", {{"error", "the disk is full"}})});
  const Finished no = run({"verify", "orders"});
  EXPECT_EQ(no.exit_code, 1);
  EXPECT_EQ(no.errors, "cairn: orders could not be verified: the disk is full\n");
  EXPECT_THAT(no.output, IsEmpty());
}

TEST_F(ProjectionRebuildTest, ARunningVerificationIsFollowed) {
  script({refuses(409, "wrong-state", "one is under way"), verified("building"), verified("done"),
          refuses(409, "wrong-state", "it is paused"), verified("done"),
          refuses(404, "not-found", "there is no projection orders"), refuses(404, "not-found", "none")});
  EXPECT_EQ(run({"verify", "orders"}).output, "orders: 1,234 rows are what the log says\n");
  EXPECT_EQ(run({"verify", "orders"}).errors, "cairn: it is paused (409 wrong-state)\n");
  EXPECT_EQ(run({"verify", "orders"}).exit_code, 1);
}

TEST_F(ProjectionRebuildTest, CtrlCLeavesAVerificationToTheServer) {
  script({accepted(status()), {"", ScriptedServer::Then::kKeep}});
  const auto process = start({"verify", "orders"});
  ASSERT_TRUE(server_->wait_for_requests(2));
  process->signal(SIGINT);
  const Finished done = process->finish();
  EXPECT_EQ(done.exit_code, 1);
  EXPECT_THAT(done.errors, StartsWith("cairn: interrupted; the server continues the comparison"));
}

TEST_F(ProjectionRebuildTest, AnUnreachableServerIsExitCodeThree) {
  for (const std::vector<std::string>& words : {std::vector<std::string>{"deploy", "orders", file_},
                                                {"deploy", "orders", file_, "--wait"},
                                                {"rebuild", "orders"},
                                                {"rebuild", "orders", "--wait"},
                                                {"verify", "orders"}}) {
    std::vector<std::string> command = {"projection"};
    command.insert(command.end(), words.begin(), words.end());
    command.insert(command.end(), {"--url", "http://127.0.0.1:1"});
    EXPECT_EQ(run_cairn(command).exit_code, 3) << words[0];
  }
}

}  // namespace
}  // namespace cairn::test
