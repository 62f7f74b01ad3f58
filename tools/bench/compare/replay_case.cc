#include "tools/bench/bench_store.h"
#include "tools/bench/compare/setting.h"
#include "tools/bench/figures.h"
#include "tools/bench/replay_set.h"
#include "tools/bench/stream_set.h"

namespace cairn::bench {
namespace {

// Replays repeatedly for about a second and returns the mean rate, or an error when the events are not the
// ones that were written.
template <typename Replay>
std::function<Result<double>()> replay_turn(const std::string& system, const ReplaySet& set,
                                            std::uint64_t sum, Replay replay) {
  return [=]() -> Result<double> {
    constexpr double kSeconds = 1;
    double events = 0;
    double seconds = 0;
    while (seconds < kSeconds) {
      CAIRN_TRY(const ReplayOutcome outcome, replay());
      if (outcome.fold.events() != set.events || outcome.fold.sum() != sum) {
        return make_error(Errc::kCorruption, system + " gave back " + std::to_string(outcome.fold.events()) +
                                                 " events that are not the " + std::to_string(set.events) +
                                                 " written");
      }
      events += static_cast<double>(outcome.fold.events());
      seconds += outcome.seconds;
    }
    return events / seconds;
  };
}

std::uint64_t sum_of(const ReplaySet& set, const Payloads& payloads) {
  EventFold fold;
  for (std::uint64_t event = 0; event < set.events; ++event) {
    fold.add(StreamSet::name(set.stream(event)), set.version(event), payloads.type(event),
             payloads.data(event));
  }
  return fold.sum();
}

}  // namespace

Result<Rows> measure_replay(Setting& setting) {
  const ReplaySet set{.events = setting.scale.replay_events, .streams = setting.scale.streams};
  const std::uint64_t sum = sum_of(set, setting.payloads);
  for (Peer* peer : {static_cast<Peer*>(&setting.postgres), static_cast<Peer*>(&setting.sqlite)}) {
    CAIRN_CHECK(peer->start_table(ClientIds::kNo));
    CAIRN_CHECK(peer->load(set, setting.payloads));
    CAIRN_CHECK(peer->settle());
  }
  CAIRN_TRY(BenchStore bench, BenchStore::make_new(setting.folder / "replay"));
  CAIRN_CHECK(load_replay_set(bench.store(), set, setting.payloads));
  CAIRN_CHECK(bench.store().flush_index());

  std::vector<Contender> all;
  all.push_back({"PostgreSQL, binary COPY", "events/s",
                 replay_turn("PostgreSQL", set, sum, [&setting] { return setting.postgres.replay(); })});
  all.push_back({"Cairn, scan", "events/s",
                 replay_turn("Cairn", set, sum, [&bench] { return replay_store(bench.store()); })});
  all.push_back({"SQLite, SELECT", "events/s",
                 replay_turn("SQLite", set, sum, [&setting] { return setting.sqlite.replay(); })});
  CAIRN_CHECK(run_rounds("replay", all, setting.scale.rounds));

  const double ratio = median_ratio(all[1], all[0]);
  Row row{.work = "replay of everything, one thread", .cairn = rate_text(median(all[1].samples))};
  row.postgres = rate_text(median(all[0].samples));
  row.sqlite = rate_text(median(all[2].samples));
  row.ratio = ratio_text(ratio);
  row.goal = "≥ 8x";
  row.verdict = at_least(ratio, 8);
  row.note =
      std::to_string(set.events) + " events in " + std::to_string(set.streams) +
      " streams, in Cairn in blocks of 64; every byte of stream, type and data is read, and all systems gave "
      "back the same";
  const auto postgres_copy = all[0].turn;
  row.samples = std::move(all);
  Rows rows{std::move(row)};
  CAIRN_TRY(Rows shaped, measure_shapes(setting, set, postgres_copy));
  rows.insert(rows.end(), std::make_move_iterator(shaped.begin()), std::make_move_iterator(shaped.end()));
  return rows;
}

}  // namespace cairn::bench
