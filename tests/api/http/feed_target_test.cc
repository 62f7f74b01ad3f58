#include "api/http/feed_target.h"

#include <gtest/gtest.h>

#include "api/http/router.h"

namespace cairn::api {
namespace {

std::optional<std::string> target(std::string_view path, std::string_view query) {
  return feed_target(path, *parse_query(query));
}

TEST(FeedTargetTest, OrderAndEscapesDoNotMatter) {
  const auto one = target("/streams/a%20b/events", "type=A+B&from=1&type=C");
  EXPECT_EQ(one, "/streams/a%20b/events?from=1&type=A%20B&type=C");
  EXPECT_EQ(target("/streams/a%20%62/events", "type=C&type=A%20B&from=%31"), one);
  EXPECT_EQ(target("/streams/a%20b/events", "type=C&type=A%20B&from=1&type=%43"), one) << "given twice";
}

TEST(FeedTargetTest, NamesAndValuesAreNotMixedUp) {
  EXPECT_NE(target("/events", "tag=a%26type%3Db"), target("/events", "tag=a&type=b"));
  EXPECT_NE(target("/streams/a%2Fevents", ""), target("/streams/a/events", ""));
  EXPECT_NE(target("/events", "tag=a"), target("/events", "tag=b"));
  EXPECT_NE(target("/events", "tag=a"), target("/events", "tag=a&tag=b"));
}

TEST(FeedTargetTest, TheTicketIsNoPartOfIt) {
  EXPECT_EQ(target("/events", "category=order&ticket=ticket_x"), "/events?category=order");
  EXPECT_EQ(target("/events", "ticket=ticket_x"), "/events");
}

TEST(FeedTargetTest, ABrokenEscapeInThePathIsNone) {
  EXPECT_EQ(target("/streams/%zz/events", ""), std::nullopt);
}

}  // namespace
}  // namespace cairn::api
