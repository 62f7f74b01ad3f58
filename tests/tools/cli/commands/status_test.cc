// `cairn status` with a scripted server, and with a real one.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <memory>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "tests/api/client/scripted_server.h"
#include "tests/support/cairn_process.h"
#include "tests/support/temp_folder.h"
#include "tools/cli/text/cell_text.h"

namespace cairn::test {
namespace {

using nlohmann::json;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

class StatusTest : public ::testing::Test {
 protected:
  static json healthy(const json& more = json::object()) {
    json status = json::parse(R"({
      "version":"1.2.3","time":"2026-11-16T20:55:35.123456Z","startedAt":"2026-11-16T19:55:35.123456Z",
      "uptimeSeconds":3600.0,"store":"0191e4a0-0000-7000-8000-000000000000","data":"/var/lib/cairn",
      "head":1234567,"events":{"perSecond10s":120.4,"perSecond1m":9.5},
      "appends":{"perSecond10s":60.2,"perSecond1m":4.75,"queued":3},
      "commits":{"lastMinute":285,"meanMs":0.812,"p99Ms":2.345},"log":{"bytes":1703936},
      "index":{"bytes":102400,"complete":true,"done":0,"total":0},
      "disk":{"bytes":270582939648,"freeBytes":74088185856,"growthBytesPerDay":1073741824,"daysUntilFull":69.0},
      "subjects":12,"schemas":15,"upcasters":3,"aggregates":1,
      "projections":[{"name":"orders","state":"running","lag":{"events":0,"seconds":0},"parkedKeys":0}],
      "needsAttention":[]})");
    status.update(more);
    return status;
  }
  static json with_attention() {
    return healthy({{"needsAttention",
                     {{{"kind", "disk-nearly-full"}, {"name", ""}, {"text", "4.0 % of the disk is free."}},
                      {{"kind", "keys-parked"},
                       {"name", "orders"},
                       {"text",
                        "3 keys wait behind an event that cannot be applied. Correct the script, then "
                        "retry or skip them."}}}}});
  }
  void script(const std::vector<json>& statuses) {
    std::vector<ScriptedServer::Reply> replies;
    for (const json& status : statuses) replies.push_back(ScriptedServer::answer(200, status.dump()));
    server_ = std::make_unique<ScriptedServer>(std::move(replies));
  }
  Finished status(std::vector<std::string> words = {}) const {
    words.insert(words.begin(), "status");
    words.insert(words.end(), {"--url", server_->url()});
    return run_cairn(words);
  }

