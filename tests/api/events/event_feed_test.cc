#include "api/events/event_feed.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "api/events/follower_wakeups.h"
#include "api/metrics/metrics.h"
#include "schemaregistry/registry/schema_registry.h"
#include "tests/support/events.h"
#include "tests/support/store_fixture.h"
#include "upcasters/event_shapes.h"

namespace cairn::api {
namespace {

class EventFeedTest : public test::StoreTest {
 protected:
  EventFeedTest() { wakeups_.start(store()); }
  ~EventFeedTest() override { wakeups_.stop(); }

  // The next piece, with a budget of its own.
  static BodySource::Piece next(EventFeed& feed, std::string& to, const WorkLimits& limits = {}) {
    WorkBudget budget(limits);
    return feed.next(to, budget);
  }

  // The number of lines until the feed ends.
  static std::size_t lines_of(EventFeed& feed) {
    std::string text;
    for (BodySource::Piece piece = BodySource::Piece::kMore; piece == BodySource::Piece::kMore;)
      piece = next(feed, text);
    return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
  }

  // What the feed sends until it waits for new events.
  static std::string text_of(EventFeed& feed) {
    std::string text;
    for (BodySource::Piece piece = BodySource::Piece::kMore; piece == BodySource::Piece::kMore;)
      piece = next(feed, text);
    return text;
  }
  EventFeed follow(LogQuery query) {
    return EventFeed(log_cursor(store(), std::move(query)), FeedFormat::kServerSent, 1'000, store().head(),
                     source_, {}, [this] { return now_; });
  }

