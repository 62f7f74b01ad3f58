#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <memory>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "eventstore/base/file.h"
#include "eventstore/event_store.h"
#include "tests/api/raw_client.h"
#include "tests/support/cairn_process.h"
#include "tests/support/events.h"
#include "tests/support/matchers.h"
#include "tests/support/store_fixture.h"
#include "tests/support/temp_folder.h"

namespace cairn::test {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::MatchesRegex;

class ServeTest : public ::testing::Test {
 protected:
  // Starts a server on the test's folder and a free port, and waits until it serves.
  void serve(const std::vector<std::string>& more = {}) {
    std::vector<std::string> command = {"serve", "--data", folder(), "--listen", "127.0.0.1:0"};
    command.insert(command.end(), more.begin(), more.end());
    server_ = std::make_unique<CairnProcess>(command);
    line_ = server_->first_line();
    ASSERT_THAT(line_, MatchesRegex("cairn [^ ]+ serving " + folder() + " on http://127\\.0\\.0\\.1:[0-9]+"))
        << server_->finish(0ms).errors;
    port_ = static_cast<std::uint16_t>(std::stoul(line_.substr(line_.rfind(':') + 1)));
  }

  Finished try_to_serve(const std::string& listen) {
    return run_cairn({"serve", "--data", folder(), "--listen", listen});
  }

  RawClient client() const { return RawClient(port_); }
  nlohmann::json get(std::string_view path) const { return nlohmann::json::parse(client().get(path).body); }

  void expect_healthy() const {
    const auto began = std::chrono::steady_clock::now();
    EXPECT_EQ(client().get("/health").status, 200);
    EXPECT_LT(std::chrono::steady_clock::now() - began, 5s);
  }

  int refusal_of(const std::string& bytes) const {
    const RawResponse response = client().exchange(bytes);
    EXPECT_THAT(response.head, HasSubstr("application/problem+json"));
    expect_healthy();
    return response.status;
  }

  void append_one_event() const {
    auto store = EventStore::open(folder_.path(), small_store());
    ASSERT_THAT(store, succeeds());
    ASSERT_THAT((*store)->append(request({to("order-1", ExpectedVersion::any(), {event("Placed")})})),
                succeeds());
  }

  std::string folder() const { return folder_.path().string(); }