  std::unique_ptr<ScriptedServer> server_;
};

TEST_F(StatusTest, AHealthyServerIsShownAndIsExitCodeZero) {
  script({healthy()});
  const Finished done = status();
  EXPECT_EQ(done.exit_code, 0) << done.errors;
  EXPECT_EQ(done.output,
            "server       cairn 1.2.3 at " + server_->url() +
                ", up 1 h\n"
                "data         /var/lib/cairn\n"
                "log          head 1,234,567, 1.6 MiB\n"
                "rate         120 events/s, 60 appends/s (10 s); 9.5 and 4.8 (1 min)\n"
                "commits      0.81 ms in the mean, 99 % within 2.35 ms; 3 appends queued\n"
                "index        100.0 KiB, complete\n"
                "disk         69.0 GiB of 252.0 GiB free; grows by 1.0 GiB a day, full in 69 days\n"
                "schemas      15 schemas in 12 subjects\n"
                "upcasters    3\n"
                "aggregates   1\n"
                "projections  1\n"
                "  NAME    STATE    BEHIND  PARKED\n"
                "  orders  running  -       0\n"
                "\n"
                "Nothing needs attention.\n");
  EXPECT_THAT(done.errors, IsEmpty());
  EXPECT_THAT(server_->requests().at(0), HasSubstr("GET /status HTTP/"));
}

TEST_F(StatusTest, WhatNeedsAPersonIsExitCodeOne) {
  script({with_attention()});
  const Finished done = status();
  EXPECT_EQ(done.exit_code, 1);
  EXPECT_THAT(done.output,
              HasSubstr("\nNeeds attention:\n"
                        "  - 4.0 % of the disk is free.\n"
                        "  - projection orders: 3 keys wait behind an event that cannot be applied.\n"
                        "    Correct the script, then retry or skip them.\n"));
}

TEST_F(StatusTest, NoLineIsWiderThanEightyColumns) {
  json wide = with_attention();
  wide["data"] = "/" + std::string(200, 'd');
  wide["projections"][0]["name"] = "größe" + std::string(100, 'n');
  wide["projections"][0]["lag"] = {{"events", 123'456'789}, {"seconds", 90'000.0}};
  wide["needsAttention"][0]["text"] = std::string(300, 'w') + " and\nmore";
  script({wide});
  std::istringstream lines(status().output);
  for (std::string line; std::getline(lines, line);) EXPECT_LE(cli::text_width(line), 80u) << line;
}

TEST_F(StatusTest, ManyProjectionsStayOnTheScreen) {
  json many = healthy();
  const json one = many["projections"][0];
  for (int i = 0; i < 99; ++i) many["projections"].push_back(one);
  script({many});
  EXPECT_THAT(status().output, HasSubstr("  … and 80 more: cairn projection list\n"));
}

TEST_F(StatusTest, JsonIsTheAnswerOnOneLineWithTheSameExitCode) {
  script({with_attention()});
  const Finished done = status({"--json"});
  EXPECT_EQ(done.exit_code, 1);
  EXPECT_EQ(json::parse(done.output), with_attention());
  EXPECT_EQ(done.output.find('\n'), done.output.size() - 1);
}

TEST_F(StatusTest, WatchAsksAgainUntilTheServerRefuses) {
  server_ = std::make_unique<ScriptedServer>(std::vector<ScriptedServer::Reply>{
      ScriptedServer::answer(200, healthy().dump()), ScriptedServer::answer(200, with_attention().dump()),
      ScriptedServer::answer(
          403, R"({"type":"/problems/forbidden","title":"Forbidden","status":403,"detail":"No."})")});
  const Finished done = status({"--watch", "0.05"});
  EXPECT_EQ(done.exit_code, 1);
  EXPECT_THAT(done.output, ContainsRegex("Nothing needs attention\\.\n(.|\n)*Needs attention:"));
  EXPECT_EQ(done.errors, "cairn: No. (403 forbidden)\n");
}

TEST_F(StatusTest, WatchNeedsNoNumberAndEndsWithZero) {
  script({with_attention()});
  CairnProcess watching({"status", "--watch", "--json", "--url", server_->url()});
  EXPECT_THAT(watching.first_line(), HasSubstr("needsAttention"));
  watching.signal(SIGINT);
  EXPECT_EQ(watching.finish().exit_code, 0);
}

TEST_F(StatusTest, RefusalsAreOneAndSilenceIsThree) {
  server_ = std::make_unique<ScriptedServer>(std::vector<ScriptedServer::Reply>{ScriptedServer::answer(
      503,
      R"({"type":"/problems/not-yet","title":"Not yet","status":503,"detail":"The store is being recovered."})")});
  const Finished refused = status();
  EXPECT_EQ(refused.exit_code, 1);
  EXPECT_EQ(refused.errors, "cairn: The store is being recovered. (503 not-yet)\n");
  EXPECT_EQ(run_cairn({"status", "--url", "http://127.0.0.1:1"}).exit_code, 3);
  for (const char* const seconds : {"0", "often", "-1"})
    EXPECT_EQ(status({"--watch", seconds}).exit_code, 2) << seconds;
}

TEST_F(StatusTest, ARealServerIsShown) {
  const TempFolder folder(Medium::kDisk);
  CairnProcess server({"serve", "--data", (folder / "data").string(), "--listen", "127.0.0.1:0"});
  const std::string line = server.first_line();
  const Finished done = run_cairn({"status", "--url", line.substr(line.find("http"))});
  EXPECT_THAT(done.output, HasSubstr("log          head 0, "));
  EXPECT_THAT(done.output, HasSubstr("commits      none in the last minute; 0 appends queued\n"));
  EXPECT_THAT(done.output, HasSubstr("data         " + (folder / "data").string()));
  EXPECT_THAT(done.output, Not(HasSubstr("unknown")));
  // What the disk of the test's machine is like decides.
  EXPECT_EQ(done.exit_code, done.output.ends_with("Nothing needs attention.\n") ? 0 : 1);
}

}  // namespace
}  // namespace cairn::test
