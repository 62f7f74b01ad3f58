#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "eventstore/base/limits.h"
#include "eventstore/base/result.h"
#include "eventstore/event_page.h"
#include "eventstore/options.h"
#include "eventstore/snapshots.h"
#include "eventstore/types.h"

namespace cairn {

// Which events of the whole log: those of any of `categories` (all when empty) and any of `types` (all when
// empty).
struct EventFilter {
  std::vector<std::string> categories;
  std::vector<std::string> types;
  bool matches_all() const { return categories.empty() && types.empty(); }
};

struct LogQuery {
  // Forward: the first position to return. Backward: the last; nullopt = the head.
  std::optional<GlobalPosition> from;
  Direction direction = Direction::kForward;
  std::size_t limit = 100;
  EventFilter filter;
  std::size_t bytes_max = limits::kPageBytesMax;  // the page ends early behind the event that exceeds it
};

struct StreamQuery {
  // Forward: the first version to return. Backward: the last; nullopt = the newest.
  std::optional<StreamVersion> from;
  Direction direction = Direction::kForward;
  std::size_t limit = 100;
  std::size_t bytes_max = limits::kPageBytesMax;  // the page ends early behind the event that exceeds it
};

struct ScanQuery {
  GlobalPosition from{1};
  std::optional<GlobalPosition> to = {};  // the last to visit; nullopt, or beyond the head = the head
  EventFilter filter = {};
};

struct StreamListQuery {
  std::string category;  // empty = all
  std::string prefix;
  std::string after;  // names strictly greater than this
  std::size_t limit = 100;
};

struct StreamList {
  std::vector<StreamInfo> streams;  // in byte order of their names
  std::optional<std::string> next;  // pass as `after` to go on; nullopt when there are no more
};

// What the store has done since it was opened, and what it holds. Counters only grow.
struct StoreStats {
  std::uint64_t appends = 0;  // requests acknowledged, repeats included
  std::uint64_t already_applied = 0;
  std::uint64_t conflicts = 0;
  std::uint64_t refused = 0;  // other requests answered with an error
  std::uint64_t events = 0;
  std::uint64_t commits = 0;
  std::uint64_t block_bytes = 0;
  std::uint64_t commit_micros = 0;  // time spent inside commits
  std::uint64_t flushes = 0;
  std::uint64_t queue_requests = 0;  // waiting now
  std::uint64_t tail_events = 0;     // not in the index yet
  std::uint64_t log_bytes = 0;       // used by the log's file, without what is filled ahead
  std::uint64_t index_bytes = 0;
  std::uint64_t readers = 0;  // read transactions open now
};

using AppendCallback = std::function<void(Result<AppendResult>)>;

// Return false to stop the scan.
using EventVisitor = std::function<bool(const EventView&)>;

// The event log of one data folder, with everything needed to find events again. All functions may be called
// from any thread, at once; the destructor must be called when no other call is under way.
//
// What holds:
//  1. An append that was answered with success is on disk, and survives a crash of the process or the
//  machine.
//  2. A request is applied whole or not at all. Its events are adjacent in the log.
//  3. Positions are 1, 2, 3, … without gaps; the versions of each stream too. Both agree in order.
//  4. What one call has seen, every later call sees; nothing is seen before it is on disk.
//  5. Bytes that differ from what was written are reported (kCorruption), never returned.
class EventStore {
 public:
  // Opens the store in `folder`, making a new one where there is none and the options allow it. Recovers what
  // an earlier process left. Fails with kFailedPrecondition when another process has the folder or the folder
  // is on a network file system, kCorruption when its files are damaged or missing, kNotFound when there is
  // no store.
  static Result<std::unique_ptr<EventStore>> open(const std::filesystem::path& folder, StoreOptions options);

  // Opens the store in `folder` to read it while another process has it, or none; that one may stop, crash
  // and start again meanwhile. Nothing is written to the folder but LMDB's table of readers. What holds above
  // holds here: everything seen is on disk and in order, and stays seen. New events are seen a moment later
  // (FollowOptions::look_every).
  //   Log       scan, read_log, head, wait_for, notify_at, head_hash. A filtered read_log walks over the log.
  //   Streams   read_stream, stream_info and list_streams know the streams of Cairn's own ("$…"), and answer
  //             kFailedPrecondition for others: where those stand, only the server's memory knows.
  //   The rest  appends, flushes and snapshots: kFailedPrecondition.
  // When the files are damaged, or replaced by others, all reads fail with kCorruption from then on. Fails
  // with kNotFound when there is no store, kCorruption when its files are damaged, and kFailedPrecondition
  // when this process follows the folder already. REQUIRES: this process has not opened the store in another
  // way.
  static Result<std::unique_ptr<EventStore>> open_beside(const std::filesystem::path& folder,
                                                         FollowOptions options = {});

