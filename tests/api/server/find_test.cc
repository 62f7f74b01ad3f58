// Finding events of the log: by tag, by correlation, by time, and without the server's own.

#include <algorithm>
#include <atomic>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "eventstore/base/time_text.h"
#include "tests/api/server/access_fixture.h"
#include "tests/api/server/sse_client.h"
#include "tests/support/scale.h"

namespace cairn::test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using Positions = std::vector<std::uint64_t>;

constexpr const char* kNdjson = "application/x-ndjson";

std::string percent(const std::string& text) {
  static constexpr char kHex[] = "0123456789ABCDEF";
  std::string all;
  for (const unsigned char c : text) {
    all += '%';
    all += kHex[c >> 4];
    all += kHex[c & 15];
  }
  return all;
}

class FindTest : public ApiTest {
 protected:
  static constexpr std::uint64_t kEvents = 6;
  static constexpr const char* kStrange = "größe & \"x\"=100%/+,";

  void SetUp() override {
    serve();
    store("order-1", tagged_text("Placed", {"customer:7", "eu"}, {{"correlationId", "c-1"}}));
    store("order-2", tagged_text("Placed", {"customer:8", "eu"}, {{"correlationId", "c-2"}}));
    store("payment-1", tagged_text("Taken", {"customer:7"}, {{"userId", "c-2"}, {"correlationId", "c-1"}}));
    store("order-1", tagged_text("Shipped", {"customer:7", "eu", kStrange}, {{"correlationId", 1}}));
    // The server's own: position 5, in $schemas.
    ASSERT_EQ(post("/subjects/Named/versions", R"({"schema":"\"string\""})").status, 200);
    store("cart-1", tagged_text("Filled", Json::array(), {{"cause", {{"correlationId", "c-1"}}}}));
    ASSERT_EQ(head(), kEvents);
  }

  void store(const std::string& stream, const std::string& event) {
    ASSERT_EQ(append(stream, {event}).status, 201);
  }

  Positions lines(const std::string& query) {
    const HttpAnswer answer = get("/events?" + query, {{"Accept", kNdjson}});
    EXPECT_EQ(answer.status, 200) << answer.body.substr(0, 300);
    Positions seen;
    std::istringstream text(answer.body);
    for (std::string line; std::getline(text, line);) seen.push_back(Json::parse(line)["position"]);
    return seen;
  }

  // By following `next` with the same query, which has no `from`.
  Positions pages(const std::string& query) {
    Positions seen;
    std::string from;
    for (std::uint64_t page = 0; page <= kEvents + 1; ++page) {
      const Json answer = get("/events?" + query + from).json();
      for (const Json& event : answer["events"]) seen.push_back(event["position"]);
      if (answer["next"].is_null()) return seen;
      from = "&from=" + answer["next"].dump();
    }
    ADD_FAILURE() << "next never became null";
    return seen;
  }

  // The events of a query, which are the same as pages of any size and as lines, in both directions.
  Positions found(const std::string& query) {
    SCOPED_TRACE(query);
    const Positions all = lines(query);
    Positions backward = lines(query + "&direction=backward");
    std::reverse(backward.begin(), backward.end());
    EXPECT_EQ(backward, all);
    for (const char* limit : {"&limit=1", "&limit=2", "&limit=100"}) {
      EXPECT_EQ(pages(query + limit), all) << limit;
      backward = pages(query + limit + "&direction=backward");
      std::reverse(backward.begin(), backward.end());
      EXPECT_EQ(backward, all) << limit;
    }
    return all;
  }

  std::string time_of(std::uint64_t position) {
    return get("/events?limit=1&from=" + std::to_string(position)).json()["events"][0]["recordedAt"];
  }

  SseClient follow(const std::string& query, const std::string& more = "") {
    return SseClient(port(), "/events?" + query, more);
  }

