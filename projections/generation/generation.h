#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "projections/daemon_options.h"
#include "projections/generation/batch_source.h"
#include "projections/generation/event_choice.h"
#include "projections/generation/partition.h"
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
};

// One build of a projection's read model, and what brings it further: batches of the log are taken in, rows
// change in memory, and a commit makes all of it durable with the place in the log it stands for.
//
// What holds:
//  1. Rows in the read model are the fold of the events up to its checkpoint that are not parked or skipped.
//  2. Rows do not depend on where batches and commits end, nor on the number of partitions.
//  3. A row whose event failed is what it was before that event; events of its key behind it wait.
//  4. After a failed call reset() leads on: what was not committed is forgotten, and done again.
//
// Belongs to one thread at a time, but for taken() and visible().
class Generation {
 public:
  // Fails with kInvalidArgument when the projection's script cannot be loaded, else as the read model does.
  static Result<std::unique_ptr<Generation>> open(GenerationTools tools,
                                                  std::shared_ptr<const Projection> projection,
                                                  std::shared_ptr<ReadModel> model);

  std::uint64_t number() const { return model_->identity().generation; }
  const Projection& projection() const { return *projection_; }
  const std::shared_ptr<const Projection>& shared_projection() const { return projection_; }
  const std::shared_ptr<ReadModel>& model() const { return model_; }

  // Through which the log was taken in; and through which queries of the read model see it. Any thread.
  GlobalPosition taken() const { return {taken_.load(std::memory_order_acquire)}; }
  GlobalPosition visible() const { return {visible_.load(std::memory_order_acquire)}; }

  // The place in the log that is on disk.
  GlobalPosition checkpoint() const { return checkpoint_; }

  // What to ask the log for, as things are now.
  const EventFilter& filter();

  // Whether a batch has all events that are wanted as things are now. One that was asked for before an
  // upcaster came may lack some that are wanted since: then it is asked for again.
  bool suits(const EventBatch& batch);

  // Takes in the next stretch of the log. REQUIRES: it begins where the last one ended, and suits.
  Status take(const EventBatch& batch);

  // Whether enough has gathered for a commit of a generation that is being built.
  bool commit_due() const;
  bool has_changes() const;  // beside the place in the log

  // kDiskFull and kOverloaded: nothing is lost, and it may be called again.
  Status commit();

  // Forgets what was not committed.
  Status reset();

  void set_skipped(std::shared_ptr<const SkippedEvents> skipped) { skipped_ = std::move(skipped); }

  std::uint64_t parked_count() const { return parked_keys_.size() + parked_streams_.size(); }
  std::vector<ParkedPlace> parked_places() const;
  // What was parked last since this was last asked.
  std::optional<ParkedEvent> take_last_parked() { return std::exchange(last_parked_, std::nullopt); }
  bool is_parked(const ParkedPlace& place) const;

  // Applies what waits at a place, which is then parked no more, or parked again where it fails. Returns how
  // many events were applied. Commits before and after.
  Result<std::uint64_t> retry(const ParkedPlace& place);

 private:
  // An event of a batch with its keys, or why it has none.
  struct Routed;
  struct Slice;
  enum class CheckRow { kAtCommit, kEachEvent };
  struct PendingPark {
    std::optional<ParkedEvent> event;  // nullopt: it was parked before
    std::vector<GlobalPosition> waiting;
  };

  Generation(GenerationTools tools, std::shared_ptr<const Projection> projection,
             std::shared_ptr<ReadModel> model);

  Result<std::unique_ptr<ProjectionRows>> make_rows() const;
  Status make_partitions();
  Status load_parked();
  void find_keys(const EventBatch& batch, std::size_t begin, std::size_t end, ProjectionRows& rows,
                 Slice& slice);
  void route(std::vector<Slice>& slices);
  Status apply_lists();
  Status settle_failures();
  // Whether somebody has decided that an event is left out: of one row, or where its key could not be known
  // of all.
  bool is_skipped(const EventView& event) const {
    return skipped_ != nullptr && skipped_->contains(event.position, ParkedPlace::By::kStream, event.stream);
  }
  bool is_skipped(const EventView& event, std::string_view key) const {
    return is_skipped(event) ||
           (skipped_ != nullptr && skipped_->contains(event.position, ParkedPlace::By::kKey, key));
  }

  void park(const ParkedPlace& place, ParkedEvent event);
  void wait_at(const ParkedPlace& place, GlobalPosition position);
  void forget_plans();

  Partition& partition_of(RowKey key) { return *partitions_[key.hash % partitions_.size()]; }
  Status redo(RowKey key, const std::vector<GlobalPosition>& positions, std::optional<ParkedEvent> cut,
              CheckRow check);
  Result<std::optional<ParkedEvent>> run_events(RowKey key, std::uint32_t slot, ProjectionRows& rows,
                                                std::span<const GlobalPosition> positions, CheckRow check);
  std::optional<ParkedEvent> run_event(RowKey key, std::uint32_t slot, ProjectionRows& rows,
                                       const EventBatch& batch, const EventBatch::Event& event,
                                       CheckRow check);
  Status save_all();
  Result<std::vector<GlobalPosition>> all_waiting(const ParkedPlace& place);
  std::uint64_t count_skipped(const ParkedPlace& place, const std::vector<GlobalPosition>& positions) const;
  Result<std::uint64_t> retry_key(const ParkedEntry& entry);
  Result<std::uint64_t> retry_stream(const ParkedEntry& entry);
  Status refold(const std::set<std::string>& keys);

  const GenerationTools tools_;
  const std::shared_ptr<const Projection> projection_;
  const std::shared_ptr<ReadModel> model_;
  EventChoice choice_;
  std::vector<std::unique_ptr<Partition>> partitions_;
  // As many, which hold no rows: what a script leaves behind is soon collected there, and what it needs stays
  // in the processor's cache.
  std::vector<std::unique_ptr<ProjectionRows>> key_finders_;
  std::vector<std::vector<KeyedPart>> lists_;  // of the batch under way, by partition
  std::shared_ptr<const SkippedEvents> skipped_;

  std::unordered_set<std::string> parked_keys_;
  std::map<std::string, GlobalPosition, std::less<>> parked_streams_;  // with what failed first
  std::map<ParkedPlace, PendingPark> pending_;                         // since the last commit
  std::set<ParkedPlace> released_;                                     // since the last commit
  std::optional<ParkedEvent> last_parked_;

  std::atomic<std::uint64_t> taken_{0};
  std::atomic<std::uint64_t> visible_{0};
  GlobalPosition checkpoint_;
  Timestamp committed_at_;
};

}  // namespace cairn
