// Following the log: history, then new events, each event once and in order.

#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include "tests/api/server/api_fixture.h"
#include "tests/api/server/sse_client.h"
#include "tests/support/scale.h"

namespace cairn::test {
namespace {

using ::testing::HasSubstr;

class FollowTest : public ApiTest {
 protected:
  void SetUp() override { serve(); }

  SseClient follow(const std::string& target = "/events", const std::string& more = "") {
    return SseClient(port(), target, more);
  }
  static std::string after(std::uint64_t id) { return "Last-Event-ID: " + std::to_string(id) + "\r\n"; }

  // The next events have the positions `from` to `to`, without gap or repeat.
  static void expect_positions(SseClient& subscriber, std::uint64_t from, std::uint64_t to) {
    for (std::uint64_t position = from; position <= to; ++position) {
      const auto event = subscriber.next();
      ASSERT_TRUE(event) << "it ended before " << position << "; " << subscriber.head();
      ASSERT_EQ(event->id, position);
      const Json json = Json::parse(event->data);
      ASSERT_EQ(json["position"], position);
      ASSERT_EQ(json["type"], event->type);
    }
  }
  std::vector<std::uint64_t> ids(SseClient& subscriber, std::size_t count) {
    std::vector<std::uint64_t> seen;
    while (seen.size() < count) {
      const auto event = subscriber.next();
      if (!event) break;
      seen.push_back(event->id);
    }
    return seen;
  }
};

TEST_F(FollowTest, HistoryComesFirstThenNewEvents) {
  append_numbered("a-1", 10);
  SseClient subscriber = follow();
  ASSERT_EQ(subscriber.status(), 200);
  EXPECT_THAT(subscriber.head(), HasSubstr("Content-Type: text/event-stream"));
  EXPECT_THAT(subscriber.head(), HasSubstr("no-store"));
  expect_positions(subscriber, 1, 10);
  for (std::uint64_t n = 11; n <= 15; ++n) {
    ASSERT_EQ(append("b-1", {event_text("Live")}).status, 201);
    expect_positions(subscriber, n, n);
  }
}

TEST_F(FollowTest, AnEventIsTheSameAsInAPage) {
  ASSERT_EQ(append("a-1", {event_text("Größe", R"({"n":9007199254740993,"s":"a\nb\r\u0000"})")}).status, 201);
  const auto event = follow().next();
  ASSERT_TRUE(event);
  EXPECT_EQ(event->type, "Größe");
  EXPECT_THAT(get("/events").body, HasSubstr(event->data));
  EXPECT_THAT(event->data, HasSubstr(R"("data":{"n":9007199254740993,"s":"a\nb\r\u0000"})"));
}

// Subscribers start at any time while several writers append, so that each switches from history to live
// events at another position.
TEST_F(FollowTest, SubscribersMissNothingWhileWritersAppend) {
  constexpr int kWriters = 4;
  constexpr int kSubscribers = 6;
  const std::size_t requests = rounds(150, 5'000);
  std::atomic<std::uint64_t> appended = 0;
  std::vector<std::jthread> threads;
  for (int w = 0; w < kWriters; ++w) {
    threads.emplace_back([&, w] {
      ApiClient own = new_client();
      for (std::size_t i = 0; i < requests; ++i) {
        const std::size_t count = 1 + (i * 7 + static_cast<std::size_t>(w)) % 10;
        const std::vector<std::string> events(count, event_text("T" + std::to_string(w)));
        ASSERT_EQ(own.append("w-" + std::to_string(w), events).status, 201);
        appended += count;
      }
    });
  }
  std::uint64_t total = 0;
  for (int w = 0; w < kWriters; ++w) {
    for (std::size_t i = 0; i < requests; ++i) total += 1 + (i * 7 + static_cast<std::size_t>(w)) % 10;
  }
  for (int s = 0; s < kSubscribers; ++s) {
    threads.emplace_back([&, s] {
      const auto deadline = std::chrono::steady_clock::now() + SseClient::kPatience;
      while (appended < total * static_cast<std::uint64_t>(s) / kSubscribers) {
        ASSERT_LT(std::chrono::steady_clock::now(), deadline);
        std::this_thread::yield();
      }
      SseClient subscriber = follow();
      expect_positions(subscriber, 1, total);
    });
  }
  threads.clear();
  EXPECT_EQ(head(), total);
}

TEST_F(FollowTest, ADisconnectedSubscriberResumesAfterItsLastEvent) {
  append_numbered("a-1", 30);
  std::uint64_t last = 0;
  for (int round = 0; round < 3; ++round) {
    SseClient subscriber = follow("/events", round == 0 ? "" : after(last));
    expect_positions(subscriber, last + 1, last + 10);
    last += 10;
  }
  SseClient at_the_end = follow("/events", after(30));
  ASSERT_EQ(append("a-1", {event_text("T")}).status, 201);
  expect_positions(at_the_end, 31, 31);
}

TEST_F(FollowTest, LastEventIdWinsOverFrom) {
  append_numbered("a-1", 10);
  SseClient resumed = follow("/events?from=3", after(7));
  expect_positions(resumed, 8, 10);
  SseClient from = follow("/events?from=3");
  expect_positions(from, 3, 10);
  SseClient beginning = follow("/events?from=3", after(0));
  expect_positions(beginning, 1, 10);
}

TEST_F(FollowTest, ACrashOfTheServerLosesAndRepeatsNothing) {
  std::uint64_t last = 0;
  std::uint64_t acknowledged = 0;
  for (int round = 0; round < 3; ++round) {
    std::atomic<bool> stop = false;
    std::jthread writer([&] {
      ApiClient own = new_client();
      while (!stop) {
        const HttpAnswer answer = own.append("a-1", {event_text("T"), event_text("T")});
        if (answer.status != 201) break;
        acknowledged = answer.json()["lastPosition"];
      }
    });
    {
      SseClient subscriber = follow("/events", after(last));
      expect_positions(subscriber, last + 1, last + 200);
      last += 200;
      kill_server();
      while (const auto event = subscriber.next()) ASSERT_EQ(event->id, ++last);
      EXPECT_FALSE(subscriber.ends_in_order()) << "a crash is no end in order";
    }
    stop = true;
    writer.join();
    restart();
    EXPECT_GE(head(), acknowledged);
    EXPECT_GE(head(), last) << "a subscriber saw what was not yet on disk";
  }
  SseClient subscriber = follow("/events", after(last));
  expect_positions(subscriber, last + 1, head());
}

TEST_F(FollowTest, AStreamIsFollowedByVersionAndResumedByPosition) {
  for (int i = 0; i < 10; ++i) {
    ASSERT_EQ(append("a-1", {event_text("T")}).status, 201);
    ASSERT_EQ(append("b-1", {event_text("T")}).status, 201);
  }
  SseClient from = follow("/streams/b-1/events?from=9");
  EXPECT_EQ(ids(from, 2), (std::vector<std::uint64_t>{18, 20}));
  SseClient resumed = follow("/streams/b-1/events", after(15));
  EXPECT_EQ(ids(resumed, 3), (std::vector<std::uint64_t>{16, 18, 20}));
  ASSERT_EQ(append("a-1", {event_text("T")}).status, 201);
  ASSERT_EQ(append("b-1", {event_text("T")}).status, 201);
  EXPECT_EQ(ids(from, 1), std::vector<std::uint64_t>{22});
  EXPECT_EQ(ids(resumed, 1), std::vector<std::uint64_t>{22});
}

TEST_F(FollowTest, FiltersApplyToHistoryAndNewEvents) {
  const auto append_round = [this] {
    ASSERT_EQ(append("a-1", {event_text("X"), event_text("Y")}).status, 201);
    ASSERT_EQ(append("b-1", {event_text("X"), event_text("Z")}).status, 201);
    ASSERT_EQ(append("c-1", {event_text("X")}).status, 201);
  };
  append_round();
  SseClient category = follow("/events?category=a&category=c");
  SseClient type = follow("/events?type=Z&type=Y");
  SseClient both = follow("/events?type=X&category=b", after(0));
  EXPECT_EQ(ids(category, 3), (std::vector<std::uint64_t>{1, 2, 5}));
  EXPECT_EQ(ids(type, 2), (std::vector<std::uint64_t>{2, 4}));
  EXPECT_EQ(ids(both, 1), (std::vector<std::uint64_t>{3}));
  append_round();
  EXPECT_EQ(ids(category, 3), (std::vector<std::uint64_t>{6, 7, 10}));
  EXPECT_EQ(ids(type, 2), (std::vector<std::uint64_t>{7, 9}));
  EXPECT_EQ(ids(both, 1), (std::vector<std::uint64_t>{8}));
}

TEST_F(FollowTest, ALimitEndsTheAnswerCleanly) {
  append_numbered("a-1", 5);
  SseClient subscriber = follow("/events?limit=7");
  expect_positions(subscriber, 1, 5);
  append_numbered("a-1", 5);
  expect_positions(subscriber, 6, 7);
  EXPECT_TRUE(subscriber.ends_in_order());
}

TEST_F(FollowTest, LargeEventsAreComplete) {
  const std::string data = "\"" + std::string(3u << 20, 'x') + "\"";
  SseClient subscriber = follow();
  ASSERT_EQ(subscriber.status(), 200);
  for (int i = 0; i < 4; ++i) ASSERT_EQ(append("a-1", {event_text("T", data)}).status, 201);
  for (int i = 0; i < 4; ++i) {
    const auto event = subscriber.next();
    ASSERT_TRUE(event);
    EXPECT_EQ(Json::parse(event->data)["data"].dump(), data);
  }
}

TEST_F(FollowTest, ASubscriberAtTheHeadWaitsForTheNextEvent) {
  append_numbered("a-1", 3);
  SseClient from = follow("/events?from=4");
  SseClient resumed = follow("/events", after(3));
  ASSERT_EQ(from.status(), 200);
  ASSERT_EQ(resumed.status(), 200);
  append_numbered("a-1", 2);
  expect_positions(from, 4, 5);
  expect_positions(resumed, 4, 5);
}

// After a restore of an older copy, a subscriber that waited for its position would miss the events before it.
TEST_F(FollowTest, ASubscriberBeyondTheHeadIsToldOfAnotherHistory) {
  append_numbered("a-1", 3);
  const httplib::Headers sse = {{"Accept", "text/event-stream"}};
  const auto expect_refused = [this](const HttpAnswer& answer, std::uint64_t last_event_id) {
    const Json refusal = problem(answer, 409, "other-history");
    EXPECT_EQ(refusal["lastEventId"], last_event_id);
    EXPECT_EQ(refusal["head"], 3);
  };
  const auto with_id = [&sse](const std::string& id) {
    httplib::Headers headers = sse;
    headers.emplace("Last-Event-ID", id);
    return headers;
  };
  expect_refused(get("/events?from=5", sse), 4);
  expect_refused(get("/events", with_id("4")), 4);
  expect_refused(get("/events?category=a", with_id("18446744073709551614")), 18446744073709551614u);
  expect_refused(get("/streams/a-1/events", with_id("4")), 4);
  EXPECT_EQ(get("/events?from=5").status, 200) << "a page does not wait";
  EXPECT_EQ(get("/events?from=5", {{"Accept", "application/x-ndjson"}}).status, 200) << "lines neither";
}

TEST_F(FollowTest, ASubscriberOfAStreamBeyondItsNextVersionIsToldOfAnotherHistory) {
  append_numbered("a-1", 3);
  SseClient next = follow("/streams/a-1/events?from=4");
  ASSERT_EQ(next.status(), 200);
  const Json refusal =
      problem(get("/streams/a-1/events?from=5", {{"Accept", "text/event-stream"}}), 409, "other-history");
  EXPECT_EQ(refusal["stream"], "a-1");
  EXPECT_EQ(refusal["from"], 5);
  EXPECT_EQ(refusal["currentVersion"], 3);
}

}  // namespace
}  // namespace cairn::test
