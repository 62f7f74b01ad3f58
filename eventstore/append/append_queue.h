#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <limits>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "eventstore/append/answer_signal.h"
#include "eventstore/append/append_backlog.h"
#include "eventstore/base/mutex.h"
#include "eventstore/base/result.h"

namespace cairn {

// The bounded queue in front of the writer thread: the admission control of appends. While one block is being
// committed the requests of the next one gather here (group commit); the writer thread then takes all of them
// and does not wait for more. See docs/decisions.md, "No group-commit delay".
//
// Clients (AppendRequest::client) share it. When more waits than one block holds, the writer thread takes a
// block of it, one request of each client in turn, so that a flood delays other clients by one block. While
// several clients append, that block is short: each client has a part of it, and a larger request a block of its
// own. When the queue is three quarters full, a client that has more than its share in it is refused, and others
// are not.
// Thread-safe; take() from the writer thread.
class AppendQueue {
 public:
  struct Limits {
    std::size_t requests_max;
    std::size_t bytes_max;
    std::size_t block_requests_max;  // of one batch
    std::size_t block_bytes_max;
    std::size_t client_bytes_max;  // of one client in a batch, while several append
  };
  explicit AppendQueue(const Limits& limits) : limits_(limits) {}

  using Entry = AppendEntry;

  // Returns the signal on which the caller can wait for its answer. Fails with kOverloaded when the queue is
  // full, kTooManyRequests when it nearly is and the client has its share, kFailedPrecondition once it is
  // closed. Moves from `entry` only on success.
  Result<AnswerSignal*> push(Entry& entry) CAIRN_EXCLUDES(mutex_);

  // Requests that were taken together. They share a signal.
  struct Batch {
    std::vector<Entry> appends;
    AnswerSignal* signal = nullptr;
    // A larger request makes a block of its own, so that other clients do not wait for it.
    std::size_t shared_request_bytes_max = std::numeric_limits<std::size_t>::max();
  };

  // Waits for requests and takes all there are, or about a block of them; an empty batch once the queue is
  // closed and drained. Spins for a moment before it sleeps: waking up takes longer than most clients need to
  // send their next request.
  Batch take() CAIRN_EXCLUDES(mutex_);

  // Refuses further requests with `why`.
  void close(Error why) CAIRN_EXCLUDES(mutex_);

  std::size_t size() const CAIRN_EXCLUDES(mutex_);

 private:
  // What a client has in the queue, or in a batch.
  struct Held {
    std::size_t requests = 0;
    std::size_t bytes = 0;
  };
  using HeldByClient = std::unordered_map<std::uint64_t, Held>;

  bool exceeds_share(const PendingAppend& append) CAIRN_REQUIRES(mutex_);
  std::size_t waiting() const CAIRN_REQUIRES(mutex_) { return appends_.size() + backlog_.size(); }
  void note_client(std::uint64_t client) CAIRN_REQUIRES(mutex_);

  const Limits limits_;

  mutable Mutex mutex_;
  CondVar arrived_;
  std::vector<Entry> appends_ CAIRN_GUARDED_BY(mutex_);  // since the last batch
  AppendBacklog backlog_ CAIRN_GUARDED_BY(mutex_);       // older ones, left by the last batch
  std::atomic<std::size_t> size_ = 0;                    // waiting(), for spinning without the lock
  // One for each batch, in turn. A waiter that sleeps until its signal is used again wakes once too often,
  // finds no answer, and sleeps on.
  std::array<AnswerSignal, 16> signals_;
  std::size_t next_signal_ CAIRN_GUARDED_BY(mutex_) = 0;
  std::size_t bytes_ CAIRN_GUARDED_BY(mutex_) = 0;
  std::uint64_t last_client_ CAIRN_GUARDED_BY(mutex_) = 0;
  std::size_t shared_batches_ CAIRN_GUARDED_BY(mutex_) =
      0;  // the next ones, for which several clients append
  // Of all clients; nullopt until the queue is three quarters full, so that other appends need not count.
  std::optional<HeldByClient> held_ CAIRN_GUARDED_BY(mutex_);
  bool writer_sleeps_ CAIRN_GUARDED_BY(mutex_) = false;
  std::optional<Error> closed_ CAIRN_GUARDED_BY(mutex_);
  std::atomic<bool> is_closed_ = false;  // closed_ is set, for spinning without the lock
};

}  // namespace cairn
