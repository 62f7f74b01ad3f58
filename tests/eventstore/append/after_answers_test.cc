#include "eventstore/after_answers.h"

#include <memory>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "eventstore/append/answerer.h"
#include "tests/support/store_fixture.h"

namespace cairn::test {
namespace {

using testing::ElementsAre;

AppendQueue::Entry answered(AppendCallback done) {
  auto unwaited = std::make_unique<UnwaitedAppend>(AppendRequest{}, std::move(done));
  unwaited->pending.answer.emplace(AppendResult{});
  PendingAppend* const pending = &unwaited->pending;
  return {pending, std::move(unwaited)};
}

TEST(AfterAnswersTest, ComesAfterTheLastCallbackOfABlock) {
  std::vector<std::string> order;  // of the answerer's thread until that is gone
  auto round = std::make_shared<AppendQueue::Round>();
  for (const char* name : {"first", "second", "third"}) {
    round->appends.push_back(answered([&order, name](Result<AppendResult> result) {
      ASSERT_THAT(result, succeeds());
      order.emplace_back(name);
      after_answers([&order, name] { order.push_back(std::string("after the ") + name); });
    }));
  }
  {
    Answerer answerer;
    answerer.deliver(round, 0, 2);
  }
  EXPECT_THAT(order, ElementsAre("first", "second", "after the first", "after the second"));
  order.clear();
  {
    Answerer answerer;
    answerer.deliver(round, 2, 3);
  }
  EXPECT_THAT(order, ElementsAre("third", "after the third"));
}

TEST(AfterAnswersTest, WhatIsLeftForLaterMayLeaveMoreForLater) {
  std::vector<int> order;
  auto round = std::make_shared<AppendQueue::Round>();
  round->appends.push_back(answered([&order](const Result<AppendResult>&) {
    after_answers([&order] {
      after_answers([&order] { order.push_back(2); });
      order.push_back(1);
    });
  }));
  {
    Answerer answerer;
    answerer.deliver(round, 0, 1);
  }
  EXPECT_THAT(order, ElementsAre(1, 2));
}

TEST(AfterAnswersTest, IsDoneAtOnceWhereNoCallbacksAreCalled) {
  bool done = false;
  after_answers([&done] { done = true; });
  EXPECT_TRUE(done);
}

class AfterAnswersOfAStoreTest : public StoreTest {};

// A request that is wrong is answered in the caller's own thread.
TEST_F(AfterAnswersOfAStoreTest, ARefusalAtTheDoorIsNotWaitedFor) {
  bool woken = false;
  store().append_async(request({}), [&woken](Result<AppendResult> result) {
    EXPECT_THAT(result, fails_with(Errc::kInvalidArgument));
    after_answers([&woken] { woken = true; });
  });
  EXPECT_TRUE(woken);
}

}  // namespace
}  // namespace cairn::test
