#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <memory>

#include "tests/api/client/scripted_server.h"
#include "tests/support/cairn_process.h"

namespace cairn::test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;
using ::testing::StartsWith;
using Then = ScriptedServer::Then;

std::string event_line(int position) {
  return R"({"position":)" + std::to_string(position) + R"(,"stream":"order-1","version":)" +
         std::to_string(position) +
         R"(,"type":"Placed","data":{"n":1.00},"recordedAt":"2026-11-16T20:55:35.123456Z"})";
}

std::string message(int position) {
  return "id: " + std::to_string(position) + "\nevent: Placed\ndata: " + event_line(position) + "\n\n";
}

// `cairn read` with a scripted server.
class ReadTest : public ::testing::Test {
 protected:
  void script(std::vector<ScriptedServer::Reply> replies) {
    server_ = std::make_unique<ScriptedServer>(std::move(replies));
  }

  std::unique_ptr<CairnProcess> start(std::vector<std::string> words,
                                      unsigned short terminal_width = 0) const {
    words.insert(words.begin(), "read");
    words.insert(words.end(), {"--url", server_->url()});
    ProcessOptions options;
    options.terminal_width = terminal_width;
    return std::make_unique<CairnProcess>(words, options);
  }
  Finished read(const std::vector<std::string>& words, unsigned short terminal_width = 0) const {
    return start(words, terminal_width)->finish();
  }

  std::unique_ptr<ScriptedServer> server_;
};

TEST_F(ReadTest, APipeGetsTheEventsUnchanged) {
  script({ScriptedServer::pieces({event_line(1) + "\n" + event_line(2), "\n"}, true)});
  const Finished done = read({"order 1"});
  EXPECT_EQ(done.exit_code, 0) << done.errors;
  EXPECT_EQ(done.output, event_line(1) + "\n" + event_line(2) + "\n");
  EXPECT_THAT(done.errors, IsEmpty());
  EXPECT_THAT(server_->requests()[0], StartsWith("GET /streams/order%201/events HTTP/1.1\r\n"));
  EXPECT_THAT(server_->requests()[0], HasSubstr("\r\nAccept: application/x-ndjson\r\n"));
}

TEST_F(ReadTest, ATerminalGetsATable) {
  script({ScriptedServer::pieces({event_line(1) + "\n"}, true),
          ScriptedServer::pieces({event_line(1) + "\n"}, true)});
  const Finished table = read({"order-1"}, 120);
  EXPECT_EQ(table.exit_code, 0) << table.errors;
  EXPECT_EQ(
      table.output,
      " POSITION  VERSION  TIME (UTC)               STREAM                TYPE                  DATA\r\n"
      "        1        1  2026-11-16 20:55:35.123  order-1               Placed                "
      "{\"n\":1.00}\r\n");
  EXPECT_EQ(read({"order-1", "--json"}, 120).output, event_line(1) + "\r\n");
}

TEST_F(ReadTest, TheQueryHasAllOptions) {
  script({ScriptedServer::pieces({}, true), ScriptedServer::pieces({}, true)});
  read({"--all", "--from", "7", "--limit", "3", "--backward", "--type", "A", "--type", "B&C", "--category",
        "order", "--shape", "stored"});
  read({"--shape", "2", "s"});
  EXPECT_THAT(server_->requests(),
              ElementsAre(StartsWith("GET /events?from=7&limit=3&direction=backward&shape=stored&type=A&type="
                                     "B%26C&category=order HTTP/1.1\r\n"),
                          StartsWith("GET /streams/s/events?shape=2 HTTP/1.1\r\n")));
}

