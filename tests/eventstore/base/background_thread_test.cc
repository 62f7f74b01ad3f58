#include "eventstore/base/background_thread.h"

#include <gtest/gtest.h>

#include <pthread.h>

#include <array>
#include <atomic>
#include <string>

namespace cairn {
namespace {

class BackgroundThreadTest : public ::testing::Test {
 protected:
  // A body that waits for work, counts it, and returns on a stop request.
  void start() {
    thread_.start({.name = "cairn-test", .niceness = 0, .wake = wake_all(mutex_, changed_)},
                  [this](const std::stop_token& stop) {
                    MutexLock lock(mutex_);
                    std::array<char, 16> name{};
                    pthread_getname_np(pthread_self(), name.data(), name.size());
                    name_ = name.data();
                    while (true) {
                      changed_.wait(
                          lock, [&]() CAIRN_REQUIRES(mutex_) { return stop.stop_requested() || work_ > 0; });
                      if (stop.stop_requested()) return;
                      done_ += work_;
                      work_ = 0;
                      changed_.notify_all();
                    }
                  });
  }

  void do_work(int amount) {
    MutexLock lock(mutex_);
    work_ += amount;
    changed_.notify_all();
    changed_.wait(lock, [this]() CAIRN_REQUIRES(mutex_) { return work_ == 0; });
  }

  Mutex mutex_;
  CondVar changed_;
  int work_ CAIRN_GUARDED_BY(mutex_) = 0;
  int done_ CAIRN_GUARDED_BY(mutex_) = 0;
  std::string name_ CAIRN_GUARDED_BY(mutex_);
  BackgroundThread thread_;
};

TEST_F(BackgroundThreadTest, RunsUntilStopped) {
  start();
  do_work(3);
  do_work(4);
  thread_.stop();
  EXPECT_FALSE(thread_.runs());
  const MutexLock lock(mutex_);
  EXPECT_EQ(done_, 7);
}

TEST_F(BackgroundThreadTest, SetsTheThreadName) {
  start();
  do_work(1);
  const MutexLock lock(mutex_);
  EXPECT_EQ(name_, "cairn-test");
}

TEST_F(BackgroundThreadTest, StopDuringStartLosesNoWakeUp) {
  // The stop comes before, during and after the first wait of the body. A lost wake-up hangs the test.
  for (int i = 0; i < 2'000; ++i) {
    start();
    if (i % 3 == 0) do_work(1);
    thread_.stop();
  }
}

TEST_F(BackgroundThreadTest, StopWithoutStartDoesNothing) {
  thread_.stop();
  start();
  thread_.stop();
  thread_.stop();
  start();  // and it may run again
  do_work(1);
}

TEST(BackgroundThreadDeathTest, StartingTwiceAborts) {
  BackgroundThread thread;
  thread.start({.name = "cairn-test"}, [](const std::stop_token&) {});
  EXPECT_DEATH(thread.start({.name = "cairn-test"}, [](const std::stop_token&) {}), "cairn-test");
}

TEST(BackgroundThreadDeathTest, ANameOver15CharactersAborts) {
  EXPECT_DEATH(name_this_thread("sixteen letters!"), "sixteen");
}

}  // namespace
}  // namespace cairn
