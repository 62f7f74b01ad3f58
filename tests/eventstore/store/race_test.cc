// Many threads at once: one append wins each version, and each caller gets its own answer.

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <latch>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "tests/support/random.h"
#include "tests/support/scale.h"
#include "tests/support/store_fixture.h"

namespace cairn::test {
namespace {

class RaceTest : public StoreTest {
 protected:
  template <typename Work>
  void in_threads(std::size_t count, Work work) {
    store();
    std::latch start(static_cast<std::ptrdiff_t>(count));
    std::vector<std::thread> threads;
    for (std::size_t i = 0; i < count; ++i) {
      threads.emplace_back([&, i] {
        start.arrive_and_wait();
        work(i);
      });
    }
    for (std::thread& thread : threads) thread.join();
  }
};

TEST_F(RaceTest, OneWriterWinsEachVersionAndConflictsReportTheCurrentOne) {
  constexpr std::size_t kThreads = 32;
  const std::uint64_t target = rounds(200, 5'000);
  std::mutex mutex;
  std::map<std::uint64_t, int> winners;
  std::atomic<std::uint64_t> losses = 0;
  in_threads(kThreads, [&](std::size_t thread) {
    std::uint64_t known = 0;
    while (known < target) {
      auto result = append_expecting("hot-1", known, {event("By" + std::to_string(thread))});
      if (result.ok()) {
        known = result->streams.at(0).last_version.value;
        std::lock_guard lock(mutex);
        ++winners[known];
      } else {
        ASSERT_THAT(result, fails_with(Errc::kVersionConflict));
        ASSERT_TRUE(result.error().version.has_value());
        ASSERT_GT(*result.error().version, known)
            << "a loser is told of a version beyond the one it expected";
        known = *result.error().version;
        ++losses;
      }
    }
  });
  EXPECT_GT(losses, 0u);
  EXPECT_EQ(winners.size(), version_of("hot-1"));
  for (const auto& [version, count] : winners) EXPECT_EQ(count, 1) << version;
  auto events = events_in("hot-1");
  for (std::size_t i = 0; i < events.size(); ++i) EXPECT_EQ(events[i].version, i + 1);
  EXPECT_EQ(events.size(), head());
  expect_sound();
}

TEST_F(RaceTest, ExactlyOneOfManyCreatesTheStream) {
  for (int round = 0; round < 20; ++round) {
    const std::string stream = "new-" + std::to_string(round);
    std::atomic<int> made = 0;
    in_threads(16, [&](std::size_t) {
      auto result = append_expecting(stream, ExpectedVersion::no_stream(), {event("Made")});
      if (result.ok()) {
        ++made;
      } else {
        EXPECT_EQ(result.error().version, 1u);
      }
    });
    EXPECT_EQ(made, 1);
    EXPECT_EQ(version_of(stream), 1u);
  }
}

// Write skew: two requests that check each other's stream. If the requests of a group commit were not checked
// one after another, both could succeed on the state before.
TEST_F(RaceTest, RequestsThatCheckEachOtherNeverBothSucceed) {
  for (int round = 0; round < 50; ++round) {
    const std::string a = "a-" + std::to_string(round), b = "b-" + std::to_string(round);
    std::atomic<int> passed = 0;
    in_threads(2, [&](std::size_t thread) {
      auto result = thread == 0 ? submit({to(a, ExpectedVersion::no_stream(), {event("A")}),
                                          check(b, ExpectedVersion::no_stream())})
                                : submit({to(b, ExpectedVersion::no_stream(), {event("B")}),
                                          check(a, ExpectedVersion::no_stream())});
      passed += result.ok() ? 1 : 0;
    });
    EXPECT_EQ(passed, 1);
    EXPECT_EQ(version_of(a) + version_of(b), 1u);
  }
}

TEST_F(RaceTest, InAGroupEachRequestGetsItsOwnAnswer) {
  append("fixed-1", {event(id(1), "Known")});
  const std::size_t groups = rounds(40, 1'000);
  constexpr std::size_t kEach = 60;
  std::mutex mutex;
  std::condition_variable changed;
  std::size_t answered = 0;
  std::vector<std::optional<Result<AppendResult>>> answers(groups * kEach);
  for (std::size_t i = 0; i < answers.size(); ++i) {
    AppendRequest sent;
    switch (i % 6) {
      case 0:
        sent = request({to("good-" + std::to_string(i), ExpectedVersion::no_stream(), {event("Good")})});
        break;
      case 1:
        sent = request({to("fixed-1", ExpectedVersion::exactly(1'000'000), {event("Conflict")})});
        break;
      case 2:
        sent = request({to("bad/name", ExpectedVersion::any(), {event("Invalid")})});
        break;
      case 3:
        sent = request({to("shared-1", ExpectedVersion::any(), {event("Shared"), event("Shared")})});
        break;
      case 4:
        sent = request({to("fixed-1", ExpectedVersion::any(), {event(id(1), "Other")})});
        break;
      case 5:
        sent = request({to("fixed-1", ExpectedVersion::any(), {event(id(1), "Known")})});
        break;
    }
    store().append_async(std::move(sent), [&, i](Result<AppendResult> result) {
      std::lock_guard lock(mutex);
      answers[i] = std::move(result);
      if (++answered == answers.size()) changed.notify_all();
    });
  }
  {
    std::unique_lock lock(mutex);
    changed.wait(lock, [&] { return answered == answers.size(); });
  }
  std::set<std::uint64_t> shared;
  for (std::size_t i = 0; i < answers.size(); ++i) {
    const auto& answer = *answers[i];
    switch (i % 6) {
      case 0:
        ASSERT_THAT(answer, succeeds());
        break;
      case 1:
        ASSERT_THAT(answer, fails_with(Errc::kVersionConflict));
        break;
      case 2:
        ASSERT_THAT(answer, fails_with(Errc::kInvalidArgument));
        break;
      case 3:
        ASSERT_THAT(answer, succeeds());
        EXPECT_TRUE(shared.insert(answer->streams.at(0).first_version.value).second);
        break;
      case 4:
        ASSERT_THAT(answer, fails_with(Errc::kEventIdReused));
        break;
      case 5:
        ASSERT_THAT(answer, succeeds());
        EXPECT_TRUE(answer->already_applied);
        break;
    }
  }
  const std::uint64_t good = answers.size() / 6;
  EXPECT_EQ(head(), 1 + good + 2 * good);
  EXPECT_LT(store().stats().commits, 3 * good) << "requests did share commits, so the test tests groups";
  reopen();
  EXPECT_EQ(head(), 1 + good + 2 * good);
  EXPECT_EQ(version_of("shared-1"), 2 * good);
  EXPECT_EQ(version_of("fixed-1"), 1u);
  expect_sound();
}

TEST_F(RaceTest, TheSameRequestFromManyThreadsIsWrittenOnce) {
  for (std::uint64_t round = 0; round < 20; ++round) {
    std::atomic<int> fresh = 0;
    in_threads(16, [&](std::size_t) {
      auto result = append_expecting("cart-1", ExpectedVersion::any(),
                                     {event(id(2 * round), "A"), event(id(2 * round + 1), "B")});
      ASSERT_THAT(result, succeeds());
      fresh += result->already_applied ? 0 : 1;
      EXPECT_EQ(result->streams.at(0).first_version.value, 2 * round + 1);
    });
    EXPECT_EQ(fresh, 1);
  }
  EXPECT_EQ(version_of("cart-1"), 40u);
}

TEST_F(RaceTest, ClosingAnswersEveryAppendUnderWayExactlyOnce) {
  for (int round = 0; round < 10; ++round) {
    constexpr std::size_t kCount = 500;
    std::vector<std::atomic<int>> calls(kCount);
    std::vector<std::atomic<std::uint64_t>> positions(kCount);
    for (std::size_t i = 0; i < kCount; ++i) {
      store().append_async(
          request({to("cart-" + std::to_string(i % 9), ExpectedVersion::any(), {event("A")})}),
          [&, i](Result<AppendResult> result) {
            ++calls[i];
            if (result.ok()) positions[i] = result->streams.at(0).first_position.value;
          });
    }
    close();
    std::uint64_t last = 0;
    for (std::size_t i = 0; i < kCount; ++i) {
      ASSERT_EQ(calls[i], 1) << i;
      last = std::max(last, positions[i].load());
    }
    reopen();
    EXPECT_GE(head(), last) << "what was answered with success is there";
  }
  expect_sound();
}

TEST_F(RaceTest, AFullQueueRefusesAppends) {
  options().queue_requests_max = 4;
  std::mutex mutex;
  std::condition_variable changed;
  std::size_t answered = 0, taken = 0;
  constexpr std::size_t kCount = 2'000;
  for (std::size_t i = 0; i < kCount; ++i) {
    store().append_async(
        request({to("cart-1", ExpectedVersion::any(), {event("A")})}), [&](Result<AppendResult> result) {
          EXPECT_TRUE(result.ok() || result.error().code == Errc::kOverloaded) << result.error().message;
          std::lock_guard lock(mutex);
          taken += result.ok() ? 1 : 0;
          if (++answered == kCount) changed.notify_all();
        });
  }
  std::unique_lock lock(mutex);
  changed.wait(lock, [&] { return answered == kCount; });
  EXPECT_GT(taken, 0u);
  EXPECT_EQ(head(), taken);
}

}  // namespace
}  // namespace cairn::test
