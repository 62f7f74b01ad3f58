#include "tools/bench/compare/setting.h"
#include "tools/bench/figures.h"
#include "tools/bench/read_bench.h"

namespace cairn::bench {
namespace {

constexpr double kGoalMicros = 50;

struct ReadKind {
  BigStore::Written how;
  const char* work;
};

constexpr ReadKind kKinds[] = {
    {BigStore::Written::kOneByOne, "read a stream of 30 events, appended one by one"},
    {BigStore::Written::kFiveAtATime, "read a stream of 30 events, appended 5 at a time"},
    {BigStore::Written::kTogether, "read a stream of 30 events, appended together"},
};

Result<ReadOutcome> read_some(BigStore& big, BigStore::Written how, std::chrono::duration<double> duration) {
  const auto pick = [&big, how](std::mt19937_64& random) { return big.pick(how, random); };
  CAIRN_TRY(ReadOutcome outcome, read_streams(big.store(), pick, kReadEvents, duration));
  if (outcome.fold.events() != outcome.latency.count() * kReadEvents) {
    return make_error(Errc::kCorruption, "read " + std::to_string(outcome.fold.events()) + " events from " +
                                             std::to_string(outcome.latency.count()) + " streams of 30");
  }
  return outcome;
}

}  // namespace

Result<Rows> measure_read(Setting& setting) {
  CAIRN_TRY(BigStore * big, setting.big_store());
  // After reopening, only the page cache of the kernel has data of the streams.
  CAIRN_CHECK(big->store().flush_index());
  CAIRN_CHECK(big->bench().reopen());

  std::vector<Contender> all;
  std::vector<ReadOutcome> last(std::size(kKinds));
  for (std::size_t i = 0; i < std::size(kKinds); ++i) {
    all.push_back({kKinds[i].work, "µs (p50)", [&setting, &last, big, i]() -> Result<double> {
                     CAIRN_TRY(last[i], read_some(*big, kKinds[i].how, setting.scale.turn / 3));
                     return last[i].latency.quantile_us(0.5);
                   }});
  }
  CAIRN_CHECK(run_rounds("read", all, setting.scale.rounds));

  Rows rows;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const double p50 = median(all[i].samples);
    Row row{.work = kKinds[i].work, .cairn = micros_text(p50)};
    row.goal = "p50 < 50 µs";
    row.verdict = setting.scale.full ? at_most(p50, kGoalMicros) : Verdict::kNotJudged;
    row.note = "p99 " + micros_text(last[i].latency.quantile_us(0.99)) + ", max " +
               micros_text(last[i].latency.max_us()) + "; out of " + std::to_string(big->streams().size()) +
               " streams, in one thread, tail empty, files in the page cache";
    row.samples = {all[i]};
    rows.push_back(std::move(row));
  }
  return rows;
}

}  // namespace cairn::bench
