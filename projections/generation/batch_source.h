#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <future>
#include <list>
#include <map>
#include <memory>
#include <utility>

#include "eventstore/base/mutex.h"
#include "projections/generation/event_batch.h"
#include "upcasters/event_shapes.h"

namespace cairn {

// Filters of stored events: one that lets through what either of two does, and whether one lets through all
// that another does.
EventFilter union_of(const EventFilter& a, const EventFilter& b);
bool covers(const EventFilter& wide, const EventFilter& narrow);

// Reads the log for all projections: those at the same position share one batch, which is read and brought to
// the newest schema versions once. A projection that lags behind reads its own batches. Thread-safe.
// See docs/decisions.md, on projections that step independently.
class BatchSource {
 public:
  struct Limits {
    std::size_t positions_max = 16'384;
    std::size_t bytes_max = 8u << 20;
  };

  // Loads the schemas and upcasters that were appended to the log since the last call. When it fails, no
  // batch is read.
  using CatchUp = std::function<Status()>;

  // REQUIRES: log and shapes outlive it.
  BatchSource(LogReader& log, EventShapes& shapes, Limits limits, CatchUp catch_up = {})
      : log_(log), shapes_(shapes), limits_(limits), catch_up_(std::move(catch_up)) {}

  // One consumer of the log, a generation. Its position and filter are known to the source, so that a batch
  // that another reader asks for at the same position serves this one too.
  class Reader {
   public:
    // REQUIRES: `source` outlives it.
    explicit Reader(BatchSource& source);
    ~Reader();
    Reader(const Reader&) = delete;
    Reader& operator=(const Reader&) = delete;

    // The batch after a position; empty at the head. Fails as LogReader::scan() does.
    Result<std::shared_ptr<const EventBatch>> read(GlobalPosition after, const EventFilter& filter);

    // A task for another thread: reads the batch after `after` while the last one is applied, so that the
    // next read() finds it. It does nothing when that read() came first, and may outlive the reader.
    std::function<void()> read_ahead(GlobalPosition after, const EventFilter& filter);

   private:
    BatchSource& source_;
    std::uint64_t number_;
  };

  // A batch that is not shared, which ends at `to` at the latest.
  Result<std::shared_ptr<const EventBatch>> read_alone(GlobalPosition after, GlobalPosition to,
                                                       const EventFilter& filter);

  // Drops the batches that are kept for readers which have not come. Those that are in use stay.
  void drop_kept() CAIRN_EXCLUDES(mutex_);

  LogReader& log() { return log_; }
  EventShapes& shapes() { return shapes_; }
  std::uint64_t batches_read() const;

 private:
  using Outcome = Result<std::shared_ptr<const EventBatch>>;
  struct Demand {  // of one reader
    GlobalPosition after;
    EventFilter filter;
  };
  struct Known {
    GlobalPosition after;
    EventFilter filter;
    std::uint64_t shapes;     // EventShapes' change count when it was read: after a change it is stale
    std::uint64_t number;     // counts the batches
    std::uint64_t ahead_for;  // the reader it was read ahead for; 0: a reader asked for it
    std::shared_future<Outcome> batch;
  };
  // A batch that is about to be read, and the promise that its readers wait for.
  struct Reading {
    GlobalPosition after;
    EventFilter filter;
    std::promise<Outcome> promise;
  };

  // Batches kept for readers that arrive a little later, and besides them batches that were read ahead.
  static constexpr std::size_t kKept = 4;
  static constexpr std::size_t kAheadMax = 4;
  // A batch read ahead is dropped when this many others were read and its reader has not come.
  static constexpr std::uint64_t kAheadAgeMax = 64;

  Outcome read_shared(std::uint64_t reader, GlobalPosition after, const EventFilter& filter)
      CAIRN_EXCLUDES(mutex_);
  void read_ahead(std::uint64_t reader, GlobalPosition after, const EventFilter& filter)
      CAIRN_EXCLUDES(mutex_);
  Outcome finish(Reading reading) CAIRN_EXCLUDES(mutex_);

  const Known* find(GlobalPosition after, const EventFilter& filter) const CAIRN_REQUIRES(mutex_);
  Reading begin(GlobalPosition after, EventFilter filter, std::uint64_t ahead_for) CAIRN_REQUIRES(mutex_);
  bool is_awaited(const Known& known) const CAIRN_REQUIRES(mutex_);

  LogReader& log_;
  EventShapes& shapes_;
  const Limits limits_;
  const CatchUp catch_up_;
  mutable Mutex mutex_;
  std::uint64_t last_reader_ CAIRN_GUARDED_BY(mutex_) = 0;
  std::map<std::uint64_t, Demand> readers_ CAIRN_GUARDED_BY(mutex_);
  std::list<Known> known_ CAIRN_GUARDED_BY(mutex_);  // the newest in front
  std::uint64_t batches_read_ CAIRN_GUARDED_BY(mutex_) = 0;
};

}  // namespace cairn