  // Finishes what is queued, flushes the index and closes.
  virtual ~EventStore() = default;

  // Appends and returns when the events are on disk. Fails with
  //   kVersionConflict  a stream is not at the expected version (Error::version has the current one)
  //   kEventIdReused    an id stands for another event
  //   kInvalidArgument, kTooLarge   the request is wrong; the message names the field
  //   kOverloaded, kDiskFull        nothing was written; try again
  //   kOutcomeUnknown   the commit failed: the events may or may not be there after a restart
  //   kFailedPrecondition           the store has stopped taking appends
  virtual Result<AppendResult> append(AppendRequest request) = 0;

  // The same without waiting. `done` is called once, from a thread of the store or from this one, and must
  // not block or call append(). One that wakes somebody better does it through after_answers().
  virtual void append_async(AppendRequest request, AppendCallback done) = 0;

  // One page of a stream. Backward pages are in falling order. A stream that does not exist is kNotFound.
  virtual Result<StreamPage> read_stream(std::string_view stream, const StreamQuery& query) = 0;

  // One page of the whole log. `next` is where to go on; forward it is nullopt once the head is reached.
  virtual Result<LogPage> read_log(const LogQuery& query) = 0;

  // Visits the events of a range, which ends at the head as it is when the scan starts, in order, in place:
  // the views live until the visitor returns. Of events that the filter leaves out little more than their
  // type is looked at. The visitor runs inside a short read transaction and must not wait for anything slow;
  // a consumer that may wait reads pages. Returns the last position visited (0 if none).
  virtual Result<GlobalPosition> scan(const ScanQuery& query, const EventVisitor& visitor) = 0;

  // nullopt when there is no such stream.
  virtual Result<std::optional<StreamInfo>> stream_info(std::string_view stream) = 0;
  virtual Result<StreamList> list_streams(const StreamListQuery& query) = 0;

  // The last position on disk; 0 when the log is empty.
  virtual GlobalPosition head() const = 0;

  // Waits until the head is at or beyond `position`; false when `timeout` passed first.
  virtual bool wait_for(GlobalPosition position, std::chrono::milliseconds timeout) = 0;

  // Calls `ready` once, as soon as the head is at or beyond `position` (at once if it is already). Runs on
  // the store's writer or on this thread and must not block. Returns a ticket for cancel_notify().
  virtual std::uint64_t notify_at(GlobalPosition position, std::function<void()> ready) = 0;

  // After this returns, the callback of `ticket` is not running and never will.
  virtual void cancel_notify(std::uint64_t ticket) = 0;

  // Writes the whole tail to the index and returns when it is on disk.
  virtual Status flush_index() = 0;

  // Keeps snapshots, and forgets those of `drop`, in one durable step: all or nothing. A snapshot takes the
  // place of the one that stood there. They are a cache: one that is lost with the index, or damaged, is as
  // if it had never been made. Fails with kTooLarge (limits::kSnapshotBytesMax), kInvalidArgument for what
  // cannot be a stream's name or version, kDiskFull when nothing was kept; appends are not touched by any of
  // it.
  virtual Status put_snapshots(std::span<const SnapshotRecord> snapshots,
                               std::span<const SnapshotKey> drop = {}) = 0;

  // The newest snapshot of a stream at or below a version. Damaged ones are passed over.
  virtual Result<SnapshotSearch> find_snapshot(std::string_view stream, StreamVersion at_most) = 0;

  virtual Result<std::vector<SnapshotInfo>> list_snapshots(std::string_view stream) = 0;  // rising
  virtual Result<SnapshotStreams> list_snapshot_streams(const SnapshotStreamsQuery& query) = 0;

  // Forgets all but the newest `keep` snapshots of a stream, and says how many those were.
  virtual Result<std::uint64_t> prune_snapshots(std::string_view stream, std::uint64_t keep) = 0;

  // The hash of the newest block, which stands for the whole log before it; compare it with a backup's.
  virtual std::string head_hash() const = 0;

  virtual std::string store_id() const = 0;
  virtual StoreStats stats() const = 0;
};

}  // namespace cairn
