#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "eventstore/base/result.h"
#include "eventstore/event_page.h"
#include "eventstore/log_reader.h"
#include "eventstore/options.h"
#include "eventstore/queries.h"
#include "eventstore/snapshots.h"
#include "eventstore/types.h"

namespace cairn {

// The event log of one data folder, with the index that finds streams, ids and snapshots. Thread-safe; the
// destructor must be called when no other call is under way.
//
// Guarantees, beside those of LogReader:
//  1. An append that was answered with success is on disk, and survives a crash of the process or the
//     machine.
//  2. A request is applied whole or not at all. Its events are adjacent in the log.
class EventStore : public LogReader {
 public:
  // Opens the store in `folder`, and creates one where there is none and the options allow it. Recovers from
  // the journal what an earlier process left. Fails with kFailedPrecondition when another process has the
  // store open or the folder is on a network file system, kCorruption when its files are damaged or missing,
  // kNotFound when there is no store.
  static Result<std::unique_ptr<EventStore>> open(const std::filesystem::path& folder, StoreOptions options);

  // The destructor commits the queued appends, flushes the index and closes the store.

  // Appends and returns when the events are on disk. Fails with
  //   kVersionConflict              a stream is not at the expected version; Error::version has its version
  //   kEventIdReused                an id belongs to another event
  //   kConditionFailed              an event stands where the condition wants none: Error::position, stream,
  //                                 event_type, item and head tell which
  //   kConditionTooBroad            see verify()
  //   kStale                        one of the request's checks no longer holds; Error::check says which one
  //   kNotFound                     the request is only_if_repeated, and is no repeat
  //   kInvalidArgument, kTooLarge   the request is wrong; the message names the field
  //   kOverloaded, kDiskFull        nothing was written; try again
  //   kOutcomeUnknown               the commit failed: the events may or may not be there after a restart
  //   kFailedPrecondition           the store has stopped taking appends
  virtual Result<AppendResult> append(AppendRequest request) = 0;

  // The same without blocking. REQUIRES: a condition was verified; without its stream and type, an event in the way
  // that the writer thread has found is described by another verify(). `done` is called once, on a thread of the store or on the calling thread, and
  // must not block or call append(). A callback that wakes another thread does so through after_callbacks().
  virtual void append_async(AppendRequest request, AppendCallback done) = 0;

  // The same for a request that the caller keeps, to check it again after kStale. REQUIRES: it does not
  // change before `done` is called.
  virtual void append_async(std::shared_ptr<const AppendRequest> request, AppendCallback done) = 0;

  // The first of the two steps in which a condition is decided: searches the log up to the head, and sets
  // verified_through or in_the_way. Continues behind an earlier verified_through. Fails with kConditionTooBroad when
  // that takes more than limits::kConditionStepsMax, kNotYet (see index_progress()), or as the budget ends, if one
  // is given. REQUIRES: the budget outlives the call.
  virtual Status verify(AppendCondition& condition, WorkBudget* budget = nullptr) = 0;

  // The same if that takes a short look into memory only: false when it takes more, or when an event is in the way.
  // Does not block.
  virtual bool verify_in_memory(AppendCondition& condition) = 0;

  // One page of a stream. Backward pages are in falling order. A stream that does not exist is kNotFound.
  virtual Result<StreamPage> read_stream(std::string_view stream, const StreamQuery& query) = 0;

  // nullopt when the stream does not exist.
  virtual Result<std::optional<StreamInfo>> stream_info(std::string_view stream) = 0;
  virtual Result<StreamList> list_streams(const StreamListQuery& query) = 0;

  // Counts events by category, type or tag, in the order of their names. Fails with kNotYet, see
  // index_progress().
  virtual Result<CountList> count_terms(const CountQuery& query) = 0;

  // Complete unless an older version wrote the store: then the rest of the log is read in the background.
  virtual IndexProgress index_progress() const = 0;

  // Writes the whole tail to the index and returns when it is on disk.
  virtual Status flush_index() = 0;

  // Stores `snapshots` and deletes those of `drop`, in one durable step: all or nothing. A snapshot replaces
  // the one of the same stream and version. Snapshots are a cache: one that is lost with the index, or
  // damaged, reads as absent. Fails with kTooLarge (limits::kSnapshotBytesMax), kInvalidArgument for an
  // invalid stream name or version, kDiskFull when nothing was stored. Appends are not affected.
  virtual Status put_snapshots(std::span<const SnapshotRecord> snapshots,
                               std::span<const SnapshotKey> drop = {}) = 0;

  // The newest snapshot of a stream at or below a version. Damaged ones are skipped.
  virtual Result<SnapshotSearch> find_snapshot(std::string_view stream, StreamVersion at_most) = 0;

  virtual Result<std::vector<SnapshotInfo>> list_snapshots(std::string_view stream) = 0;  // rising
  virtual Result<SnapshotStreams> list_snapshot_streams(const SnapshotStreamsQuery& query) = 0;

  // Deletes all but the newest `keep` snapshots of a stream, and returns how many it deleted.
  virtual Result<std::uint64_t> prune_snapshots(std::string_view stream, std::uint64_t keep) = 0;

  virtual StoreStats stats() const = 0;

  // The epoch of this opening: larger than that of every opening before it, in this history, that asked for
  // it or wrote a block. Durable on return; fails as an append does.
  virtual Result<std::uint64_t> claim_epoch() = 0;

  // The id of the store's history, a UUID. A restored copy has another one: what was given out under the old
  // one, such as fencing tokens, may be unknown to it. Durable on return.
  virtual Result<std::string> history_id() = 0;
};

}  // namespace cairn
