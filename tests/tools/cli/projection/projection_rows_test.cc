// `cairn projection rows`, `parked`, `show` and `delete`.

#include <csignal>

#include "tests/tools/cli/projection/projection_fixture.h"

namespace cairn::test {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class ProjectionRowsTest : public ProjectionToolTest {
 protected:
  // `rows` as JSON text, since numbers shall keep their digits.
  static Reply page(const std::string& rows, const std::string& next = "null", int generation = 4) {
    return ScriptedServer::answer(200, R"({"rows":[)" + rows + R"(],"next":)" + next +
                                           R"(,"position":77,"generation":)" + std::to_string(generation) +
                                           "}");
  }
  static json parked(const std::string& key, const std::string& by = "key") {
    return {{"key", key},
            {"by", by},
            {"generation", 4},
            {"events", 3},
            {"position", 1'234},
            {"kind", "script"},
            {"message", "orders.lua:4: no total"},
            {"line", 4},
            {"parkedAt", "2026-11-16T20:55:35Z"},
            {"retries", 2}};
  }
};

constexpr char kA[] = R"({"key":"a","row":{"n":1.00}})";
constexpr char kB[] = R"({"key":"b","row":{"n":18446744073709551615}})";

TEST_F(ProjectionRowsTest, APipeGetsAllPagesUnchanged) {
  script({page(kA, R"("a b")"), page(kB)});
  const Finished done = run({"rows", "orders"});
  EXPECT_EQ(done.exit_code, 0) << done.errors;
  EXPECT_EQ(done.output, std::string(kA) + "\n" + kB + "\n");
  EXPECT_THAT(done.errors, IsEmpty());
  EXPECT_EQ(asked(0), "GET /projections/orders/rows?limit=1000");
  EXPECT_EQ(asked(1), "GET /projections/orders/rows?after=a%20b&limit=1000");
}

TEST_F(ProjectionRowsTest, ALimitIsKeptOverPages) {
  script({page(kA, R"("a")"), page(kB, R"("b")")});
  EXPECT_EQ(run({"rows", "orders", "--limit", "2", "--prefix", "eu/", "--partial"}).exit_code, 0);
  EXPECT_EQ(asked(0), "GET /projections/orders/rows?prefix=eu%2F&limit=2&partial=true");
  EXPECT_EQ(asked(1), "GET /projections/orders/rows?prefix=eu%2F&after=a&limit=1&partial=true");
  EXPECT_THAT(server_->requests(), SizeIs(2));
}

TEST_F(ProjectionRowsTest, ATerminalGetsATable) {
  script({page(std::string(kA) + "," + kB)});
  ProcessOptions terminal;
  terminal.terminal_width = 30;
  EXPECT_EQ(run({"rows", "orders"}, terminal).output,
            "KEY           ROW\r\n"
            "a             {\"n\":1.00}\r\n"
            "b             {\"n\":1844674407…\r\n");
}

TEST_F(ProjectionRowsTest, AChangeOfTheGenerationBetweenPagesIsReported) {
  script({page(kA, R"("a")"), page(kB, "null", 5)});
  EXPECT_EQ(run({"rows", "orders"}).errors,
            "cairn: generation 5 has taken the place of 4 meanwhile; the rows are of both\n");
}

TEST_F(ProjectionRowsTest, OneRowIsPrintedLikeAState) {
  const std::string answer = R"({"key":"a/b","row":{"n":1.00},"position":77,"generation":4})";
  script({ScriptedServer::answer(200, answer), ScriptedServer::answer(200, answer)});
  const Finished done = run({"rows", "orders", "a/b", "--min-position", "77"});
  EXPECT_EQ(done.exit_code, 0) << done.errors;
  EXPECT_EQ(done.output, "{\n  \"n\": 1.00\n}\n");
  EXPECT_EQ(done.errors, "orders a/b at position 77, generation 4\n");
  EXPECT_EQ(asked(0), "GET /projections/orders/rows/a%2Fb?minPosition=77&waitMs=5000");
  EXPECT_EQ(run({"rows", "orders", "a/b", "--json"}).output, answer + "\n");
  EXPECT_EQ(asked(1), "GET /projections/orders/rows/a%2Fb");
}

TEST_F(ProjectionRowsTest, AMissingRowIsExitCodeOne) {
  script({refuses(503, "not-yet", "the rows are at 7"), refuses(404, "not-found", "there is no row a"),
          refuses(503, "not-yet", "the first generation is being built")});
  EXPECT_EQ(run({"rows", "orders", "a", "--min-position", "9", "--wait-ms", "0"}).exit_code, 1);
  EXPECT_THAT(asked(0), EndsWith("?minPosition=9&waitMs=0"));
  EXPECT_EQ(run({"rows", "orders", "a"}).errors, "cairn: there is no row a (404 not-found)\n");
  const Finished no = run({"rows", "orders"});
  EXPECT_EQ(no.exit_code, 1);
  EXPECT_THAT(no.errors, HasSubstr("503 not-yet"));
}

TEST_F(ProjectionRowsTest, ParkedKeysAreATable) {
  script({says({{"parked", json::array({parked("a")})}, {"next", "a"}}),
          says({{"parked", json::array({parked("order-1", "stream")})}, {"next", nullptr}}),
          says({{"parked", json::array()}, {"next", nullptr}})});
  const Finished done = run({"parked", "orders"});
  EXPECT_EQ(done.exit_code, 0) << done.errors;
  EXPECT_EQ(
      done.output,
      "KEY             GENERATION  EVENTS  POSITION  TYPE  RETRIES  PARKED                KIND    ERROR\n"
      "a               4           3       1234            2        2026-11-16T20:55:35Z  script  "
      "orders.lua:4: no total\n"
      "stream order-1  4           3       1234            2        2026-11-16T20:55:35Z  script  "
      "orders.lua:4: no total\n");
  EXPECT_EQ(asked(0), "GET /projections/orders/parked?limit=1000");
  EXPECT_EQ(asked(1), "GET /projections/orders/parked?limit=1000&after=a");
  const Finished none = run({"parked", "orders"});
  EXPECT_EQ(none.exit_code, 0);
  EXPECT_EQ(none.errors, "Nothing is parked.\n");
}

TEST_F(ProjectionRowsTest, ParkedKeysOfAllPagesAreOneObject) {
  script({says({{"parked", json::array({parked("a")})}, {"next", "a"}}),
          says({{"parked", json::array({parked("b")})}, {"next", nullptr}})});
  EXPECT_EQ(json::parse(run({"parked", "orders", "--json"}).output),
            json({{"parked", json::array({parked("a"), parked("b")})}}));
}

TEST_F(ProjectionRowsTest, OneParkedKeyIsShownWithItsWaitingEvents) {
  json entry = parked("a b");
  entry["positions"] = {1'234, 1'240};
  script({says({{"key", "a b"}, {"entries", json::array({entry})}})});
  EXPECT_EQ(run({"parked", "orders", "show", "a b"}).output,
            "key         a b\n"
            "generation  4\n"
            "error       orders.lua:4: no total (line 4)\n"
            "kind        script\n"
            "position    1234\n"
            "parked      2026-11-16T20:55:35Z\n"
            "retries     2\n"
            "waiting     1234, 1240 and 1 more\n");
  EXPECT_EQ(asked(0), "GET /projections/orders/parked/a%20b");
}

TEST_F(ProjectionRowsTest, ARetryThatLeavesParkedKeysIsExitCodeOne) {
  script({says({{"keys", 2}, {"released", 2}, {"events", 7}}),
          says({{"keys", 1}, {"released", 0}, {"events", 0}}),
          says({{"keys", 1}, {"released", 0}, {"events", 0}}),
          refuses(404, "not-found", "nothing is parked")});
  const Finished all = run({"parked", "orders", "retry"});
  EXPECT_EQ(all.exit_code, 0) << all.errors;
  EXPECT_EQ(all.output, "2 keys tried, 2 released; 7 events applied\n");
  EXPECT_EQ(asked(0), "POST /projections/orders/parked/retry");
  const Finished one = run({"parked", "orders", "retry", "a/b"});
  EXPECT_EQ(one.exit_code, 1);
  EXPECT_EQ(one.output, "1 key tried, 0 released; 0 events applied\n");
  EXPECT_EQ(one.errors, "cairn: 1 key is still parked; `cairn projection parked orders` shows the reasons\n");
  EXPECT_EQ(asked(1), "POST /projections/orders/parked/a%2Fb/retry");
  EXPECT_EQ(run({"parked", "orders", "retry", "a", "--json"}).exit_code, 1);
  EXPECT_EQ(run({"parked", "orders", "retry", "a"}).errors, "cairn: nothing is parked (404 not-found)\n");
}

nlohmann::json redrive(const std::string& state, std::uint64_t tried, std::uint64_t failed,
                       const nlohmann::json& more = nlohmann::json::object()) {
  nlohmann::json report = {{"id", 1},
                           {"state", state},
                           {"reason", nullptr},
                           {"dryRun", false},
                           {"keys", 10},
                           {"tried", tried},
                           {"failed", failed},
                           {"released", tried - failed},
                           {"failures", nlohmann::json::array()},
                           {"eventsApplied", 3 * tried},
                           {"startedAt", "2026-11-16T20:55:35.123456Z"}};
  report.update(more);
  return {{"redrive", report}};
}

TEST_F(ProjectionRowsTest, ARetryOfAllIsFollowedToItsEnd) {
  script({says(redrive("running", 0, 0), 202), says(redrive("running", 4, 0)), says(redrive("done", 10, 0)),
          says(redrive("running", 0, 0), 202),
          says(redrive("stopped", 7, 2, {{"reason", "2 keys have failed again"}}))});
  const Finished all = run({"parked", "orders", "retry", "--rate", "50", "--stop-after", "2"});
  EXPECT_EQ(all.exit_code, 0) << all.errors;
  EXPECT_EQ(all.output, "10 keys tried, 10 released; 30 events applied\n");
  EXPECT_THAT(server_->requests()[0], EndsWith(R"({"keysPerSecond":50,"stopAfterFailures":2})"));
  EXPECT_EQ(asked(1), "GET /projections/orders/redrive");
  const Finished stopped = run({"parked", "orders", "retry"});
  EXPECT_EQ(stopped.exit_code, 1);
  EXPECT_EQ(stopped.output, "7 keys tried, 5 released; 21 events applied\n");
  EXPECT_EQ(stopped.errors,
            "cairn: the retry stopped: 2 keys have failed again\n"
            "cairn: 5 keys are still parked; `cairn projection parked orders` shows the reasons\n");
}

TEST_F(ProjectionRowsTest, ADryRunOfARetryListsWhatWouldFail) {
  const json failure = {
      {"key", "c-7"}, {"by", "stream"}, {"position", 40}, {"kind", "script"}, {"message", "no"}};
  script({says(redrive("running", 0, 0, {{"dryRun", true}}), 202),
          says(redrive("done", 10, 1, {{"dryRun", true}, {"failures", json::array({failure})}}))});
  const Finished done = run({"parked", "orders", "retry", "--dry-run"});
  EXPECT_EQ(done.exit_code, 1);
  EXPECT_EQ(done.output,
            "dry run: 10 keys tried, 9 would be released; 30 events could be applied\n"
            "KEY         POSITION  KIND    ERROR\n"
            "stream c-7  40        script  no\n");
  EXPECT_EQ(done.errors, "");
}

TEST_F(ProjectionRowsTest, ARetryOfAllNeedNotBeWaitedForAndItsOptionsGoWithNothingElse) {
  script({says(redrive("running", 0, 0), 202), refuses(409, "wrong-state", "one is under way")});
  EXPECT_EQ(run({"parked", "orders", "retry", "--no-wait"}).output,
            "orders: the retry of 10 parked keys has begun\n");
  const Finished second = run({"parked", "orders", "retry"});
  EXPECT_EQ(second.exit_code, 1);
  EXPECT_EQ(second.errors, "cairn: one is under way (409 wrong-state)\n");
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"parked", "orders", "retry", "a", "--dry-run"},
        std::vector<std::string>{"parked", "orders", "--rate", "1"},
        std::vector<std::string>{"parked", "orders", "retry", "--rate", "0"}}) {
    EXPECT_EQ(run(words).exit_code, 2);
  }
}

