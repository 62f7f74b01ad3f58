#include "api/http/worker_pool.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <future>
#include <memory>
#include <vector>

namespace cairn::api {
namespace {

TEST(WorkerPoolTest, OneThreadKeepsTheOrder) {
  std::vector<int> done;
  std::promise<void> last;
  {
    WorkerPool worker({.name = "cairn-test", .threads = 1, .queue_max = 10});
    for (int i = 0; i < 5; ++i) ASSERT_TRUE(worker.submit([&done, i] { done.push_back(i); }));
    ASSERT_TRUE(worker.submit([&last] { last.set_value(); }));
    last.get_future().wait();
  }
  EXPECT_THAT(done, ::testing::ElementsAre(0, 1, 2, 3, 4));
}

TEST(WorkerPoolTest, AFullQueueRefusesAndStopDropsTheQueue) {
  std::promise<void> begun;
  std::promise<void> go_on;
  bool finished = false;
  const auto held = std::make_shared<int>(1);
  {
    WorkerPool worker({.name = "cairn-test", .threads = 1, .queue_max = 2});
    ASSERT_TRUE(worker.submit([&, wait = go_on.get_future().share()] {
      begun.set_value();
      wait.wait();
      finished = true;
    }));
    begun.get_future().wait();
    EXPECT_TRUE(worker.submit([held] {}));
    EXPECT_TRUE(worker.submit([held] {}));
    EXPECT_FALSE(worker.submit([held] {}));
    go_on.set_value();
  }
  EXPECT_TRUE(finished);
  EXPECT_EQ(held.use_count(), 1) << "work is destroyed, whether it ran or not";
}

}  // namespace
}  // namespace cairn::api
