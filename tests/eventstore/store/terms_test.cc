// Reading the log by all terms of the index, and counting them, against a list of all events that the test keeps.

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include "eventstore/index/index.h"
#include "tests/support/format_1_index.h"
#include "tests/support/random.h"
#include "tests/support/scale.h"
#include "tests/support/store_fixture.h"

namespace cairn::test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// What the test knows of an event.
struct Known {
  std::string category;
  std::string type;
  std::vector<std::string> tags;
  std::string correlation;
  bool system = false;
};

class TermsTest : public StoreTest {
 protected:
  TermsTest() {
    options().tail_events_flush = 3'000;
    options().log_format = LogFormat::k2;
  }

  void SetUp() override { store(); }

  NewEvent random_event(Random& random, Known& known) {
    known.type = "T" + std::to_string(random.below(random.one_in(4) ? 40 : 4));
    NewEvent event = test::event(known.type);
    for (std::uint64_t tags = random.below(4); tags > 0; --tags) {
      std::string tag = random.one_in(3) ? "order:" + std::to_string(random.below(1'000'000))
                                         : "customer:" + std::to_string(random.below(50));
      event.tags.push_back(tag);
      if (random.one_in(10)) event.tags.push_back(tag);  // twice
      known.tags.push_back(std::move(tag));
    }
    if (random.one_in(2)) {
      known.correlation =
          random.one_in(2) ? "c-" + std::to_string(random.below(200)) : "u-" + std::to_string(next_++);
      event.metadata = R"({"other":{"correlationId":"no"},"correlationId":")" + known.correlation + R"("})";
    }
    return event;
  }

  // Appends some events to random streams, most in categories that many have.
  void append_some(Random& random, std::size_t count) {
    while (count > 0) {
      AppendRequest request;
      std::map<std::string, std::size_t> streams;
      const std::size_t size = std::min<std::size_t>(count, 1 + random.below(200));
      std::vector<std::pair<std::string, NewEvent>> events;
      std::vector<Known> knowns;
      const bool system = random.one_in(20);
      if (system) request.origin = Origin::kSystem;
      for (std::size_t i = 0; i < size; ++i) {
        Known known;
        NewEvent event = random_event(random, known);
        known.system = system && random.one_in(3);
        known.category = known.system        ? "$test"
                         : random.one_in(10) ? "own" + std::to_string(next_++)
                                             : "cat" + std::to_string(random.below(5));
        const std::string stream = known.category + "-" + std::to_string(random.below(100));
        const auto [place, added] = streams.try_emplace(stream, request.streams.size());
        if (added) request.streams.push_back({.stream = stream});
        request.streams[place->second].events.push_back(std::move(event));
        grouped_[place->second].push_back(std::move(known));
      }
      ASSERT_THAT(submit(std::move(request)), succeeds());
      for (auto& [place, group] : grouped_) {
        for (Known& known : group) events_.push_back(std::move(known));
      }
      grouped_.clear();
      count -= size;
    }
  }

  EventFilter random_filter(Random& random) {
    EventFilter filter;
    const Known& like = random.pick(events_);
    if (random.one_in(2)) {
      if (!like.tags.empty()) filter.tags.push_back(random.pick(like.tags));
      if (like.tags.size() > 1 && random.one_in(2)) filter.tags.push_back(like.tags.front());
    }
    if (random.one_in(4)) filter.tags.push_back("customer:" + std::to_string(random.below(60)));
    if (random.one_in(3)) filter.correlation = like.correlation;
    if (random.one_in(3)) filter.categories = {like.category, "cat" + std::to_string(random.below(6))};
    if (random.one_in(3)) filter.types = {like.type, "T" + std::to_string(random.below(40))};
    filter.system = !random.one_in(3);
    return filter;
  }

  static bool matches(const Known& event, const EventFilter& filter) {
    const auto any = [](const std::vector<std::string>& of, const std::string& value) {
      return of.empty() || std::find(of.begin(), of.end(), value) != of.end();
    };
    return any(filter.categories, event.category) && any(filter.types, event.type) &&
           std::all_of(filter.tags.begin(), filter.tags.end(),
                       [&](const std::string& tag) {
                         return std::find(event.tags.begin(), event.tags.end(), tag) != event.tags.end();
                       }) &&
           (filter.correlation.empty() || filter.correlation == event.correlation) &&
           (filter.system || !event.system);
  }

