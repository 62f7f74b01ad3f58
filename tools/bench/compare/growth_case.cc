#include <algorithm>

#include "tools/bench/cairn_append.h"
#include "tools/bench/compare/setting.h"
#include "tools/bench/figures.h"

namespace cairn::bench {
namespace {

constexpr double kGoalShare = 0.8;

Result<double> append_turn(BigStore& target, const Setting& setting) {
  AppendLoad load;
  load.writers = 64;
  load.duration = setting.scale.turn;
  CAIRN_TRY(const AppendOutcome outcome,
            run_appends(target.store(), load, target.streams(), setting.payloads));
  CAIRN_CHECK(target.store().flush_index());
  return outcome.events_per_second();
}

// In a new store for each turn, because a turn adds more events than the store has.
Result<double> small_turn(const Setting& setting) {
  const std::filesystem::path folder = setting.folder / "small";
  Result<double> rate = 0;
  {
    CAIRN_TRY(const std::unique_ptr<BigStore> small,
              BigStore::fill(folder, setting.scale.small_streams, setting.payloads));
    rate = append_turn(*small, setting);
  }
  std::filesystem::remove_all(folder);
  return rate;
}

std::string count_text(std::uint64_t count) {
  return count % 1'000'000 == 0 ? std::to_string(count / 1'000'000) + " M"
                                : std::to_string(count / 1'000) + " k";
}

}  // namespace

Result<Rows> measure_growth(Setting& setting) {
  CAIRN_TRY(BigStore * big, setting.big_store());
  const std::string many = count_text(setting.scale.big_streams * 10);
  const std::string few = count_text(setting.scale.small_streams * 10);
  std::vector<Contender> all;
  all.push_back({"Cairn, " + few + " events", "events/s", [&setting] { return small_turn(setting); }});
  all.push_back(
      {"Cairn, " + many + " events", "events/s", [&setting, big] { return append_turn(*big, setting); }});
  CAIRN_CHECK(run_rounds("growth", all, setting.scale.rounds));

  const double share = median_ratio(all[1], all[0]);
  Row row{.work = "append rate at " + many + " events against " + few,
          .cairn = rate_text(median(all[1].samples))};
  row.ratio = std::to_string(static_cast<int>(share * 100 + 0.5)) + " %";
  row.goal = "≥ 80 %";
  row.verdict = setting.scale.full ? at_least(share, kGoalShare) : Verdict::kNotJudged;
  row.note = "64 waiting writers over all " + std::to_string(setting.scale.big_streams) + " streams; at " +
             few + ": " + rate_text(median(all[0].samples)) + " over " +
             std::to_string(setting.scale.small_streams) + " streams";
  row.samples = std::move(all);
  return Rows{std::move(row)};
}

}  // namespace cairn::bench
