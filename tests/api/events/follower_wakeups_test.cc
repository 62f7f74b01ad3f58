#include "api/events/follower_wakeups.h"

#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <thread>
#include <vector>

#include "eventstore/event_store.h"
#include "tests/support/events.h"
#include "tests/support/matchers.h"
#include "tests/support/small_store.h"
#include "tests/support/temp_folder.h"

namespace cairn::api {
namespace {

using namespace std::chrono_literals;
using test::succeeds;

constexpr auto kPatience = 100s;

class FollowerWakeupsTest : public ::testing::Test {
 protected:
  FollowerWakeupsTest() {
    auto store = EventStore::open(folder_.path(), test::small_store());
    EXPECT_THAT(store, succeeds());
    store_ = *std::move(store);
    wakeups_.start(*store_);
  }
  ~FollowerWakeupsTest() override { wakeups_.stop(); }

  void append() {
    EXPECT_THAT(store_->append(test::request({test::to("a-1", ExpectedVersion::any(), {test::event("T")})})),
                succeeds());
  }

  // Becomes ready when the callback is called.
  std::future<void> wait_at(std::uint64_t position) {
    auto woken = std::make_shared<std::promise<void>>();
    wakeups_.wake_at({position}, [woken] { woken->set_value(); });
    return woken->get_future();
  }

  static bool is_ready(const std::future<void>& waiting) {
    return waiting.wait_for(0s) == std::future_status::ready;
  }

  test::TempFolder folder_;
  std::unique_ptr<EventStore> store_;
  FollowerWakeups wakeups_;
};

TEST_F(FollowerWakeupsTest, PositionThatIsStoredWakesAtOnce) {
  append();
  EXPECT_TRUE(is_ready(wait_at(1)));
}

TEST_F(FollowerWakeupsTest, WakesWhenThePositionIsReachedAndNotBefore) {
  const auto first = wait_at(1);
  const auto third = wait_at(3);
  append();
  EXPECT_EQ(first.wait_for(kPatience), std::future_status::ready);
  append();
  const auto second = wait_at(2);
  EXPECT_EQ(second.wait_for(kPatience), std::future_status::ready);
  EXPECT_FALSE(is_ready(third));
  append();
  EXPECT_EQ(third.wait_for(kPatience), std::future_status::ready);
}

TEST_F(FollowerWakeupsTest, CancelledCallbackIsNeverCalled) {
  std::atomic<bool> called = false;
  wakeups_.cancel(wakeups_.wake_at({1}, [&called] { called = true; }));
  const auto other = wait_at(1);
  append();
  EXPECT_EQ(other.wait_for(kPatience), std::future_status::ready);
  EXPECT_FALSE(called);
}

// Followers wait for the next event, again and again, while events are appended: a lost wake-up would leave
// one of them waiting for ever.
TEST_F(FollowerWakeupsTest, NoWakeupIsLostDuringAppends) {
  constexpr std::uint64_t kEvents = 300;
  std::vector<std::thread> followers;
  std::atomic<int> finished = 0;
  for (int i = 0; i < 8; ++i) {
    followers.emplace_back([&] {
      for (std::uint64_t seen = 0; seen < kEvents;) {
        std::promise<void> woken;
        wakeups_.wake_at({seen + 1}, [&woken] { woken.set_value(); });
        if (woken.get_future().wait_for(kPatience) != std::future_status::ready) std::abort();
        seen = store_->head().value;
      }
      ++finished;
    });
  }
  for (std::uint64_t i = 0; i < kEvents; ++i) append();
  for (std::thread& follower : followers) follower.join();
  EXPECT_EQ(finished, 8);
}

// A connection may register while the server shuts down, after the store was closed.
TEST_F(FollowerWakeupsTest, DoesNotTouchTheStoreAfterItWasStopped) {
  append();
  wakeups_.stop();
  store_.reset();
  EXPECT_FALSE(is_ready(wait_at(1)));
}

TEST_F(FollowerWakeupsTest, StopsWhileAFollowerWaits) {
  std::atomic<bool> called = false;
  wakeups_.wake_at({1}, [&called] { called = true; });
  wakeups_.stop();
  EXPECT_FALSE(called);
}

}  // namespace
}  // namespace cairn::api
