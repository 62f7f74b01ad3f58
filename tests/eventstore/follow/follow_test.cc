// A process follows the log of a store that another process writes.

#include <chrono>
#include <filesystem>
#include <future>
#include <string>
#include <vector>

#include "tests/eventstore/follow/follow_fixture.h"
#include "tests/support/random.h"
#include "tests/support/scale.h"

namespace cairn::test {
namespace {

// A journal so small that its halves are reused many times, and one that is not reused within a test.
constexpr std::uint64_t kTinyJournal = 64u << 10;
constexpr std::uint64_t kWideJournal = 32u << 20;

TEST_F(FollowTest, EveryEventIsSeenOnceInOrderDuringWrites) {
  const auto writer = start_writer({.journal_bytes = kWideJournal});
  follow();
  hear(*writer, rounds(6'000, 100'000));
  stop(*writer);
  EXPECT_EQ(
      last_word_, "E " + std::to_string(acknowledged_.last()) + " " + [&] {
        expect_seen(acknowledged_.last());
        return follower_->head_hash();
      }());
  expect_all_read();
}

// The store is reached through a link, which first leads in a circle (no answer about the store) and is then
// gone (the store is): the notice of the first must not swallow the report of the second.
TEST_F(FollowTest, ADamageRightAfterAnUnreadableFileIsReportedAsFatal) {
  const auto writer = start_writer({.appends = 1});
  hear_out(*writer);
  const TempFolder links;
  const auto link_to = [&](const std::filesystem::path& target) {
    std::filesystem::create_symlink(target, links / "fresh");
    std::filesystem::rename(links / "fresh", links / "store");
  };
  link_to(folder());
  std::promise<void> noticed;
  std::promise<void> ended;
  FollowOptions options;
  options.on_log = [&](const LogEvent&) { noticed.set_value(); };
  options.on_fatal = [&](std::string_view) { ended.set_value(); };
  const auto follower = LogReader::open_beside(links / "store", options);
  ASSERT_THAT(follower, succeeds());
  link_to("store");
  ASSERT_EQ(noticed.get_future().wait_for(std::chrono::seconds(60)), std::future_status::ready);
  std::filesystem::remove(links / "store");
  EXPECT_EQ(ended.get_future().wait_for(std::chrono::seconds(60)), std::future_status::ready);
}

TEST_F(FollowTest, AReusedJournalHidesNoEvent) {
  const auto writer = start_writer({.journal_bytes = kTinyJournal});
  follow({.poll_interval = std::chrono::milliseconds(1)});
  hear(*writer, rounds(6'000, 100'000));
  stop(*writer);
  expect_all_read();
}

TEST_F(FollowTest, TheFollowersMapGrowsWithTheWriters) {
  const auto writer = start_writer({.map_bytes = 1u << 20});
  follow({.log_map_bytes = 1u << 20});
  hear(*writer, 4'000);  // also under a sanitizer: the map needs this many to grow
  stop(*writer);
  EXPECT_GT(std::filesystem::file_size(folder() / "log" / "data.mdb"), 8u << 20);
  expect_all_read();
}

// The writer is killed at any moment, in the middle of a block, a commit of LMDB or its own opening. What it
// acknowledged is seen while no process has the store open, and the next writer continues from what was seen.
TEST_F(FollowTest, FollowingContinuesAcrossKilledWriters) {
  Random random("FollowTest");
  {
    const auto writer = start_writer({.appends = 1});
    hear_out(*writer);
  }
  follow({.poll_interval = std::chrono::milliseconds(2)});
  for (std::size_t round = 0; round < rounds(20, 300); ++round) {
    SCOPED_TRACE("round " + std::to_string(round) + " of seed " + std::to_string(random.seed()));
    if (random.one_in(4)) {
      const auto opening = launch_writer({.journal_bytes = kTinyJournal});
      const auto end = std::chrono::steady_clock::now() + std::chrono::microseconds(random.below(30'000));
      while (std::chrono::steady_clock::now() < end) std::this_thread::yield();
      kill(*opening);
    }
    const auto writer = start_writer({.journal_bytes = kTinyJournal});
    hear(*writer, random.between(1, 300));
    if (random.one_in(5)) {
      stop(*writer);
    } else {
      kill(*writer);
    }
    expect_seen(acknowledged_.last());
    if (HasFatalFailure()) return;
  }
  expect_all_read();
}

TEST_F(FollowTest, ABlockLeftInTheJournalIsSeenByALaterFollower) {
  const auto writer = start_writer({.writers = 1});
  hear(*writer, 5);
  kill(*writer);
  follow();
  EXPECT_GE(follower_->head().value, acknowledged_.last()) << "opening looks into the journal as well";
  expect_all_read();
}

TEST_F(FollowTest, ManyFollowersSeeTheSameEvents) {
  const auto writer = start_writer({.journal_bytes = kTinyJournal});
  std::vector<std::unique_ptr<ChildProcess>> followers;
  for (int i = 0; i < 8; ++i) {
    followers.push_back(std::make_unique<ChildProcess>(
        ChildProcess::Command{{test_program("follow_reader_child").string(), folder().string()}, {}}));
    ASSERT_EQ(followers.back()->ask("open"), "ok");
    followers.back()->write_line("through 2000");  // they read while it writes
  }
  hear(*writer, 3'000);
  stop(*writer);
  std::string digest;
  for (const auto& follower : followers) {
    const std::string answer = follower->read_line().value_or("gone");
    EXPECT_THAT(answer, ::testing::StartsWith("ok "));
    if (digest.empty()) digest = answer;
    EXPECT_EQ(answer, digest);
  }
}

TEST_F(FollowTest, AFollowerKilledDuringAReadDoesNotBlockTheWriter) {
  const auto writer = start_writer({.journal_bytes = kTinyJournal});
  hear(*writer, 100);
  for (int i = 0; i < 5; ++i) {
    ChildProcess reader({{test_program("follow_reader_child").string(), folder().string()}, {}});
    ASSERT_EQ(reader.ask("open"), "ok");
    ASSERT_EQ(reader.ask("hold"), "holding");
    hear(*writer, 200);
    reader.kill(SIGKILL);
    reader.wait();
  }
  follow();
  hear(*writer, 500);
  stop(*writer);
  expect_all_read();
}

TEST_F(FollowTest, OnlyOneProcessWritesWhileOthersFollow) {
  auto writer = start_writer({.writers = 1});
  hear(*writer, 3);
  follow();
  ChildProcess third({{test_program("store_child").string(), folder().string()}, {}});
  EXPECT_THAT(third.ask("open"),
              ::testing::HasSubstr("is in use by process " + std::to_string(writer->pid())));
  stop(*writer);
  EXPECT_EQ(third.ask("open"), "ok") << "a follower does not prevent another process from opening the store";
  EXPECT_THAT(third.ask("append s-1 any 1 1 10"), ::testing::StartsWith("ok"));
  EXPECT_TRUE(follower_->wait_for({acknowledged_.last() + 1}, std::chrono::seconds(20)));
}

}  // namespace
}  // namespace cairn::test
