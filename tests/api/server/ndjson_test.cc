// NDJSON: the whole log, one event a line.

#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "tests/api/server/api_fixture.h"
#include "tests/support/scale.h"

namespace cairn::test {
namespace {

class NdjsonTest : public ApiTest {
 protected:
  void SetUp() override { serve(); }

  std::vector<std::uint64_t> numbers(const std::string& path, const char* number = "position") {
    const HttpAnswer answer = get(path, {{"Accept", "application/x-ndjson"}});
    EXPECT_EQ(answer.status, 200) << answer.body.substr(0, 300);
    EXPECT_EQ(answer.header("Content-Type"), "application/x-ndjson");
    EXPECT_TRUE(answer.body.empty() || answer.body.back() == '\n');
    std::vector<std::uint64_t> all;
    std::istringstream lines(answer.body);
    for (std::string line; std::getline(lines, line);) all.push_back(Json::parse(line)[number]);
    return all;
  }
  static std::vector<std::uint64_t> range(std::uint64_t from, std::uint64_t to) {
    std::vector<std::uint64_t> all;
    for (std::uint64_t n = from; n <= to; ++n) all.push_back(n);
    return all;
  }
  static std::vector<std::uint64_t> backward(std::uint64_t from, std::uint64_t to) {
    auto all = range(to, from);
    return {all.rbegin(), all.rend()};
  }
};

TEST_F(NdjsonTest, ThousandsOfEventsAreComplete) {
  const std::size_t count = rounds(12'345, 500'000);
  append_numbered("count-1", count);
  EXPECT_EQ(numbers("/events"), range(1, count));
  EXPECT_EQ(numbers("/streams/count-1/events", "version"), range(1, count));
  EXPECT_EQ(numbers("/events?direction=backward"), backward(count, 1));
  EXPECT_EQ(numbers("/streams/count-1/events?direction=backward&from=50", "version"), backward(50, 1));
  EXPECT_EQ(numbers("/events?from=" + std::to_string(count)), range(count, count));
  EXPECT_EQ(numbers("/events?from=" + std::to_string(count + 1)), range(1, 0));
}

TEST_F(NdjsonTest, ALimitMayBeAnyNumber) {
  const std::size_t count = 10'050;
  append_numbered("count-1", count);
  EXPECT_EQ(numbers("/events?limit=10020"), range(1, 10'020));
  EXPECT_EQ(numbers("/events?limit=1&from=7"), range(7, 7));
  EXPECT_EQ(numbers("/events?limit=18446744073709551615"), range(1, count));
  EXPECT_EQ(numbers("/streams/count-1/events?limit=10020", "version"), range(1, 10'020));
}

TEST_F(NdjsonTest, LargeEventsAreComplete) {
  const std::string large = event_text("Large", "\"" + std::string(1u << 20, 'x') + "\"");
  for (int i = 0; i < 20; ++i) ASSERT_EQ(append("large-1", {large}).status, 201);
  EXPECT_EQ(numbers("/events"), range(1, 20));
  EXPECT_EQ(numbers("/events?direction=backward"), backward(20, 1));
}

TEST_F(NdjsonTest, FiltersApplyAndAnEmptyLogIsEmpty) {
  EXPECT_EQ(numbers("/events"), range(1, 0));
  ASSERT_EQ(append("a-1", {event_text("X"), event_text("Y")}).status, 201);
  ASSERT_EQ(append("b-1", {event_text("X")}).status, 201);
  EXPECT_EQ(numbers("/events?category=a"), range(1, 2));
  EXPECT_EQ(numbers("/events?type=X"), (std::vector<std::uint64_t>{1, 3}));
}

TEST_F(NdjsonTest, ALineIsTheEventOfAPage) {
  ASSERT_EQ(append("a-1", {event_text("X", R"({"n":9007199254740993,"s":"a\nb"})")}).status, 201);
  const std::string line = get("/events", {{"Accept", "application/x-ndjson"}}).body;
  EXPECT_THAT(get("/events").body, ::testing::HasSubstr(line.substr(0, line.size() - 1)));
}

// A concurrent read has no gap, neither in the middle nor at the end.
TEST_F(NdjsonTest, ReadsWhileWritersAppendHaveNoGaps) {
  std::atomic<bool> done = false;
  std::jthread writer([&] {
    ApiClient own = new_client();
    // Bounded, because a read ends at the head: on a busy machine it may never reach a head that moves
    // without end.
    for (int i = 0; i < 2'000 && !done; ++i) {
      EXPECT_EQ(own.append("a-1", std::vector<std::string>(20, event_text("T"))).status, 201);
    }
  });
  for (int i = 0; i < 20; ++i) {
    const std::uint64_t before = head();
    const auto seen = numbers("/events");
    EXPECT_GE(seen.size(), before);
    EXPECT_EQ(seen, range(1, seen.size()));
  }
  done = true;
}

}  // namespace
}  // namespace cairn::test
