#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "eventstore/base/limits.h"
#include "eventstore/base/result.h"
#include "eventstore/event_filter.h"
#include "eventstore/types.h"

// What the calls of LogReader and EventStore take and return. Values, no I/O. The pages are in event_page.h.
namespace cairn {

class WorkBudget;

struct LogQuery {
  // Forward: the first position to return. Backward: the last; nullopt = the head.
  std::optional<GlobalPosition> from;
  Direction direction = Direction::kForward;
  std::size_t limit = 100;
  EventFilter filter;
  EventQuery or_any_of = {};  // events that one of these selects are returned too
  // Forward: the last position to return; backward: the first. nullopt = the end of the log in that direction.
  std::optional<GlobalPosition> until = {};
  std::size_t bytes_max = limits::kPageBytesMax;    // the page ends early, after the event that exceeds it
  std::uint64_t steps_max = limits::kPageStepsMax;  // the page ends early, perhaps without any event
  // Is also charged for the steps of a filter, and ends the page as steps_max does. A page gets further than the
  // one before it even with a budget that has ended. REQUIRES: it outlives the call.
  WorkBudget* budget = nullptr;
};

// Which of the terms of events to count.
enum class CountedTerm { kCategory, kType, kTag };

struct CountQuery {
  CountedTerm of = CountedTerm::kCategory;
  std::string prefix;                     // of the terms
  std::optional<std::string> after = {};  // terms strictly greater than this; a term may be empty
  std::size_t limit = 100;
};

// How many events of the log have each term.
struct CountList {
  struct Entry {
    std::string term;
    std::uint64_t events = 0;
    friend bool operator==(const Entry&, const Entry&) = default;
  };
  GlobalPosition head;              // the events up to this position are counted
  std::vector<Entry> terms;         // in byte order
  std::optional<std::string> next;  // pass as `after` for the next page; nullopt on the last one
};

// How far the index of an existing store has been brought to the present format. Until it is complete, reads
// by tag or correlation and counts fail with kNotYet.
struct IndexProgress {
  GlobalPosition done;
  GlobalPosition total;
  bool complete() const { return done == total; }
};

struct StreamQuery {
  // Forward: the first version to return. Backward: the last; nullopt = the newest.
  std::optional<StreamVersion> from;
  Direction direction = Direction::kForward;
  std::size_t limit = 100;
  std::size_t bytes_max = limits::kPageBytesMax;  // the page ends early, after the event that exceeds it
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
  std::optional<std::string> next;  // pass as `after` for the next page; nullopt on the last one
};

// What a store has done since it was opened, and what it holds. Counters only grow.
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
  std::uint64_t tail_bytes = 0;      // memory of the tail, its cache included; an estimate
  std::uint64_t log_bytes = 0;       // used in the log's file, without preallocated space
  std::uint64_t index_bytes = 0;
  std::uint64_t readers = 0;  // read transactions open now
};

using AppendCallback = std::function<void(Result<AppendResult>)>;

// Return false to stop the scan.
using EventVisitor = std::function<bool(const EventView&)>;

}  // namespace cairn
