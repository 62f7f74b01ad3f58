// What a follower serves beside the plain log: system streams, filters and notifications.

#include <algorithm>
#include <string>
#include <vector>

#include "eventstore/store_access.h"
#include "tests/eventstore/follow/follow_fixture.h"
#include "tests/support/scale.h"

namespace cairn::test {
namespace {

class FollowStreamsTest : public FollowTest {
 protected:
  FollowStreamsTest() : FollowTest(Medium::kMemory) {}

  template <typename T>
  static T value_of(Result<T> result) {
    EXPECT_THAT(result, succeeds());
    return result.ok() ? *std::move(result) : T{};
  }

  // The events of `log` that match the filter.
  static std::vector<Event> chosen(const std::vector<Event>& log, const EventFilter& filter) {
    std::vector<Event> events;
    const auto has = [](const std::vector<std::string>& names, std::string_view name) {
      return names.empty() || std::find(names.begin(), names.end(), name) != names.end();
    };
    for (const Event& event : log) {
      if (has(filter.categories, category_of(event.stream)) && has(filter.types, event.type))
        events.push_back(event);
    }
    return events;
  }
};

TEST_F(FollowStreamsTest, ASystemStreamIsReadWhileItGrows) {
  const std::uint64_t appends = 600, events = 4 * 2 * appends;  // one, two and three at a time
  const auto writer = start_writer({.journal_bytes = 64u << 10, .appends = appends});
  follow({.poll_interval = std::chrono::milliseconds(1)});
  std::thread listening([&] { hear_out(*writer); });
  std::vector<Event> read;
  unsigned times_grown = 0;
  for (std::uint64_t target = 100; target <= events && !HasFailure(); target += 100) {
    EXPECT_TRUE(follower_->wait_for({target}, std::chrono::seconds(20)));
    const auto more =
        value_of(read_whole_system_stream(*follower_, "$audit", {.from = StreamVersion{read.size() + 1}}));
    if (!more.empty()) ++times_grown;
    for (const Event& event : more) {
      EXPECT_EQ(event.version, read.size() + 1);
      read.push_back(event);
    }
    const auto info = value_of(follower_->system_stream_info("$audit"));
    EXPECT_TRUE(info.has_value() && info->version.value >= read.size());
  }
  listening.join();
  EXPECT_GT(times_grown, 1u);
  EXPECT_EQ(acknowledged_.last(), events);
  const auto all = value_of(read_whole_system_stream(*follower_, "$audit", {}));
  EXPECT_EQ(all, chosen(value_of(scan_all(*follower_)), {.categories = {"$audit"}}));
  auto backward =
      value_of(read_whole_system_stream(*follower_, "$audit", {.direction = Direction::kBackward}));
  std::reverse(backward.begin(), backward.end());
  EXPECT_EQ(backward, all);

  // A follower opened now starts from the index; without an index, it reads the whole log.
  unfollow();
  follow();
  EXPECT_EQ(value_of(read_whole_system_stream(*follower_, "$audit", {})), all);
  unfollow();
  std::filesystem::remove_all(folder() / "index");
  follow();
  EXPECT_EQ(value_of(read_whole_system_stream(*follower_, "$audit", {})), all);
}

TEST_F(FollowStreamsTest, AFollowerOpenedMidwayStartsFromTheIndex) {
  const auto writer = start_writer({.journal_bytes = 64u << 10});
  for (std::size_t round = 0; round < rounds(20); ++round) {
    hear(*writer, 150);  // every 300 events the index is flushed
    follow();
    EXPECT_GE(follower_->head().value, acknowledged_.last());
    const auto read = value_of(read_whole_system_stream(*follower_, "$audit", {}));
    // A poll takes blocks into the system streams before it publishes the head behind the last of them.
    if (!read.empty()) follower_->wait_for({read.back().position}, std::chrono::seconds(60));
    const auto log = chosen(value_of(scan_all(*follower_)), {.categories = {"$audit"}});
    ASSERT_LE(read.size(), log.size());
    EXPECT_TRUE(std::equal(read.begin(), read.end(), log.begin()));
    EXPECT_EQ(reading_->fault(), "");
    unfollow();
  }
}

TEST_F(FollowStreamsTest, FilteredPagesMatchTheLog) {
  const auto writer = start_writer({.writers = 2, .appends = 200});
  hear_out(*writer);
  follow();
  const auto log = value_of(scan_all(*follower_));
  ASSERT_EQ(log.size(), acknowledged_.last());
  for (const EventFilter& filter :
       {EventFilter{}, EventFilter{.categories = {"$audit"}}, EventFilter{.types = {"T1", "T4"}},
        EventFilter{.categories = {"s"}, .types = {"T2"}}, EventFilter{.categories = {"none"}}}) {
    for (const std::size_t limit : {7u, 100u, 10'000u}) {
      const auto forward = value_of(read_all(*follower_, {.limit = limit, .filter = filter}));
      EXPECT_EQ(forward, chosen(log, filter));
      auto backward = value_of(
          read_all(*follower_, {.direction = Direction::kBackward, .limit = limit, .filter = filter}));
      std::reverse(backward.begin(), backward.end());
      EXPECT_EQ(backward, chosen(log, filter));
    }
  }
}

TEST_F(FollowStreamsTest, NotifyAtCallsBackWhenTheEventIsVisible) {
  ChildProcess writer({{test_program("store_child").string(), folder().string()}, {}});
  ASSERT_EQ(writer.ask("open"), "ok");
  follow();
  std::mutex mutex;
  std::condition_variable changed;
  std::uint64_t head_when_called = 0;
  const auto ticket = follower_->notify_at({3}, [&] {
    std::lock_guard lock(mutex);
    head_when_called = follower_->head().value;
    changed.notify_all();
  });
  const auto never = follower_->notify_at({4}, [] { ADD_FAILURE() << "this one was cancelled"; });
  follower_->cancel_notify(never);
  EXPECT_FALSE(follower_->wait_for({1}, std::chrono::milliseconds(20)));
  writer.ask("append s-1 any 1 2 10");
  EXPECT_TRUE(follower_->wait_for({2}, std::chrono::seconds(20)));
  writer.ask("append s-1 any 10 2 10");
  {
    std::unique_lock lock(mutex);
    EXPECT_TRUE(changed.wait_for(lock, std::chrono::seconds(20), [&] { return head_when_called > 0; }));
  }
  EXPECT_EQ(head_when_called, 4u);
  follower_->cancel_notify(ticket);
}

TEST_F(FollowStreamsTest, OnlySystemStreamsAreServed) {
  const auto writer = start_writer({.writers = 1, .appends = 3});
  hear_out(*writer);
  follow();
  EXPECT_THAT(follower_->read_system_stream("s-1", {}), fails_with(Errc::kInvalidArgument));
  EXPECT_THAT(follower_->system_stream_info("s-1"), fails_with(Errc::kInvalidArgument));
  EXPECT_THAT(follower_->read_system_stream("$schemas", {}), fails_with(Errc::kNotFound));
  EXPECT_EQ(value_of(follower_->system_stream_info("$schemas")), std::nullopt);
}

TEST_F(FollowStreamsTest, StoreAccessOfAFollowerRefusesAppends) {
  const auto writer = start_writer({.writers = 1, .appends = 3});
  hear_out(*writer);
  follow();
  EXPECT_THAT(StoreAccess(*follower_).append(request({to("s-1", ExpectedVersion::any(), {event("T")})})),
              fails_with(Errc::kFailedPrecondition));
}

TEST_F(FollowStreamsTest, AFolderIsFollowedOnceInAProcess) {
  const auto writer = start_writer({.writers = 1, .appends = 3});
  hear_out(*writer);
  follow();
  EXPECT_THAT(LogReader::open_beside(folder()), fails_with(Errc::kFailedPrecondition));
  EXPECT_THAT(LogReader::open_beside(folder() / "nothing"), fails_with(Errc::kNotFound));
}

}  // namespace
}  // namespace cairn::test
