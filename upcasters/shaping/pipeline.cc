#include "upcasters/shaping/pipeline.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <map>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "eventstore/base/background_thread.h"
#include "eventstore/base/mutex.h"

namespace cairn {

namespace {

struct Range {
  GlobalPosition from;
  GlobalPosition to;
};

// The log, split into ranges. Each worker takes the next range; the calling thread delivers the results in
// the order of the log.
class Replay {
 public:
  Replay(LogReader& log, ShaperPool& shapers, const ReplayQuery& query, const ReplayConsumer& consumer)
      : log_(log),
        shapers_(shapers),
        query_(query),
        consumer_(consumer),
        end_(std::min(query.to.value_or(log.head()), log.head())),
        next_(std::max<std::uint64_t>(query.from.value, 1)),
        delivered_{next_ - 1} {}

  Result<GlobalPosition> run() {
    if (query_.threads <= 1) return run_alone();
    Workers workers(*this);
    for (unsigned i = 0; i < query_.threads; ++i) {
      workers.threads.emplace_back([this] {
        name_this_thread("cairn-replay");
        work();
      });
    }
    CAIRN_CHECK(deliver_all());
    return delivered_;
  }

 private:
  // Stops and joins the workers, also when the calling thread leaves with an exception.
  struct Workers {
    explicit Workers(Replay& whose) : replay(whose) {}
    ~Workers() {
      replay.stop();
      for (std::thread& thread : threads) thread.join();
    }
    Replay& replay;
    std::vector<std::thread> threads;
  };

  struct Done {
    Range range;
    std::unique_ptr<ReplayRange> made;
    Status status;
    bool ended = false;  // the consumer wants no more
  };

  Result<GlobalPosition> run_alone() {
    const ShaperPool::Lease shaper = shapers_.lease();
    while (const auto range = next_range()) {
      Done done = make(*range, *shaper);
      if (!deliver(done)) break;
    }
    if (!failure_) return std::move(failure_).error();
    return delivered_;
  }

  std::optional<Range> next_range() {
    const MutexLock lock(mutex_);
    return take_range();
  }

  // nullopt at the end of the log.
  std::optional<Range> take_range() CAIRN_REQUIRES(mutex_) {
    if (next_ > end_.value) return std::nullopt;
    const std::uint64_t last = std::min(end_.value, next_ + query_.range_positions - 1);
    const Range range{{next_}, {last}};
    next_ = last + 1;
    return range;
  }

  // Turns exceptions into errors: on a worker thread they would end the process.
  Done make(Range range, Shaper& shaper) {
    try {
      return make_unguarded(range, shaper);
    } catch (const std::exception& exception) {
      return {range, nullptr, make_error(Errc::kIo, std::string("a replay failed: ") + exception.what()),
              true};
    }
  }

  Done make_unguarded(Range range, Shaper& shaper) {
    Done done{range, consumer_.begin(shaper), {}, false};
    const auto visit = [&](const EventView& event) {
      const auto shaped = shaper.shape(event, query_.shape);
      const bool go_on =
          shaped ? done.made->take(event, shaper.parts()) : done.made->fail(event, shaped.error());
      done.ended = !go_on;
      return go_on && !stopping_.load(std::memory_order_relaxed);
    };
    const auto scanned = log_.scan({.from = range.from, .to = range.to, .filter = query_.filter}, visit);
    if (!scanned) done.status = scanned.error();
    return done;
  }

  // Called by the calling thread. False when the replay ends with this range.
  bool deliver(Done& done) {
    if (!done.status) {
      failure_ = std::move(done.status);
      return false;
    }
    if (!consumer_.deliver(std::move(done.made), done.range.to) || done.ended) return false;
    delivered_ = done.range.to;
    return true;
  }

  void work() {
    const ShaperPool::Lease shaper = shapers_.lease();
    MutexLock lock(mutex_);
    while (true) {
      changed_.wait(lock, [this]() CAIRN_REQUIRES(mutex_) {
        return stopping_ || next_ > end_.value || under_way_ < 2 * query_.threads;
      });
      if (stopping_) return;
      const auto range = take_range();
      if (!range) return;
      ++under_way_;
      lock.unlock();
      Done done = make(*range, *shaper);
      lock.lock();
      done_.emplace(range->from.value, std::move(done));
      changed_.notify_all();
    }
  }

  Status deliver_all() {
    MutexLock lock(mutex_);
    while (delivered_ < end_) {
      changed_.wait(lock, [this]() CAIRN_REQUIRES(mutex_) { return done_.contains(delivered_.value + 1); });
      auto done = done_.extract(delivered_.value + 1);
      lock.unlock();
      const bool go_on = deliver(done.mapped());
      lock.lock();
      --under_way_;
      changed_.notify_all();
      if (!go_on) break;
    }
    return std::move(failure_);
  }

  void stop() {
    const MutexLock lock(mutex_);
    stopping_ = true;
    changed_.notify_all();
  }

  LogReader& log_;
  ShaperPool& shapers_;
  const ReplayQuery& query_;
  const ReplayConsumer& consumer_;
  const GlobalPosition end_;

  Mutex mutex_;
  CondVar changed_;
  std::uint64_t next_ CAIRN_GUARDED_BY(mutex_);                  // the first position that no range has yet
  unsigned under_way_ CAIRN_GUARDED_BY(mutex_) = 0;              // ranges taken and not delivered
  std::map<std::uint64_t, Done> done_ CAIRN_GUARDED_BY(mutex_);  // by their first position
  std::atomic<bool> stopping_{false};                            // set with mutex_ held

  // Used by the calling thread only.
  GlobalPosition delivered_;
  Status failure_;
};

}  // namespace

Result<GlobalPosition> replay(LogReader& log, ShaperPool& shapers, const ReplayQuery& query,
                              const ReplayConsumer& consumer) {
  return Replay(log, shapers, query, consumer).run();
}

}  // namespace cairn
