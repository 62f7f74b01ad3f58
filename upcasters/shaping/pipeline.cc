#include "upcasters/shaping/pipeline.h"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <exception>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace cairn {

namespace {

struct Range {
  GlobalPosition from;
  GlobalPosition to;
};

// The log cut into ranges, and what has become of them. Each thread takes the next one; they are delivered in
// order.
class Replay {
 public:
  Replay(EventStore& store, ShaperPool& shapers, const ReplayQuery& query, const ReplayConsumer& consumer)
      : store_(store),
        shapers_(shapers),
        query_(query),
        consumer_(consumer),
        end_(std::min(query.to.value_or(store.head()), store.head())),
        next_(std::max<std::uint64_t>(query.from.value, 1)),
        delivered_{next_ - 1} {}

  Result<GlobalPosition> run() {
    if (query_.threads <= 1) return run_alone();
    Workers workers(*this);
    for (unsigned i = 0; i < query_.threads; ++i) workers.threads.emplace_back([this] { work(); });
    CAIRN_CHECK(deliver_all());
    return delivered_;
  }

 private:
  // However the replay ends, its threads end with it.
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
    const ShaperPool::Loan shaper = shapers_.lend();
    while (next_ <= end_.value) {
      Done done = make(take_range(), *shaper);
      if (!deliver(done)) break;
    }
    if (!failure_) return std::move(failure_).error();
    return delivered_;
  }

  // REQUIRES: there is more, and nobody else takes one.
  Range take_range() {
    const std::uint64_t last = std::min(end_.value, next_ + query_.range_positions - 1);
    const Range range{{next_}, {last}};
    next_ = last + 1;
    return range;
  }

  // What is thrown here would end the process: it may be another thread's.
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
      const auto fault = shaper.shape(event, query_.shape);
      const bool go_on = fault ? done.made->fail(event, *fault) : done.made->take(event, shaper.parts());
      done.ended = !go_on;
      return go_on && !stopping_.load(std::memory_order_relaxed);
    };
    const auto scanned = store_.scan({.from = range.from, .to = range.to, .filter = query_.filter}, visit);
    if (!scanned) done.status = scanned.error();
    return done;
  }

  // False when that was the last one.
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
    ShaperPool::Loan shaper = shapers_.lend();
    std::unique_lock lock(mutex_);
    while (true) {
      changed_.wait(lock, [&] { return stopping_ || next_ > end_.value || under_way_ < 2 * query_.threads; });
      if (stopping_ || next_ > end_.value) return;
      const Range range = take_range();
      ++under_way_;
      lock.unlock();
      Done done = make(range, *shaper);
      lock.lock();
      done_.emplace(range.from.value, std::move(done));
      changed_.notify_all();
    }
  }

  Status deliver_all() {
    std::unique_lock lock(mutex_);
    while (delivered_ < end_) {
      changed_.wait(lock, [&] { return done_.contains(delivered_.value + 1); });
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
    const std::lock_guard lock(mutex_);
    stopping_ = true;
    changed_.notify_all();
  }

  EventStore& store_;
  ShaperPool& shapers_;
  const ReplayQuery& query_;
  const ReplayConsumer& consumer_;
  const GlobalPosition end_;

  std::mutex mutex_;
  std::condition_variable changed_;
  std::uint64_t next_;                  // the first position nobody has taken
  unsigned under_way_ = 0;              // ranges taken and not delivered
  std::map<std::uint64_t, Done> done_;  // by their first position
  std::atomic<bool> stopping_{false};
  GlobalPosition delivered_;
  Status failure_;
};

}  // namespace

Result<GlobalPosition> replay(EventStore& store, ShaperPool& shapers, const ReplayQuery& query,
                              const ReplayConsumer& consumer) {
  return Replay(store, shapers, query, consumer).run();
}

}  // namespace cairn
