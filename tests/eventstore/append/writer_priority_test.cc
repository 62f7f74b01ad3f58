// Everybody waits for the writer, so it goes first where the system lets it; and nobody else does.

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

bool may_go_first() {
  bool may = false;
  const int wanted = niceness_of(std::to_string(getpid())) - 10;
  std::thread([&] {
    set_thread_niceness(-10);
    may = niceness_of(std::to_string(gettid())) == wanted;
  }).join();
  return may;
}

class WriterPriorityTest : public StoreTest {};

TEST_F(WriterPriorityTest, OnlyTheWriterGoesFirst) {
  if (!may_go_first()) GTEST_SKIP() << "this user may not raise a priority";
  // The threads that call callbacks and hash large blocks are started by the writer, and are not to be like
  // it.
  std::promise<Result<AppendResult>> answered;
  const std::string large(200'000, 'x');
  store().append_async(request({to("cart-1", ExpectedVersion::any(), {event("A", large)})}),
                       [&](Result<AppendResult> result) { answered.set_value(std::move(result)); });
  ASSERT_THAT(answered.get_future().get(), succeeds());
  const int first = niceness_of(std::to_string(getpid())) - 10;
  while (threads_with(first) > 1)
    std::this_thread::yield();  // one that was just started may not have run yet
  EXPECT_EQ(threads_with(first), 1);
}

}  // namespace
}  // namespace cairn::test
