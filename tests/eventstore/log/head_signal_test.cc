// Waiting for the head of the log: EventStore::wait_for(), notify_at() and cancel_notify().

#include <atomic>
#include <chrono>
#include <future>
#include <thread>
#include <vector>

#include "tests/support/store_fixture.h"

namespace cairn::test {
namespace {

using namespace std::chrono_literals;

class HeadSignalTest : public StoreTest {};

TEST_F(HeadSignalTest, WaitForAReachedPositionReturnsAtOnce) {
  EXPECT_TRUE(store().wait_for({0}, 0ms));
  append("cart-1", {"A", "B"});
  EXPECT_TRUE(store().wait_for({1}, 0ms));
  EXPECT_TRUE(store().wait_for({2}, 0ms));
}

TEST_F(HeadSignalTest, WaitTimesOut) {
  append("cart-1", {"A"});
  EXPECT_FALSE(store().wait_for({2}, 0ms));
  EXPECT_FALSE(store().wait_for({2}, 20ms));
}

TEST_F(HeadSignalTest, AnAppendWakesItsWaiter) {
  store();
  auto waiter =
      std::async(std::launch::async, [&] { return store().wait_for({3}, 60s) && store().head().value >= 3; });
  append("cart-1", {"A"});
  append("cart-1", {"B", "C"});
  EXPECT_TRUE(waiter.get());
}

TEST_F(HeadSignalTest, AllWaitersAreWoken) {
  store();
  std::vector<std::future<bool>> waiters;
  for (std::uint64_t i = 1; i <= 20; ++i) {
    waiters.push_back(std::async(std::launch::async, [&, i] { return store().wait_for({i}, 60s); }));
  }
  for (int i = 0; i < 20; ++i) append("cart-1", {"A"});
  for (auto& waiter : waiters) EXPECT_TRUE(waiter.get());
}

TEST_F(HeadSignalTest, NotifyAtAReachedPositionCallsAtOnce) {
  append("cart-1", {"A"});
  std::promise<void> called;
  store().notify_at({1}, [&] { called.set_value(); });
  EXPECT_EQ(called.get_future().wait_for(60s), std::future_status::ready);
}

TEST_F(HeadSignalTest, NotifyCallsOnceWhenThePositionIsReachedOrPassed) {
  append("cart-1", {"A"});
  std::atomic<int> calls = 0;
  std::promise<std::uint64_t> head_when_called;
  store().notify_at({3}, [&] {
    if (++calls == 1) head_when_called.set_value(store().head().value);
  });
  append("cart-1", {"B"});
  EXPECT_EQ(calls, 0);
  append("cart-1", {"C", "D"});
  EXPECT_GE(head_when_called.get_future().get(), 3u);
  append("cart-1", {"E"});
  append("cart-1", {"F"});
  EXPECT_TRUE(store().wait_for({6}, 60s));
  EXPECT_EQ(calls, 1);
}

TEST_F(HeadSignalTest, ACancelledCallbackIsNeverCalled) {
  append("cart-1", {"A"});
  auto calls = std::make_shared<std::atomic<int>>(0);
  std::uint64_t cancelled = store().notify_at({2}, [calls] { ++*calls; });
  std::promise<void> other;
  store().notify_at({2}, [&] { other.set_value(); });
  store().cancel_notify(cancelled);
  append("cart-1", {"B"});
  EXPECT_EQ(other.get_future().wait_for(60s), std::future_status::ready);
  EXPECT_EQ(*calls, 0);
}

TEST_F(HeadSignalTest, CancelTwiceOrAfterTheCallDoesNothing) {
  append("cart-1", {"A"});
  std::promise<void> called;
  std::uint64_t ticket = store().notify_at({1}, [&] { called.set_value(); });
  called.get_future().wait();
  store().cancel_notify(ticket);
  store().cancel_notify(ticket);
  store().cancel_notify(ticket + 1'000);
}

// After cancel_notify() returns, the caller may destroy what the callback uses. A flag simulates that here.
TEST_F(HeadSignalTest, CancelWaitsForARunningCallback) {
  store();
  std::atomic<bool> stop = false;
  std::thread writer([&] {
    while (!stop) append("cart-1", {"A"});
  });
  for (int round = 0; round < 300; ++round) {
    std::atomic<bool> alive = true;
    std::atomic<bool> called_after_cancel = false;
    std::uint64_t ticket = store().notify_at({store().head().value + 1}, [&] {
      if (!alive) called_after_cancel = true;
    });
    store().cancel_notify(ticket);
    alive = false;
    ASSERT_FALSE(called_after_cancel);
  }
  stop = true;
  writer.join();
}

TEST_F(HeadSignalTest, AnnouncedPositionsCanBeRead) {
  store();
  std::thread writer([&] {
    for (int i = 0; i < 200; ++i) append("cart-1", {"A"});
  });
  for (std::uint64_t position = 1; position <= 200; ++position) {
    ASSERT_TRUE(store().wait_for({position}, 60s));
    auto page = value_of(store().read_log({GlobalPosition{position}, Direction::kForward, 1, {}}));
    ASSERT_EQ(page.events.size(), 1u) << position;
    EXPECT_GE(page.head.value, position);
    EXPECT_GE(version_of("cart-1"), position);
  }
  writer.join();
}

TEST_F(HeadSignalTest, ClosingDropsPendingCallbacks) {
  auto calls = std::make_shared<std::atomic<int>>(0);
  append("cart-1", {"A"});
  store().notify_at({1'000}, [calls] { ++*calls; });
  close();
  EXPECT_EQ(*calls, 0);
}

}  // namespace
}  // namespace cairn::test
