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

#include "projections/daemon/event_batch.h"
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
    std::uint64_t shapes;  // when it was made; later ones could be other shapes
    std::shared_future<Outcome> batch;
  };

  // So many batches are kept for those who come a little later.
  static constexpr std::size_t kKept = 4;

  Outcome read_shared(std::uint64_t seat, GlobalPosition after, const EventFilter& filter);

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
