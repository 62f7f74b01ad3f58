#include "api/http/access_record.h"

#include <gtest/gtest.h>

#include <string>

namespace cairn::api {
namespace {

TEST(AccessRecordTest, TheValueOfATicketIsLeftOut) {
  EXPECT_EQ(logged_target("/events?limit=1&type=A"), "/events?limit=1&type=A");
  EXPECT_EQ(logged_target("/events?ticket=secret"), "/events?ticket=...");
  EXPECT_EQ(logged_target("/events?a=1&ticket=sec=ret&b=2"), "/events?a=1&ticket=...&b=2");
  EXPECT_EQ(logged_target("/events?tick%65t=secret"), "/events?tick%65t=...");
  EXPECT_EQ(logged_target("/events?ticket"), "/events?ticket=...");
  EXPECT_EQ(logged_target("/events?"), "/events?");
}

TEST(AccessRecordTest, AQueryThatCannotBeParsedIsLeftOut) {
  EXPECT_EQ(logged_target("/events?a=1?ticket=secret&b=2"), "/events?...");
}

TEST(AccessRecordTest, ALongTargetIsCut) {
  const std::string target = logged_target("/" + std::string(100'000, 'x') + "?a=1");
  EXPECT_EQ(target.size(), kLoggedTargetBytesMax + 3);
  EXPECT_EQ(logged_target("/?a=" + std::string(100'000, 'x')).size(), kLoggedTargetBytesMax + 3);
}

}  // namespace
}  // namespace cairn::api
