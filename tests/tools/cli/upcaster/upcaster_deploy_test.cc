// `cairn upcaster deploy` with a scripted server.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <memory>
#include <nlohmann/json.hpp>

#include "tests/api/client/scripted_server.h"
#include "tests/support/cairn_process.h"
#include "tests/tools/cli/schema/schema_files.h"
#include "tests/tools/cli/upcaster/upcaster_files.h"
#include "upcasters/model/upcaster.h"

namespace cairn::test {
namespace {

using nlohmann::json;
using ::testing::AllOf;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;
using ::testing::StartsWith;
using Reply = ScriptedServer::Reply;
using Then = ScriptedServer::Then;

constexpr char kProgress[] = R"({"progress":{"position":500,"head":1000,"checked":400,"failed":0}})";

json result() {
  return {{"type", "Order"}, {"from", 1},          {"to", 2},
          {"failed", 0},     {"checked", 1234567}, {"fingerprint", "abcd1234ffffffffffffffffffffffff"},
          {"revision", 2},   {"dryRun", false},    {"unchanged", false}};
}

json result_with(const char* member, bool value) {
  json changed = result();
  changed[member] = value;
  return changed;
}

json failed(std::size_t count) {
  json failures = json::array();
  for (std::size_t i = 1; i <= count; ++i) {
    failures.push_back({{"position", 100 + i},
                        {"stream", "order-" + std::to_string(i)},
                        {"version", i},
                        {"error", "1-2.lua:4: no total"}});
  }
  return {{"type", "/problems/upcaster-failed"},
          {"title", "The upcaster fails"},
          {"status", 422},
          {"detail", "it fails"},
          {"failures", failures},
          {"kinds", {{{"error", "1-2.lua:4: no total"}, {"count", 1500}}}},
          {"checked", 20'000},
          {"failed", 1500},
          {"complete", true}};
}

class UpcasterDeployTest : public ::testing::Test {
 protected:
  UpcasterDeployTest() { files_.put("1-2.lua", source_); }

  void script(std::vector<Reply> replies) { server_ = std::make_unique<ScriptedServer>(std::move(replies)); }

  // A complete answer with this last line.
  static Reply lines(const char* kind, const json& last) {
    return ScriptedServer::pieces({std::string(kProgress) + "\n\n", json{{kind, last}}.dump() + "\n"}, true);
  }

  std::unique_ptr<CairnProcess> start(std::vector<std::string> words,
                                      const ProcessOptions& options = {}) const {
    words.insert(words.begin(), {"upcaster", "deploy"});
    words.insert(words.end(), {"--url", server_->url()});
    return std::make_unique<CairnProcess>(words, options);
  }
  Finished deploy(const std::vector<std::string>& more = {}, const ProcessOptions& options = {}) const {
    std::vector<std::string> words = {file_};
    words.insert(words.end(), more.begin(), more.end());
    return start(words, options)->finish();
  }

  // The answer to the request for installed upcasters.
  Reply installed(const std::string& source) const {
    return ScriptedServer::answer(200, json{{"type", "Order"},
                                            {"latestVersion", 2},
                                            {"upcasters",
                                             {{{"type", "Order"},
                                               {"from", 1},
                                               {"to", 2},
                                               {"revision", 7},
                                               {"fingerprint", fingerprint_of({"Order", 1, 2, {}}, source)},
                                               {"source", source}}}}}
                                           .dump());
  }

  // Starts a deployment that does not end, and ends it with Ctrl-C.
  Finished interrupt(const std::vector<std::string>& words) const {
    const auto process = start(words);
    EXPECT_TRUE(server_->wait_for_requests(1));
    process->signal(SIGINT);
    return process->finish();
  }

  const std::string source_ = upcaster("Order", 1, "data.total = 1");
  SchemaFiles files_;
  std::string file_ = files_.path_of("1-2.lua");
  std::unique_ptr<ScriptedServer> server_;
};

TEST_F(UpcasterDeployTest, TheScriptIsSentAndTheResultIsOneLine) {
  script({lines("result", result())});
  const Finished done = deploy();
  EXPECT_EQ(done.exit_code, 0) << done.errors;
  EXPECT_EQ(done.output,
            "Order 1 → 2: checked 1,234,567 events, installed as revision 2 (fingerprint abcd1234…)\n");
  EXPECT_THAT(done.errors, IsEmpty());
  const std::string request = server_->requests()[0];
  EXPECT_THAT(request, StartsWith("PUT /upcasters/Order/1?to=2&file=1-2.lua HTTP/1.1\r\n"));
  EXPECT_THAT(request, HasSubstr("\r\nContent-Type: text/x-lua\r\n"));
  EXPECT_THAT(request, HasSubstr("\r\nAccept: application/x-ndjson\r\n"));
  EXPECT_THAT(request, EndsWith("\r\n\r\n" + source_));
}

TEST_F(UpcasterDeployTest, ADryRunInstallsNothing) {
  script({lines("result", result_with("dryRun", true))});
  EXPECT_EQ(deploy({"--dry-run"}).output,
            "Order 1 → 2: checked 1,234,567 events, would be installed as revision 2 (fingerprint "
            "abcd1234…)\n");
  EXPECT_THAT(server_->requests()[0],
              StartsWith("PUT /upcasters/Order/1?to=2&file=1-2.lua&dryRun=true HTTP/1.1\r\n"));
}

TEST_F(UpcasterDeployTest, AnInstalledUpcasterIsNotInstalledAgain) {
  script({lines("result", result_with("unchanged", true))});
  EXPECT_EQ(deploy().output, "Order 1 → 2: already installed as revision 2 (fingerprint abcd1234…)\n");
}

TEST_F(UpcasterDeployTest, TheScriptMayComeFromStdin) {
  script({lines("result", result())});
  ProcessOptions options;
  options.input = source_;
  const Finished done = start({"-", "--json"}, options)->finish();
  EXPECT_EQ(done.exit_code, 0) << done.errors;
  EXPECT_EQ(json::parse(done.output), result());
  EXPECT_THAT(server_->requests()[0], HasSubstr("&file=stdin "));
}

TEST_F(UpcasterDeployTest, FailedEventsAreListed) {
  script({lines("problem", failed(2))});
  const Finished no = deploy();
  EXPECT_EQ(no.exit_code, 1);
  EXPECT_EQ(no.output,
            "POSITION  STREAM   VERSION  ERROR\n"
            "101       order-1  1        1-2.lua:4: no total\n"
            "102       order-2  2        1-2.lua:4: no total\n"
            "and 1,498 more\n"
            "\n"
            "COUNT  ERROR\n"
            "1,500  1-2.lua:4: no total\n");
  EXPECT_EQ(no.errors, "cairn: the upcaster fails on 1,500 of 20,000 events; nothing was changed\n");
}

TEST_F(UpcasterDeployTest, ATerminalShowsTheFirstFailures) {
  ProcessOptions terminal;
  terminal.terminal_width = 100;
  script({lines("problem", failed(21)), lines("problem", failed(21)), lines("problem", failed(21))});
  EXPECT_THAT(deploy({}, terminal).output,
              AllOf(HasSubstr("order-20 "), Not(HasSubstr("order-21 ")), HasSubstr("and 1,480 more\r\n")));
  EXPECT_THAT(deploy().output, AllOf(HasSubstr("order-21 "), HasSubstr("and 1,479 more\n")));
  const Finished all = deploy({"--json"}, terminal);
  EXPECT_EQ(all.exit_code, 1);
  EXPECT_EQ(json::parse(all.output), failed(21));
}

TEST_F(UpcasterDeployTest, AnIncompleteCheckIsReported) {
  json problem = failed(1);
  problem["complete"] = false;
  script({lines("problem", problem)});
  EXPECT_THAT(deploy().errors,
              HasSubstr("of 20,000 events, and was given up before the last of them; nothing"));
}

TEST_F(UpcasterDeployTest, ARefusalIsPrinted) {
  const json gap = {{"type", "/problems/invalid-upcaster"},
                    {"title", "It has no place"},
                    {"status", 422},
                    {"detail", "there is no version 2 of Order"},
                    {"reason", "unknown-version"}};
  const std::string forbidden =
      R"({"type":"/problems/forbidden","title":"Forbidden","status":403,"detail":"scope admin is needed"})";
  script({ScriptedServer::answer(422, gap.dump(), "application/problem+json"), lines("problem", gap),
          lines("problem", gap), ScriptedServer::answer(403, forbidden, "application/problem+json")});
  for (int i = 0; i < 2; ++i) {
    const Finished no = deploy();
    EXPECT_EQ(no.exit_code, 1);
    EXPECT_EQ(no.errors, "cairn: there is no version 2 of Order (422 invalid-upcaster)\n");
    EXPECT_THAT(no.output, IsEmpty());
  }
  EXPECT_EQ(json::parse(deploy({"--json"}).output), gap);
  EXPECT_EQ(deploy().errors, "cairn: scope admin is needed (403 forbidden)\n");
}

TEST_F(UpcasterDeployTest, AScriptThatDoesNotLoadIsNotSent) {
  script({});
  files_.put("1-2.lua", kNoLua);
  const Finished no = deploy();
  EXPECT_EQ(no.exit_code, 1);
  EXPECT_THAT(no.errors, StartsWith("cairn: " + file_ + ":4: "));
  const json problem = json::parse(deploy({"--json"}).output);
  EXPECT_EQ(problem["type"], "/problems/script-error");
  EXPECT_EQ(problem["line"], 4);
  EXPECT_EQ(problem["file"], file_);

  files_.put("1-2.lua", "return 1\n");
  EXPECT_THAT(deploy().errors, StartsWith("cairn: " + file_ + ": it does not end with: return upcaster"));
  EXPECT_THAT(server_->requests(), IsEmpty());
}

TEST_F(UpcasterDeployTest, AFileThatCannotBeUsedIsWrongUsage) {
  script({});
  for (const std::string& file : {std::string("/nowhere.lua"), files_.path()}) {
    const Finished wrong = start({file})->finish();
    EXPECT_EQ(wrong.exit_code, 2) << wrong.errors;
    EXPECT_THAT(wrong.errors, HasSubstr(file));
  }
  files_.put("1-2.lua", std::string((1u << 20) + 1, ' '));
  EXPECT_EQ(deploy().exit_code, 2);
  EXPECT_THAT(deploy().errors, HasSubstr("at most 1.0 MiB"));
  EXPECT_EQ(start({})->finish().exit_code, 2);
}

TEST_F(UpcasterDeployTest, CtrlCInstallsNothing) {
  const Reply unfinished = ScriptedServer::pieces({std::string(kProgress) + "\n"}, false);
  const std::string none = R"({"type":"/problems/not-found","title":"Not found","status":404})";
  script({unfinished, ScriptedServer::answer(404, none)});
  const Finished stopped = interrupt({file_});
  EXPECT_EQ(stopped.exit_code, 1);
  EXPECT_EQ(stopped.errors, "cairn: interrupted; nothing was installed\n");
  EXPECT_THAT(server_->requests()[1], StartsWith("GET /upcasters/Order HTTP/1.1\r\n"));

  script({unfinished, installed("-- another one, from before")});
  EXPECT_EQ(interrupt({file_}).errors, "cairn: interrupted; nothing was installed\n");

  script({unfinished});
  EXPECT_EQ(interrupt({file_, "--dry-run"}).errors, "cairn: interrupted; nothing was changed\n");
  EXPECT_THAT(server_->requests(), SizeIs(1));
}

TEST_F(UpcasterDeployTest, CtrlCAfterTheInstallationReportsIt) {
  const Reply unfinished = ScriptedServer::pieces({std::string(kProgress) + "\n"}, false);
  script({unfinished, installed(source_)});
  const Finished late = interrupt({file_});
  EXPECT_EQ(late.exit_code, 0);
  EXPECT_EQ(late.errors, "cairn: interrupted; but it is installed, as revision 7\n");

  script({unfinished, ScriptedServer::hang_up()});
  const Finished unknown = interrupt({file_});
  EXPECT_EQ(unknown.exit_code, 3);
  EXPECT_EQ(unknown.errors,
            "cairn: interrupted; whether it was installed is unknown, see `cairn upcaster list`\n");
}

TEST_F(UpcasterDeployTest, AfterALostConnectionTheServerIsAsked) {
  const Reply cut = ScriptedServer::pieces({std::string(kProgress) + "\n"}, false, Then::kClose);
  const Reply ended = ScriptedServer::pieces({std::string(kProgress) + "\n"}, true);
  for (const Reply& reply : {cut, ended}) {
    script({reply, installed("-- another one")});
    const Finished lost = deploy();
    EXPECT_EQ(lost.exit_code, 3);
    EXPECT_THAT(lost.errors, EndsWith("; nothing was installed\n"));
    script({reply, installed(source_)});
    EXPECT_EQ(deploy().exit_code, 0);
    script({reply, ScriptedServer::hang_up()});
    const Finished unknown = deploy();
    EXPECT_EQ(unknown.exit_code, 3);
    EXPECT_THAT(unknown.errors, HasSubstr("whether it was installed is unknown"));
  }
}

TEST_F(UpcasterDeployTest, AnUnreachableServerIsExitCodeThree) {
  const Finished lost = run_cairn({"upcaster", "deploy", file_, "--url", "http://127.0.0.1:1"});
  EXPECT_EQ(lost.exit_code, 3);
  EXPECT_THAT(lost.errors, HasSubstr("no server answers there"));
}

}  // namespace
}  // namespace cairn::test
