#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "eventstore/base/result.h"
#include "eventstore/event_store.h"
#include "eventstore/types.h"

namespace cairn {

// Wakes, with one call, everybody whose request was taken from the queue together.
struct WakeUp {
  std::atomic<std::uint32_t> round = 0;
};

// A caller that waits for its answer.
struct AppendWaiter {
  std::optional<Result<AppendResult>> answer;
  std::atomic<bool> answered = false;
};

// A request on its way through the writer: answered once, through its callback or its waiter.
struct PendingAppend {
  AppendRequest request;
  std::size_t bytes = 0;
  AppendCallback done;
  AppendWaiter* waiter = nullptr;
  std::optional<Result<AppendResult>> planned;  // the answer, if the commit succeeds
};

// The bounded queue in front of the writer, and its sense for the right moment to go. Clients that wait for their
// answers come back together a moment after a commit; a writer that left with the first of them would make the
// others wait for a whole commit. So it waits until about as many have come as were under way before, or
// a commit's time has passed.
class AppendQueue {
 public:
  AppendQueue(std::size_t requests_max, std::size_t bytes_max, std::chrono::microseconds gather_max)
      : requests_max_(requests_max), bytes_max_(bytes_max), gather_max_(gather_max) {}

  // Returns what will wake the caller; kOverloaded when the queue is full, kFailedPrecondition once closed. Only on
  // success is `append` moved from.
  Result<std::shared_ptr<WakeUp>> push(PendingAppend& append, std::size_t bytes);

  struct Round {
    std::vector<PendingAppend> appends;
    std::shared_ptr<WakeUp> wake_up;
  };

  // Waits for requests and takes all there are. Empty once the queue is closed and drained. `commit_time` is what
  // the last commit took.
  Round take(std::chrono::microseconds commit_time);

  // No more requests are taken; `why` is what they are told.
  void close(Error why);

  std::size_t size() const;

 private:
  const std::size_t requests_max_;
  const std::size_t bytes_max_;
  const std::chrono::microseconds gather_max_;

  mutable std::mutex mutex_;
  std::condition_variable arrived_;
  std::vector<PendingAppend> appends_;
  std::shared_ptr<WakeUp> wake_up_ = std::make_shared<WakeUp>();
  std::size_t bytes_ = 0;
  std::size_t wake_writer_at_ = 0;  // the writer sleeps until this many are here; 0 = it is awake
  std::size_t last_round_ = 0;
  std::optional<Error> closed_;
};

}  // namespace cairn
