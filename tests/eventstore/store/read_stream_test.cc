// Reading one stream, page by page, in both directions.

#include <string>
#include <vector>

#include "eventstore/base/limits.h"
#include "tests/support/store_fixture.h"

namespace cairn::test {
namespace {

using ::testing::ElementsAre;

class ReadStreamTest : public SettledStoreTest {
 protected:
  // Stream "cart-1" with versions 1…count, between events of other streams.
  void fill(int count) {
    for (int i = 1; i <= count; ++i) {
      append("cart-1", {event("T" + std::to_string(i))});
      if (i % 3 == 0) append("other-" + std::to_string(i), {"Noise"});
      if (i == count / 2) halfway();
    }
    settle();
  }
  StreamPage page(StreamQuery query) { return value_of(store().read_stream("cart-1", query)); }
  static std::vector<std::uint64_t> versions(const StreamPage& page) {
    std::vector<std::uint64_t> found;
    for (const EventView& event : page.events) found.push_back(event.version.value);
    return found;
  }
};
CAIRN_FOR_EVERY_SETTLED(ReadStreamTest);

TEST_P(ReadStreamTest, ForwardPagesFollowEachOther) {
  fill(10);
  StreamPage first = page({.from = {}, .limit = 4});
  EXPECT_THAT(versions(first), ElementsAre(1, 2, 3, 4));
  EXPECT_EQ(first.version, StreamVersion{10});
  ASSERT_EQ(first.next, StreamVersion{5});
  StreamPage second = page({.from = first.next, .limit = 4});
  EXPECT_THAT(versions(second), ElementsAre(5, 6, 7, 8));
  StreamPage third = page({.from = second.next, .limit = 4});
  EXPECT_THAT(versions(third), ElementsAre(9, 10));
  EXPECT_EQ(third.next, std::nullopt);
}

TEST_P(ReadStreamTest, BackwardPagesFollowEachOther) {
  fill(10);
  StreamPage first = page({.from = {}, .direction = Direction::kBackward, .limit = 4});
  EXPECT_THAT(versions(first), ElementsAre(10, 9, 8, 7));
  ASSERT_EQ(first.next, StreamVersion{6});
  StreamPage second = page({.from = first.next, .direction = Direction::kBackward, .limit = 4});
  EXPECT_THAT(versions(second), ElementsAre(6, 5, 4, 3));
  StreamPage third = page({.from = second.next, .direction = Direction::kBackward, .limit = 4});
  EXPECT_THAT(versions(third), ElementsAre(2, 1));
  EXPECT_EQ(third.next, std::nullopt);
}

TEST_P(ReadStreamTest, EveryPageSizeGivesTheSameEvents) {
  fill(13);
  auto forward = events_in("cart-1", Direction::kForward, 1000);
  ASSERT_EQ(forward.size(), 13u);
  std::vector<Event> backward(forward.rbegin(), forward.rend());
  for (std::size_t limit = 1; limit <= 14; ++limit) {
    EXPECT_EQ(events_in("cart-1", Direction::kForward, limit), forward) << limit;
    EXPECT_EQ(events_in("cart-1", Direction::kBackward, limit), backward) << limit;
  }
}

TEST_P(ReadStreamTest, StartsAtFrom) {
  fill(10);
  EXPECT_THAT(versions(page({.from = StreamVersion{9}})), ElementsAre(9, 10));
  EXPECT_THAT(versions(page({.from = StreamVersion{1}, .limit = 1})), ElementsAre(1));
  EXPECT_THAT(versions(page({.from = StreamVersion{2}, .direction = Direction::kBackward})),
              ElementsAre(2, 1));
  EXPECT_THAT(versions(page({.from = StreamVersion{1}, .direction = Direction::kBackward})), ElementsAre(1));
}

TEST_P(ReadStreamTest, BeyondTheEndForwardIsEmptyAndBackwardBeginsAtTheNewest) {
  fill(3);
  StreamPage beyond = page({.from = StreamVersion{4}});
  EXPECT_TRUE(beyond.events.empty());
  EXPECT_EQ(beyond.next, std::nullopt);
  EXPECT_EQ(beyond.version, StreamVersion{3});
  EXPECT_THAT(versions(page({.from = StreamVersion{1'000}, .direction = Direction::kBackward})),
              ElementsAre(3, 2, 1));
}

TEST_P(ReadStreamTest, AStreamThatDoesNotExistIsNotFound) {
  fill(3);
  EXPECT_THAT(store().read_stream("cart-2", {}), fails_with(Errc::kNotFound));
  EXPECT_THAT(store().read_stream("cart-", {}), fails_with(Errc::kNotFound));
  EXPECT_THAT(store().read_stream("cart-11", {}), fails_with(Errc::kNotFound));
}

TEST_P(ReadStreamTest, NamesNoStreamCanHaveAreNotFoundEither) {
  fill(3);
  for (const std::string& name : {std::string(), std::string(201, 'a'), std::string(600, 'a'),
                                  std::string("a\0b", 3), std::string("\xff")}) {
    EXPECT_THAT(store().read_stream(name, {}), fails_with_either(Errc::kNotFound, Errc::kInvalidArgument))
        << name.size();
    auto info = store().stream_info(name);
    EXPECT_TRUE(info.ok() ? !info->has_value() : info.error().code == Errc::kInvalidArgument) << name.size();
    EXPECT_EQ(log({{name}, {}}).size(), 0u) << name.size();
    EXPECT_EQ(log({{}, {name}}, Direction::kBackward).size(), 0u) << name.size();
    if (name.empty()) continue;
    for (const StreamListQuery& query : {StreamListQuery{name, "", ""}, StreamListQuery{"", name, ""}}) {
      EXPECT_EQ(value_of(list_all(store(), query)).size(), 0u) << name.size();
    }
    EXPECT_THAT(list_all(store(), {.category = "", .prefix = "", .after = name}), succeeds());
  }
}

TEST_P(ReadStreamTest, NamesThatArePrefixesOfEachOtherAreDistinct) {
  append("a", {"A"});
  append("a-", {"B"});
  append("a-1", {"C"});
  halfway();
  append("a-11", {"D"});
  append("a-1", {"E"});
  settle();
  EXPECT_THAT(types_in("a"), ElementsAre("A"));
  EXPECT_THAT(types_in("a-"), ElementsAre("B"));
  EXPECT_THAT(types_in("a-1"), ElementsAre("C", "E"));
  EXPECT_THAT(types_in("a-11"), ElementsAre("D"));
}

TEST_P(ReadStreamTest, EventsAppendedAfterAFlushFollowTheEarlierOnes) {
  fill(5);
  append("cart-1", {"New"});
  EXPECT_EQ(events_in("cart-1", Direction::kForward, 2).size(), 6u);
  auto backward = events_in("cart-1", Direction::kBackward, 4);
  ASSERT_EQ(backward.size(), 6u);
  EXPECT_EQ(backward[0].type, "New");
  EXPECT_EQ(backward[5].type, "T1");
}

TEST_P(ReadStreamTest, APageNeverHoldsMoreBytesThanItsBound) {
  const std::size_t each = limits::kEventBytesMax;
  for (int i = 0; i < 10; ++i) append("cart-1", {sized_event(each)});  // 80 MiB
  settle();
  StreamPage first = page({.from = {}, .limit = 100});
  EXPECT_GE(first.events.size(), 1u);
  EXPECT_LE(first.events.size() * each, limits::kPageBytesMax);
  EXPECT_TRUE(first.next.has_value());
  EXPECT_EQ(events_in("cart-1").size(), 10u);
  EXPECT_EQ(events_in("cart-1", Direction::kBackward).size(), 10u);
}

TEST_P(ReadStreamTest, APageOutlivesTheStoresNextWrites) {
  fill(5);
  StreamPage kept = page({});
  std::vector<Event> before;
  for (const EventView& event : kept.events) before.push_back(owned(event));
  StreamPage moved = std::move(kept);
  for (int i = 0; i < 50; ++i) append("cart-1", {sized_event(5'000)});
  flush();
  close();
  std::vector<Event> after;
  for (const EventView& event : moved.events) after.push_back(owned(event));
  EXPECT_EQ(before, after);
}

}  // namespace
}  // namespace cairn::test
