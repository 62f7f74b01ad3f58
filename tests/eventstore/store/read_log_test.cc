// Reading the whole log: pages, directions, scanning.

#include <algorithm>
#include <string>
#include <vector>

#include "tests/support/store_fixture.h"

namespace cairn::test {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class ReadLogTest : public SettledStoreTest {
 protected:
  // Positions 1…count, in blocks of one, two and three events.
  void fill(int count) {
    int written = 0;
    for (int i = 0; written < count; ++i) {
      int size = std::min(1 + i % 3, count - written);
      std::vector<NewEvent> events;
      for (int j = 0; j < size; ++j) events.push_back(event("T" + std::to_string(++written)));
      append("cart-" + std::to_string(i % 4), events);
      if (written <= count / 2 && written + 3 > count / 2) halfway();
    }
    settle();
  }
  LogPage page(LogQuery query) { return value_of(store().read_log(query)); }
  static std::vector<std::uint64_t> positions(const LogPage& page) {
    std::vector<std::uint64_t> found;
    for (const EventView& event : page.events) found.push_back(event.position.value);
    return found;
  }
};
CAIRN_FOR_EVERY_SETTLED(ReadLogTest);

TEST_P(ReadLogTest, ForwardPagesFollowEachOther) {
  fill(10);
  LogPage first = page({.from = {}, .limit = 4, .filter = {}});
  EXPECT_THAT(positions(first), ElementsAre(1, 2, 3, 4));
  EXPECT_EQ(first.head, GlobalPosition{10});
  ASSERT_EQ(first.next, GlobalPosition{5});
  LogPage second = page({.from = first.next, .limit = 6, .filter = {}});
  EXPECT_THAT(positions(second), ElementsAre(5, 6, 7, 8, 9, 10));
  EXPECT_EQ(second.next, std::nullopt) << "the head is reached";
}

TEST_P(ReadLogTest, BackwardPagesFollowEachOther) {
  fill(10);
  LogPage first = page({.from = {}, .direction = Direction::kBackward, .limit = 4, .filter = {}});
  EXPECT_THAT(positions(first), ElementsAre(10, 9, 8, 7));
  ASSERT_EQ(first.next, GlobalPosition{6});
  LogPage second = page({.from = first.next, .direction = Direction::kBackward, .limit = 6, .filter = {}});
  EXPECT_THAT(positions(second), ElementsAre(6, 5, 4, 3, 2, 1));
  EXPECT_EQ(second.next, std::nullopt);
}

TEST_P(ReadLogTest, EveryPageSizeAndDirectionGivesTheSameEvents) {
  fill(17);
  auto forward = log({}, Direction::kForward, 1'000);
  ASSERT_EQ(forward.size(), 17u);
  std::vector<Event> backward(forward.rbegin(), forward.rend());
  for (std::size_t limit = 1; limit <= 18; ++limit) {
    EXPECT_EQ(log({}, Direction::kForward, limit), forward) << limit;
    EXPECT_EQ(log({}, Direction::kBackward, limit), backward) << limit;
  }
}

TEST_P(ReadLogTest, StartsInTheMiddleOfABlock) {
  fill(10);
  for (std::uint64_t from = 1; from <= 10; ++from) {
    LogPage forward = page({.from = GlobalPosition{from}, .limit = 1, .filter = {}});
    EXPECT_THAT(positions(forward), ElementsAre(from));
    LogPage backward =
        page({.from = GlobalPosition{from}, .direction = Direction::kBackward, .limit = 1, .filter = {}});
    EXPECT_THAT(positions(backward), ElementsAre(from));
  }
}

TEST_P(ReadLogTest, BeyondTheHeadIsEmpty) {
  fill(3);
  LogPage beyond = page({.from = GlobalPosition{4}, .filter = {}});
  EXPECT_TRUE(beyond.events.empty());
  EXPECT_EQ(beyond.next, std::nullopt);
  EXPECT_EQ(beyond.head, GlobalPosition{3});
  LogPage backward = page({.from = GlobalPosition{99}, .direction = Direction::kBackward, .filter = {}});
  EXPECT_THAT(positions(backward), ElementsAre(3, 2, 1));
}

TEST_P(ReadLogTest, AnEmptyLogHasNoPagesAndNoHead) {
  settle();
  EXPECT_EQ(head(), 0u);
  EXPECT_THAT(log(), IsEmpty());
  EXPECT_THAT(log({}, Direction::kBackward), IsEmpty());
  EXPECT_EQ(value_of(store().scan({}, [](const EventView&) { return true; })), GlobalPosition{0});
  EXPECT_TRUE(value_of(store().list_streams({})).streams.empty());
}

TEST_P(ReadLogTest, ScanVisitsTheSameEventsAsPages) {
  fill(20);
  EXPECT_EQ(value_of(scan_all(store())), log());
  auto later = value_of(scan_all(store(), {8}));
  ASSERT_EQ(later.size(), 13u);
  EXPECT_EQ(later[0].position, 8u);
  EXPECT_THAT(value_of(scan_all(store(), {21})), IsEmpty());
}

TEST_P(ReadLogTest, ScanStopsWhenTheVisitorReturnsFalse) {
  fill(20);
  std::vector<std::uint64_t> seen;
  auto last = value_of(store().scan({.from = {3}}, [&](const EventView& event) {
    seen.push_back(event.position.value);
    return seen.size() < 4;
  }));
  EXPECT_THAT(seen, ElementsAre(3, 4, 5, 6));
  EXPECT_EQ(last, GlobalPosition{6});
}

TEST_P(ReadLogTest, HeadHashDependsOnTheContents) {
  fill(5);
  std::string hash = store().head_hash();
  EXPECT_FALSE(hash.empty());
  reopen();
  EXPECT_EQ(store().head_hash(), hash);
  append("cart-1", {"More"});
  EXPECT_NE(store().head_hash(), hash);
}

TEST_P(ReadLogTest, TheStoreIdIsStableAndUnique) {
  fill(2);
  std::string own = store().store_id();
  EXPECT_FALSE(own.empty());
  reopen();
  EXPECT_EQ(store().store_id(), own);
  TempFolder other;
  auto other_store = value_of(EventStore::open(other / "data", small_store()));
  ASSERT_NE(other_store, nullptr);
  EXPECT_NE(other_store->store_id(), own);
}

TEST_P(ReadLogTest, StatsCountWhatHappened) {
  fill(6);
  reopen();
  append("cart-1", {event(id(1), "A"), event(id(2), "B")});
  append("cart-1", {event(id(1), "A"), event(id(2), "B")});
  EXPECT_THAT(append_expecting("cart-1", 1'000, {event("C")}), fails_with(Errc::kVersionConflict));
  EXPECT_THAT(append_expecting("", 0, {event("C")}), fails_with(Errc::kInvalidArgument));
  StoreStats stats = store().stats();
  EXPECT_EQ(stats.appends, 2u);
  EXPECT_EQ(stats.already_applied, 1u);
  EXPECT_EQ(stats.conflicts, 1u);
  EXPECT_EQ(stats.refused, 1u);
  EXPECT_GE(stats.commits, 1u);
  EXPECT_GT(stats.log_bytes, 0u);
}

}  // namespace
}  // namespace cairn::test
