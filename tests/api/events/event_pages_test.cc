#include "api/events/event_pages.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "api/events/event_json.h"
#include "api/events/follower_wakeups.h"
#include "api/metrics/metrics.h"
#include "schemaregistry/registry/schema_registry.h"
#include "tests/support/events.h"
#include "tests/support/store_fixture.h"
#include "upcasters/event_shapes.h"

namespace cairn::api {
namespace {

class EventPagesTest : public test::StoreTest {
 protected:
  // The event as answers have it, whose id and time only the store knows.
  std::string event_json(const EventView& event) {
    ShapedEvent part;
    part.type = event.type;
    part.data = event.data;
    std::string text;
    EXPECT_TRUE(append_event_json(text, event, part).ok());
    return text;
  }

  std::unique_ptr<SchemaRegistry> registry_ = *SchemaRegistry::open(store());
  std::unique_ptr<EventShapes> shapes_ = *EventShapes::open(store(), *registry_);
  FollowerWakeups wakeups_;
  Metrics metrics_;
  WorkBudget budget_;
  const EventSource source_{store(), *shapes_, wakeups_, metrics_};
};

TEST_F(EventPagesTest, EmptyLogIsAnEmptyPage) {
  EXPECT_EQ(log_page(source_, {}, {}, budget_)->body, R"({"events":[],"next":null,"head":0})");
}

TEST_F(EventPagesTest, LogPageSaysWhereTheNextBegins) {
  append("a-1", {"T", "T"});
  append("b-1", {"T"});
  const LogPage log = *store().read_log({});
  ASSERT_EQ(log.events.size(), 3u);
  EXPECT_EQ(log_page(source_, {.limit = 2}, {}, budget_)->body, R"({"events":[)" + event_json(log.events[0]) +
                                                                    "," + event_json(log.events[1]) +
                                                                    R"(],"next":3,"head":3})");
  EXPECT_EQ(log_page(source_, {.from = GlobalPosition{3}}, {}, budget_)->body,
            R"({"events":[)" + event_json(log.events[2]) + R"(],"next":null,"head":3})");
}

// Positions alone do not exclude an event that was appended after the times were resolved to positions.
TEST_F(EventPagesTest, EventsOutsideOfTheTimesAreNotOnThePage) {
  append("a-1", {"T"});
  clock().advance(test::ManualClock::kSecond);
  append("a-1", {"T"});
  clock().advance(test::ManualClock::kSecond);
  append("a-1", {"T"});
  const LogPage log = *store().read_log({});
  ASSERT_EQ(log.events.size(), 3u);
  const WantedEvents second{.recorded_from = log.events[1].recorded_at,
                            .recorded_until = log.events[2].recorded_at};
  EXPECT_EQ(log_page(source_, {}, second, budget_)->body,
            R"({"events":[)" + event_json(log.events[1]) + R"(],"next":null,"head":3})");
  EXPECT_EQ(log_page(source_, {.from = GlobalPosition{3}}, second, budget_)->body,
            R"({"events":[],"next":null,"head":3})");
}

TEST_F(EventPagesTest, StreamPageHasTheStreamsVersion) {
  append("a-1", {"T", "T"});
  const LogPage log = *store().read_log({});
  ASSERT_EQ(log.events.size(), 2u);
  EXPECT_EQ(stream_page(source_, "a-1", {.limit = 1}, {}, budget_)->body,
            R"({"stream":"a-1","version":2,"events":[)" + event_json(log.events[0]) + R"(],"next":2})");
  EXPECT_EQ(stream_page(source_, "a-2", {}, {}, budget_).error().status(), 404);
}

// Work ends when its client has left, and when it has taken more than a request may.
TEST_F(EventPagesTest, APageEndsWithItsBudget) {
  append("a-1", std::vector<NewEvent>(3'000, test::event("T")));
  WorkBudget cancelled;
  cancelled.cancel();
  EXPECT_FALSE(log_page(source_, {.limit = 3'000}, {}, cancelled).ok());
  WorkBudget small({.steps = 1'500});
  const auto refused = stream_page(source_, "a-1", {.limit = 3'000}, {}, small);
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().status(), 503);
  EXPECT_EQ(refused.error().slug(), "budget-exceeded");
  EXPECT_THAT(refused.error().detail(), testing::HasSubstr("of 3000 events of the page were read"));
}

}  // namespace
}  // namespace cairn::api