TEST_F(ProjectionRowsTest, CtrlCCancelsARetryOfAll) {
  script({says(redrive("running", 0, 0), 202),
          says(redrive("running", 4, 0)),
          {"", ScriptedServer::Then::kKeep},
          says(redrive("cancelled", 6, 0, {{"reason", "on request"}}))});
  const auto process = start({"parked", "orders", "retry"});
  ASSERT_TRUE(server_->wait_for_requests(3));
  process->signal(SIGINT);
  const Finished done = process->finish();
  EXPECT_EQ(done.exit_code, 1);
  EXPECT_EQ(done.output, "6 keys tried, 6 released; 18 events applied\n");
  EXPECT_THAT(done.errors, ::testing::StartsWith("cairn: the retry was cancelled: on request\n"));
  EXPECT_EQ(asked(3), "DELETE /projections/orders/redrive");
}

TEST_F(ProjectionRowsTest, SkippingSendsTheReason) {
  script({says({{"keys", 1}, {"released", 1}, {"events", 2}}),
          says({{"keys", 1}, {"released", 0}, {"events", 0}})});
  EXPECT_EQ(run({"parked", "orders", "skip", "a", "--reason", "a \"test\""}).output,
            "a: the failed event is skipped; 2 events after it applied\n");
  EXPECT_EQ(asked(0), "POST /projections/orders/parked/a/skip");
  EXPECT_THAT(server_->requests()[0], EndsWith(R"({"reason":"a \"test\""})"));
  EXPECT_THAT(run({"parked", "orders", "skip", "a", "--reason", "x"}).output,
              EndsWith("0 events after it applied, and then another one failed\n"));
}

