#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "projections/daemon_options.h"
#include "projections/generation/batch_source.h"
#include "projections/generation/event_choice.h"
#include "projections/generation/interruption.h"
#include "projections/generation/parked_set.h"
#include "projections/generation/partition.h"
#include "projections/generation/row_replay.h"
#include "projections/generation/skipped_events.h"
#include "projections/projection.h"
#include "projections/readmodel/read_model.h"
#include "projections/task_pool.h"

namespace cairn {

// What generations work with. All of it outlives them.
struct GenerationTools {
  BatchSource& source;
  TaskPool& pool;
  const DaemonOptions& options;
  std::shared_ptr<Interruption> interruption;  // of the projection
};

// One build of a projection's read model: take() applies batches of the log to rows in memory, commit()
// writes the changed rows, what is parked and the position in the log in one transaction.
//
// Invariants:
//  1. Rows in the read model are the fold of the events up to its checkpoint that are not parked or skipped.
//  2. Rows do not depend on where batches and commits end, nor on the number of partitions.
//  3. A row whose event failed is what it was before that event; later events of its key wait.
//  4. After a failed call, reset() returns to what queries see: the last commit and the events after it that
//     changed nothing. The events behind are applied again.
//  5. visible() never falls.
//
// Not thread-safe, except taken() and visible().
class Generation {
 public:
  // A position without changes to the rows is committed after this many events at the latest.
  static constexpr std::uint64_t kCheckpointLagMax = 100'000;

  // Fails with kInvalidArgument when the projection's script cannot be loaded, else as the read model does.
  static Result<std::unique_ptr<Generation>> open(GenerationTools tools,
                                                  std::shared_ptr<const Projection> projection,
                                                  std::shared_ptr<ReadModel> model);

  std::uint64_t number() const { return model_->identity().generation; }
  const Projection& projection() const { return *projection_; }
  const std::shared_ptr<const Projection>& shared_projection() const { return projection_; }
  const std::shared_ptr<ReadModel>& model() const { return model_; }

  // How far the log was applied, and how far queries of the read model see it. Any thread.
  GlobalPosition taken() const { return {taken_.load(std::memory_order_acquire)}; }
  GlobalPosition visible() const { return {visible_.load(std::memory_order_acquire)}; }

  // Events through visible() that have a handler and whose key was nil: they belong to no row. Counted when they are
  // read first; a retry of a parked stream adds none. Any thread.
  std::uint64_t passed_over() const { return passed_over_visible_.load(std::memory_order_acquire); }

  // The position that is on disk.
  GlobalPosition checkpoint() const { return checkpoint_; }

  // Which stored events to read from the log, with the upcasters of this moment. Valid until the next call.
  const EventFilter& filter();

  // Whether a batch has all events that are wanted now. A batch that was read before an upcaster was deployed
  // may lack some that the upcaster turns into wanted ones: it is read again then.
  bool suits(const EventBatch& batch);

  // Applies the next batch of the log. kCancelled: it was interrupted. REQUIRES: it begins where the last one
  // ended, and suits.
  Status take(const EventBatch& batch);

  // Makes what comes before the first change of the next batch visible, and applies nothing. False when the batch
  // has a change: then visible() is as far as queries can have seen it. REQUIRES: as take(); !has_changes().
  Result<bool> look_through(const EventBatch& batch);

  // Whether a generation that is being built has gathered enough for a commit.
  bool commit_due() const;
  bool has_changes() const;  // besides the position

  // kDiskFull and kOverloaded: nothing is lost, and it may be called again.
  Status commit();

  // Drops what queries do not see.
  Status reset();

  // Frees the memory that a build has gathered; rows are loaded again when they are needed.
  // REQUIRES: !has_changes().
  void release_memory();

  // Serializes the changed rows for the next commit(). Rows that cannot be saved are found here: their events
  // are parked.
  Status save();

  // The skipped events when it is opened. REQUIRES: not nullptr.
  void set_skipped(std::shared_ptr<const SkippedEvents> skipped) { skipped_ = std::move(skipped); }

