// What the store says about its streams, one by one and in lists.

#include <string>
#include <string_view>
#include <vector>

#include "tests/support/store_fixture.h"

namespace cairn::test {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class StreamListTest : public SettledStoreTest {
 protected:
  std::vector<std::string> names(StreamListQuery query) {
    std::vector<std::string> found;
    for (const StreamInfo& info : value_of(list_all(store(), query))) found.push_back(info.stream);
    return found;
  }
};
CAIRN_FOR_EVERY_SETTLED(StreamListTest);

TEST_P(StreamListTest, InfoHasVersionPositionsAndTimes) {
  const Timestamp created = clock().now();
  append("cart-1", {"A", "B"});
  append("cart-2", {"X"});
  halfway();
  clock().advance(ManualClock::kHour);
  append("cart-1", {"C"});
  const Timestamp updated = clock().now();
  clock().advance(ManualClock::kHour);
  append("cart-2", {"Y"});
  settle();

  auto info = value_of(store().stream_info("cart-1"));
  ASSERT_TRUE(info.has_value());
  EXPECT_EQ(info->stream, "cart-1");
  EXPECT_EQ(info->version, StreamVersion{3});
  EXPECT_EQ(info->first_position, GlobalPosition{1});
  EXPECT_EQ(info->last_position, GlobalPosition{4});
  EXPECT_EQ(info->created_at.micros, created.micros);
  EXPECT_EQ(info->updated_at.micros, updated.micros);
}

TEST_P(StreamListTest, InfoOfAMissingStreamIsEmpty) {
  append("cart-1", {"A"});
  settle();
  EXPECT_FALSE(value_of(store().stream_info("cart-2")).has_value());
  EXPECT_FALSE(value_of(store().stream_info("cart")).has_value());
  EXPECT_FALSE(value_of(store().stream_info("cart-11")).has_value());
}

TEST_P(StreamListTest, TheListHasTheSameInfosInByteOrder) {
  for (const char* name : {"b-2", "a-1", "b-10", "B-1", "ä-1", "b", "$x"}) {
    AppendRequest made = request({to(name, ExpectedVersion::any(), {event("A")})});
    made.origin = Origin::kSystem;
    ASSERT_THAT(submit(made), succeeds());
    if (std::string_view(name) == "b-10") halfway();
  }
  append("a-1", {"B"});
  settle();
  EXPECT_THAT(names({}), ElementsAre("$x", "B-1", "a-1", "b", "b-10", "b-2", "ä-1"));
  for (const StreamInfo& listed : value_of(list_all(store(), {}))) {
    auto alone = value_of(store().stream_info(listed.stream));
    ASSERT_TRUE(alone.has_value()) << listed.stream;
    EXPECT_EQ(listed.version, alone->version);
    EXPECT_EQ(listed.first_position, alone->first_position);
    EXPECT_EQ(listed.last_position, alone->last_position);
    EXPECT_EQ(listed.created_at.micros, alone->created_at.micros);
    EXPECT_EQ(listed.updated_at.micros, alone->updated_at.micros);
  }
}

TEST_P(StreamListTest, PagesFollowEachOther) {
  std::vector<std::string> all;
  for (int i = 10; i < 37; ++i) all.push_back("cart-" + std::to_string(i));
  for (std::size_t i = 0; i < all.size(); ++i) {
    append(all[(i * 10) % all.size()], {"A"});
    if (i == all.size() / 2) halfway();
  }
  settle();
  for (std::size_t limit = 1; limit <= all.size() + 1; ++limit) {
    EXPECT_EQ(names({.category = "", .prefix = "", .after = "", .limit = limit}), all) << limit;
  }
  StreamList exactly =
      value_of(store().list_streams({.category = "", .prefix = "", .after = "", .limit = all.size()}));
  EXPECT_EQ(exactly.streams.size(), all.size());
  EXPECT_EQ(exactly.next, std::nullopt) << "there are no more";
}

TEST_P(StreamListTest, AfterIsStrict) {
  append("a-1", {"A"});
  append("a-2", {"A"});
  halfway();
  append("a-3", {"A"});
  settle();
  EXPECT_THAT(names({.category = "", .prefix = "", .after = "a-1"}), ElementsAre("a-2", "a-3"));
  EXPECT_THAT(names({.category = "", .prefix = "", .after = "a-1x"}), ElementsAre("a-2", "a-3"));
  EXPECT_THAT(names({.category = "", .prefix = "", .after = "a-3"}), IsEmpty());
}

TEST_P(StreamListTest, ByCategory) {
  for (const char* name : {"cart-1", "order-1", "order-2", "order", "orders-1", "orde-1", "order.x-1"})
    append(name, {"A"});
  halfway();
  append("order-3", {"A"});
  settle();
  EXPECT_THAT(names({.category = "order", .prefix = "", .after = ""}),
              ElementsAre("order", "order-1", "order-2", "order-3"));
  EXPECT_THAT(names({.category = "order", .prefix = "", .after = "order-1", .limit = 1}),
              ElementsAre("order-2", "order-3"));
  EXPECT_THAT(names({.category = "nothing", .prefix = "", .after = ""}), IsEmpty());
}

TEST_P(StreamListTest, ByPrefix) {
  for (const char* name : {"cart-1", "order-1", "order-11", "order-2", "orders-1"}) append(name, {"A"});
  halfway();
  append("order-12", {"A"});
  settle();
  EXPECT_THAT(names({.category = "", .prefix = "order-1", .after = "", .limit = 2}),
              ElementsAre("order-1", "order-11", "order-12"));
  EXPECT_THAT(names({.category = "", .prefix = "order-1", .after = "order-11"}), ElementsAre("order-12"));
  EXPECT_THAT(names({.category = "", .prefix = "zzz", .after = ""}), IsEmpty());
  EXPECT_THAT(names({.category = "order", .prefix = "order-1", .after = ""}),
              ElementsAre("order-1", "order-11", "order-12"));
  EXPECT_THAT(names({.category = "cart", .prefix = "order-1", .after = ""}), IsEmpty());
}

TEST_P(StreamListTest, FlushedAndUnflushedStreamsMerge) {
  for (int i = 0; i < 40; i += 2) append("s-" + std::to_string(100 + i), {"A"});
  flush();
  for (int i = 1; i < 40; i += 2) append("s-" + std::to_string(100 + i), {"A"});
  append("s-110", {"B"});
  halfway();
  settle();
  auto listed = value_of(list_all(store(), {.category = "s", .prefix = "", .after = "", .limit = 7}));
  ASSERT_EQ(listed.size(), 40u);
  for (int i = 0; i < 40; ++i) {
    EXPECT_EQ(listed[i].stream, "s-" + std::to_string(100 + i));
    EXPECT_EQ(listed[i].version.value, i == 10 ? 2u : 1u);
  }
}

}  // namespace
}  // namespace cairn::test
