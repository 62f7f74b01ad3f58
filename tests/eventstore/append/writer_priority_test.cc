// The writer thread raises its priority where the system permits it; no other thread does.

#include <sys/resource.h>
#include <unistd.h>

#include <filesystem>
#include <future>
#include <string>
#include <thread>

#include "eventstore/base/thread_priority.h"
#include "tests/support/store_fixture.h"

namespace cairn::test {
namespace {

int niceness_of(const std::string& thread) {
  return getpriority(PRIO_PROCESS, static_cast<id_t>(std::stoul(thread)));
}

int threads_with(int niceness) {
  int count = 0;
  for (const auto& thread : std::filesystem::directory_iterator("/proc/self/task")) {
    if (niceness_of(thread.path().filename().string()) == niceness) ++count;
  }
  return count;
}

bool may_raise_priority() {
  bool may = false;
  const int wanted = niceness_of(std::to_string(getpid())) - 10;
  std::thread([&] {
    set_thread_niceness(-10);
    may = niceness_of(std::to_string(gettid())) == wanted;
  }).join();
  return may;
}

class WriterPriorityTest : public StoreTest {};

TEST_F(WriterPriorityTest, OnlyTheWriterThreadRaisesItsPriority) {
  if (!may_raise_priority()) GTEST_SKIP() << "this user may not raise a priority";
  // The writer thread starts the callback and the hashing thread, which must not inherit its priority.
  std::promise<Result<AppendResult>> answered;
  const std::string large(200'000, 'x');
  store().append_async(request({to("cart-1", ExpectedVersion::any(), {event("A", large)})}),
                       [&](Result<AppendResult> result) { answered.set_value(std::move(result)); });
  ASSERT_THAT(answered.get_future().get(), succeeds());
  const int first = niceness_of(std::to_string(getpid())) - 10;
  while (threads_with(first) > 1)
    std::this_thread::yield();  // a thread that was just started may not have set its niceness yet
  EXPECT_EQ(threads_with(first), 1);
}

}  // namespace
}  // namespace cairn::test
