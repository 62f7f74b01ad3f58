#include "eventstore/append/callback_dispatcher.h"

#include <memory>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "eventstore/after_callbacks.h"
#include "tests/support/store_fixture.h"

namespace cairn::test {
namespace {

using testing::ElementsAre;

AppendQueue::Entry answered(AppendCallback done) {
  auto async = std::make_unique<AsyncAppend>(AppendRequest{}, std::move(done));
  async->pending.answer.emplace(AppendResult{});
  PendingAppend* const pending = &async->pending;
  return {pending, std::move(async)};
}

TEST(CallbackDispatcherTest, DeferredCallsRunAfterTheLastCallbackOfABlock) {
  std::vector<std::string> order;  // written by the dispatcher's thread until it is joined
  auto batch = std::make_shared<AppendQueue::Batch>();
  for (const char* name : {"first", "second", "third"}) {
    batch->appends.push_back(answered([&order, name](Result<AppendResult> result) {
      ASSERT_THAT(result, succeeds());
      order.emplace_back(name);
      after_callbacks([&order, name] { order.push_back(std::string("after the ") + name); });
    }));
  }
  {
    CallbackDispatcher callbacks;
    callbacks.deliver(batch, 0, 2);
  }
  EXPECT_THAT(order, ElementsAre("first", "second", "after the first", "after the second"));
  order.clear();
  {
    CallbackDispatcher callbacks;
    callbacks.deliver(batch, 2, 3);
  }
  EXPECT_THAT(order, ElementsAre("third", "after the third"));
}

TEST(CallbackDispatcherTest, ADeferredCallMayDeferAnother) {
  std::vector<int> order;
  auto batch = std::make_shared<AppendQueue::Batch>();
  batch->appends.push_back(answered([&order](const Result<AppendResult>&) {
    after_callbacks([&order] {
      after_callbacks([&order] { order.push_back(2); });
      order.push_back(1);
    });
  }));
  {
    CallbackDispatcher callbacks;
    callbacks.deliver(batch, 0, 1);
  }
  EXPECT_THAT(order, ElementsAre(1, 2));
}

TEST(CallbackDispatcherTest, AThreadThatRunsNoCallbacksDefersNothing) {
  bool done = false;
  after_callbacks([&done] { done = true; });
  EXPECT_TRUE(done);
}

class AfterCallbacksTest : public StoreTest {};

// An invalid request is answered on the caller's thread.
TEST_F(AfterCallbacksTest, AnInvalidRequestDefersNothing) {
  bool woken = false;
  store().append_async(request({}), [&woken](Result<AppendResult> result) {
    EXPECT_THAT(result, fails_with(Errc::kInvalidArgument));
    after_callbacks([&woken] { woken = true; });
  });
  EXPECT_TRUE(woken);
}

}  // namespace
}  // namespace cairn::test
