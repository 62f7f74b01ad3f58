#include <algorithm>
#include <array>

#include "tools/bench/compare/append_turns.h"
#include "tools/bench/compare/setting.h"
#include "tools/bench/figures.h"

namespace cairn::bench {
namespace {

constexpr unsigned kBatchEvents = 1'000;
constexpr std::array<unsigned, 3> kWriters = {1, 4, 8};

AppendLoad batch_load(const Setting& setting, unsigned writers, double part_of_turn) {
  AppendLoad load;
  load.writers = writers;
  load.batch_events = kBatchEvents;
  load.duration = setting.scale.turn * part_of_turn;
  load.client_ids = setting.client_ids;
  return load;
}

struct PostgresChoice {
  unsigned writers = 1;
  BatchMethod way = BatchMethod::kUnnest;
};

// Measures each method and number of connections once, for half a turn, and selects the fastest.
Result<PostgresChoice> choose_for_postgres(Setting& setting) {
  std::vector<PostgresChoice> choices;
  for (const BatchMethod way : {BatchMethod::kUnnest, BatchMethod::kCopy}) {
    for (const unsigned writers : kWriters) choices.push_back({writers, way});
  }
  std::vector<Contender> trials;
  for (const PostgresChoice& choice : choices) {
    const std::string way = choice.way == BatchMethod::kCopy ? "COPY" : "unnest";
    trials.push_back({"PostgreSQL, " + std::to_string(choice.writers) + " by " + way, "events/s",
                      [&setting, choice]() -> Result<double> {
                        setting.postgres.use_batch_way(choice.way);
                        CAIRN_TRY(const Contender once,
                                  peer_appends("", setting.postgres, batch_load(setting, choice.writers, 0.5),
                                               setting.scale.streams, setting.payloads));
                        return once.turn();
                      }});
  }
  CAIRN_CHECK(run_rounds("batch try", trials, 1));
  const auto best = std::max_element(
      trials.begin(), trials.end(),
      [](const Contender& a, const Contender& b) { return a.samples.front() < b.samples.front(); });
  return choices[static_cast<std::size_t>(best - trials.begin())];
}

Result<unsigned> choose_for_cairn(Setting& setting) {
  unsigned best = 0;
  double best_rate = 0;
  for (const unsigned writers : kWriters) {
    CairnTurn last;
    std::vector<Contender> trial;
    const std::string label = "Cairn, " + std::to_string(writers) + (writers == 1 ? " writer" : " writers");
    CAIRN_TRY(
        trial.emplace_back(),
        cairn_appends(label, setting.folder / ("batch-try-" + std::to_string(writers)),
                      batch_load(setting, writers, 0.5), setting.scale.streams, setting.payloads, last));
    CAIRN_CHECK(run_rounds("batch try", trial, 1));
    if (const double rate = trial.front().samples.front(); rate > best_rate) {
      best_rate = rate;
      best = writers;
    }
  }
  return best;
}

}  // namespace

Result<Rows> measure_batch(Setting& setting) {
  const std::uint64_t streams = setting.scale.streams;
  CAIRN_TRY(const PostgresChoice choice, choose_for_postgres(setting));
  CAIRN_TRY(const unsigned writers, choose_for_cairn(setting));
  const std::string way = choice.way == BatchMethod::kCopy ? "binary COPY" : "INSERT from unnested arrays";
  setting.postgres.use_batch_way(choice.way);

  CairnTurn last;
  std::vector<Contender> all;
  CAIRN_TRY(all.emplace_back(),
            peer_appends("PostgreSQL, " + std::to_string(choice.writers) + " connections", setting.postgres,
                         batch_load(setting, choice.writers, 1), streams, setting.payloads));
  CAIRN_TRY(all.emplace_back(),
            cairn_appends("Cairn, " + std::to_string(writers) + (writers == 1 ? " writer" : " writers"),
                          setting.folder / "batch", batch_load(setting, writers, 1), streams,
                          setting.payloads, last));
  CAIRN_TRY(all.emplace_back(), peer_appends("SQLite, 1 thread", setting.sqlite, batch_load(setting, 1, 0.5),
                                             streams, setting.payloads));
  CAIRN_CHECK(run_rounds("batch", all, setting.scale.rounds));

  const double ratio = median_ratio(all[1], all[0]);
  Row row{.work = "append batches of 1,000 events", .cairn = rate_text(median(all[1].samples))};
  row.postgres = rate_text(median(all[0].samples));
  row.sqlite = rate_text(median(all[2].samples));
  row.ratio = ratio_text(ratio);
  row.goal = "≥ 3x (reach for 5x)";
  row.verdict = at_least(ratio, 3);
  row.note =
      "a batch goes to one stream; each system with the number of writers, out of 1, 4 and 8, that was best "
      "for it: Cairn " +
      std::to_string(writers) + ", PostgreSQL " + std::to_string(choice.writers) + " by " + way +
      "; Cairn: " + last.note();
  row.samples = std::move(all);
  return Rows{std::move(row)};
}

}  // namespace cairn::bench
