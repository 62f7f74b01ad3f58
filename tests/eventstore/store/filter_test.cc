// Reading the log through a filter: categories, types, unions of each, both at once.

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "tests/support/store_fixture.h"

namespace cairn::test {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class FilterTest : public SettledStoreTest {
 protected:
  // 120 events: types A (dense), B (every 5th), C (every 40th); categories order (2 of 3) and cart, one
  // "rare-1".
  void fill() {
    for (int i = 1; i <= 120; ++i) {
      std::string type = i % 40 == 0 ? "C" : i % 5 == 0 ? "B" : "A";
      std::string stream = i == 77 ? "rare-1" : (i % 3 == 0 ? "cart-" : "order-") + std::to_string(i % 7);
      append(stream, {event(type, std::to_string(i))});
      if (i == 60) halfway();
    }
    settle();
  }

  // Compares filtered pages of every size with the whole log filtered by the test itself.
  void expect_matches(const EventFilter& filter) {
    std::vector<Event> expected;
    for (const Event& event : log({}, Direction::kForward, 1'000)) {
      auto holds = [](const std::vector<std::string>& any_of, std::string_view value) {
        return any_of.empty() || std::find(any_of.begin(), any_of.end(), value) != any_of.end();
      };
      if (holds(filter.categories, category_of(event.stream)) && holds(filter.types, event.type)) {
        expected.push_back(event);
      }
    }
    std::vector<Event> reversed(expected.rbegin(), expected.rend());
    for (std::size_t limit : {1, 2, 7, 50, 1'000}) {
      EXPECT_EQ(log(filter, Direction::kForward, limit), expected) << limit;
      EXPECT_EQ(log(filter, Direction::kBackward, limit), reversed) << limit;
    }
    for (std::uint64_t steps_max : {1, 200}) {
      LogQuery query{.limit = 50, .filter = filter, .steps_max = steps_max};
      EXPECT_EQ(value_of(read_all(store(), query)), expected) << steps_max;
      query.direction = Direction::kBackward;
      EXPECT_EQ(value_of(read_all(store(), query)), reversed) << steps_max;
    }
    expect_scanned(filter, 1, 120, expected);
    expect_scanned(filter, 31, 90, expected);
    expect_scanned(filter, 121, 200, expected);
  }

  // A scan visits those of `matching` that are in its range.
  void expect_scanned(const EventFilter& filter, std::uint64_t from, std::uint64_t to,
                      const std::vector<Event>& matching) {
    std::vector<std::uint64_t> expected;
    for (const Event& event : matching) {
      if (event.position >= from && event.position <= to) expected.push_back(event.position);
    }
    std::vector<std::uint64_t> visited;
    const auto last = value_of(store().scan({.from = {from}, .to = GlobalPosition{to}, .filter = filter},
                                            [&](const EventView& event) {
                                              visited.push_back(event.position.value);
                                              return true;
                                            }));
    EXPECT_EQ(visited, expected) << from << " to " << to;
    EXPECT_EQ(last.value, expected.empty() ? 0 : expected.back());
  }
};
CAIRN_FOR_EVERY_SETTLED(FilterTest);

TEST_P(FilterTest, OneCategory) {
  fill();
  expect_matches({{"order"}, {}});
  expect_matches({{"cart"}, {}});
  EXPECT_THAT(positions_of(log({{"rare"}, {}})), ElementsAre(77));
}

TEST_P(FilterTest, OneType) {
  fill();
  expect_matches({{}, {"A"}});
  expect_matches({{}, {"B"}});
  EXPECT_THAT(positions_of(log({{}, {"C"}})), ElementsAre(40, 80, 120));
}

TEST_P(FilterTest, SeveralCategoriesAreAUnion) {
  fill();
  expect_matches({{"cart", "rare"}, {}});
  expect_matches({{"order", "cart", "rare"}, {}});
}

TEST_P(FilterTest, SeveralTypesAreAUnion) {
  fill();
  expect_matches({{}, {"B", "C"}});
  expect_matches({{}, {"A", "B", "C"}});
}

TEST_P(FilterTest, CategoriesAndTypesIntersect) {
  fill();
  expect_matches({{"order"}, {"C"}});
  expect_matches({{"cart", "rare"}, {"A", "C"}});
  expect_matches({{"rare"}, {"B"}});
}

TEST_P(FilterTest, ADuplicateNameCountsOnce) {
  fill();
  EXPECT_EQ(log({{"cart", "cart"}, {"B", "B"}}), log({{"cart"}, {"B"}}));
}

// A term without further events costs a step for each event of the others, and no lookup.
TEST_P(FilterTest, ATermThatIsExhaustedIsNotSearchedAgain) {
  fill();
  EventFilter filter{{}, {"A", "C"}};
  for (int i = 0; i < 62; ++i) filter.types.push_back("Nothing" + std::to_string(i));
  for (const Direction direction : {Direction::kForward, Direction::kBackward}) {
    const auto page = value_of(store().read_log({.direction = direction, .limit = 1'000, .filter = filter}));
    EXPECT_GT(page.events.size(), 90u);
    EXPECT_LT(page.steps, 64u * 121 + 64 * 100 * 3) << "of 64 terms: one for each event, and three fills";
  }
}

// Category and type both have many events, and none in common.
TEST_P(FilterTest, ASearchThatFindsNothingEndsItsPagesAndGetsFurther) {
  for (int i = 1; i <= 200; ++i) append(i % 2 == 0 ? "even-1" : "odd-1", {i % 2 == 0 ? "E" : "O"});
  settle();
  for (const Direction direction : {Direction::kForward, Direction::kBackward}) {
    LogQuery query{.direction = direction, .filter = {{"even"}, {"O"}}, .steps_max = 500};
    int pages = 0;
    for (std::optional<GlobalPosition> next{GlobalPosition{0}}; next; ++pages) {
      const auto page = value_of(store().read_log(query));
      EXPECT_THAT(page.events.events(), IsEmpty());
      EXPECT_LT(page.steps, 500u + 2 * 1'200) << "one round beyond the limit";
      if (page.next && query.from) {
        EXPECT_TRUE(direction == Direction::kForward ? *page.next > *query.from : *page.next < *query.from);
      }
      next = query.from = page.next;
    }
    EXPECT_GT(pages, 1);
  }
}

TEST_P(FilterTest, UnknownNamesMatchNothing) {
  fill();
  EXPECT_THAT(log({{"nothing"}, {}}), IsEmpty());
  EXPECT_THAT(log({{}, {"Nothing"}}), IsEmpty());
  EXPECT_THAT(log({{"nothing"}, {"A"}}, Direction::kBackward), IsEmpty());
  EXPECT_THAT(log({{"orde"}, {}}), IsEmpty()) << "a prefix is not the category";
  expect_matches({{"nothing", "rare"}, {}});
}

TEST_P(FilterTest, StartsAtFrom) {
  fill();
  auto from = [&](std::uint64_t position, Direction direction) {
    LogQuery query{GlobalPosition{position}, direction, 2, {{}, {"C"}}};
    return positions_of(value_of(read_all(store(), query)));
  };
  EXPECT_THAT(from(40, Direction::kForward), ElementsAre(40, 80, 120));
  EXPECT_THAT(from(41, Direction::kForward), ElementsAre(80, 120));
  EXPECT_THAT(from(120, Direction::kForward), ElementsAre(120));
  EXPECT_THAT(from(121, Direction::kForward), IsEmpty());
  EXPECT_THAT(from(120, Direction::kBackward), ElementsAre(120, 80, 40));
  EXPECT_THAT(from(79, Direction::kBackward), ElementsAre(40));
  EXPECT_THAT(from(39, Direction::kBackward), IsEmpty());
}

TEST_P(FilterTest, TheLastPageHasNoNext) {
  fill();
  auto page = value_of(store().read_log({GlobalPosition{81}, Direction::kForward, 100, {{}, {"C"}}}));
  EXPECT_EQ(page.head, GlobalPosition{120});
  EXPECT_EQ(page.next, std::nullopt);
}

TEST_P(FilterTest, AWholeNameWithoutADashIsItsOwnCategory) {
  append("order", {"A"});
  append("order-1", {"B"});
  halfway();
  append("orders-1", {"C"});
  append("-x", {"D"});
  settle();
  EXPECT_THAT(types_of(log({{"order"}, {}})), ElementsAre("A", "B"));
  EXPECT_THAT(types_of(log({{"orders"}, {}})), ElementsAre("C"));
}

TEST_P(FilterTest, EventsAppendedAfterAFlushAreFoundToo) {
  fill();
  append("order-1", {"C", "A"});
  append("rare-2", {"B"});
  expect_matches({{"order"}, {"C"}});
  expect_matches({{"rare"}, {}});
  flush();
  expect_matches({{"rare"}, {}});
  expect_matches({{}, {"C"}});
}

TEST_P(FilterTest, ManyBlocksOfManyEventsKeepTheirOrder) {
  for (int block = 0; block < 30; ++block) {
    std::vector<NewEvent> events;
    for (int i = 0; i < 100; ++i) events.push_back(event(i % 50 == 49 ? "Sparse" : "Dense"));
    append("bulk-" + std::to_string(block % 3), events);
    if (block == 15) halfway();
  }
  settle();
  expect_matches({{}, {"Sparse"}});
  EXPECT_EQ(log({{"bulk"}, {"Dense"}}, Direction::kBackward, 999).size(), 2'940u);
}

}  // namespace
}  // namespace cairn::test
