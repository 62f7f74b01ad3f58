// Pages of events: following `next` visits each event once.

#include <string>
#include <vector>

#include "tests/api/server/api_fixture.h"

namespace cairn::test {
namespace {

class PagingTest : public ApiTest {
 protected:
  static constexpr std::size_t kEvents = 137;

  void SetUp() override {
    serve();
    // Categories a, b, c and types T0 … T4 in turn.
    for (std::size_t n = 1; n <= kEvents; ++n) {
      const std::string stream = std::string(1, "abc"[n % 3]) + "-" + std::to_string(n % 2);
      ASSERT_EQ(append(stream, {event_text("T" + std::to_string(n % 5))}).status, 201);
    }
  }

  // The numbers of all events, by following `next` with the same query.
  std::vector<std::uint64_t> walk(const std::string& path, const std::string& query, const char* number) {
    std::vector<std::uint64_t> seen;
    std::string from;
    for (std::size_t pages = 0; pages <= kEvents + 1; ++pages) {
      const HttpAnswer answer = get(path + "?" + query + from);
      EXPECT_EQ(answer.status, 200) << answer.body;
      const Json page = answer.json();
      for (const Json& event : page["events"]) seen.push_back(event[number]);
      if (page["next"].is_null()) return seen;
      from = "&from=" + page["next"].dump();
    }
    ADD_FAILURE() << "next never became null";
    return seen;
  }
  template <typename Wanted>
  static std::vector<std::uint64_t> numbers(Wanted wanted) {
    std::vector<std::uint64_t> all;
    for (std::uint64_t n = 1; n <= kEvents; ++n) {
      if (wanted(n)) all.push_back(n);
    }
    return all;
  }
  static std::vector<std::uint64_t> reversed(std::vector<std::uint64_t> numbers) {
    return {numbers.rbegin(), numbers.rend()};
  }
};

TEST_F(PagingTest, EveryEventOfTheLogIsVisitedOnce) {
  const auto all = numbers([](auto) { return true; });
  for (const char* limit : {"1", "2", "10", "136", "137", "138", "10000"}) {
    SCOPED_TRACE(limit);
    EXPECT_EQ(walk("/events", "limit=" + std::string(limit), "position"), all);
    EXPECT_EQ(walk("/events", "direction=backward&limit=" + std::string(limit), "position"), reversed(all));
  }
  EXPECT_EQ(get("/events").json()["events"].size(), 100u) << "the default";
}

TEST_F(PagingTest, EveryEventOfAStreamIsVisitedOnce) {
  const std::uint64_t version = get("/streams/a-0").json()["version"];
  std::vector<std::uint64_t> all(version);
  for (std::uint64_t n = 0; n < version; ++n) all[n] = n + 1;
  for (const char* limit : {"1", "7", "10000"}) {
    SCOPED_TRACE(limit);
    EXPECT_EQ(walk("/streams/a-0/events", "limit=" + std::string(limit), "version"), all);
    EXPECT_EQ(walk("/streams/a-0/events", "direction=backward&limit=" + std::string(limit), "version"),
              reversed(all));
  }
}

TEST_F(PagingTest, RepeatedFiltersMatchAnyOfTheirValues) {
  const auto category = [](std::uint64_t n) { return "abc"[n % 3]; };
  struct {
    const char* query;
    std::vector<std::uint64_t> wanted;
  } const cases[] = {
      {"category=a", numbers([&](auto n) { return category(n) == 'a'; })},
      {"category=a&category=c", numbers([&](auto n) { return category(n) != 'b'; })},
      {"type=T1", numbers([](auto n) { return n % 5 == 1; })},
      {"type=T1&type=T4", numbers([](auto n) { return n % 5 == 1 || n % 5 == 4; })},
      {"category=b&type=T0&type=T2",
       numbers([&](auto n) { return category(n) == 'b' && n % 5 % 2 == 0 && n % 5 != 4; })},
      {"category=nobody", {}},
      {"type=nothing", {}},
  };
  for (const auto& [query, wanted] : cases) {
    for (const char* limit : {"&limit=1", "&limit=3", "&limit=100"}) {
      SCOPED_TRACE(std::string(query) + limit);
      EXPECT_EQ(walk("/events", query + std::string(limit), "position"), wanted);
      EXPECT_EQ(walk("/events", query + std::string(limit) + "&direction=backward", "position"),
                reversed(wanted));
    }
  }
}

TEST_F(PagingTest, APageBeginsAtFrom) {
  const auto first = [this](const std::string& target, const char* number) {
    return get(target).json()["events"].at(0)[number].get<std::uint64_t>();
  };
  EXPECT_EQ(first("/events?from=50", "position"), 50u);
  EXPECT_EQ(first("/events?from=50&direction=backward", "position"), 50u);
  EXPECT_EQ(first("/events?direction=backward", "position"), kEvents);
  EXPECT_EQ(first("/streams/a-0/events?from=3", "version"), 3u);
  EXPECT_EQ(first("/streams/a-0/events?from=3&direction=backward", "version"), 3u);
  EXPECT_EQ(first("/events?from=99999&direction=backward", "position"), kEvents) << "from beyond the end";
}

TEST_F(PagingTest, ThePageAfterTheEndIsEmptyAndHasTheHead) {
  const Json behind = get("/events?from=138").json();
  EXPECT_EQ(behind["events"], Json::array());
  EXPECT_EQ(behind["next"], nullptr);
  EXPECT_EQ(behind["head"], kEvents);
  const Json stream = get("/streams/a-0/events?from=1000").json();
  EXPECT_EQ(stream["events"], Json::array());
  EXPECT_EQ(stream["next"], nullptr);
  EXPECT_EQ(stream["stream"], "a-0");
}

TEST_F(PagingTest, LargePagesEndEarlyAndLoseNothing) {
  const std::string large = event_text("Large", "\"" + std::string(700'000, 'x') + "\"");
  for (int i = 0; i < 20; ++i) ASSERT_EQ(append("large-1", {large}).status, 201);
  const HttpAnswer page = get("/streams/large-1/events?limit=10000");
  EXPECT_LT(page.body.size(), 6u << 20);
  EXPECT_FALSE(page.json()["next"].is_null());
  for (const char* query : {"limit=10000", "limit=10000&direction=backward"}) {
    EXPECT_EQ(walk("/streams/large-1/events", query, "version").size(), 20u);
    EXPECT_EQ(walk("/events", query, "position").size(), kEvents + 20);
  }
}

TEST_F(PagingTest, HeadAnswersLikeGetWithoutABody) {
  for (const char* path : {"/events?limit=3", "/streams/a-0/events", "/streams", "/streams/a-0", "/ready",
                           "/health", "/version", "/openapi.json"}) {
    SCOPED_TRACE(path);
    RawClient connection = raw();
    const RawResponse whole = connection.get(path);
    connection.send("HEAD " + std::string(path) + " HTTP/1.1\r\nHost: localhost\r\n\r\n");
    const RawResponse only_head = connection.receive(false);
    EXPECT_EQ(only_head.status, 200);
    const auto length = [](const std::string& head) {
      const auto at = head.find("Content-Length: ");
      return at == std::string::npos ? "none" : head.substr(at, head.find("\r\n", at) - at);
    };
    EXPECT_EQ(length(only_head.head), length(whole.head));
    EXPECT_TRUE(only_head.has("no-store"));
    EXPECT_EQ(connection.get("/health").status, 200) << "a body came after all";
  }
  EXPECT_EQ(client().head("/streams/none").status, 404);
}

}  // namespace
}  // namespace cairn::test
