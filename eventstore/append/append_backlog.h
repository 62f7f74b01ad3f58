#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "eventstore/base/result.h"
#include "eventstore/index/event_terms.h"
#include "eventstore/queries.h"

namespace cairn {

// A request on its way through the writer thread. Answered once.
struct PendingAppend {
  // Keeps a reference: the caller's thread allocated the request and frees it, which is cheapest.
  explicit PendingAppend(const AppendRequest& what) : request(what) {}

  const AppendRequest& request;
  std::size_t bytes = 0;
  std::chrono::steady_clock::time_point taken;  // when it came to the queue
  std::vector<EventTerm> terms;                 // BlockPlanner::terms_of(), by the caller
  // Allocated by the caller. Once the request is planned: the answer if the commit succeeds. After the
  // commit: the answer.
  std::optional<Result<AppendResult>> answer;
  // Set last. From then on the writer thread does not touch a request whose caller waits for it.
  std::atomic<bool> answered = false;
};

// A request of append_async(): no caller waits, so it owns its request or shares it with the caller, and a
// callback receives the answer.
struct AsyncAppend {
  AsyncAppend(AppendRequest what, AppendCallback callback)
      : own(std::move(what)), done(std::move(callback)), pending(own) {}
  AsyncAppend(std::shared_ptr<const AppendRequest> what, AppendCallback callback)
      : shared(std::move(what)), done(std::move(callback)), pending(*shared) {}

  const AppendRequest own;
  const std::shared_ptr<const AppendRequest> shared;
  AppendCallback done;
  PendingAppend pending;
};

struct AppendEntry {
  PendingAppend* pending;
  // Owns `pending`, for a request of append_async(); null when a caller waits, which owns it.
  std::unique_ptr<AsyncAppend> async = nullptr;
};

// The requests that did not fit the last block, by client. Clients take turns, one request each, so that the
// backlog of one client delays the others by one block and not by all of it. The requests of one client stay in
// order. Not thread-safe.
class AppendBacklog {
 public:
  struct Limits {
    std::size_t requests_max;
    std::size_t bytes_max;
    std::size_t client_bytes_max;  // of one client, unless its first request alone is larger
  };

  void push(AppendEntry entry);

  // Takes what one block may hold; at least one request unless there is none. Of the requests that are larger
  // than a client's part it takes at most one, and puts it last: the others need not share a block with it.
  std::vector<AppendEntry> take(const Limits& limits);

  bool empty() const { return size_ == 0; }
  std::size_t size() const { return size_; }

  struct Waiting {
    std::deque<AppendEntry> entries;
    std::size_t bytes = 0;
  };
  // Only clients that have requests.
  const std::unordered_map<std::uint64_t, Waiting>& clients() const { return clients_; }

 private:
  AppendEntry take_first(std::uint64_t client);

  std::unordered_map<std::uint64_t, Waiting> clients_;
  std::deque<std::uint64_t> turns_;  // each client of clients_ once
  std::size_t size_ = 0;
};

}  // namespace cairn
