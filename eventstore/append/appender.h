#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <thread>

#include "eventstore/append/answerer.h"
#include "eventstore/append/append_queue.h"
#include "eventstore/append/block_hasher.h"
#include "eventstore/append/block_planner.h"
#include "eventstore/base/checksum.h"
#include "eventstore/base/result.h"
#include "eventstore/event_store.h"
#include "eventstore/log/block_log.h"
#include "eventstore/log/log_end.h"
#include "eventstore/log/news_board.h"

namespace cairn {

// Counters of the writer, read by anybody.
struct AppendCounters {
  std::atomic<std::uint64_t> appends = 0, already_applied = 0, conflicts = 0, refused = 0;
  std::atomic<std::uint64_t> events = 0, commits = 0, block_bytes = 0, commit_micros = 0;
};

// The one writer. Takes what is queued, makes blocks of it, commits, publishes, answers.
//
// Invariants:
//  1. A success is answered after the commit that holds it, never before; so is a repeat of something in the
//  block.
//  2. What is committed is in the tail before anybody is answered or told, so whoever knows of an event can
//  read it.
//  3. After a commit whose outcome is unknown nothing is written any more.
class Appender {
 public:
  struct Parts {
    BlockLog& log;
    Tail& tail;
    const Index& index;
    NewsBoard& news;
    Uuid store_id;
  };

  // `make_room` is called before each block and may wait for the flusher; an error refuses the block's
  // requests.
  Appender(const Parts& parts, const StoreOptions& options, const LogEnd& end,
           std::function<Status()> make_room);

  // Finishes what is queued.
  ~Appender();

  Result<AppendResult> append(AppendRequest request);
  void append_async(AppendRequest request, AppendCallback done);

  const AppendCounters& counters() const { return counters_; }
  std::size_t queued() const { return queue_.size(); }
  Sha256 head_hash() const;

 private:
  // Moves `entry` into the queue if its request is sound; leaves it alone otherwise.
  Result<WakeUp*> enqueue(AppendQueue::Entry& entry);
  void run();
  std::size_t write_block(AppendQueue::Round& round, std::size_t from);
  Status commit();
  void count(const Result<AppendResult>& answer);
  void stop(const Error& cause);

  const Parts parts_;
  const StoreOptions& options_;
  const std::function<Status()> make_room_;
  AppendCounters counters_;
  AppendQueue queue_;
  std::atomic<unsigned> waiting_ = 0;  // callers of append() that wait
  BlockPlanner planner_;
  BlockBuilder builder_;
  BlockHasher hasher_;
  LogEnd end_;  // the writer's own
  bool stopped_ = false;
  mutable std::mutex hash_mutex_;
  Sha256 published_hash_;
  Answerer answerer_;  // outlives the writer, which gives it work
  std::thread thread_;
};

}  // namespace cairn