TEST_F(ProjectionRowsTest, OnlyTheSourceGoesToStdout) {
  json with_source = status();
  with_source["source"] = "return projection {}\n";
  script({says(with_source), says(with_source), says(status())});
  const Finished done = run({"show", "orders"});
  EXPECT_EQ(done.output, "return projection {}\n");
  EXPECT_EQ(done.errors, "orders, revision 2\n");
  EXPECT_EQ(json::parse(run({"show", "orders", "--json"}).output), with_source);
  EXPECT_EQ(run({"show", "orders"}).exit_code, 1) << "one of the program's own";
}

TEST_F(ProjectionRowsTest, DeletingNeedsConfirmation) {
  script({{"HTTP/1.1 204 X\r\nContent-Length: 0\r\n\r\n"},
          {"HTTP/1.1 204 X\r\nContent-Length: 0\r\n\r\n"},
          {"HTTP/1.1 204 X\r\nContent-Length: 0\r\n\r\n"},
          refuses(404, "not-found", "there is no projection orders")});
  EXPECT_EQ(run({"delete", "orders"}).exit_code, 2);
  ProcessOptions typed;
  typed.input_is_typed = true;
  typed.input = "yes\n";
  const Finished no = run({"delete", "orders"}, typed);
  EXPECT_EQ(no.exit_code, 1);
  EXPECT_THAT(no.errors, EndsWith("cairn: that is not its name; nothing was deleted\n"));
  EXPECT_THAT(server_->requests(), IsEmpty());
  typed.input = "orders\n";
  const Finished yes = run({"delete", "orders"}, typed);
  EXPECT_EQ(yes.exit_code, 0) << yes.errors;
  EXPECT_EQ(yes.output, "orders: deleted\n");
  EXPECT_EQ(asked(0), "DELETE /projections/orders");
  EXPECT_EQ(run({"delete", "orders", "--yes"}).output, "orders: deleted\n");
  EXPECT_EQ(json::parse(run({"delete", "orders", "--yes", "--json"}).output),
            json({{"name", "orders"}, {"deleted", true}}));
  EXPECT_EQ(run({"delete", "orders", "--yes"}).exit_code, 1);
}

