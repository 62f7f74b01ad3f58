// Appends and reads from many threads are linearizable.

#include <atomic>
#include <chrono>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "tests/support/history.h"
#include "tests/support/random.h"
#include "tests/support/scale.h"
#include "tests/support/store_fixture.h"

namespace cairn::test {
namespace {

constexpr std::size_t kStreams = 3;

std::int64_t now() { return std::chrono::steady_clock::now().time_since_epoch().count(); }

// What one thread recorded: a history for each stream and one for the whole log.
struct Recording {
  History streams[kStreams];
  History log;
};

class LinearizabilityTest : public StoreTest {
 protected:
  static std::string stream(std::size_t n) { return "hot-" + std::to_string(n); }

  void write(Random& random, Recording& record, std::vector<std::uint64_t>& known) {
    const std::size_t n = random.below(kStreams);
    std::vector<NewEvent> events(random.between(1, 3), event("A"));
    const bool exact = random.one_in(2);
    const ExpectedVersion expected = exact ? ExpectedVersion::exactly(known[n]) : ExpectedVersion::any();
    const std::int64_t call = now();
    auto result = append_expecting(stream(n), expected, events);
    const std::int64_t ret = now();
    if (result.ok()) {
      const StreamAppendResult& done = result->streams.at(0);
      known[n] = done.last_version.value;
      record.streams[n].appends.push_back(
          {call, ret, done.first_version.value, done.last_version.value, expected.exact()});
      record.log.appends.push_back(
          {call, ret, done.first_position.value, done.last_position.value, std::nullopt});
    } else {
      ASSERT_THAT(result, fails_with(Errc::kVersionConflict));
      ASSERT_TRUE(result.error().version.has_value());
      record.streams[n].observations.push_back({call, ret, *result.error().version, known[n]});
      known[n] = *result.error().version;
    }
  }

  void read(Random& random, Recording& record) {
    const std::size_t n = random.below(kStreams);
    const std::int64_t call = now();
    switch (random.below(5)) {
      case 0: {
        auto info = value_of(store().stream_info(stream(n)));
        record.streams[n].observations.push_back({call, now(), info ? info->version.value : 0, std::nullopt});
        break;
      }
      case 1: {
        auto page = store().read_stream(stream(n), {std::nullopt, Direction::kBackward, 2});
        if (!page.ok()) {
          ASSERT_THAT(page, fails_with(Errc::kNotFound));
          record.streams[n].observations.push_back({call, now(), 0, std::nullopt});
        } else {
          record.streams[n].observations.push_back({call, now(), page->version.value, std::nullopt});
          ASSERT_EQ(page->events[0].version, page->version) << "the newest event is in the page";
        }
        break;
      }
      case 2: {
        auto head = store().head();
        record.log.observations.push_back({call, now(), head.value, std::nullopt});
        break;
      }
      case 3: {
        auto page = value_of(store().read_log({std::nullopt, Direction::kBackward, 1, {}}));
        record.log.observations.push_back({call, now(), page.head.value, std::nullopt});
        if (page.head.value > 0) {
          ASSERT_EQ(page.events[0].position, page.head);
        }
        break;
      }
      case 4: {
        auto page = value_of(store().read_log({std::nullopt, Direction::kBackward, 1, {{"hot"}, {}}}));
        record.log.observations.push_back({call, now(), page.head.value, std::nullopt});
        if (page.head.value > 0) {
          ASSERT_EQ(page.events[0].position, page.head);
        }
        break;
      }
    }
  }

  static void add(History& all, const History& part) {
    all.appends.insert(all.appends.end(), part.appends.begin(), part.appends.end());
    all.observations.insert(all.observations.end(), part.observations.begin(), part.observations.end());
  }
};

TEST_F(LinearizabilityTest, EveryHistoryIsLinearizable) {
  options().tail_events_flush = 200;  // flushes come in between
  Random random("LinearizabilityTest");
  const std::size_t histories = rounds(4, 100);
  for (std::size_t round = 0; round < histories; ++round) {
    close();
    std::filesystem::remove_all(folder());
    store();
    constexpr std::size_t kWriters = 6, kReaders = 4;
    const std::size_t writes = rounds(250, 2'000);
    std::vector<Recording> records(kWriters + kReaders);
    std::atomic<std::size_t> writing = kWriters;
    std::vector<std::thread> threads;
    for (std::size_t i = 0; i < records.size(); ++i) {
      threads.emplace_back([&, i, seed = random.next()] {
        Random own(seed);
        std::vector<std::uint64_t> known(kStreams, 0);
        if (i < kWriters) {
          for (std::size_t n = 0; n < writes && !HasFatalFailure(); ++n) write(own, records[i], known);
          --writing;
        } else {
          while (writing > 0 && !HasFatalFailure()) read(own, records[i]);
        }
      });
    }
    for (std::thread& thread : threads) thread.join();
    ASSERT_FALSE(HasFatalFailure());
    History log;
    for (const Recording& record : records) add(log, record.log);
    EXPECT_EQ(find_violation(log), std::nullopt) << "the whole log, seed " << random.seed();
    for (std::size_t n = 0; n < kStreams; ++n) {
      History one;
      for (const Recording& record : records) add(one, record.streams[n]);
      EXPECT_EQ(find_violation(one), std::nullopt) << stream(n) << ", seed " << random.seed();
    }
  }
  expect_sound();
}

}  // namespace
}  // namespace cairn::test
