#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <future>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <utility>

#include "projections/generation/event_batch.h"
#include "upcasters/event_shapes.h"

namespace cairn {

// Which events of the log somebody needs, as they are stored.
EventFilter union_of(const EventFilter& a, const EventFilter& b);
bool covers(const EventFilter& wide, const EventFilter& narrow);

// Reads the log for all projections: those that stand at the same place get the same batch, which is read and
// brought into shape once. One that lags behind reads for itself. Any thread.
class BatchSource {
 public:
  struct Limits {
    std::size_t positions_max = 16'384;
    std::size_t bytes_max = 8u << 20;
  };

  // Takes notice of schemas and upcasters that are in the log by now. A batch for which it fails is not read.
  using CatchUp = std::function<Status()>;

  // REQUIRES: store and shapes outlive it.
  BatchSource(EventStore& store, EventShapes& shapes, Limits limits, CatchUp catch_up = {})
      : store_(store), shapes_(shapes), limits_(limits), catch_up_(std::move(catch_up)) {}

  // One who reads. Where he stands and what he needs is known to the others, so that whoever reads first
  // reads for him too.
  class Seat {
   public:
    explicit Seat(BatchSource& source);
    ~Seat();
    Seat(const Seat&) = delete;
    Seat& operator=(const Seat&) = delete;

    // The batch behind `after`; empty at the head. Fails as EventStore::scan() does.
    Result<std::shared_ptr<const EventBatch>> read(GlobalPosition after, const EventFilter& filter);

    // Work for another thread while the batch that was read last is worked on: reads the one behind it, for
    // the read() to come. It does nothing when that has come already, and may outlive the seat.
    std::function<void()> read_ahead(GlobalPosition after, const EventFilter& filter);

   private:
    BatchSource& source_;
    std::uint64_t number_;
  };

  // A batch for nobody else, which ends at `to` at the latest.
  Result<std::shared_ptr<const EventBatch>> read_alone(GlobalPosition after, GlobalPosition to,
                                                       const EventFilter& filter);

  EventStore& store() { return store_; }
  EventShapes& shapes() { return shapes_; }
  std::uint64_t batches_read() const;

 private:
  using Outcome = Result<std::shared_ptr<const EventBatch>>;
  struct Place {
    GlobalPosition after;
    EventFilter filter;
  };
  struct Known {
    GlobalPosition after;
    EventFilter filter;
    std::uint64_t shapes;     // when it was made; later ones could be other shapes
    std::uint64_t number;     // of the batches read
    std::uint64_t ahead_for;  // the seat it was read ahead for; 0: it was asked for
    std::shared_future<Outcome> batch;
  };
  // A batch to be read, and those who wait for it.
  struct Reading {
    GlobalPosition after;
    EventFilter filter;
    std::promise<Outcome> promise;
  };

  // So many batches are kept for those who come a little later, and beside them so many that were read ahead.
  static constexpr std::size_t kKept = 4;
  static constexpr std::size_t kAheadMax = 4;
  // One that nobody has come for when so many others were read is not waited for any more.
  static constexpr std::uint64_t kAheadAgeMax = 64;

  Outcome read_shared(std::uint64_t seat, GlobalPosition after, const EventFilter& filter);
  void read_ahead(std::uint64_t seat, GlobalPosition after, const EventFilter& filter);
  Outcome finish(Reading reading);

  // With the mutex held.
  const Known* find(GlobalPosition after, const EventFilter& filter) const;
  Reading begin(GlobalPosition after, EventFilter filter, std::uint64_t ahead_for);
  bool is_awaited(const Known& known) const;

  EventStore& store_;
  EventShapes& shapes_;
  const Limits limits_;
  const CatchUp catch_up_;
  mutable std::mutex mutex_;
  std::uint64_t last_seat_ = 0;
  std::map<std::uint64_t, Place> seats_;
  std::list<Known> known_;  // the newest in front
  std::uint64_t batches_read_ = 0;
};

}  // namespace cairn