TEST_F(ProjectionRowsTest, WrongUsageIsExitCodeTwo) {
  for (const std::vector<std::string>& words : {std::vector<std::string>{"rows"},
                                                {"rows", "orders", "a", "--prefix", "b"},
                                                {"rows", "orders", "--limit", "0"},
                                                {"rows", "orders", "--wait-ms", "1"},
                                                {"parked"},
                                                {"parked", "orders", "show"},
                                                {"parked", "orders", "skip", "a"},
                                                {"parked", "orders", "skip", "--reason", "x"},
                                                {"parked", "orders", "retry", "a", "--reason", "x"},
                                                {"parked", "orders", "retyr"},
                                                {"delete"}}) {
    std::vector<std::string> command = {"projection"};
    command.insert(command.end(), words.begin(), words.end());
    const Finished wrong = run_cairn(command);
    EXPECT_EQ(wrong.exit_code, 2) << ::testing::PrintToString(words);
    EXPECT_EQ(wrong.errors.find("there is no command"), std::string::npos) << wrong.errors;
  }
  EXPECT_THAT(run_cairn({"projection", "parked", "orders", "retyr"}).errors,
              HasSubstr("did you mean 'retry'?"));
}

TEST_F(ProjectionRowsTest, AnUnreachableServerIsExitCodeThree) {
  for (const std::vector<std::string>& words : {std::vector<std::string>{"rows", "orders"},
                                                {"rows", "orders", "a"},
                                                {"parked", "orders"},
                                                {"parked", "orders", "show", "a"},
                                                {"parked", "orders", "retry"},
                                                {"parked", "orders", "skip", "a", "--reason", "x"},
                                                {"show", "orders"},
                                                {"delete", "orders", "--yes"}}) {
    std::vector<std::string> command = {"projection"};
    command.insert(command.end(), words.begin(), words.end());
    command.insert(command.end(), {"--url", "http://127.0.0.1:1"});
    EXPECT_EQ(run_cairn(command).exit_code, 3) << ::testing::PrintToString(words);
  }
}

}  // namespace
}  // namespace cairn::test