TEST_F(ReadTest, TheQueryHasTheFiltersOfAllStreams) {
  script({ScriptedServer::pieces({}, true), ScriptedServer::pieces({message(1)}, false)});
  const Finished done =
      read({"--all", "--tag", "customer:7", "--tag", "größe 1", "--correlation", "a&b", "--from-time",
            "2026-11-16T15:00:00+01:00", "--until-time", "2026-11-16T15:00:00Z", "--no-system"});
  EXPECT_EQ(done.exit_code, 0) << done.errors;
  const Finished followed = read({"--all", "--follow", "--limit", "1", "--tag", "x", "--correlation", "c",
                                  "--from-time", "2026-11-16T15:00:00Z", "--no-system"});
  EXPECT_EQ(followed.exit_code, 0) << followed.errors;
  EXPECT_THAT(
      server_->requests(),
      ElementsAre(
          StartsWith("GET /events?tag=customer%3A7&tag=gr%C3%B6%C3%9Fe%201&correlation=a%26b&fromTime="
                     "2026-11-16T15%3A00%3A00%2B01%3A00&untilTime=2026-11-16T15%3A00%3A00Z&system="
                     "false HTTP/1.1\r\n"),
          StartsWith("GET /events?tag=x&correlation=c&fromTime=2026-11-16T15%3A00%3A00Z&system=false "
                     "HTTP/1.1\r\n")));
}

TEST_F(ReadTest, ARefusalIsExitCodeOneAndNotInTheOutput) {
  const std::string problem =
      R"({"type":"/problems/not-found","title":"Not found","status":404,"detail":"no stream order-9"})";
  script({ScriptedServer::answer(404, problem), ScriptedServer::answer(404, problem)});
  for (const char* how : {"--json", "--follow"}) {
    const Finished refused = read({"order-9", how});
    EXPECT_EQ(refused.exit_code, 1);
    EXPECT_EQ(refused.errors, "cairn: no stream order-9 (404 not-found)\n");
    EXPECT_THAT(refused.output, IsEmpty());
  }
}

TEST_F(ReadTest, ATruncatedAnswerIsAFailure) {
  script({ScriptedServer::pieces({event_line(1) + "\n" + event_line(2).substr(0, 9)}, false, Then::kClose)});
  const Finished lost = read({"--all"});
  EXPECT_EQ(lost.exit_code, 3);
  EXPECT_EQ(lost.output, event_line(1) + "\n");
  EXPECT_THAT(lost.errors, HasSubstr("lost before the answer was complete"));
}

TEST_F(ReadTest, AnUnreachableServerIsExitCodeThree) {
  script({});
  const std::string url = server_->url();
  server_.reset();
  EXPECT_EQ(run_cairn({"read", "--all", "--url", url}).exit_code, 3);
  EXPECT_EQ(run_cairn({"read", "--all", "--follow", "--url", url}).exit_code, 3);
}

TEST_F(ReadTest, ASignalEndsFollowCleanly) {
  for (const int number : {SIGINT, SIGTERM}) {
    script({ScriptedServer::pieces({":\n\n", message(1)}, false)});
    const auto process = start({"--all", "--follow"});
    ASSERT_TRUE(process->prints(event_line(1) + "\n"));
    process->signal(number);
    const Finished done = process->finish();
    EXPECT_EQ(done.exit_code, 0) << done.errors;
    EXPECT_EQ(done.output, event_line(1) + "\n");
    EXPECT_THAT(done.errors, IsEmpty());
    EXPECT_THAT(server_->requests()[0], StartsWith("GET /events HTTP/1.1\r\n"));
    EXPECT_THAT(server_->requests()[0], HasSubstr("\r\nAccept: text/event-stream\r\n"));
  }
}