  std::chrono::steady_clock::time_point now_{};
  std::unique_ptr<SchemaRegistry> registry_ = *SchemaRegistry::open(store());
  std::unique_ptr<EventShapes> shapes_ = *EventShapes::open(store(), *registry_);
  FollowerWakeups wakeups_;
  Metrics metrics_;
  const EventSource source_{store(), *shapes_, wakeups_, metrics_};
};

// Otherwise a client that reads more slowly than others append would never reach the end.
TEST_F(EventFeedTest, LinesEndAtTheHeadAtTheTimeOfTheRequest) {
  append("a-1", {"T", "T", "T"});
  EventFeed log(log_cursor(store(), {}), FeedFormat::kLines, 1'000, store().head(), source_);
  EventFeed stream(stream_cursor(store(), "a-1", {}), FeedFormat::kLines, 1'000, store().head(), source_);
  append("a-1", {"T", "T"});
  EXPECT_EQ(lines_of(log), 3u);
  EXPECT_EQ(lines_of(stream), 3u);
}

TEST_F(EventFeedTest, LinesBackwardBeginAtTheHeadAtTheTimeOfTheRequest) {
  append("a-1", {"T", "T", "T"});
  const WantedEvents backward{.direction = Direction::kBackward};
  EventFeed log(log_cursor(store(), {.direction = Direction::kBackward}), FeedFormat::kLines, 2,
                store().head(), source_, backward);
  EventFeed stream(stream_cursor(store(), "a-1", {.direction = Direction::kBackward}), FeedFormat::kLines,
                   1'000, store().head(), source_, backward);
  append("a-1", {"T", "T"});
  EXPECT_EQ(lines_of(log), 2u);
  EXPECT_EQ(lines_of(stream), 3u);
}

// The pages of a search that finds little are empty, with a next.
TEST_F(EventFeedTest, LinesGoOnAfterEmptyPagesAndEndAtTheHead) {
  for (int i = 0; i < 100; ++i) append(i % 2 == 0 ? "even-1" : "odd-1", {i % 2 == 0 ? "E" : "O"});
  append("even-1", {"O"});
  const LogQuery search{.filter = {{"even"}, {"O"}}, .steps_max = 1};
  EventFeed lines(log_cursor(store(), search), FeedFormat::kLines, 1'000, store().head(), source_);
  EventFeed nothing(log_cursor(store(), search), FeedFormat::kLines, 1'000, {100}, source_);
  EventFeed live(log_cursor(store(), search), FeedFormat::kServerSent, 1, store().head(), source_);
  append("even-1", {"O"});
  EXPECT_EQ(lines_of(lines), 1u);
  EXPECT_EQ(lines_of(nothing), 0u);
  EXPECT_EQ(lines_of(live), 4u) << "id, event, data, and an empty line";
}

// A piece ends with its budget, and the next one continues: a stream has no budget of its own.
TEST_F(EventFeedTest, APieceEndsWithItsBudgetAndTheNextOneContinues) {
  append("a-1", {"T", "T", "T", "T", "T"});
  EventFeed log(log_cursor(store(), {}), FeedFormat::kLines, 1'000, store().head(), source_);
  EventFeed stream(stream_cursor(store(), "a-1", {}), FeedFormat::kLines, 1'000, store().head(), source_);
  for (EventFeed* feed : {&log, &stream}) {
    for (int i = 1; i <= 5; ++i) {
      std::string line;
      EXPECT_EQ(next(*feed, line, {.steps = 0}), i < 5 ? BodySource::Piece::kMore : BodySource::Piece::kEnd);
      EXPECT_EQ(nlohmann::json::parse(line)["version"], i) << "one event in each piece";
    }
  }
}

TEST_F(EventFeedTest, ACancelledPieceEndsWithinAThousandSteps) {
  for (int i = 0; i < 10; ++i) append("a-1", {"T", "T", "T", "T", "T", "T", "T", "T", "T", "T"});
  EventFeed feed(log_cursor(store(), {}), FeedFormat::kLines, 1'000, store().head(), source_);
  WorkBudget budget;
  budget.cancel();
  std::string text;
  EXPECT_EQ(feed.next(text, budget), BodySource::Piece::kMore);
  EXPECT_EQ(budget.end(), WorkEnd::kCancelled);
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 1);
}

// Each side of the filter has a hundred events, and only one event is in both.
TEST_F(EventFeedTest, TheSearchOfAFilterIsChargedToThePiece) {
  for (int i = 0; i < 100; ++i) append(i % 2 == 0 ? "even-1" : "odd-1", {i % 2 == 0 ? "E" : "O"});
  append("even-1", {"O"});
  const LogQuery search{.filter = {{"even"}, {"O"}}};
  EventFeed whole(log_cursor(store(), search), FeedFormat::kLines, 1'000, store().head(), source_);
  WorkBudget budget;
  std::string text;
  EXPECT_EQ(whole.next(text, budget), BodySource::Piece::kEnd);
  EXPECT_GE(budget.steps(), 100u);

  EventFeed feed(log_cursor(store(), search), FeedFormat::kLines, 1'000, store().head(), source_);
  std::string found;
  int empty = 0;
  while (next(feed, found, {.steps = 0}) == BodySource::Piece::kMore) empty += found.empty();
  EXPECT_GT(empty, 1) << "a search that has used its budget up continues in the next piece";
  EXPECT_EQ(found, text);
}

// Otherwise a client that reconnects has everything scanned again.
TEST_F(EventFeedTest, AFollowerWithoutMatchesGetsAResumePointEveryFiveSeconds) {
  append("a-1", {"T", "T", "T"});
  const std::uint64_t from = store().head().value;
  const auto id = [&](std::uint64_t more) { return "id: " + std::to_string(from + more) + "\n\n"; };
  EventFeed feed = follow({.filter = {.categories = {"b"}, .types = {}}});
  EXPECT_EQ(text_of(feed), "");
  now_ += EventFeed::kResumeInterval - std::chrono::nanoseconds(1);
  EXPECT_EQ(text_of(feed), "");
  now_ += std::chrono::nanoseconds(1);
  EXPECT_EQ(text_of(feed), id(0));
  for (std::uint64_t n = 1; n <= 10; ++n) {
    append("a-1", {"T"});
    now_ += std::chrono::seconds(1);
    EXPECT_EQ(text_of(feed), n % 5 == 0 ? id(n) : "") << n;
  }
  now_ += 10 * EventFeed::kResumeInterval;
  EXPECT_EQ(text_of(feed), "") << "nothing was scanned since the last one";
}

// Otherwise a client that reconnects to a quiet stream is asked about a position that is long past, and after a
// restore it would not be told of another history.
TEST_F(EventFeedTest, AFollowerOfAStreamGetsResumePointsWhileOthersAppend) {
  append("a-1", {"T"});
  EventFeed feed(stream_cursor(store(), "a-1", {}), FeedFormat::kServerSent, 1'000, store().head(), source_,
                 {}, [this] { return now_; });
  EXPECT_NE(text_of(feed), "");
  const std::uint64_t from = store().head().value;
  append("b-1", {"T", "T"});
  now_ += EventFeed::kResumeInterval - std::chrono::nanoseconds(1);
  EXPECT_EQ(text_of(feed), "");
  now_ += std::chrono::nanoseconds(1);
  EXPECT_EQ(text_of(feed), "id: " + std::to_string(from + 2) + "\n\n");
}

TEST_F(EventFeedTest, AFollowerThatHasEverythingGetsNoResumePoint) {
  append("a-1", {"T", "T", "T"});
  EventFeed all = follow({});
  EventFeed at_the_head = follow({.from = GlobalPosition{store().head().value + 1}, .filter = {}});
  EXPECT_NE(text_of(all), "");
  EXPECT_EQ(text_of(at_the_head), "");
  now_ += 2 * EventFeed::kResumeInterval;
  EXPECT_EQ(text_of(all), "");
  EXPECT_EQ(text_of(at_the_head), "");
}

TEST_F(EventFeedTest, LinesHaveNeitherResumePointsNorHeartbeats) {
  append("a-1", {"T"});
  EventFeed feed(log_cursor(store(), {.filter = {.categories = {"b"}, .types = {}}}), FeedFormat::kLines,
                 1'000, store().head(), source_, {}, [this] { return now_; });
  now_ += 2 * EventFeed::kResumeInterval;
  EXPECT_EQ(text_of(feed), "");
  EXPECT_EQ(feed.heartbeat(), "");
}

}  // namespace
}  // namespace cairn::api
