#pragma once

#include <array>
#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "eventstore/append/wake_up.h"
#include "eventstore/base/result.h"
#include "eventstore/event_store.h"
#include "eventstore/types.h"

namespace cairn {

// A request on its way through the writer. Answered once.
struct PendingAppend {
  // Keeps a reference: memory is cheapest to free where it was taken.
  explicit PendingAppend(const AppendRequest& what) : request(what) {}

  const AppendRequest& request;
  std::size_t bytes = 0;
  // Prepared by the caller; from its planning on what the answer will be if the commit succeeds; after the
  // commit, the answer.
  std::optional<Result<AppendResult>> answer;
  std::atomic<bool> answered = false;  // from then on the writer touches nothing of somebody who waits
};

// One for which nobody waits: it has its request with it, and a callback is told the answer.
struct UnwaitedAppend {
  AppendRequest request;
  AppendCallback done;
  PendingAppend pending{request};
};

// The bounded queue in front of the writer. While a block is being committed the next one gathers here; the
// writer then takes all there is and does not wait for more. (Waiting for the clients of the last block to
// come back makes larger blocks and no more events a second: the processors, which could serve them, idle
// during the commit.)
class AppendQueue {
 public:
  AppendQueue(std::size_t requests_max, std::size_t bytes_max)
      : requests_max_(requests_max), bytes_max_(bytes_max) {}

  struct Entry {
    PendingAppend* pending;
    // What `pending` is a part of; null when somebody waits, who keeps it.
    std::unique_ptr<UnwaitedAppend> unwaited = nullptr;
  };

  // Returns where the caller can sleep; kOverloaded when the queue is full, kFailedPrecondition once closed.
  // Only on success is `entry` moved from.
  Result<WakeUp*> push(Entry& entry);

  struct Round {
    std::vector<Entry> appends;
    WakeUp* wake_up = nullptr;
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
  std::vector<Entry> appends_;
  std::atomic<std::size_t> size_ = 0;  // of appends_, for a look without the lock
  // In turn, one for each round. If somebody should sleep so long that its turn comes again, it only wakes
  // once more than it need.
  std::array<WakeUp, 16> wake_ups_;
  std::size_t round_ = 0;
  std::size_t bytes_ = 0;
  bool writer_sleeps_ = false;
  std::optional<Error> closed_;
  std::atomic<bool> is_closed_ = false;
};

}  // namespace cairn
