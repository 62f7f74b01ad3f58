#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "eventstore/append/append_queue.h"
#include "eventstore/append/block_hasher.h"
#include "eventstore/append/block_planner.h"
#include "eventstore/append/callback_dispatcher.h"
#include "eventstore/append/disk_full_episode.h"
#include "eventstore/base/background_thread.h"
#include "eventstore/base/checksum.h"
#include "eventstore/base/mutex.h"
#include "eventstore/base/result.h"
#include "eventstore/log/block_log.h"
#include "eventstore/log/head_signal.h"
#include "eventstore/log/log_end.h"
#include "eventstore/options.h"
#include "eventstore/queries.h"

namespace cairn {

// Counters of the writer thread; any thread may read them.
struct AppendCounters {
  std::atomic<std::uint64_t> appends = 0, already_applied = 0, conflicts = 0, refused = 0;
  std::atomic<std::uint64_t> events = 0, commits = 0, block_bytes = 0, commit_micros = 0;
};

// Writes to the log, with one thread ("cairn-writer"): takes all queued requests, plans a block of them,
// commits it (group commit), applies it to the tail, moves the head, answers. append() and append_async()
// from any thread.
//
// Invariants, asserted in appender.cc by their numbers:
//  1. A success is answered after the commit that holds its events, never before. So is a repeat of events of
//     the same block, and a refusal because of them; if the commit fails the client is told to try again.
//  2. A committed block is in the tail before the head moves and before its requests are answered: a client
//     that knows of an event can read it.
//  3. After a commit with unknown outcome nothing is written.
//  4. A block continues the end of the log, and its time is not before that of the last block.
class Appender {
 public:
  struct Parts {
    BlockLog& log;
    Tail& tail;
    const Index& index;
    HeadSignal& news;
    IdWindow& id_window;
    Uuid store_id;
    SipKey id_key;
    LogFormat format;         // of the blocks to write
    SchemaRevision revision;  // of the log
  };

  // Called by the writer thread; an error refuses the requests of the block.
  struct Hooks {
    std::function<Status()> make_room;  // before a block is planned; may wait for the flusher (backpressure)
    std::function<Status()> before_write;  // before a block is written
    // The room that the disk has, in words: "0 bytes are free in /var/lib/cairn". Adds it to a line of the log.
    std::function<void(LogEvent&)> add_free_room = {};
  };

  // Starts the writer thread. REQUIRES: all of `parts` and `options` outlive it.
  Appender(const Parts& parts, const StoreOptions& options, const LogEnd& end, Hooks hooks);

  // Commits and answers the queued requests, and runs their callbacks.
  ~Appender();

  // See EventStore.
  Result<AppendResult> append(const AppendRequest& request);
  void append_async(std::unique_ptr<AsyncAppend> async);

  const AppendCounters& counters() const { return counters_; }
  std::size_t queued() const { return queue_.size(); }
  Sha256 head_hash() const CAIRN_EXCLUDES(hash_mutex_);

  // Of the blocks that this appender writes; whether it has written one.
  std::uint64_t epoch() const { return epoch_; }
  bool has_written() const { return has_written_.load(); }

 private:
  // Moves `entry` into the queue if its request is valid; leaves it as it is otherwise.
  Result<AnswerSignal*> enqueue(AppendQueue::Entry& entry);

  // The writer thread's.
  void run();
  std::size_t write_block(AppendQueue::Batch& batch, std::size_t from);
  std::size_t plan_block(AppendQueue::Batch& batch, std::size_t from);
  void answer_request(PendingAppend& append, const Status& status);
  Status commit(std::span<const AppendQueue::Entry> planned) CAIRN_EXCLUDES(hash_mutex_);
  void report(std::span<const AppendQueue::Entry> planned, CommitReport report);
  Status failed(const Status& written);
  void apply_events();
  void log_disk_full(const Status& status, std::size_t requests, std::uint64_t commits_before);
  void log_slow_commit(std::size_t bytes, std::chrono::nanoseconds took);
  void count(const Result<AppendResult>& answer);
  void stop(const Error& cause);

  const Parts parts_;
  const StoreOptions& options_;
  const Hooks hooks_;
  AppendCounters counters_;
  AppendQueue queue_;
  std::atomic<unsigned> waiting_ = 0;  // callers inside append()
  BlockPlanner planner_;
  BlockBuilder builder_;
  BlockHasher hasher_;
  LogEnd end_;  // the writer thread's
  const std::uint64_t epoch_;
  std::atomic<bool> has_written_ = false;
  GlobalPosition applied_through_;  // the writer thread's: the last position that the tail or the index has
  std::vector<std::chrono::nanoseconds> waited_;  // the writer thread's: scratch of report()
  bool stopped_ = false;                          // the writer thread's: the outcome of a commit is unknown
  DiskFullEpisode disk_full_;                     // the writer thread's
  LogThrottle slow_commits_;                      // the writer thread's
  mutable Mutex hash_mutex_;
  Sha256 published_hash_ CAIRN_GUARDED_BY(hash_mutex_);
  CallbackDispatcher callbacks_;  // outlives the writer thread, which hands it answered requests
  BackgroundThread thread_;       // last: it uses the others
};

}  // namespace cairn