  // Follows a newer list of skipped events. Rows that contain one of them already, because it could be
  // applied here, are folded from the log again without it. Commits then. After a failure it may be called
  // again. REQUIRES: not nullptr.
  Status follow_skipped(std::shared_ptr<const SkippedEvents> skipped);

  // Retries the keys and streams that are parked although the event that failed there is skipped: the process
  // ended, or the disk was full, between the record of the skip and the retry. Commits then.
  Status release_skipped();

  std::uint64_t parked_count() const { return parked_.size(); }
  // The position at which the number of parked keys reached `count`; taken() when it has not, and visible()
  // when it had before. REQUIRES: nothing was retried since the last commit.
  GlobalPosition parked_reached(std::uint64_t count) const;
  std::vector<ParkedPlace> parked_places() const { return parked_.places(); }
  // What was parked since this was last called; nullopt: nothing.
  std::optional<NewlyParked> take_newly_parked() { return parked_.take_news(); }
  bool is_parked(const ParkedPlace& place) const { return parked_.contains(place); }

  // Releases a parked key or stream and applies what waits there; what fails is parked again. Returns how
  // many events were applied. Commits before and after.
  Result<std::uint64_t> retry(const ParkedPlace& place);

  // The same for at most `events_max` events of a key, and without a commit: several keys can be retried for one
  // commit. After a failed call reset() is needed. REQUIRES: what is parked at this place is committed; for a
  // stream everything is.
  Result<RetriedPlace> retry_some(const ParkedPlace& place, std::size_t events_max);

  // The same with a copy of the row, and no change. REQUIRES: as above.
  Result<RowTrial> make_trial() const;
  Result<RetriedPlace> try_some(RowTrial& trial, const ParkedPlace& place, std::size_t events_max);

 private:
  // An event of a batch with its keys, or why it has none.
  struct Routed;
  struct Slice;

  Generation(GenerationTools tools, std::shared_ptr<const Projection> projection,
             std::shared_ptr<ReadModel> model);

  Result<std::unique_ptr<ProjectionRows>> make_rows() const;
  Status make_partitions();
  void find_keys(const EventBatch& batch, std::size_t begin, std::size_t end, ProjectionRows& rows,
                 Slice& slice);
  // Finds the keys of the events, and returns the position of the first that changes a row or what is parked. The
  // lists have views of `slices`.
  Result<std::optional<GlobalPosition>> distribute(const EventBatch& batch, std::vector<Slice>& slices);
  // Returns the position of the first event that changes a row or what is parked.
  std::optional<GlobalPosition> route(std::vector<Slice>& slices);
  void set_visible(GlobalPosition through, std::uint64_t passed_over);
  std::uint64_t passed_over_before(const std::vector<Slice>& slices, GlobalPosition position) const;
  Status apply_lists();
  Status redo_failures();
  void forget_plans();
  RowReplay replay();

  const GenerationTools tools_;
  const std::shared_ptr<const Projection> projection_;
  const std::shared_ptr<ReadModel> model_;
  EventChoice choice_;
  std::vector<std::unique_ptr<Partition>> partitions_;
  // As many Lua states without rows, for the search of keys: garbage of the scripts is collected soon there,
  // and their working set stays in the processor's cache.
  std::vector<std::unique_ptr<ProjectionRows>> key_finders_;
  std::vector<std::vector<KeyedPart>> lists_;  // of the batch under way, by partition
  std::shared_ptr<const SkippedEvents> skipped_ = std::make_shared<const SkippedEvents>();
  ParkedSet parked_;
  bool saved_ = false;  // save() was called after the last change

  std::atomic<std::uint64_t> taken_{0};
  std::atomic<std::uint64_t> visible_{0};
  std::uint64_t passed_over_ = 0;  // through taken()
  std::atomic<std::uint64_t> passed_over_visible_{0};
  GlobalPosition checkpoint_;
  Timestamp committed_at_;
};

}  // namespace cairn
