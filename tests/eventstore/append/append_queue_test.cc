#include "eventstore/append/append_queue.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <condition_variable>
#include <deque>
#include <mutex>
#include <string>
#include <thread>
#include <unordered_map>
#include <vector>

#include "eventstore/event_store.h"
#include "tests/support/events.h"
#include "tests/support/matchers.h"
#include "tests/support/temp_folder.h"

namespace cairn {
namespace {

using test::fails_with;
using test::succeeds;

class AppendQueueTest : public testing::Test {
 protected:
  Result<AnswerSignal*> push(std::uint64_t client, std::size_t bytes = 1) {
    AppendRequest& request = requests_.emplace_back();
    request.client = client;
    PendingAppend& pending = appends_.emplace_back(request);
    pending.bytes = bytes;
    AppendQueue::Entry entry{&pending};
    return queue_.push(entry);
  }

  // The clients of the next batch, in its order.
  std::vector<std::uint64_t> take() {
    std::vector<std::uint64_t> clients;
    const AppendQueue::Batch batch = queue_.take();
    for (const AppendQueue::Entry& entry : batch.appends) {
      clients.push_back(entry.pending->request.client);
      // Requests of one client come in the order of push(), which is that of their addresses in appends_.
      for (std::size_t i = 0; i < appends_.size(); ++i) {
        if (&appends_[i] != entry.pending) continue;
        EXPECT_GE(i, next_of_client_[clients.back()]);
        next_of_client_[clients.back()] = i + 1;
      }
    }
    signal_ = batch.signal;
    return clients;
  }