  void expect_refused(const std::string& target, const std::string& field, const std::string& accept = "") {
    SCOPED_TRACE(target);
    const HttpAnswer answer =
        get(target, accept.empty() ? httplib::Headers() : httplib::Headers{{"Accept", accept}});
    EXPECT_EQ(problem(answer, 400, "invalid-request").value("field", ""), field);
  }
};

TEST_F(FindTest, AnEventHasAllOfTheTags) {
  EXPECT_EQ(found("tag=customer:7"), (Positions{1, 3, 4}));
  EXPECT_EQ(found("tag=eu"), (Positions{1, 2, 4}));
  EXPECT_EQ(found("tag=customer:7&tag=eu"), (Positions{1, 4}));
  EXPECT_EQ(found("tag=eu&tag=customer:7"), (Positions{1, 4}));
  EXPECT_EQ(found("tag=customer:7&tag=customer:8"), Positions{});
  EXPECT_EQ(found("tag=customer"), Positions{}) << "a tag is not a prefix";
  EXPECT_EQ(found("tag=Customer:7"), Positions{});
}

TEST_F(FindTest, ATagIsComparedByItsBytes) {
  EXPECT_EQ(found("tag=" + percent(kStrange)), (Positions{4}));
  EXPECT_EQ(found("tag=" + percent("größe")), Positions{});
  EXPECT_EQ(found("tag=" + std::string(3'000, 'x')), Positions{}) << "longer than any tag";
}

TEST_F(FindTest, TagsCategoriesTypesAndCorrelationAreCombined) {
  EXPECT_EQ(found("tag=customer:7&category=order"), (Positions{1, 4}));
  EXPECT_EQ(found("tag=customer:7&category=order&category=payment"), (Positions{1, 3, 4}));
  EXPECT_EQ(found("tag=customer:7&type=Placed&type=Taken"), (Positions{1, 3}));
  EXPECT_EQ(found("tag=eu&correlation=c-1"), (Positions{1}));
  EXPECT_EQ(found("tag=eu&correlation=c-1&category=payment"), Positions{});
}

TEST_F(FindTest, TheCorrelationIsAStringOfTheMetadata) {
  EXPECT_EQ(found("correlation=c-1"), (Positions{1, 3}))
      << "neither a nested member nor the value of another";
  EXPECT_EQ(found("correlation=c-2"), (Positions{2}));
  EXPECT_EQ(found("correlation=1"), Positions{}) << "a number is no text";
  EXPECT_EQ(found("correlation=c"), Positions{});
  store("order-3", R"({"type":"T","data":1,"metadata":{"correlationId":"gr\u00f6\u00dfe\n"}})");
  EXPECT_EQ(found("correlation=" + percent("größe\n")), (Positions{7})) << "escapes do not matter";
}

TEST_F(FindTest, TheServersOwnEventsCanBeLeftOut) {
  EXPECT_EQ(found("system=true"), (Positions{1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(found("system=false"), (Positions{1, 2, 3, 4, 6}));
  EXPECT_EQ(found("system=false&category=$schemas"), Positions{});
  EXPECT_EQ(found("system=false&category=$schemas&category=cart"), (Positions{6}));
  EXPECT_EQ(found("system=false&tag=eu"), (Positions{1, 2, 4}));
}

TEST_F(FindTest, ARangeOfTimesHasItsBeginningAndNotItsEnd) {
  EXPECT_EQ(found("fromTime=" + time_of(3)), (Positions{3, 4, 5, 6}));
  EXPECT_EQ(found("untilTime=" + time_of(3)), (Positions{1, 2}));
  EXPECT_EQ(found("fromTime=" + time_of(2) + "&untilTime=" + time_of(4)), (Positions{2, 3}));
  EXPECT_EQ(found("fromTime=" + time_of(2) + "&untilTime=" + time_of(2)), Positions{});
  EXPECT_EQ(found("fromTime=" + time_of(2) + "&untilTime=" + time_of(5) + "&category=order"),
            (Positions{2, 4}));
  EXPECT_EQ(found("fromTime=" + time_of(2) + "&untilTime=" + time_of(4) + "&type=Placed"), (Positions{2}));
  EXPECT_EQ(found("fromTime=" + time_of(2) + "&untilTime=" + time_of(6) + "&system=false&tag=eu"),
            (Positions{2, 4}));
}

TEST_F(FindTest, TimesBeforeTheFirstEventAndAfterTheLast) {
  const std::string before = "2000-01-01T00:00:00Z", after = "2999-01-01T00:00:00Z";
  EXPECT_EQ(found("fromTime=" + before), (Positions{1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(found("untilTime=" + after), (Positions{1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(found("fromTime=" + before + "&untilTime=" + after), (Positions{1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(found("untilTime=" + before), Positions{});
  EXPECT_EQ(found("fromTime=" + after), Positions{});
  EXPECT_EQ(get("/events?fromTime=" + after).json()["head"], kEvents);
}

TEST_F(FindTest, TimesMayHaveAnOffset) {
  const auto shift = [](std::string time, std::int64_t hours) {
    const Timestamp shifted{parse_time(time)->micros + hours * 3'600'000'000};
    const auto text = time_text(shifted);
    return std::string(text.begin(), text.end() - 1);  // without the Z
  };
  EXPECT_EQ(found("fromTime=" + shift(time_of(3), 5) + "%2B05:00"), (Positions{3, 4, 5, 6}));
  EXPECT_EQ(found("untilTime=" + shift(time_of(3), -5) + "-05:00"), (Positions{1, 2}));
}

TEST_F(FindTest, OfFromAndTheTimesTheNarrowerOneCounts) {
  const std::string range = "&fromTime=" + time_of(2) + "&untilTime=" + time_of(5);
  EXPECT_EQ(lines("from=1" + range), (Positions{2, 3, 4}));
  EXPECT_EQ(lines("from=3" + range), (Positions{3, 4}));
  EXPECT_EQ(lines("from=5" + range), Positions{});
  EXPECT_EQ(lines("from=99" + range), Positions{});
  EXPECT_EQ(lines("direction=backward&from=1" + range), Positions{});
  EXPECT_EQ(lines("direction=backward&from=3" + range), (Positions{3, 2}));
  EXPECT_EQ(lines("direction=backward&from=99" + range), (Positions{4, 3, 2}));
}

TEST_F(FindTest, APageThatReachesTheEndOfTheRangeIsTheLast) {
  const std::string until = "/events?limit=2&untilTime=" + time_of(3);
  const Json page = get(until).json();
  EXPECT_EQ(page["events"].size(), 2u);
  EXPECT_EQ(page["next"], nullptr);
  EXPECT_EQ(page["head"], kEvents) << "the log's, not that of the range";
  const Json backward = get("/events?limit=4&direction=backward&fromTime=" + time_of(3)).json();
  EXPECT_EQ(backward["events"].size(), 4u);
  EXPECT_EQ(backward["next"], nullptr);
}

// While the end of the range is in the future, a client that goes on from head + 1 gets each event, also
// those that are appended while a page is read.
TEST_F(FindTest, ARangeThatEndsInTheFutureGrows) {
  const std::uint64_t last = kEvents + rounds(1'000, 20'000);
  std::jthread writer([&] {
    ApiClient own = new_client();
    for (std::uint64_t n = kEvents; n < last; ++n)
      ASSERT_EQ(own.append("a-1", {event_text("T")}).status, 201);
  });
  std::uint64_t next = 1;
  const auto deadline = std::chrono::steady_clock::now() + SseClient::kPatience;
  while (next <= last) {
    ASSERT_LT(std::chrono::steady_clock::now(), deadline);
    const Json page =
        get("/events?limit=10000&untilTime=2999-01-01T00:00:00Z&from=" + std::to_string(next)).json();
    for (const Json& event : page["events"]) ASSERT_EQ(event["position"], next++);
    ASSERT_EQ(page["next"], nullptr);
    ASSERT_EQ(page["head"], next - 1) << "what it does not have is behind its head";
  }
}

TEST_F(FindTest, InvalidParametersAreNamed) {
  expect_refused("/events?tag=", "tag");
  expect_refused("/events?tag=eu&tag=", "tag");
  std::string tags = "/events?tag=t0";
  for (int n = 1; n < 64; ++n) tags += "&tag=t" + std::to_string(n);
  EXPECT_EQ(get(tags).status, 200);
  expect_refused(tags + "&tag=t64", "tag");
  expect_refused("/events?correlation=", "correlation");
  expect_refused("/events?correlation=a&correlation=b", "correlation");
  for (const char* value : {"", "no", "0", "False"})
    expect_refused("/events?system=" + std::string(value), "system");
  for (const char* value : {"", "now", "2026-11-16", "2026-13-16T20:55:35Z", "2026-11-16T20:55:35",
                            "1700000000", "2026-11-16T20:55:35+01:00"}) {  // a plus in a query is a space
    expect_refused("/events?fromTime=" + std::string(value), "fromTime");
    expect_refused("/events?untilTime=" + std::string(value), "untilTime");
  }
  expect_refused("/events?fromTime=2026-11-16T20:55:35.000001Z&untilTime=2026-11-16T20:55:35Z", "untilTime");
  for (const char* name : {"tag", "correlation", "system", "fromTime", "untilTime"}) {
    expect_refused("/streams/order-1/events?" + std::string(name) + "=true", name);
  }
  expect_refused("/events?untilTime=2999-01-01T00:00:00Z", "untilTime", "text/event-stream");
  expect_refused("/events?tag=", "tag", "text/event-stream");
  expect_refused("/events?tag=", "tag", kNdjson);
}

// The filter counts for history and for live events, wherever a subscriber switches between them.
TEST_F(FindTest, FollowersGetTheEventsOfTheirTagFromHistoryAndLive) {
  constexpr int kSubscribers = 4;
  const std::size_t requests = rounds(300, 5'000);
  std::atomic<std::size_t> sent = 0;
  std::vector<std::jthread> threads;
  threads.emplace_back([&] {
    ApiClient own = new_client();
    for (std::size_t n = 0; n < requests; ++n) {
      ASSERT_EQ(
          own.append("live-1", {tagged_text("A", {"even", "all"}), tagged_text("B", {"odd", "all"})}).status,
          201);
      ++sent;
    }
  });
  for (int s = 0; s < kSubscribers; ++s) {
    threads.emplace_back([&, s] {
      const auto deadline = std::chrono::steady_clock::now() + SseClient::kPatience;
      while (sent < requests * static_cast<std::size_t>(s) / kSubscribers) {
        ASSERT_LT(std::chrono::steady_clock::now(), deadline);
        std::this_thread::yield();
      }
      SseClient subscriber = follow("tag=odd&tag=all");
      for (std::uint64_t n = 1; n <= requests; ++n) {
        const auto event = subscriber.next();
        ASSERT_TRUE(event) << subscriber.head();
        ASSERT_EQ(event->id, kEvents + 2 * n);
        ASSERT_EQ(event->type, "B");
      }
    });
  }
}

TEST_F(FindTest, FollowersGetLiveEventsOfTheirCorrelationAndNoneOfTheServers) {
  SseClient correlated = follow("correlation=c-1");
  SseClient users = follow("system=false&from=5");
  EXPECT_EQ(correlated.next()->id, 1u);
  EXPECT_EQ(correlated.next()->id, 3u);
  EXPECT_EQ(users.next()->id, 6u);
  ASSERT_EQ(post("/subjects/Other/versions", R"({"schema":"\"int\""})").status, 200);  // 7
  store("a-1", tagged_text("T", Json::array(), {{"correlationId", "c-2"}}));           // 8
  store("a-1", tagged_text("T", Json::array(), {{"correlationId", "c-1"}}));           // 9
  EXPECT_EQ(correlated.next()->id, 9u);
  EXPECT_EQ(users.next()->id, 8u);
  EXPECT_EQ(users.next()->id, 9u);
}

TEST_F(FindTest, FollowersBeginAtATimeAndResumeAfterTheirLastEvent) {
  const std::string from_time = "fromTime=" + time_of(3);
  EXPECT_EQ(follow(from_time).next()->id, 3u);
  EXPECT_EQ(follow(from_time + "&from=4").next()->id, 4u);
  EXPECT_EQ(follow(from_time + "&from=4", "Last-Event-ID: 5\r\n").next()->id, 6u);
  // It has all events up to 1, and wants none from before the time.
  EXPECT_EQ(follow(from_time + "&from=4", "Last-Event-ID: 1\r\n").next()->id, 3u);
  SseClient waiting = follow("fromTime=2000-01-01T00:00:00Z", "Last-Event-ID: 6\r\n");
  EXPECT_EQ(waiting.status(), 200);
  store("a-1", tagged_text("T", Json::array()));
  EXPECT_EQ(waiting.next()->id, 7u);
  const HttpAnswer other =
      get("/events?fromTime=" + time_of(3), {{"Accept", "text/event-stream"}, {"Last-Event-ID", "99"}});
  problem(other, 409, "other-history");
}

TEST_F(FindTest, AFollowerFromATimeInTheFutureGetsNothingFromBefore) {
  const Timestamp begin{parse_time(time_of(6))->micros + 1'000'000};
  const auto text = time_text(begin);
  SseClient subscriber = follow("limit=1&fromTime=" + std::string(text.begin(), text.end()));
  ASSERT_EQ(subscriber.status(), 200);
  std::uint64_t first = 0;
  const auto deadline = std::chrono::steady_clock::now() + SseClient::kPatience;
  for (std::uint64_t position = kEvents + 1; first == 0; ++position) {
    ASSERT_LT(std::chrono::steady_clock::now(), deadline);
    store("a-1", tagged_text("T", Json::array()));
    if (*parse_time(time_of(position)) >= begin) first = position;
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  const auto event = subscriber.next();
  ASSERT_TRUE(event);
  EXPECT_EQ(event->id, first);
  EXPECT_TRUE(subscriber.ends_in_order()) << "the limit counts what is sent";
}

TEST_F(FindTest, TheIndexIsNotMentionedWhenItIsComplete) {
  EXPECT_EQ(get("/ready").json(), (Json{{"status", "ready"}, {"head", kEvents}}));
  EXPECT_THAT(get("/metrics").body, HasSubstr("\ncairn_index_rebuild_events_left 0\n"));
}

using FindWithTokensTest = AccessTest;

TEST_F(FindWithTokensTest, ATokenWithCategoriesMustNameThem) {
  serve_with_tokens();
  ASSERT_EQ(as(kBoth).append("order-1", {tagged_text("T", {"x"}, {{"correlationId", "c"}})}).status, 201);
  ASSERT_EQ(as(kBoth).append("cart-1", {tagged_text("T", {"x"}, {{"correlationId", "c"}})}).status, 201);
  ApiClient orders = as(kOrders);
  for (const char* query : {"tag=x", "correlation=c", "system=false", "fromTime=2000-01-01T00:00:00Z",
                            "category=cart&tag=x", "category=order&category=cart&system=false"}) {
    SCOPED_TRACE(query);
    for (const char* accept : {"application/json", kNdjson, "text/event-stream"})
      expect_forbidden(orders.get("/events?" + std::string(query), {{"Accept", accept}}), "categor");
  }
  for (const char* query : {"tag=x", "correlation=c", "system=false", "fromTime=2000-01-01T00:00:00Z"}) {
    const Json page = orders.get("/events?category=order&" + std::string(query)).json();
    ASSERT_EQ(page["events"].size(), 1u) << query;
    EXPECT_EQ(page["events"][0]["stream"], "order-1");
  }
}

}  // namespace
}  // namespace cairn::test
