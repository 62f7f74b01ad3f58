#include "api/events/news_bell.h"

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

constexpr auto kPatience = 20s;

class NewsBellTest : public ::testing::Test {
 protected:
  NewsBellTest() {
    auto store = EventStore::open(folder_.path(), test::small_store());
    EXPECT_THAT(store, succeeds());
    store_ = *std::move(store);
    bell_.start(*store_);
  }
  ~NewsBellTest() override { bell_.stop(); }

  void append() {
    EXPECT_THAT(store_->append(test::request({test::to("a-1", ExpectedVersion::any(), {test::event("T")})})),
                succeeds());
  }

  // Becomes ready when the bell rings.
  std::future<void> wait_at(std::uint64_t position) {
    auto rung = std::make_shared<std::promise<void>>();
    bell_.ring_at({position}, [rung] { rung->set_value(); });
    return rung->get_future();
  }

  static bool is_ready(const std::future<void>& waiting) {
    return waiting.wait_for(0s) == std::future_status::ready;
  }

  test::TempFolder folder_;
  std::unique_ptr<EventStore> store_;
  NewsBell bell_;
};

TEST_F(NewsBellTest, RingsAtOnceForWhatIsThere) {
  append();
  EXPECT_TRUE(is_ready(wait_at(1)));
}

TEST_F(NewsBellTest, RingsWhenThePositionIsReachedAndNotBefore) {
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

TEST_F(NewsBellTest, ACancelledWaitIsNeverCalled) {
  std::atomic<bool> called = false;
  bell_.cancel(bell_.ring_at({1}, [&called] { called = true; }));
  const auto other = wait_at(1);
  append();
  EXPECT_EQ(other.wait_for(kPatience), std::future_status::ready);
  EXPECT_FALSE(called);
}

// Followers that wait for the next event, again and again, while events come: a ring that got lost would
// leave one waiting for ever.
TEST_F(NewsBellTest, NobodyIsForgottenWhileEventsCome) {
  constexpr std::uint64_t kEvents = 300;
  std::vector<std::thread> followers;
  std::atomic<int> finished = 0;
  for (int i = 0; i < 8; ++i) {
    followers.emplace_back([&] {
      for (std::uint64_t seen = 0; seen < kEvents;) {
        std::promise<void> rung;
        bell_.ring_at({seen + 1}, [&rung] { rung.set_value(); });
        if (rung.get_future().wait_for(kPatience) != std::future_status::ready) std::abort();
        seen = store_->head().value;
      }
      ++finished;
    });
  }
  for (std::uint64_t i = 0; i < kEvents; ++i) append();
  for (std::thread& follower : followers) follower.join();
  EXPECT_EQ(finished, 8);
}

TEST_F(NewsBellTest, StopsWhileSomebodyWaits) {
  std::atomic<bool> called = false;
  bell_.ring_at({1}, [&called] { called = true; });
  bell_.stop();
  EXPECT_FALSE(called);
}

}  // namespace
}  // namespace cairn::api
