#include "eventstore/base/uuid.h"

#include <set>

#include <gtest/gtest.h>

namespace cairn {
namespace {

TEST(UuidTest, PrintsWhatItParsed) {
  const auto id = Uuid::parse("0191E4A0-1234-7ABC-8DEF-0123456789ab");
  ASSERT_TRUE(id.has_value());
  EXPECT_EQ(id->to_string(), "0191e4a0-1234-7abc-8def-0123456789ab");
  EXPECT_EQ(Uuid::from_halves(id->high(), id->low()), *id);
}

TEST(UuidTest, RefusesAnythingElse) {
  for (const char* text : {"", "0191e4a0-1234-7abc-8def-0123456789a", "0191e4a0-1234-7abc-8def-0123456789abc",
                           "0191e4a0x1234-7abc-8def-0123456789ab", "0191e4a0-1234-7abc-8def-0123456789ag",
                           "0191e4a012347abc8def0123456789abcdef", "{191e4a0-1234-7abc-8def-0123456789a}"}) {
    EXPECT_FALSE(Uuid::parse(text).has_value()) << text;
  }
}

TEST(UuidTest, GeneratedIdsAreVersion7AndSortByTime) {
  const Uuid early = make_uuid_v7(1'000, ~0ull, ~0ull);
  const Uuid late = make_uuid_v7(1'001, 0, 0);
  EXPECT_LT(early, late);
  EXPECT_EQ(early.to_string(), "00000000-03e8-7fff-bfff-ffffffffffff");
  EXPECT_EQ(late.to_string(), "00000000-03e9-7000-8000-000000000000");
}

TEST(UuidTest, NewIdsDiffer) {
  std::set<Uuid> ids;
  for (int i = 0; i < 10'000; ++i) ids.insert(new_event_id());
  EXPECT_EQ(ids.size(), 10'000u);
}

}  // namespace
}  // namespace cairn