  // Most queries have one item.
  void expect_agreement(Random& random, const EventFilter& filter) {
    EventQuery others;
    while (random.one_in(3) && others.size() < 4) {
      others.push_back(random_filter(random));
      if (filter.looks_at_events()) continue;
      others.back().tags.clear();  // names only, which an index of format 1 has, too
      others.back().correlation.clear();
    }
    const std::uint64_t low = 1 + random.below(events_.size()), high = low + random.below(events_.size());
    const bool forward = random.one_in(2);
    std::vector<std::uint64_t> expected;
    for (std::uint64_t position = low; position <= std::min<std::uint64_t>(high, events_.size());
         ++position) {
      const Known& event = events_[position - 1];
      if (matches(event, filter) || std::any_of(others.begin(), others.end(), [&](const EventFilter& other) {
            return matches(event, other);
          })) {
        expected.push_back(position);
      }
    }
    if (!forward) std::reverse(expected.begin(), expected.end());
    LogQuery query{.from = GlobalPosition{forward ? low : high},
                   .direction = forward ? Direction::kForward : Direction::kBackward,
                   .limit = 1 + random.below(300),
                   .filter = filter,
                   .or_any_of = others,
                   .until = GlobalPosition{forward ? high : low}};
    if (random.one_in(4)) query.steps_max = 1 + random.below(2'000);
    EXPECT_EQ(positions_of(value_of(read_all(store(), query))), expected) << low << " to " << high;
  }

  void expect_counts(CountedTerm of, const std::string& prefix, std::size_t limit) {
    std::map<std::string, std::uint64_t> expected;
    for (const Known& event : events_) {
      std::vector<std::string> terms = of == CountedTerm::kTag        ? event.tags
                                       : of == CountedTerm::kCategory ? std::vector{event.category}
                                                                      : std::vector{event.type};
      std::sort(terms.begin(), terms.end());
      terms.erase(std::unique(terms.begin(), terms.end()), terms.end());
      for (const std::string& term : terms)
        if (term.starts_with(prefix)) ++expected[term];
    }
    std::map<std::string, std::uint64_t> counted;
    CountQuery query{.of = of, .prefix = prefix, .limit = limit};
    for (;;) {
      const CountList list = value_of(store().count_terms(query));
      EXPECT_EQ(list.head.value, events_.size());
      EXPECT_LE(list.terms.size(), limit);
      for (const auto& [term, events] : list.terms) EXPECT_TRUE(counted.emplace(term, events).second) << term;
      if (!list.next) break;
      query.after = *list.next;
    }
    EXPECT_EQ(counted, expected);
  }

  void expect_all_agree(Random& random, std::size_t queries) {
    for (; queries > 0; --queries) {
      expect_agreement(random, random_filter(random));
      if (HasFailure()) return;
    }
    expect_counts(CountedTerm::kCategory, "", 1 + random.below(300));
    expect_counts(CountedTerm::kType, "T1", 1 + random.below(5));
    expect_counts(CountedTerm::kTag, "customer:", 7 + random.below(100));
    expect_counts(CountedTerm::kTag, "order:1", 1'000);
  }

  std::vector<Known> events_;  // by position
  std::map<std::size_t, std::vector<Known>> grouped_;
  std::uint64_t next_ = 1;
};

// Across flushes, merges and reopenings.
TEST_F(TermsTest, RandomQueriesAgreeWithAScan) {
  Random random("TermsTest");
  const std::size_t rounds = 10;
  const std::size_t events = test::rounds(100'000, 1'000'000);
  for (std::size_t round = 0; round < rounds; ++round) {
    append_some(random, events / rounds);
    expect_all_agree(random, 40);
    if (HasFailure()) return;
    if (round % 3 == 1) reopen();
    if (round % 3 == 2) flush();
  }
  EXPECT_GT(store().stats().flushes, 0u);
  expect_sound();
  std::filesystem::remove_all(folder() / "index");
  open();
  expect_all_agree(random, 40);
  expect_sound();
}

// Each flush a run: merges keep them few while the store is open, without one appended event.
TEST_F(TermsTest, RunsAreMergedInTheBackground) {
  Random random("TermsMergeTest");
  for (int i = 0; i < 40; ++i) {
    append_some(random, 100);
    flush();
  }
  reopen();
  for (const auto start = std::chrono::steady_clock::now();;) {
    close();
    std::size_t runs = 0;
    {
      const auto index = value_of(
          Index::open(folder() / "index", {.map_bytes = 64u << 20, .access = lmdb::Access::kReadOnly}));
      const auto reader = index->read();
      ASSERT_THAT(reader, succeeds());
      runs = value_of(reader->runs())->runs.size();
    }
    open();
    if (runs <= 12) break;
    ASSERT_LT(std::chrono::steady_clock::now() - start, std::chrono::minutes(2)) << runs << " runs are left";
    std::this_thread::sleep_for(std::chrono::milliseconds(20));  // the merges are on a thread of the store
  }
  expect_all_agree(random, 20);
  expect_sound();
}

TEST_F(TermsTest, AnEventHasATagOnce) {
  NewEvent event = test::event("A");
  event.tags = {"a", "b", "a"};
  append("cart-1", {event});
  for (int i = 0; i < 2; ++i) {
    const CountList counts = value_of(store().count_terms({.of = CountedTerm::kTag}));
    EXPECT_THAT(counts.terms, ElementsAre(CountList::Entry{"a", 1}, CountList::Entry{"b", 1}));
    EXPECT_THAT(positions_of(log({.tags = {"a", "b"}})), ElementsAre(1));
    reopen();
  }
  expect_sound();
}

TEST_F(TermsTest, OnlyAStringAtTheTopOfMetadataIsACorrelation) {
  const auto add = [&](const char* metadata) {
    NewEvent event = test::event("A");
    event.metadata = metadata;
    append("cart-1", {event});
  };
  add(R"({"correlationId":"x"})");
  add(R"({ "a" : "}" , "correlationId" : "x" })");
  add(R"({"in":{"correlationId":"x"}})");
  add(R"({"correlationId":7})");
  add(R"({"note":"correlationId","x":"x"})");
  add(R"({"correlationId":"\u0078"})");
  for (int i = 0; i < 2; ++i) {
    EXPECT_THAT(positions_of(log({.correlation = "x"})), ElementsAre(1, 2, 6));
    EXPECT_THAT(positions_of(log({.correlation = "y"})), IsEmpty());
    reopen();
  }
}

// A name may begin with '-': its category is empty.
TEST_F(TermsTest, TheEmptyCategoryIsOne) {
  append("-1", {"A"});
  append("cart-1", {"A"});
  for (int i = 0; i < 2; ++i) {
    EXPECT_THAT(positions_of(log({.categories = {""}})), ElementsAre(1));
    CountQuery query{.limit = 1};
    CountList counts = value_of(store().count_terms(query));
    EXPECT_THAT(counts.terms, ElementsAre(CountList::Entry{"", 1}));
    query.after = counts.next;
    counts = value_of(store().count_terms(query));
    EXPECT_THAT(counts.terms, ElementsAre(CountList::Entry{"cart", 1}));
    EXPECT_EQ(counts.next, std::nullopt);
    reopen();
  }
  expect_sound();
}

TEST_F(TermsTest, TimesAreFoundByPosition) {
  const auto first_at = [&](std::int64_t micros) {
    return value_of(store().first_recorded_at({micros})).value;
  };
  EXPECT_EQ(first_at(0), 1u) << "an empty log";
  std::vector<std::int64_t> times;
  Random random("TimesTest");
  for (int i = 0; i < 300; ++i) {
    if (random.one_in(2)) clock().advance(static_cast<std::int64_t>(random.below(100)));
    append("cart-1", std::vector<NewEvent>(1 + random.below(3), event("A")));
  }
  for (const Event& event : log()) times.push_back(event.recorded_at);
  for (int i = 0; i < 500; ++i) {
    const std::int64_t time = random.pick(times) + static_cast<std::int64_t>(random.below(3)) - 1;
    const auto found = std::lower_bound(times.begin(), times.end(), time);
    EXPECT_EQ(first_at(time), static_cast<std::uint64_t>(found - times.begin()) + 1);
  }
}

// An index that version 0.1 wrote: names are found at once, the rest when the log was read.
TEST_F(TermsTest, AnIndexOfFormat1IsExtendedWhileTheStoreServes) {
  Random random("TermsFormat1Test");
  append_some(random, test::rounds(20'000, 300'000));
  const std::size_t older = events_.size();
  close();
  ASSERT_THAT(make_format_1_index(folder()), succeeds());
  EXPECT_TRUE(value_of(verify_store(folder())).sound());
  open();
  for (bool complete = false; !complete;) {
    complete = store().index_progress().complete();
    const auto tagged = store().read_log({.filter = {.tags = {"customer:1"}}});
    const auto counts = store().count_terms({});
    if (complete) {
      EXPECT_THAT(tagged, succeeds());
      EXPECT_THAT(counts, succeeds());
    } else if (!tagged.ok()) {
      EXPECT_THAT(tagged, fails_with(Errc::kNotYet));
      EXPECT_EQ(tagged.error().limit, older);
      EXPECT_LT(tagged.error().position.value_or(older), older);
    }
    EventFilter names = random_filter(random);
    names.tags.clear();
    names.correlation.clear();
    expect_agreement(random, names);
    append_some(random, 10);
    if (HasFailure()) return;
  }
  expect_all_agree(random, 40);
  expect_sound();
  open();
  EXPECT_TRUE(store().index_progress().complete());
  expect_all_agree(random, 40);
}

}  // namespace
}  // namespace cairn::test
