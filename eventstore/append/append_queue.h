#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "eventstore/base/futex.h"
#include "eventstore/base/result.h"
#include "eventstore/event_store.h"
#include "eventstore/types.h"

namespace cairn {

// Where everybody sleeps whose request was taken from the queue together. The writer wakes one, and whoever
// wakes passes it on to two more: the writer goes on with the next block meanwhile.
class WakeUp {
 public:
  // The writer has answered some of those who wait here.
  void answered() {
    ++round_;
    futex_wake(round_, 1);
  }

  // Sleeps until `done`, which answered() must follow.
  void wait_until(const std::atomic<bool>& done) {
    std::uint32_t round = round_.load();
    while (!done.load()) {
      futex_wait(round_, round);
      // Passed on once for each answer, by those who go on sleeping too: the next in line may be meant.
      if (const std::uint32_t now = round_.load(); now != round) {
        round = now;
        futex_wake(round_, 2);
      }
    }
  }

 private:
  std::atomic<std::uint32_t> round_ = 0;
};

// A caller that waits for its answer. It keeps its request, and lets go of it itself: memory is cheapest to
// free where it was taken.
struct AppendWaiter {
  const AppendRequest& request;
  std::optional<Result<AppendResult>> answer = {};
  std::atomic<bool> answered = false;  // from then on the writer touches neither
};

// A request on its way through the writer: answered once, through its callback or its waiter.
struct PendingAppend {
  AppendWaiter* waiter = nullptr;
  AppendRequest unwaited;  // the request, if nobody waits
  AppendCallback done;
  std::size_t bytes = 0;
  std::optional<Result<AppendResult>> unwaited_answer;

  const AppendRequest& request() const { return waiter != nullptr ? waiter->request : unwaited; }
  // Prepared by the caller; from its planning on what the answer will be if the commit succeeds; after the
  // commit, the answer.
  std::optional<Result<AppendResult>>& answer() {
    return waiter != nullptr ? waiter->answer : unwaited_answer;
  }
};

// The bounded queue in front of the writer. While a block is being committed the next one gathers here; the
// writer then takes all there is and does not wait for more. (Waiting for the clients of the last block to
// come back makes larger blocks and no more events a second: the processors, which could serve them, idle
// during the commit.)
class AppendQueue {
 public:
  AppendQueue(std::size_t requests_max, std::size_t bytes_max)
      : requests_max_(requests_max), bytes_max_(bytes_max) {}

  // Returns what will wake the caller; kOverloaded when the queue is full, kFailedPrecondition once closed.
  // Only on success is `append` moved from.
  Result<std::shared_ptr<WakeUp>> push(PendingAppend& append, std::size_t bytes);

  struct Round {
    std::vector<PendingAppend> appends;
    std::shared_ptr<WakeUp> wake_up;
  };

  // Waits for requests and takes all there are. Empty once the queue is closed and drained. Watches for a
  // moment before it sleeps: waking up again takes longer than most clients need to come back.
  Round take();

  // No more requests are taken; `why` is what they are told.
  void close(Error why);

  std::size_t size() const;

 private:
  const std::size_t requests_max_;
  const std::size_t bytes_max_;

  mutable std::mutex mutex_;
  std::condition_variable arrived_;
  std::vector<PendingAppend> appends_;
  std::atomic<std::size_t> size_ = 0;  // of appends_, for a look without the lock
  std::shared_ptr<WakeUp> wake_up_ = std::make_shared<WakeUp>();
  std::size_t bytes_ = 0;
  bool writer_sleeps_ = false;
  std::optional<Error> closed_;
  std::atomic<bool> is_closed_ = false;
};

}  // namespace cairn
