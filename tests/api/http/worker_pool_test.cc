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

// With the queue full of one client's work, the next piece of another client is the next to begin.
TEST(WorkerPoolTest, ClientsTakeTurns) {
  std::vector<int> done;
  std::promise<void> begun, go_on, last;
  WorkerPool worker({.name = "cairn-test", .threads = 1, .queue_max = 100});
  ASSERT_TRUE(worker.submit([&, wait = go_on.get_future().share()] {
    begun.set_value();
    wait.wait();
  }));
  begun.get_future().wait();
  const auto submit = [&](ClientId client, int what) {
    return worker.submit(client, [&, what] {
      done.push_back(what);
      if (done.size() == 7) last.set_value();
    });
  };
  for (int i = 11; i < 16; ++i) ASSERT_EQ(submit(1, i), WorkerPool::Submitted::kYes);
  for (int i = 21; i < 23; ++i) ASSERT_EQ(submit(2, i), WorkerPool::Submitted::kYes);
  go_on.set_value();
  last.get_future().wait();
  EXPECT_THAT(done, ::testing::ElementsAre(11, 21, 12, 22, 13, 14, 15));
}

TEST(WorkerPoolTest, OnlyTheClientThatFillsTheQueueIsRefused) {
  std::promise<void> begun, go_on;
  WorkerPool worker({.name = "cairn-test", .threads = 1, .queue_max = 8});
  ASSERT_TRUE(worker.submit([&, wait = go_on.get_future().share()] {
    begun.set_value();
    wait.wait();
  }));
  begun.get_future().wait();
  for (int i = 0; i < 6; ++i) ASSERT_EQ(worker.submit(1, [] {}), WorkerPool::Submitted::kYes);
  EXPECT_EQ(worker.submit(1, [] {}), WorkerPool::Submitted::kOverShare);
  EXPECT_EQ(worker.submit(2, [] {}), WorkerPool::Submitted::kYes);
  EXPECT_EQ(worker.submit(3, [] {}), WorkerPool::Submitted::kYes);
  EXPECT_EQ(worker.submit(4, [] {}), WorkerPool::Submitted::kFull);
  go_on.set_value();
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