  AppendQueue queue_{AppendQueue::Limits{.requests_max = 100,
                                         .bytes_max = 1'000,
                                         .block_requests_max = 10,
                                         .block_bytes_max = 120,
                                         .client_bytes_max = 50}};
  std::deque<AppendRequest> requests_;
  std::deque<PendingAppend> appends_;
  std::unordered_map<std::uint64_t, std::size_t> next_of_client_;
  AnswerSignal* signal_ = nullptr;
};

TEST_F(AppendQueueTest, TakesAllThatOneBlockHolds) {
  for (const std::uint64_t client : {1, 1, 2, 1}) ASSERT_THAT(push(client), succeeds());
  EXPECT_THAT(take(), testing::ElementsAre(1, 1, 2, 1));
  EXPECT_EQ(queue_.size(), 0u);
}

// The promise behind fair shares: with the queue full of one client's requests, the next request of another
// client is in the next block.
TEST_F(AppendQueueTest, AFloodDelaysOtherClientsByOneBlock) {
  for (int i = 0; i < 70; ++i) ASSERT_THAT(push(1), succeeds());
  ASSERT_THAT(push(2), succeeds());
  EXPECT_THAT(take(), testing::ElementsAre(1, 2, 1, 1, 1, 1, 1, 1, 1, 1));
  EXPECT_EQ(queue_.size(), 61u);
  ASSERT_THAT(push(3), succeeds());
  EXPECT_THAT(take(), testing::Contains(3));
  std::size_t left = queue_.size();
  while (left > 0) left -= take().size();
  EXPECT_EQ(queue_.size(), 0u);
}

TEST_F(AppendQueueTest, AClientThatIsAloneGetsWholeBlocks) {
  for (int i = 0; i < 8; ++i) ASSERT_THAT(push(1, 20), succeeds());
  EXPECT_THAT(take(), testing::SizeIs(6));
  EXPECT_THAT(take(), testing::SizeIs(2));
}

TEST_F(AppendQueueTest, SeveralClientsHaveAPartOfABlockEach) {
  for (int i = 0; i < 5; ++i) ASSERT_THAT(push(1, 20), succeeds());
  ASSERT_THAT(push(2, 30), succeeds());
  EXPECT_THAT(take(), testing::ElementsAre(1, 2, 1));
  EXPECT_THAT(take(), testing::ElementsAre(1, 1));
  EXPECT_THAT(take(), testing::ElementsAre(1));
}

// A larger one is the last of a batch, and the appender gives it a block of its own.
TEST_F(AppendQueueTest, OthersDoNotShareABlockWithARequestAboveThePartOfAClient) {
  ASSERT_THAT(push(1, 60), succeeds());
  ASSERT_THAT(push(1, 60), succeeds());
  ASSERT_THAT(push(2, 20), succeeds());
  ASSERT_THAT(push(3, 70), succeeds());
  EXPECT_THAT(take(), testing::ElementsAre(2, 1));
  ASSERT_THAT(push(2, 20), succeeds());
  EXPECT_THAT(take(), testing::ElementsAre(2, 3));
  EXPECT_THAT(take(), testing::ElementsAre(1));
}

// The same with a store: a request above the part of a client is not in the block of another client's.
TEST(FairAppendTest, ALargeAppendIsABlockOfItsOwn) {
  std::mutex mutex;
  std::condition_variable changed;
  bool held = true;
  std::vector<std::size_t> commits;
  StoreOptions options;
  options.client_block_bytes_max = 4'096;
  options.on_commit = [&](const CommitReport& report) {
    std::unique_lock lock(mutex);
    commits.push_back(report.events);
    changed.notify_all();
    changed.wait(lock, [&] { return !held; });
  };
  test::TempFolder folder;
  const auto store = EventStore::open(folder.path(), options);
  ASSERT_THAT(store, succeeds());
  std::size_t answered = 0;
  const auto append = [&](std::uint64_t client, const std::string& stream, std::size_t events) {
    AppendRequest request{{{stream, ExpectedVersion::any(), {}}}};
    for (std::size_t i = 0; i < events; ++i) request.streams[0].events.push_back(test::event("T"));
    request.client = client;
    (*store)->append_async(std::move(request), [&](const Result<AppendResult>& result) {
      const std::lock_guard lock(mutex);
      EXPECT_THAT(result, succeeds());
      ++answered;
      changed.notify_all();
    });
  };
  append(1, "flood-1", 1);
  std::unique_lock lock(mutex);
  changed.wait(lock, [&] { return commits.size() == 1; });
  lock.unlock();
  append(1, "flood-1", 1'000);
  append(2, "quiet-1", 1);
  append(3, "quiet-2", 1);
  lock.lock();
  held = false;
  changed.notify_all();
  changed.wait(lock, [&] { return answered == 4; });
  EXPECT_THAT(commits, testing::ElementsAre(1, 2, 1'000));
}

// Those that are left wait on the signal that push() gave them, which the next batch must therefore have.
TEST_F(AppendQueueTest, RequestsThatAreLeftKeepTheirSignal) {
  const auto first = push(1);
  for (int i = 0; i < 19; ++i) ASSERT_EQ(*push(1), *first);
  EXPECT_EQ(take().size(), 10u);
  EXPECT_EQ(signal_, *first);
  EXPECT_EQ(*push(1), *first);
  EXPECT_EQ(take().size(), 10u);
  EXPECT_EQ(signal_, *first);
  EXPECT_EQ(take().size(), 1u);
  EXPECT_EQ(signal_, *first);
  EXPECT_NE(*push(1), *first);
}

TEST_F(AppendQueueTest, OnlyTheClientThatFillsTheQueueIsRefused) {
  for (int i = 0; i < 75; ++i) ASSERT_THAT(push(1), succeeds());
  EXPECT_THAT(push(1), fails_with(Errc::kTooManyRequests));
  for (int i = 0; i < 20; ++i) ASSERT_THAT(push(2), succeeds());
  EXPECT_THAT(push(1), fails_with(Errc::kTooManyRequests));
  for (int i = 0; i < 5; ++i) ASSERT_THAT(push(3), succeeds());
  EXPECT_THAT(push(3), fails_with(Errc::kOverloaded));  // full, for all
  take();
  EXPECT_THAT(push(1), fails_with(Errc::kTooManyRequests));
  EXPECT_THAT(push(3), succeeds());
}

TEST_F(AppendQueueTest, SharesCountBytes) {
  for (int i = 0; i < 7; ++i) ASSERT_THAT(push(1, 100), succeeds());
  EXPECT_THAT(push(1, 100), fails_with(Errc::kTooManyRequests));
  EXPECT_THAT(push(2, 100), succeeds());
}

TEST_F(AppendQueueTest, TheProgramsOwnAppendsHaveNoShare) {
  for (int i = 0; i < 100; ++i) ASSERT_THAT(push(0), succeeds());
  EXPECT_THAT(push(0), fails_with(Errc::kOverloaded));
}

// The same with a store, whose writer thread is held after the first block.
TEST(FairAppendTest, AnotherClientsAppendIsInTheNextBlock) {
  constexpr std::uint64_t kBlock = 16;
  std::mutex mutex;
  std::condition_variable changed;
  bool held = true;
  std::size_t commits = 0;
  StoreOptions options;
  options.queue_requests_max = 400;
  options.block_events_max = kBlock;
  options.on_commit = [&](const CommitReport&) {
    std::unique_lock lock(mutex);
    ++commits;
    changed.notify_all();
    changed.wait(lock, [&] { return !held; });
  };
  test::TempFolder folder;
  const auto store = EventStore::open(folder.path(), options);
  ASSERT_THAT(store, succeeds());
  std::size_t answered = 0;
  const auto append = [&](std::uint64_t client, std::string stream, auto done) {
    AppendRequest request{{{std::move(stream), ExpectedVersion::any(), {test::event("T")}}}};
    request.client = client;
    (*store)->append_async(std::move(request), done);
  };
  Errc refusal{};
  std::size_t sent = 0;
  const auto count = [&](const Result<AppendResult>& result) {
    const std::lock_guard lock(mutex);
    if (result.ok()) {
      ++answered;
    } else {
      refusal = result.error().code;
    }
    changed.notify_all();
  };
  append(1, "flood-0", count);
  ++sent;
  {
    std::unique_lock lock(mutex);
    changed.wait(lock, [&] { return commits == 1; });
  }
  for (; refusal == Errc{}; ++sent) append(1, "flood-" + std::to_string(sent), count);
  --sent;
  EXPECT_EQ(refusal, Errc::kTooManyRequests);
  EXPECT_EQ(sent, 301u);
  std::uint64_t position = 0;
  append(2, "quiet-1", [&](const Result<AppendResult>& result) {
    const std::lock_guard lock(mutex);
    ASSERT_THAT(result, succeeds());
    position = result->streams[0].first_position.value;
    changed.notify_all();
  });
  std::unique_lock lock(mutex);
  held = false;
  changed.notify_all();
  changed.wait(lock, [&] { return answered == sent && position != 0; });
  EXPECT_LE(position, 1 + kBlock);  // the first block had one event
}

// Callers that block in append() are woken also when their request is left for a later batch.
TEST(FairAppendTest, EveryCallerIsAnsweredWhenABlockHoldsLessThanTheQueue) {
  StoreOptions options;
  options.block_events_max = 2;
  test::TempFolder folder;
  const auto store = EventStore::open(folder.path(), options);
  ASSERT_THAT(store, succeeds());
  constexpr int kThreads = 16, kAppends = 50;
  {
    std::vector<std::jthread> threads;
    for (int t = 0; t < kThreads; ++t) {
      threads.emplace_back([&, t] {
        for (int i = 0; i < kAppends; ++i) {
          AppendRequest request{{{"s-" + std::to_string(t), ExpectedVersion::any(), {test::event("T")}}}};
          request.client = static_cast<std::uint64_t>(t);
          ASSERT_THAT((*store)->append(std::move(request)), succeeds());
        }
      });
    }
  }
  EXPECT_EQ((*store)->head().value, static_cast<std::uint64_t>(kThreads * kAppends));
}

}  // namespace
}  // namespace cairn