TEST_F(ReadTest, FollowReconnectsAfterTheLastEvent) {
  script({ScriptedServer::pieces({message(1), "id: 2\ndata: ha"}, false, Then::kClose),
          ScriptedServer::answer(503, R"({"type":"/problems/not-yet","title":"Not yet","status":503})"),
          ScriptedServer::pieces({message(2)}, true), ScriptedServer::pieces({message(3)}, false)});
  const auto process = start({"order-1", "--follow", "--from", "1"});
  ASSERT_TRUE(process->prints(event_line(3) + "\n"));
  process->signal(SIGTERM);
  const Finished done = process->finish();
  EXPECT_EQ(done.exit_code, 0) << done.errors;
  EXPECT_EQ(done.output, event_line(1) + "\n" + event_line(2) + "\n" + event_line(3) + "\n");
  EXPECT_THAT(done.errors, HasSubstr("retrying in 0.25 s"));
  EXPECT_THAT(done.errors, HasSubstr("Not yet (503 not-yet); retrying in 0.5 s"));
  const auto requests = server_->requests();
  ASSERT_THAT(requests, SizeIs(4));
  EXPECT_THAT(requests[0], Not(HasSubstr("Last-Event-ID")));
  EXPECT_THAT(requests[1], HasSubstr("\r\nLast-Event-ID: 1\r\n"));
  EXPECT_THAT(requests[2], HasSubstr("\r\nLast-Event-ID: 1\r\n"));
  EXPECT_THAT(requests[3], HasSubstr("\r\nLast-Event-ID: 2\r\n"));
}

TEST_F(ReadTest, FollowReconnectsAtAResumePointThatCameAfterTheLastEvent) {
  script({ScriptedServer::pieces({message(1), "id: 40\n\n", ":\n\n", "id: 41\n"}, false, Then::kClose),
          ScriptedServer::pieces({message(50)}, false)});
  const auto process = start({"--all", "--follow", "--type", "Placed"});
  ASSERT_TRUE(process->prints(event_line(50) + "\n"));
  process->signal(SIGTERM);
  const Finished done = process->finish();
  EXPECT_EQ(done.exit_code, 0) << done.errors;
  EXPECT_EQ(done.output, event_line(1) + "\n" + event_line(50) + "\n");
  ASSERT_THAT(server_->requests(), SizeIs(2));
  EXPECT_THAT(server_->requests()[1], HasSubstr("\r\nLast-Event-ID: 40\r\n"));
}

TEST_F(ReadTest, FollowStopsAtTheLimit) {
  script({ScriptedServer::pieces({message(1), message(2), message(3)}, false)});
  const Finished done = read({"--all", "--follow", "--limit", "2"});
  EXPECT_EQ(done.exit_code, 0) << done.errors;
  EXPECT_EQ(done.output, event_line(1) + "\n" + event_line(2) + "\n");
  EXPECT_THAT(server_->requests()[0], StartsWith("GET /events HTTP/1.1\r\n"));
}

TEST_F(ReadTest, AnInvalidRequestIsNotSent) {
  script({});
  for (const std::vector<std::string>& words :
       std::vector<std::vector<std::string>>{{},
                                             {"s", "--all"},
                                             {"s", "--type", "T"},
                                             {"s", "--category", "c"},
                                             {"s", "--tag", "t"},
                                             {"s", "--correlation", "c"},
                                             {"s", "--from-time", "2026-11-16T15:00:00Z"},
                                             {"s", "--until-time", "2026-11-16T15:00:00Z"},
                                             {"s", "--no-system"},
                                             {"--all", "--tag", ""},
                                             {"--all", "--correlation", ""},
                                             {"--all", "--from-time", "yesterday"},
                                             {"--all", "--until-time", "2026-11-16"},
                                             {"--all", "--follow", "--until-time", "2026-11-16T15:00:00Z"},
                                             {"s", "--follow", "--backward"},
                                             {"s", "--from", "0"},
                                             {"s", "--limit", "0"},
                                             {"s", "--limit", "-1"},
                                             {"s", "--limit", "many"},
                                             {"s", "--shape", "old"}}) {
    const Finished refused = read(words);
    EXPECT_EQ(refused.exit_code, 2) << ::testing::PrintToString(words);
    EXPECT_THAT(refused.errors, Not(IsEmpty()));
  }
  EXPECT_THAT(read({"--all", "--from-time", "yesterday"}).errors, HasSubstr("2026-11-16T15:00:00Z"));
  EXPECT_THAT(read({"--all", "--follow", "--until-time", "2026-11-16T15:00:00Z"}).errors,
              HasSubstr("--until-time"));
  EXPECT_THAT(server_->requests(), IsEmpty());
}

}  // namespace
}  // namespace cairn::test
