// SIGTERM under load: a fast, orderly stop that loses no acknowledged event.

#include <unistd.h>

#include <atomic>
#include <fstream>
#include <iterator>
#include <map>
#include <mutex>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "tests/api/server/api_fixture.h"
#include "tests/api/server/sse_client.h"

namespace cairn::test {
namespace {

using namespace std::chrono_literals;

class ShutdownTest : public ApiTest {
 protected:
  void SetUp() override { serve(); }

  // Appends from 8 threads until the server has ended; returns what it acknowledged.
  void append_until_gone() {
    for (std::uint64_t w = 0; w < 8; ++w) {
      writers_.emplace_back([this, w] {
        ApiClient own = new_client();
        for (std::uint64_t i = 0;; ++i) {
          const std::uint64_t n = w * 1'000'000 + i;
          const HttpAnswer answer = own.append("w-" + std::to_string(w), {event_text("T", "1", uuid(n))});
          if (answer.status != 201) {
            EXPECT_THAT(answer.status, ::testing::AnyOf(0, 503)) << answer.body;
            return;
          }
          std::lock_guard lock(mutex_);
          acknowledged_[uuid(n)] = answer.json()["firstPosition"];
          ++count_;
        }
      });
    }
    const auto deadline = std::chrono::steady_clock::now() + 100s;
    while (count_ < 200) {
      ASSERT_LT(std::chrono::steady_clock::now(), deadline);
      std::this_thread::yield();
    }
  }
  void expect_all_acknowledged_are_there() {
    writers_.clear();
    serve();
    std::map<std::string, std::uint64_t> stored;
    std::istringstream lines(get("/events", {{"Accept", "application/x-ndjson"}}).body);
    for (std::string line; std::getline(lines, line);) {
      const Json event = Json::parse(line);
      EXPECT_TRUE(stored.emplace(event["id"], event["position"]).second) << "stored twice: " << line;
    }
    for (const auto& [id, position] : acknowledged_) {
      ASSERT_TRUE(stored.contains(id)) << "acknowledged and lost";
      EXPECT_EQ(stored[id], position);
    }
    EXPECT_LE(stored.size(), acknowledged_.size() + 8) << "each writer has at most one without an answer";
  }

