#include <atomic>
#include <optional>
#include <thread>

#include "eventstore/base/background_thread.h"
#include "eventstore/base/mutex.h"
#include "tools/bench/cairn_append.h"
#include "tools/bench/compare/setting.h"
#include "tools/bench/figures.h"
#include "tools/bench/interrupt.h"

// The same writers run all the time: one whose appends are measured, and some for background load. The tail
// is filled to the size at which the store flushes; then it is filled again, but not as far, so that the
// writers run without a flush for about as long as the flush took. Both figures come from the same load at
// about the same size of the tail.
namespace cairn::bench {
namespace {

using SteadyClock = std::chrono::steady_clock;

constexpr std::size_t kBackgroundWriters = 7;
constexpr std::size_t kShares =
    kBackgroundWriters + 2;  // one more for the measured writer, one to fill the tail
constexpr std::size_t kFillRequestEvents = 1'000;
constexpr int kCyclesPerRound = 5;
constexpr std::chrono::milliseconds kLookEvery{1};
constexpr double kGoalRatio = 3;

enum class Phase { kUnmeasured, kQuiet, kFlushing };

// Into which streams the tail is filled.
enum class Fill {
  kKnown,  // those of the set, which are one category
  kUuids,  // new ones named by UUIDs: each is a category of its own
};

class FlushLoad {
 public:
  FlushLoad(EventStore& store, StreamSet& streams, const Payloads& payloads, Fill fill)
      : store_(store), streams_(streams), payloads_(payloads), fill_(fill) {
    for (std::size_t share = 0; share <= kBackgroundWriters; ++share) {
      writers_.emplace_back([this, share](const std::stop_token& stop) {
        name_this_thread("cairn-bench");
        write(share, stop);
      });
    }
  }

  // Fills the tail to `flush_at` events, waits for the flush that follows, fills the tail again, and leaves
  // the writers alone for as long as the flush took or until the next flush is near.
  Status cycle(std::size_t flush_at) {
    const std::uint64_t flushes = store_.stats().flushes;
    CAIRN_CHECK(fill_tail(flush_at));
    const auto began = SteadyClock::now();
    phase_ = Phase::kFlushing;
    wait_until([&] { return store_.stats().flushes > flushes; });
    phase_ = Phase::kUnmeasured;
    const auto took = SteadyClock::now() - began;
    flushing_ += took;
    CAIRN_CHECK(fill_tail(flush_at / 4 * 3));
    const auto until = SteadyClock::now() + took;
    phase_ = Phase::kQuiet;
    wait_until(
        [&] { return SteadyClock::now() >= until || store_.stats().tail_events > flush_at - flush_at / 32; });
    phase_ = Phase::kUnmeasured;
    const MutexLock lock(mutex_);
    if (error_) return *error_;
    return {};
  }

  // Ends the load. Call before the figures are read.
  void stop() { writers_.clear(); }

  const LatencyHistogram& quiet() const { return quiet_latency_; }
  const LatencyHistogram& flushing() const { return flushing_latency_; }
  double flushing_seconds() const { return std::chrono::duration<double>(flushing_).count(); }

 private:
  template <typename Done>
  void wait_until(Done done) {
    while (!done() && !interrupted() && !failed_) std::this_thread::sleep_for(kLookEvery);
  }

  void write(std::size_t share_number, const std::stop_token& stop) {
    const StreamShare share(streams_, share_number, kShares);
    std::mt19937_64 random(share_number);
    for (std::uint64_t event = 0; !stop.stop_requested() && !interrupted(); ++event) {
      const std::size_t stream = share.pick(random);
      const std::string name = StreamSet::name(stream);
      const Phase before = phase_;
      const auto began = SteadyClock::now();
      const auto result =
          store_.append(make_request({name, streams_.version(stream), event, 1}, payloads_, ClientIds::kNo));
      if (!result) return note_error(result.error());
      streams_.advance(stream, 1);
      if (share_number == 0) measure(before, SteadyClock::now() - began);
    }
  }

  // An append that overlaps a flush at either end counts for the flush.
  void measure(Phase before, SteadyClock::duration latency) {
    const Phase after = phase_;
    if (before == Phase::kFlushing || after == Phase::kFlushing) {
      flushing_latency_.add(latency);
    } else if (before == Phase::kQuiet && after == Phase::kQuiet) {
      quiet_latency_.add(latency);
    }
  }

