// Many concurrent and long-lived readers do not make the files grow; the memory maps grow while they read.

#include <atomic>
#include <latch>
#include <string>
#include <thread>
#include <vector>

#include "tests/support/numbered_events.h"
#include "tests/support/scale.h"
#include "tests/support/store_fixture.h"

namespace cairn::test {
namespace {

class ReadersTest : public StoreTest {
 protected:
  // The bytes of log and index after many commits, with `between` called every few commits.
  template <typename Between>
  std::uint64_t size_after_commits(const std::filesystem::path& data, Between between) {
    StoreOptions own = options();
    auto opened = EventStore::open(data, own);
    EXPECT_THAT(opened, succeeds());
    if (!opened.ok()) return 0;
    auto& store = **opened;
    const std::uint64_t commits = rounds(2'000);
    for (std::uint64_t i = 1; i <= commits; ++i) {
      EXPECT_THAT(store.append(request({to("cart-" + std::to_string(i % 20), ExpectedVersion::any(),
                                           {numbered_event(i, 50)})})),
                  succeeds());
      if (i % (commits / 20) == 0) {
        EXPECT_THAT(store.flush_index(), succeeds());
        between(store);
      }
    }
    StoreStats stats = store.stats();
    EXPECT_EQ(stats.readers, 0u) << "a page holds no read transaction";
    return stats.log_bytes + stats.index_bytes;
  }
};

TEST_F(ReadersTest, PagesThatAreKeptDoNotMakeTheFilesGrow) {
  TempFolder control_folder, kept_folder;
  const std::uint64_t without = size_after_commits(control_folder / "data", [](EventStore&) {});
  std::vector<StreamPage> streams;
  std::vector<LogPage> logs;
  const std::uint64_t with = size_after_commits(kept_folder / "data", [&](EventStore& store) {
    streams.push_back(value_of(store.read_stream("cart-1", {})));
    logs.push_back(value_of(store.read_log({std::nullopt, Direction::kBackward, 100, {}})));
  });
  EXPECT_LE(with, without + without / 10 + (64u << 10));
  for (const StreamPage& page : streams) {
    for (const EventView& event : page.events) EXPECT_TRUE(is_as_numbered(owned(event)));
  }
  for (const LogPage& page : logs) {
    for (const EventView& event : page.events) EXPECT_TRUE(is_as_numbered(owned(event)));
  }
}

TEST_F(ReadersTest, ThreeHundredThreadsShareTwentyReaders) {
  options().readers_max = 20;
  for (std::uint64_t n = 1; n <= 200; ++n) append("cart-" + std::to_string(n % 9), {numbered_event(n, 100)});
  flush();
  for (std::uint64_t n = 201; n <= 300; ++n)
    append("cart-" + std::to_string(n % 9), {numbered_event(n, 100)});
  constexpr std::size_t kThreads = 300;
  std::latch start(kThreads);
  std::atomic<std::size_t> good = 0;
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < kThreads; ++i) {
    threads.emplace_back([&, i] {
      start.arrive_and_wait();
      bool all = true;
      for (int round = 0; round < 4; ++round) {
        auto scanned = scan_all(store());
        auto page = store().read_log({GlobalPosition{i + 1}, Direction::kForward, 1, {{"cart"}, {}}});
        auto stream = store().read_stream("cart-" + std::to_string(i % 9), {});
        auto info = store().stream_info("cart-1");
        auto list = store().list_streams({});
        all = all && scanned.ok() && scanned->size() == 300 && page.ok() && page->events.size() == 1 &&
              page->events[0].position.value == i + 1 && stream.ok() && info.ok() && list.ok() &&
              list->streams.size() == 9;
      }
      good += all ? 1 : 0;
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(good, kThreads);
}

TEST_F(ReadersTest, TinyMapsGrowUnderReadersAndWriters) {
  options().log_map_bytes = 1u << 20;
  options().index_map_bytes = 1u << 20;
  options().tail_events_flush = 500;
  options().journal_bytes = 256u << 10;
  store();
  constexpr std::size_t kWriters = 4, kReaders = 4;
  const std::uint64_t each = rounds(600, 5'000);
  std::atomic<std::size_t> writing = kWriters;
  std::atomic<std::uint64_t> reads = 0;
  std::vector<std::thread> threads;
  for (std::size_t writer = 0; writer < kWriters; ++writer) {
    threads.emplace_back([&, writer] {
      for (std::uint64_t i = 0; i < each; ++i) {
        const std::uint64_t n = 1 + writer + i * kWriters;
        // Names, types and ids grow the index, data the log.
        auto result = append_expecting("stream" + std::to_string(n) + "-" + std::string(150, 'n'),
                                       ExpectedVersion::any(), {numbered_event(n, 8'000)});
        ASSERT_THAT(result, succeeds());
      }
      --writing;
    });
  }
  for (std::size_t reader = 0; reader < kReaders; ++reader) {
    threads.emplace_back([&, reader] {
      while (writing > 0) {
        const std::uint64_t head = store().head().value;
        auto page = store().read_log(
            {std::nullopt, reader % 2 == 0 ? Direction::kForward : Direction::kBackward, 200, {}});
        ASSERT_THAT(page, succeeds());
        for (const EventView& event : page->events) ASSERT_TRUE(is_as_numbered(owned(event)));
        std::uint64_t visited = 0;
        auto last = store().scan({.from = {head > 300 ? head - 300 : 1}}, [&](const EventView& event) {
          ++visited;
          return event.data.size() == 8'000;
        });
        ASSERT_THAT(last, succeeds());
        ASSERT_GE(last->value, head);
        ++reads;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_GT(reads, 0u);
  EXPECT_EQ(head(), kWriters * each);
  StoreStats stats = store().stats();
  EXPECT_GT(stats.log_bytes, 1u << 20) << "the map had no reason to grow";
  flush();
  EXPECT_EQ(value_of(scan_all(store())).size(), kWriters * each);
  reopen();
  EXPECT_EQ(value_of(list_all(store(), {.category = "", .prefix = "", .after = "", .limit = 1'000})).size(),
            kWriters * each);
  expect_sound();
}

TEST_F(ReadersTest, OneRequestLargerThanTheMapFitsAfterGrowing) {
  options().log_map_bytes = 1u << 20;
  options().index_map_bytes = 1u << 20;
  std::vector<NewEvent> events(15, sized_event(1u << 20));
  append("cart-1", events);
  append("cart-1", {"After"});
  EXPECT_EQ(version_of("cart-1"), 16u);
  expect_sound();
}

TEST_F(ReadersTest, AScanSeesTheHeadOfItsStartWhileOthersAppend) {
  for (std::uint64_t n = 1; n <= 500; ++n) append("cart-1", {numbered_event(n, 40)});
  std::atomic<bool> stop = false;
  std::thread writer([&] {
    for (std::uint64_t n = 501; !stop; ++n) append("cart-1", {numbered_event(n, 40)});
  });
  for (int round = 0; round < 20; ++round) {
    const std::uint64_t before = head();
    auto events = scan_all(store());
    const std::uint64_t after = head();
    ASSERT_THAT(events, succeeds());
    EXPECT_GE(events->size(), before);
    EXPECT_LE(events->size(), after);
    for (std::size_t i = 0; i < events->size(); ++i) {
      ASSERT_EQ((*events)[i].position, i + 1);
      ASSERT_EQ((*events)[i].version, i + 1);
    }
  }
  stop = true;
  writer.join();
}

}  // namespace
}  // namespace cairn::test
