// Subscribers that do not read cost bounded memory, and do not slow down other clients.

#include <string>
#include <vector>

#include "tests/api/server/api_fixture.h"
#include "tests/api/server/sse_client.h"

namespace cairn::test {
namespace {

using namespace std::chrono_literals;

class SlowSubscribersTest : public ApiTest {
 protected:
  static constexpr int kSubscribers = 200;
  // A piece of about 64 KiB in the output buffer, the next piece, and the connection itself.
  static constexpr std::size_t kKibEach = 256;

  void SetUp() override { serve(); }

  // `requests` appends of 100 KiB; returns the time of the slowest.
  std::chrono::steady_clock::duration append_large(int requests) {
    const std::vector<std::string> events(10, event_text("T", "\"" + std::string(10'000, 'x') + "\""));
    auto slowest = std::chrono::steady_clock::duration::zero();
    for (int i = 0; i < requests; ++i) {
      const auto began = std::chrono::steady_clock::now();
      EXPECT_EQ(append("a-1", events).status, 201);
      slowest = std::max(slowest, std::chrono::steady_clock::now() - began);
    }
    return slowest;
  }
};

TEST_F(SlowSubscribersTest, AppendsContinueAndMemoryIsBounded) {
  append_large(100);
  const std::size_t alone = server_memory_kib();
  std::vector<SseClient> slow;
  for (int i = 0; i < kSubscribers; ++i) {
    slow.emplace_back(port(), i % 2 == 0 ? "/events" : "/streams/a-1/events", "", 4096);
  }
  for (SseClient& each : slow) ASSERT_EQ(each.status(), 200);
  EXPECT_LT(append_large(200), 5s);
  expect_healthy();
  EXPECT_LT(server_memory_kib(), alone + kSubscribers * kKibEach) << "KiB, before: " << alone;

  // A subscriber that reads at last misses nothing.
  for (std::uint64_t position = 1; position <= 3'000; ++position) {
    const auto event = slow.front().next();
    ASSERT_TRUE(event);
    ASSERT_EQ(event->id, position);
  }
  slow.clear();
  const Finished finished = stop_server();
  EXPECT_EQ(finished.exit_code, 0);
  EXPECT_LT(finished.errors.size(), 4'000u) << "the log grew with its subscribers: " << finished.errors;
}

TEST_F(SlowSubscribersTest, ReadersOfTheWholeLogAreBoundedToo) {
  append_large(100);
  const std::size_t alone = server_memory_kib();
  std::vector<RawClient> slow;
  for (int i = 0; i < kSubscribers; ++i) {
    slow.push_back(raw());
    slow.back().send("GET /events HTTP/1.1\r\nHost: localhost\r\nAccept: application/x-ndjson\r\n\r\n");
  }
  for (RawClient& each : slow) ASSERT_TRUE(each.readable_within(20s));
  expect_healthy();
  EXPECT_EQ(append("a-1", {event_text("T")}).status, 201);
  EXPECT_LT(server_memory_kib(), alone + kSubscribers * kKibEach) << "KiB, before: " << alone;
}

// A page is complete in memory before it is sent, about 4 MiB, which makes it the most expensive answer. All
// answers together have a budget of 512 MiB; beyond it the server answers 503.
class UnreadPagesTest : public SlowSubscribersTest {
 protected:
  static constexpr int kReaders = 200;

  void ask_for_pages() {
    for (int i = 0; i < kReaders; ++i) {
      readers_.push_back(raw());
      readers_.back().send("GET /events?limit=600 HTTP/1.1\r\nHost: localhost\r\n\r\n");
    }
    for (RawClient& each : readers_) ASSERT_TRUE(each.readable_within(20s));
  }

  std::vector<RawClient> readers_;
};

TEST_F(UnreadPagesTest, EachReaderIsServedOrGets503) {
  append_large(60);
  ask_for_pages();
  expect_healthy();
  EXPECT_EQ(append("a-1", {event_text("T")}).status, 201);
  int served = 0, refused = 0;
  for (RawClient& each : readers_) {
    const int status = each.receive().status;
    served += status == 200;
    refused += status == 503;
  }
  EXPECT_EQ(served + refused, kReaders);
  EXPECT_GE(served, 100);
  EXPECT_GE(refused, 1) << "the budget was not reached, so nothing was tested";
}

TEST_F(UnreadPagesTest, MemoryStaysWithinTheBudget) {
  append_large(60);
  const std::size_t alone = server_memory_kib();
  ask_for_pages();
  // 512 MiB of answers, 64 MiB that wait for memory, and what the allocator keeps of pages that were refused.
  EXPECT_LT(server_memory_kib(), alone + (768u << 10)) << "KiB, before: " << alone;
}

TEST_F(UnreadPagesTest, SubscribersOfSmallEventsAreNotDisconnected) {
  append_large(60);
  SseClient subscriber(port(), "/events", "Last-Event-ID: 600\r\n");
  ASSERT_EQ(subscriber.status(), 200);
  ask_for_pages();
  for (std::uint64_t position = 601; position <= 610; ++position) {
    ASSERT_EQ(append("a-1", {event_text("T")}).status, 201);
    const auto event = subscriber.next();
    ASSERT_TRUE(event) << "cut off";
    EXPECT_EQ(event->id, position);
  }
}

TEST_F(UnreadPagesTest, ReadersOfLargeEventsAreServedOrGet503) {
  append_large(60);
  ASSERT_EQ(append("a-1", {event_text("T", "\"" + std::string(7u << 20, 'x') + "\"")}).status, 201);
  ask_for_pages();
  for (const char* target : {"/events?from=601&limit=1", "/streams/a-1/events?from=601&limit=1"}) {
    for (const char* accept : {"application/json", "application/x-ndjson", "text/event-stream"}) {
      const HttpAnswer answer = new_client().get(target, {{"Accept", accept}});
      EXPECT_THAT(answer.status, ::testing::AnyOf(200, 503)) << "closed without an answer: " << accept;
    }
  }
  readers_.clear();
  const auto deadline = std::chrono::steady_clock::now() + 20s;
  while (new_client().get("/events?from=601").status != 200) {
    ASSERT_LT(std::chrono::steady_clock::now(), deadline) << "the budget was not given back";
  }
}

// Followers of events of 7 MiB, one of which does not fit into a socket: they hold all memory of answers, and are
// closed once they have not read for a second and another client needs it.
TEST_F(SlowSubscribersTest, FollowersThatDoNotReadDoNotKeepOthersFromReading) {
  ASSERT_EQ(append("a-1", {event_text("T", "\"" + std::string(7u << 20, 'x') + "\"")}).status, 201);
  SseClient reading(port(), "/events", "Last-Event-ID: 1\r\n");
  ASSERT_EQ(reading.status(), 200);
  std::vector<SseClient> slow;
  for (int i = 0; i < 90; ++i) slow.emplace_back(port(), "/events", "", 4096);
  for (SseClient& each : slow) each.status();  // 200, and then 429 or 503

  const auto deadline = std::chrono::steady_clock::now() + 20s;  // They would hold it for 60 s.
  while (new_client().get("/events?limit=1").status != 200) {
    ASSERT_LT(std::chrono::steady_clock::now(), deadline) << "followers that do not read hold the memory";
  }
  for (int i = 0; i < 10; ++i) EXPECT_EQ(new_client().get("/events?limit=1").status, 200);
  EXPECT_THAT(get("/metrics").body, ::testing::ContainsRegex("\ncairn_http_streams_closed_total [1-9]"));

  ASSERT_EQ(append("a-1", {event_text("T")}).status, 201);
  const auto event = reading.next();
  ASSERT_TRUE(event) << "a follower that reads was closed";
  EXPECT_EQ(event->id, 2u);
}

}  // namespace
}  // namespace cairn::test
