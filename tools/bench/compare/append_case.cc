#include "tools/bench/compare/append_turns.h"
#include "tools/bench/compare/setting.h"
#include "tools/bench/figures.h"

namespace cairn::bench {
namespace {

Row ratio_row(const std::string& work, const Contender& cairn, const Contender& postgres,
              const Contender* sqlite, double goal, const std::string& goal_text) {
  const double ratio = median_ratio(cairn, postgres);
  Row row{.work = work, .cairn = rate_text(median(cairn.samples))};
  row.postgres = rate_text(median(postgres.samples));
  row.ratio = ratio_text(ratio);
  row.goal = goal_text;
  row.verdict = at_least(ratio, goal);
  row.samples = {cairn, postgres};
  if (sqlite != nullptr) {
    row.sqlite = rate_text(median(sqlite->samples));
    row.samples.push_back(*sqlite);
  }
  return row;
}

}  // namespace

Result<Rows> measure_append(Setting& setting) {
  const std::uint64_t streams = setting.scale.streams;
  AppendLoad load;
  load.writers = 64;
  load.duration = setting.scale.turn;
  load.client_ids = setting.client_ids;
  AppendLoad many = load;
  many.writers = 256;
  AppendLoad pipelined = load;
  pipelined.in_flight = 16;

  CairnTurn last[3];
  std::vector<Contender> all;
  CAIRN_TRY(all.emplace_back(),
            peer_appends("PostgreSQL, 64 connections", setting.postgres, load, streams, setting.payloads));
  CAIRN_TRY(all.emplace_back(), cairn_appends("Cairn, 64 writers", setting.folder / "append-64", load,
                                              streams, setting.payloads, last[0]));
  CAIRN_TRY(all.emplace_back(), cairn_appends("Cairn, 256 writers", setting.folder / "append-256", many,
                                              streams, setting.payloads, last[1]));
  CAIRN_TRY(all.emplace_back(),
            cairn_appends("Cairn, 64 writers, 16 in flight", setting.folder / "append-pipelined", pipelined,
                          streams, setting.payloads, last[2]));
  CAIRN_TRY(all.emplace_back(),
            peer_appends("SQLite, 64 threads", setting.sqlite, load, streams, setting.payloads));
  CAIRN_CHECK(run_rounds("append", all, setting.scale.rounds));

  Rows rows;
  rows.push_back(
      ratio_row("append 1 event, 64 waiting writers", all[1], all[0], &all[4], 8, "≥ 8x (reach for 15x)"));
  rows.push_back(ratio_row("append 1 event, 256 waiting writers", all[2], all[0], nullptr, 20,
                           "≥ 20x of 64 connections"));
  rows.push_back(ratio_row("append 1 event, 64 writers, 16 in flight", all[3], all[0], nullptr, 20,
                           "≥ 20x of 64 connections"));
  for (std::size_t i = 0; i < rows.size(); ++i) rows[i].note = last[i].note();
  return rows;
}

Result<Rows> measure_single(Setting& setting) {
  AppendLoad load;
  load.writers = 1;
  load.duration = setting.scale.turn / 2;
  load.client_ids = setting.client_ids;
  CairnTurn last;
  std::vector<Contender> all;
  const std::uint64_t streams = setting.scale.streams;
  CAIRN_TRY(all.emplace_back(),
            peer_appends("PostgreSQL, 1 connection", setting.postgres, load, streams, setting.payloads));
  CAIRN_TRY(all.emplace_back(), cairn_appends("Cairn, 1 writer", setting.folder / "single", load, streams,
                                              setting.payloads, last));
  CAIRN_TRY(all.emplace_back(),
            peer_appends("SQLite, 1 thread", setting.sqlite, load, streams, setting.payloads));
  CAIRN_CHECK(run_rounds("single", all, setting.scale.rounds));
  Row row = ratio_row("append 1 event, one writer", all[1], all[0], &all[2], 1.2, "≥ 1.2x");
  row.note = last.note();
  return Rows{std::move(row)};
}

}  // namespace cairn::bench
