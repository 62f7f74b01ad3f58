#include "eventstore/base/fair_mutex.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>
#include <vector>

namespace cairn::test {
namespace {

using ::testing::ElementsAre;

TEST(FairMutexTest, AThreadThatLocksAgainComesAfterTheWaiters) {
  FairMutex mutex;
  std::vector<int> turns;  // guarded by `mutex`
  std::vector<std::thread> others;
  mutex.lock();
  for (int i = 1; i <= 3; ++i) {
    others.emplace_back([&, i] {
      const FairMutexLock lock(mutex);
      turns.push_back(i);
    });
    while (mutex.waiting() < static_cast<std::uint64_t>(i)) std::this_thread::yield();
  }
  mutex.unlock();
  mutex.lock();
  EXPECT_THAT(turns, ElementsAre(1, 2, 3));
  mutex.unlock();
  for (std::thread& other : others) other.join();
  EXPECT_EQ(mutex.waiting(), 0u);
}

}  // namespace
}  // namespace cairn::test