  TempFolder folder_;
  std::unique_ptr<CairnProcess> server_;
  std::string line_;
  std::uint16_t port_ = 0;
};

TEST_F(ServeTest, ServiceRoutesAnswer) {
  serve();
  EXPECT_EQ(get("/health")["status"], "alive");
  EXPECT_EQ(get("/ready")["status"], "ready");
  EXPECT_EQ(get("/ready")["head"], 0);
  EXPECT_EQ("cairn " + get("/version")["version"].get<std::string>(),
            line_.substr(0, line_.find(" serving")));
}

TEST_F(ServeTest, ReadyReportsTheHeadOfAnExistingStore) {
  append_one_event();
  serve();
  EXPECT_EQ(get("/ready")["head"], 1);
}

TEST_F(ServeTest, UnknownPathsAreProblems) {
  serve();
  const RawResponse response = client().get("/nowhere");
  EXPECT_EQ(response.status, 404);
  EXPECT_THAT(response.head, HasSubstr("Content-Type: application/problem+json"));
  const auto problem = nlohmann::json::parse(response.body);
  EXPECT_EQ(problem["type"], "/problems/not-found");
  EXPECT_EQ(problem["status"], 404);
  EXPECT_EQ(problem["name"], "/nowhere");
}

TEST_F(ServeTest, SigtermAndSigintShutDownCleanly) {
  for (const int number : {SIGTERM, SIGINT}) {
    serve();
    RawClient idle = client();
    EXPECT_EQ(idle.get("/health").status, 200);
    server_->signal(number);
    const Finished finished = server_->finish(5s);
    EXPECT_EQ(finished.exit_code, 0) << finished.errors;
    EXPECT_TRUE(idle.is_closed());
    append_one_event();  // The folder is free again.
  }
}

TEST_F(ServeTest, IncompleteRequestsDoNotDelayShutdown) {
  serve();
  RawClient half = client();
  half.send("GET /hea");
  EXPECT_FALSE(half.readable_within(10ms));
  server_->signal(SIGTERM);
  EXPECT_EQ(server_->finish(5s).exit_code, 0);
}

TEST_F(ServeTest, AKilledServerCanBeRestarted) {
  append_one_event();
  serve();
  server_->signal(SIGKILL);
  EXPECT_EQ(server_->finish().exit_code, -1);
  serve();
  EXPECT_EQ(get("/ready")["head"], 1);
}

TEST_F(ServeTest, SecondServerOnTheFolderIsRefused) {
  serve();
  const Finished second = try_to_serve("127.0.0.1:0");
  EXPECT_EQ(second.exit_code, 1);
  EXPECT_THAT(second.errors,
              HasSubstr("error Cannot start: the store in " + folder() + " is in use by process " +
                        std::to_string(server_->pid()) + "; stop it, or name another folder\n"));
  EXPECT_THAT(second.output, IsEmpty());
  expect_healthy();
}

TEST_F(ServeTest, APortInUseIsReported) {
  serve();
  const Finished second = try_to_serve("127.0.0.1:" + std::to_string(port_));
  EXPECT_EQ(second.exit_code, 1);
  const std::string port = std::to_string(port_);
  EXPECT_THAT(second.errors, HasSubstr("error Cannot start: cannot listen on 127.0.0.1:" + port +
                                       ": another program uses port " + port +
                                       "; stop it, or give another port with --listen\n"));
}

TEST_F(ServeTest, AnUnusableFolderIsReported) {
  const auto errors_of = [](const std::string& data) {
    const Finished refused = run_cairn({"serve", "--data", data, "--listen", "127.0.0.1:0"});
    EXPECT_EQ(refused.exit_code, 1) << data;
    EXPECT_THAT(refused.output, IsEmpty()) << data;
    EXPECT_EQ(std::count(refused.errors.begin(), refused.errors.end(), '\n'), 1) << refused.errors;
    return refused.errors;
  };
  const TempFolder scratch;
  const std::string file = (scratch / "file").string();
  ASSERT_THAT(write_file(file, "not a folder"), succeeds());
  EXPECT_THAT(errors_of(file), HasSubstr("Cannot start: " + file + " is a file; name a folder\n"));
  EXPECT_THAT(errors_of(file + "/below"),
              HasSubstr("making folder " + file + "/below: Not a directory; --data names "));
  EXPECT_THAT(errors_of("/proc/nobody"),
              HasSubstr("making folder /proc/nobody: No such file or directory; --data "));
  EXPECT_THAT(errors_of(scratch.path().string()), HasSubstr("has other files and no Cairn store"));
}

TEST_F(ServeTest, MissingParentsAreMade) {
  const TempFolder scratch;
  CairnProcess server({"serve", "--data", (scratch / "a" / "b" / "c").string(), "--listen", "127.0.0.1:0"});
  EXPECT_THAT(server.first_line(), HasSubstr(" serving "));
}

TEST_F(ServeTest, OtherMachinesAreNotServed) {
  for (const char* listen : {"0.0.0.0:0", "[::]:0", "192.0.2.1:0"}) {
    const Finished refused = try_to_serve(listen);
    EXPECT_EQ(refused.exit_code, 1) << listen;
    EXPECT_THAT(refused.errors, HasSubstr("refusing to listen on")) << listen;
    EXPECT_THAT(refused.output, IsEmpty()) << listen;
  }
}

TEST_F(ServeTest, LogLinesAreJsonWhenAskedFor) {
  CairnProcess server({"serve", "--data", folder(), "--listen", "127.0.0.1:0", "--log-format", "json"});
  const auto first = nlohmann::json::parse(server.first_line());
  EXPECT_EQ(first.value("code", ""), "serving");
  EXPECT_THAT(first.value("message", ""), HasSubstr(" serving " + folder() + " on http://127.0.0.1:"));
  EXPECT_THAT(first.value("url", ""), HasSubstr("http://127.0.0.1:"));
  server.signal(SIGTERM);
  const Finished finished = server.finish();
  EXPECT_EQ(finished.exit_code, 0);
  std::istringstream lines(finished.errors);
  int count = 0;
  for (std::string line; std::getline(lines, line); ++count) {
    const auto parsed = nlohmann::json::parse(line);
    for (const char* member : {"time", "level", "code", "message"})
      EXPECT_TRUE(parsed.contains(member)) << line;
  }
  EXPECT_GE(count, 2);
}

TEST_F(ServeTest, HostileRequestsDoNotAffectOthers) {
  serve();
  const std::string begin = "POST /append HTTP/1.1\r\nHost: localhost\r\n";
  EXPECT_EQ(refusal_of(begin + "Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n"), 411);
  EXPECT_EQ(refusal_of(begin + "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"), 400);
  EXPECT_EQ(refusal_of(begin + "Content-Length: 5\r\nContent-Length: 6\r\n\r\nhello"), 400);
  EXPECT_EQ(refusal_of(begin + "Content-Length: 5\r\nContent-Encoding: gzip\r\n\r\nhello"), 415);
  EXPECT_EQ(refusal_of(begin + "Content-Length: 67108864\r\n\r\n"), 413);
  EXPECT_EQ(refusal_of("GET / HTTP/1.1\r\nHost: localhost\r\nX: " + std::string(8u << 20, 'x')), 431);
  std::string many = "GET / HTTP/1.1\r\nHost: localhost\r\n";
  for (int i = 0; i < 5'000; ++i) many += "A: b\r\n";
  EXPECT_EQ(refusal_of(many + "\r\n"), 431);
}

// Fifty clients that never finish their head; the deadline is the real one, 10 s.
TEST_F(ServeTest, SlowClientsAreClosedWhileOthersAreServed) {
  serve();
  std::vector<RawClient> slow;
  for (int i = 0; i < 50; ++i) {
    slow.push_back(client());
    slow.back().send("GET /health HTTP/1.1\r\n");
  }
  const auto began = std::chrono::steady_clock::now();
  while (!slow.back().readable_within(250ms) && slow.back().send("X")) expect_healthy();
  for (RawClient& c : slow) EXPECT_EQ(c.receive().status, 408);
  EXPECT_LT(std::chrono::steady_clock::now() - began, 20s);
}

TEST_F(ServeTest, IdleConnectionsDoNotBlockOthers) {
  serve();
  std::vector<RawClient> idle;
  for (int i = 0; i < 200; ++i) {
    idle.push_back(client());
    ASSERT_TRUE(idle.back().connected()) << i;
  }
  expect_healthy();
  for (RawClient& c : idle) EXPECT_EQ(c.get("/health").status, 200);
  expect_healthy();
}

}  // namespace
}  // namespace cairn::test
