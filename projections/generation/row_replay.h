#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "eventstore/base/clock.h"
#include "projections/generation/batch_source.h"
#include "projections/generation/event_choice.h"
#include "projections/generation/interruption.h"
#include "projections/generation/parked_set.h"
#include "projections/generation/partition.h"
#include "projections/generation/skipped_events.h"

namespace cairn {

// The kind of a parked event that has not failed: a retry applied the events before it, and did not go on.
inline constexpr std::string_view kUnfinishedKind = "unfinished";

// What a retry of a parked key or stream came to.
struct RetriedPlace {
  enum class Outcome : std::uint8_t {
    kReleased,
    kFailed,      // it is parked at `failed`
    kUnfinished,  // more events wait than were to be tried: it is parked at the next one
  };
  Outcome outcome = Outcome::kReleased;
  std::uint64_t events = 0;   // applied
  std::size_t looked_at = 0;  // with the one that failed, and skipped ones
  std::optional<ParkedEvent> failed;
};

// A copy of a parked row, to which what waits there is applied to see whether it can be, in several calls when it
// is much. The generation keeps its own row.
struct RowTrial {
  std::unique_ptr<ProjectionRows> rows;
  std::optional<ParkedPlace> place;  // that is being tried
  GlobalPosition next;               // the first event that was not tried
  std::uint64_t events = 0;          // applied so far
};

// Applies events of a generation a second time: to bring a row back to what it was before an event failed,
// and to apply what is parked. See docs/decisions.md, on undoing a failed event by redoing the others.
//
// Works on the parts of one generation, which outlive it. Not thread-safe. Nothing is committed here. After a
// failed call, also one that was interrupted (kCancelled), the generation is reset.
class RowReplay {
 public:
  struct Parts {
    BatchSource& source;
    ReadModel& model;
    EventChoice& choice;
    std::span<const std::unique_ptr<Partition>> partitions;
    ParkedSet& parked;
    const SkippedEvents& skipped;
    const Clock& clock;
    const Interruption& interruption;
  };

  // When a row is saved: by the commit, or after each event, to find the event that makes it unsavable.
  enum class CheckRow : std::uint8_t { kAtCommit, kEachEvent };

  explicit RowReplay(const Parts& parts) : parts_(parts) {}

  // Loads the row as it was committed and applies the events at these positions, in order. The first that
  // fails is parked with all that follow it. `failed` is an event that is known to fail: it is not tried.
  Status redo(RowKey key, const std::vector<GlobalPosition>& positions, std::optional<ParkedEvent> failed,
              CheckRow check);

  // Applies what waits at a parked key or stream and releases it; what fails is parked again. Of a key at most
  // `events_max` events are tried. `taken` is the position of the generation.
  // REQUIRES: what is parked at this place is committed, with its row; for a stream everything is. events_max > 0.
  Result<RetriedPlace> retry_key(const ParkedEntry& entry, std::size_t events_max);
  Result<RetriedPlace> retry_stream(const ParkedEntry& entry, GlobalPosition taken);

  // The same with a copy of the row, and no change; of a stream the keys of the events are searched. `events` is
  // 0 until the place is finished. REQUIRES: as above.
  Result<RetriedPlace> try_place(RowTrial& trial, const ParkedEntry& entry, std::size_t events_max);

  // The keys of rows that contain events which are skipped now and were not when `before` was the list.
  Result<std::set<std::string>> rows_with_skipped(const SkippedEvents& before, GlobalPosition taken);

  // Folds the rows of these keys from position 1 to `taken`. A row that fails keeps what it was before that
  // event, and the event is parked with all that follow.
  // REQUIRES: rows have no changes that are not committed.
  Status refold(const std::set<std::string>& keys, GlobalPosition taken);

 private:
  // A row that failed while it was folded from the whole log, and the later events of its key.
  struct StoppedRow {
    ParkedEvent event;
    std::vector<GlobalPosition> waiting;
  };
  using StoppedRows = std::map<std::string, StoppedRow, std::less<>>;
  using RowsBefore = std::map<std::string, std::string, std::less<>>;  // saved rows by key

  // The row that events are applied to.
  struct Row {
    RowKey key;
    std::uint32_t slot = 0;
    ProjectionRows& rows;
  };

  Partition& partition_of(RowKey key) const {
    return *parts_.partitions[key.hash % parts_.partitions.size()];
  }
  const EventFilter& filter();
  void forget_plans();

  // These return the event that fails, to be parked; nullopt when all went well.
  Result<std::optional<ParkedEvent>> apply_events(const Row& row, std::span<const GlobalPosition> positions,
                                                  CheckRow check);
  std::optional<ParkedEvent> apply_event(const Row& row, const EventBatch& batch,
                                         const EventBatch::Event& event, CheckRow check);
  // REQUIRES: the event is not skipped. Adds the keys of the rows that it belongs to.
  std::optional<ParkedEvent> collect_keys(ProjectionRows& rows, const EventBatch& batch,
                                          const EventBatch::Event& event, std::set<std::string>& keys);
  Result<std::optional<ParkedEvent>> apply_or_undo(RowKey key, const EventView& event,
                                                   const ShapedEvent& part, RowsBefore& before);

  Status start_empty(const std::string& key);
  Status refold_event(const std::set<std::string>& keys, const EventBatch& batch,
                      const EventBatch::Event& event, StoppedRows& stopped);
  Result<std::optional<ParkedEvent>> try_keys(ProjectionRows& rows, std::span<const GlobalPosition> positions,
                                              std::size_t& done, std::set<std::string>& keys);
  // The first `most` waiting positions of a place, from `from` on.
  Result<std::vector<GlobalPosition>> waiting(const ParkedPlace& place, GlobalPosition from,
                                              std::size_t most);
  std::uint64_t count_skipped(const ParkedPlace& place, std::span<const GlobalPosition> positions) const;

  const Parts parts_;
};

}  // namespace cairn