  std::mutex mutex_;
  std::map<std::string, std::uint64_t> acknowledged_;
  std::atomic<std::size_t> count_ = 0;
  std::vector<std::jthread> writers_;
};

TEST_F(ShutdownTest, SigtermWhileWritersAppendLosesNothing) {
  append_until_gone();
  const Finished finished = stop_server(5s);
  EXPECT_EQ(finished.exit_code, 0) << finished.errors;
  expect_all_acknowledged_are_there();
}

TEST_F(ShutdownTest, SigkillWhileWritersAppendLosesNothing) {
  append_until_gone();
  kill_server();
  expect_all_acknowledged_are_there();
}

TEST_F(ShutdownTest, AnswersToSubscribersAndReadersEndCleanly) {
  append_numbered("a-1", 100);
  std::vector<SseClient> subscribers;
  for (int i = 0; i < 20; ++i) {
    subscribers.emplace_back(port(), i % 2 == 0 ? "/events" : "/streams/a-1/events");
    for (std::uint64_t position = 1; position <= 100; ++position) ASSERT_TRUE(subscribers.back().next());
  }
  const Finished finished = stop_server(5s);
  EXPECT_EQ(finished.exit_code, 0) << finished.errors;
  for (SseClient& each : subscribers) EXPECT_TRUE(each.ends_in_order());
}

TEST_F(ShutdownTest, ClientsThatDoNotReadDoNotDelayTheStop) {
  const std::vector<std::string> events(100, event_text("T", "\"" + std::string(10'000, 'x') + "\""));
  for (int i = 0; i < 10; ++i) ASSERT_EQ(append("a-1", events).status, 201);
  std::vector<SseClient> deaf;
  for (int i = 0; i < 20; ++i) {
    deaf.emplace_back(port(), "/events", "", 4096);
    ASSERT_EQ(deaf.back().status(), 200);
  }
  RawClient half = raw();
  half.send("POST /streams/a-1/events HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\n\r\n{");
  const Finished finished = stop_server(5s);
  EXPECT_EQ(finished.exit_code, 0) << finished.errors;
}

// Each script may take milliseconds for an event, and there are thousands of events.
TEST_F(ShutdownTest, SlowScriptsDoNotDelayTheStop) {
  const auto slow = [](const std::string& name) {
    return " on = { T = function(state) if not seen then log('begun " + name +
           "') end seen = true for i = 1, " + std::to_string(500'000 / kSanitizerDivisor) + " do end end } }";
  };
  for (int i = 0; i < 4; ++i) {
    ASSERT_EQ(append("a-" + std::to_string(i), std::vector<std::string>(5'000, event_text("T"))).status, 201);
  }
  const std::string aggregate =
      "local seen = false return aggregate { category = 'a', snapshot_every = false,";
  ASSERT_EQ(client().put("/aggregates/a", aggregate + slow("state"), "text/x-lua").status, 201);
  std::vector<RawClient> asking;
  for (const char* request : {"GET /streams/a-0/state", "POST /streams/a-1/snapshot"}) {
    asking.push_back(raw());
    asking.back().send(std::string(request) + " HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\n\r\n");
  }
  ASSERT_TRUE(server().complains("begun state"));
  const std::string projection = "local seen = false return projection {";
  ASSERT_EQ(client().put("/projections/p", projection + slow("projection"), "text/x-lua").status, 201);
  ASSERT_TRUE(server().complains("begun projection"));
  const Finished finished = stop_server(5s);
  EXPECT_EQ(finished.exit_code, 0) << finished.errors;
}

TEST_F(ShutdownTest, ASecondSigtermDoesNoHarm) {
  append_until_gone();
  server().signal(SIGTERM);
  server().signal(SIGTERM);
  EXPECT_THAT(server().finish(5s).exit_code, ::testing::AnyOf(0, -1));
  expect_all_acknowledged_are_there();
}

class QueuedWorkTest : public ApiTest {
 protected:
  void SetUp() override { serve(); }

  // Of the server so far.
  long processor_ticks() {
    std::ifstream file("/proc/" + std::to_string(server().pid()) + "/stat");
    std::string text((std::istreambuf_iterator<char>(file)), {});
    std::istringstream fields(text.substr(text.rfind(')') + 2));
    std::string skipped;
    for (int i = 0; i < 11; ++i) fields >> skipped;
    long user = 0, system = 0;
    fields >> user >> system;
    return user + system;
  }
};

// Work that waits in a queue is given up: its client is told so, and not that the server has failed.
TEST_F(QueuedWorkTest, RequestsAreToldThatTheServerStops) {
  Json events = Json::array();  // each of a key of its own, which loops until its script is stopped
  for (int n = 0; n < 500; ++n)
    events.push_back({{"stream", "s-" + std::to_string(n)}, {"type", "T"}, {"data", 1}});
  const std::string endless =
      Json({{"source",
             "return projection { on = { T = function(row, event) while true do end end },\n"
             "  key = function(event) return event.stream end }"},
            {"events", events}})
          .dump();
  std::atomic<int> asked = 0;
  std::vector<HttpAnswer> answers(6);
  std::vector<std::jthread> clients;
  for (HttpAnswer& answer : answers) {
    clients.emplace_back([&] {
      ApiClient own = new_client();
      ++asked;
      answer = own.post("/projections/try", endless);
    });
  }
  const auto deadline = std::chrono::steady_clock::now() + 100s;
  const long before = processor_ticks();
  while (asked < 6 || processor_ticks() < before + ::sysconf(_SC_CLK_TCK) / 3) {
    ASSERT_LT(std::chrono::steady_clock::now(), deadline);
    std::this_thread::sleep_for(1ms);
  }
  EXPECT_EQ(stop_server().exit_code, 0);
  clients.clear();
  for (const HttpAnswer& answer : answers) EXPECT_NE(answer.status, 500) << answer.body;
}

}  // namespace
}  // namespace cairn::test
