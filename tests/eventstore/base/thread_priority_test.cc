#include "eventstore/base/thread_priority.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <thread>

namespace cairn {
namespace {

int niceness_of(pid_t thread) { return getpriority(PRIO_PROCESS, static_cast<id_t>(thread)); }

TEST(ThreadPriorityTest, ChangesOnlyTheCallingThread) {
  const int process = niceness_of(getpid());
  std::thread([process] {
    set_thread_niceness(5);
    EXPECT_EQ(niceness_of(gettid()), std::min(process + 5, 19));
    set_thread_niceness(7);  // relative to the process, not to the previous value
    EXPECT_EQ(niceness_of(gettid()), std::min(process + 7, 19));
    set_thread_niceness(100);
    EXPECT_EQ(niceness_of(gettid()), 19);
  }).join();
  EXPECT_EQ(niceness_of(getpid()), process);
  EXPECT_EQ(niceness_of(gettid()), process);
}

TEST(ThreadPriorityTest, WithoutPrivilegeAHigherPriorityIsIgnored) {
  const auto as_anybody = [] {
    const rlimit none{0, 0};
    if (setrlimit(RLIMIT_NICE, &none) != 0 || (geteuid() == 0 && setuid(65534) != 0)) std::exit(2);
    const int before = niceness_of(gettid());
    set_thread_niceness(-10);
    std::exit(niceness_of(gettid()) == before ? 0 : 1);
  };
  EXPECT_EXIT(as_anybody(), testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace cairn
