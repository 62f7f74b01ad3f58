#include "api/events/event_feed.h"

#include <gtest/gtest.h>

#include <algorithm>

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

  // The number of lines until the feed ends.
  std::size_t lines_of(EventFeed& feed) {
    std::string text;
    for (BodySource::Piece piece = BodySource::Piece::kMore; piece == BodySource::Piece::kMore;)
      piece = feed.next(text);
    return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
  }

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

}  // namespace
}  // namespace cairn::api
