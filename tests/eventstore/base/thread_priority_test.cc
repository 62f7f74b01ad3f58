#include "eventstore/base/thread_priority.h"

#include <gtest/gtest.h>
#include <sched.h>

#include <cstdint>
#include <thread>

namespace cairn {
namespace {

struct Attributes {  // struct sched_attr
  std::uint32_t size, policy;
  std::uint64_t flags;
  std::int32_t nice;
  std::uint32_t priority;
  std::uint64_t runtime, deadline, period;
};

Attributes of_this_thread() {
  Attributes attributes{};
  EXPECT_EQ(syscall(SYS_sched_getattr, 0, &attributes, sizeof attributes, 0), 0);
  return attributes;
}

TEST(ThreadPriorityTest, AShortSliceKeepsPolicyAndNiceness) {
  std::thread([] {
    const sched_param parameters{};
    ASSERT_EQ(sched_setscheduler(0, SCHED_BATCH, &parameters), 0);
    set_thread_niceness(3);
    const Attributes before = of_this_thread();
    set_thread_slice(kShortSlice);
    const Attributes after = of_this_thread();
    EXPECT_EQ(after.policy, static_cast<std::uint32_t>(SCHED_BATCH));
    EXPECT_EQ(after.nice, before.nice);
    if (after.runtime == 0) GTEST_SKIP() << "Linux before 6.12 has no slices of threads";
    EXPECT_EQ(after.runtime, 100'000u);
  }).join();
}

}  // namespace
}  // namespace cairn
