#include "tools/bench/compare/memory_probe.h"
#include "tools/bench/compare/setting.h"
#include "tools/bench/figures.h"

namespace cairn::bench {

Result<Rows> measure_memory(Setting& setting) {
  constexpr double kGoalBytes = 1024.0 * 1024 * 1024;
  CAIRN_TRY(BigStore * big, setting.big_store());
  const std::uint64_t events = big->store().head().value;
  big->bench().close();
  CAIRN_TRY(const MemoryFigures figures, probe_memory_apart(setting.program, big->bench().folder(),
                                                            big->streams().size(), setting.scale.turn));
  CAIRN_CHECK(big->bench().reopen());

  const auto anonymous = static_cast<double>(figures.peak.anonymous);
  Row row{.work = "resident memory beyond the page cache, at most", .cairn = bytes_text(anonymous)};
  row.goal = "< 1 GiB";
  row.verdict = setting.scale.full ? at_most(anonymous, kGoalBytes) : Verdict::kNotJudged;
  row.note = "RssAnon of a process that opens the store of " + std::to_string(events) + " events in " +
             std::to_string(big->streams().size()) +
             " streams, asks for every stream and appends with 64 writers; after opening " +
             bytes_text(static_cast<double>(figures.opened.anonymous)) + "; of its files it has up to " +
             bytes_text(static_cast<double>(figures.peak.file)) + " mapped (RssFile), which is page cache";
  row.samples = {{"RssAnon, peak", "bytes", {}, {anonymous}},
                 {"RssFile, peak", "bytes", {}, {static_cast<double>(figures.peak.file)}}};
  return Rows{std::move(row)};
}

}  // namespace cairn::bench
