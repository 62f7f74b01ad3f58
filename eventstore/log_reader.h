#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "eventstore/base/result.h"
#include "eventstore/event_page.h"
#include "eventstore/options.h"
#include "eventstore/queries.h"
#include "eventstore/types.h"

namespace cairn {

// Reads the event log of one data folder. EventStore is one, in the process that has the store open;
// open_beside() gives another one, in a process beside it. Thread-safe; the destructor must be called when no
// other call is under way.
//
// Guarantees:
//  1. Positions are 1, 2, 3, … without gaps; the versions of each stream too. Both agree in order.
//  2. An event that one call has seen, every later call sees; no event is seen before it is on disk.
//  3. Bytes that differ from those written are reported (kCorruption), never returned.
class LogReader {
 public:
  // Opens the store in `folder` to read its log while another process has the store open, or none has; that
  // process may stop, crash and start again meanwhile. Writes nothing to the folder but LMDB's reader table.
  // New events are seen a moment later (FollowOptions::poll_interval). A filtered read_log() walks over the
  // log, because the index tail is in the other process's memory. When the files are damaged, or replaced by
  // others, every read fails with kCorruption from then on.
  //
  // Fails with kNotFound when there is no store, kCorruption when its files are damaged, and
  // kFailedPrecondition when this process follows the folder already.
  // REQUIRES: this process has not opened the store in another way.
  static Result<std::unique_ptr<LogReader>> open_beside(const std::filesystem::path& folder,
                                                        FollowOptions options = {});

  virtual ~LogReader() = default;

  // One page of the whole log. `next` is where the next page begins; nullopt once the head (backward: the
  // first event) is reached. A page of few events, or of none, with a `next` is not the last one: it ended
  // after `bytes_max` or `steps_max`.
  virtual Result<LogPage> read_log(const LogQuery& query) = 0;

  // The position of the first event that was recorded at or after `time`, or the one behind the head: times
  // in the log never decrease.
  virtual Result<GlobalPosition> first_recorded_at(Timestamp time) = 0;

  // Visits the events of a range in order and in place: the views live until the visitor returns. The range
  // ends at the head as of the start of the scan. Of events that the filter excludes only the names are read.
  // The visitor runs inside a short read transaction and must not block; a consumer that may block reads
  // pages. Returns the last position visited (0 if none).
  virtual Result<GlobalPosition> scan(const ScanQuery& query, const EventVisitor& visitor) = 0;

  // System streams ("$schemas", "$definitions", "$audit") are few, so every reader keeps their heads in
  // memory; other streams need the store's index: see EventStore. Both functions fail with kInvalidArgument
  // for a name that does not begin with '$'.

  // One page of a system stream; kNotFound when it does not exist.
  virtual Result<StreamPage> read_system_stream(std::string_view stream, const StreamQuery& query) = 0;

  // nullopt when the stream does not exist.
  virtual Result<std::optional<StreamInfo>> system_stream_info(std::string_view stream) = 0;

  // The last position on disk; 0 when the log is empty.
  virtual GlobalPosition head() const = 0;

  // Waits until the head is at or beyond `position`; false when `timeout` passed first.
  virtual bool wait_for(GlobalPosition position, std::chrono::milliseconds timeout) = 0;

  // Calls `ready` once, as soon as the head is at or beyond `position` (at once if it is already). Runs on a
  // thread of the store or on the calling thread, and must not block. Returns a ticket for cancel_notify().
  virtual std::uint64_t notify_at(GlobalPosition position, std::function<void()> ready) = 0;

  // After this returns, the callback of `ticket` is not running and never will.
  virtual void cancel_notify(std::uint64_t ticket) = 0;

  // The hash of the newest block, which covers the whole log before it; compare it with that of a backup.
  virtual std::string head_hash() const = 0;

  virtual std::string store_id() const = 0;
};

}  // namespace cairn
