#include "api/events/event_feed.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "api/events/news_bell.h"
#include "api/metrics/metrics.h"
#include "schemaregistry/registry/schema_registry.h"
#include "tests/support/events.h"
#include "tests/support/store_fixture.h"
#include "upcasters/event_shapes.h"

namespace cairn::api {
namespace {

class EventFeedTest : public test::StoreTest {
 protected:
  EventFeedTest() { bell_.start(store()); }
  ~EventFeedTest() override { bell_.stop(); }

  // How many lines come, until the feed says it has ended.
  std::size_t lines_of(EventFeed& feed) {
    std::string text;
    for (BodySource::Piece piece = BodySource::Piece::kMore; piece == BodySource::Piece::kMore;)
      piece = feed.next(text);
    return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
  }

  std::unique_ptr<SchemaRegistry> registry_ = *SchemaRegistry::open(store());
  std::unique_ptr<EventShapes> shapes_ = *EventShapes::open(store(), *registry_);
  NewsBell bell_;
  Metrics metrics_;
  const EventSource source_{store(), *shapes_, bell_, metrics_};
};

// Else who reads slower than others write would never come to the end.
TEST_F(EventFeedTest, LinesEndAtTheHeadOfWhenTheyWereAskedFor) {
  append("a-1", {"T", "T", "T"});
  EventFeed log(walk_log(store(), {}), FeedFormat::kLines, 1'000, store().head(), source_);
  EventFeed stream(walk_stream(store(), "a-1", {}), FeedFormat::kLines, 1'000, store().head(), source_);
  append("a-1", {"T", "T"});
  EXPECT_EQ(lines_of(log), 3u);
  EXPECT_EQ(lines_of(stream), 3u);
}

}  // namespace
}  // namespace cairn::api