  Status fill_tail(std::size_t events) {
    const std::size_t mine = streams_.size() / kShares;
    while (store_.stats().tail_events < events && !interrupted()) {
      AppendRequest request;
      for (std::size_t i = 0; i < kFillRequestEvents; ++i) {
        const std::size_t stream = (next_fill_++ * kFillStride) % mine * kShares + kBackgroundWriters + 1;
        StreamAppend& append = request.streams.emplace_back();
        NewEvent& event = append.events.emplace_back();
        event.type = payloads_.type(i);
        event.data = payloads_.data(i);
        if (fill_ == Fill::kUuids) {
          append.stream = new_event_id().to_string();
          append.expected = ExpectedVersion::no_stream();
          continue;
        }
        append.stream = StreamSet::name(stream);
        append.expected = ExpectedVersion::exactly(streams_.version(stream));
        streams_.advance(stream, 1);
      }
      CAIRN_CHECK(store_.append(std::move(request)));
    }
    return {};
  }

  void note_error(const Error& error) {
    const MutexLock lock(mutex_);
    if (!error_) error_ = error;
    failed_ = true;
  }

  static constexpr std::uint64_t kFillStride =
      2'147'483'647;  // a prime, so that a request has each stream at most once

  EventStore& store_;
  StreamSet& streams_;
  const Payloads& payloads_;
  const Fill fill_;
  std::atomic<Phase> phase_{Phase::kUnmeasured};
  std::uint64_t next_fill_ = 0;
  SteadyClock::duration flushing_{};
  LatencyHistogram quiet_latency_;     // of the measured writer's thread until stop()
  LatencyHistogram flushing_latency_;  // likewise
  Mutex mutex_;
  std::optional<Error> error_ CAIRN_GUARDED_BY(mutex_);
  std::atomic<bool> failed_ = false;
  std::vector<std::jthread> writers_;
};

}  // namespace

namespace {

Result<Row> measure_fill(Setting& setting, BigStore& big, std::size_t tail_events, Fill fill) {
  Contender quiet{"Cairn, p99 without a flush", "µs", {}};
  Contender flushing{"Cairn, p99 while flushing", "µs", {}};
  LatencyHistogram all_quiet;
  LatencyHistogram all_flushing;
  double flushing_seconds = 0;
  for (unsigned round = 0; round < setting.scale.rounds; ++round) {
    FlushLoad load(big.store(), big.streams(), setting.payloads, fill);
    for (int cycle = 0; cycle < kCyclesPerRound && !interrupted(); ++cycle)
      CAIRN_CHECK(load.cycle(tail_events));
    load.stop();
    if (interrupted()) return make_error(Errc::kFailedPrecondition, "interrupted");
    quiet.samples.push_back(load.quiet().quantile_us(0.99));
    flushing.samples.push_back(load.flushing().quantile_us(0.99));
    all_quiet.merge(load.quiet());
    all_flushing.merge(load.flushing());
    flushing_seconds += load.flushing_seconds();
    std::fprintf(stderr, "flush      round %u/%u  p99 %s without, %s while flushing\n", round + 1,
                 setting.scale.rounds, micros_text(quiet.samples.back()).c_str(),
                 micros_text(flushing.samples.back()).c_str());
  }

  const double ratio = median_ratio(flushing, quiet);
  const double flushes = kCyclesPerRound * static_cast<double>(setting.scale.rounds);
  const bool uuids = fill == Fill::kUuids;
  Row row{.work = std::string("p99 of a single append while the index flushes") +
                  (uuids ? " streams named by UUIDs" : ""),
          .cairn = micros_text(median(flushing.samples))};
  row.ratio = ratio_text(ratio);
  row.goal = "≤ 3x of that without";
  row.verdict = at_most(ratio, kGoalRatio);
  row.note = "one waiting writer beside " + std::to_string(kBackgroundWriters) +
             " others, with and without flushes; without: " + micros_text(median(quiet.samples)) + "; p50 " +
             micros_text(all_quiet.quantile_us(0.5)) + " without, " +
             micros_text(all_flushing.quantile_us(0.5)) + " while flushing; max " +
             micros_text(all_quiet.max_us()) + " and " + micros_text(all_flushing.max_us()) + "; " +
             std::to_string(all_quiet.count()) + " and " + std::to_string(all_flushing.count()) +
             " appends; a flush of " + std::to_string(tail_events) + " events into an index of " +
             std::to_string(big.streams().size()) + " streams takes " +
             micros_text(flushing_seconds / flushes * 1e6);
  row.samples = {flushing, quiet};
  return row;
}

}  // namespace

Result<Rows> measure_flush(Setting& setting) {
  CAIRN_TRY(BigStore * big, setting.big_store());
  StoreOptions options;
  options.tail_events_flush /= setting.scale.full ? 1 : 4;
  options.tail_bytes_max = 2u << 30;  // so that the number of events starts the flush
  CAIRN_CHECK(big->bench().reopen(options));
  Rows rows;
  for (const Fill fill : {Fill::kKnown, Fill::kUuids}) {
    CAIRN_TRY(Row row, measure_fill(setting, *big, options.tail_events_flush, fill));
    rows.push_back(std::move(row));
  }
  CAIRN_CHECK(big->bench().reopen());
  return rows;
}

}  // namespace cairn::bench
