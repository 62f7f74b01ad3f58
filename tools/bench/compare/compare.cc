// Runs the same work on Cairn, PostgreSQL and SQLite, on the same disk in the same run, and prints how they
// compare.

#include <CLI/CLI.hpp>
#include <algorithm>
#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>

#include "tools/bench/compare/memory_probe.h"
#include "tools/bench/compare/setting.h"
#include "tools/bench/interrupt.h"
#include "tools/bench/temp_folder.h"

namespace cairn::bench {
namespace {

struct Case {
  const char* name;
  Result<Rows> (*measure)(Setting&);
};

// In this order: reading comes before what lengthens the big store's streams.
constexpr Case kCases[] = {
    {"append", measure_append},
    {"batch", measure_batch},
    {"single", measure_single},
    {"replay", measure_replay},
    {"read", measure_read},
    {"growth", measure_growth},
    {"flush", measure_flush},
    {"terms", measure_terms},
    {"http", measure_http},
    {"fairness", measure_fairness},
    {"memory", measure_memory},
    {"codec", measure_codec},
    {"aggregates", measure_aggregates},
    {"projections", measure_projections},
    {"redrive", measure_redrive},
};

struct Options {
  std::vector<std::string> only;
  std::string folder = default_temp_parent().string();
  std::string json;
  unsigned rounds = 3;
  bool quick = false;
  bool markdown = false;
  bool check = false;
  bool client_ids = false;

  std::string probe_folder;
  std::size_t probe_streams = 0;
  double probe_seconds = 0;
};

void add_options(CLI::App& app, Options& options) {
  std::vector<std::string> names;
  for (const Case& known : kCases) names.emplace_back(known.name);
  app.add_option("name,--only", options.only, "Run these cases only")->check(CLI::IsMember(names));
  app.add_option("--dir", options.folder, "Where the temporary folder is made; a disk")
      ->capture_default_str();
  app.add_option("--json", options.json, "Also write the figures to this file");
  app.add_option("--rounds", options.rounds, "Rounds, of which medians are taken")
      ->check(CLI::Range(1, 100))
      ->capture_default_str();
  app.add_flag("--quick", options.quick, "Less of everything: under two minutes instead of twelve");
  app.add_flag("--markdown", options.markdown, "Print Markdown");
  app.add_flag("--check", options.check, "Exit with 1 when a goal is missed");
  app.add_flag("--client-ids", options.client_ids, "Events bring their ids, and repetitions must be noticed");
  app.add_option("--probe-memory", options.probe_folder)->group("");
  app.add_option("--probe-streams", options.probe_streams)->group("");
  app.add_option("--probe-seconds", options.probe_seconds)->group("");
}

std::vector<std::string> terms_of(const Setting& setting) {
  const std::string ids =
      setting.client_ids == ClientIds::kYes
          ? "Events bring their own ids: Cairn notices repetitions, the others have a unique index over them."
          : "Ids are made by the system (SQLite: by the client) and not indexed.";
  return {
      "Events of " + std::to_string(setting.payloads.event_bytes()) + " bytes over " +
          std::to_string(setting.scale.streams) +
          " streams chosen at random; every append names the exact version it expects. " + ids,
      "Cairn: in process, its default options. PostgreSQL: its default settings (fsync and "
      "synchronous_commit on), over a "
      "Unix socket, data as bytea, text compared as bytes, unique (stream, version), prepared statements.",
      "SQLite: WAL with synchronous=FULL, so that every commit is durable; one connection that threads take "
      "turns at.",
      "Medians of " + std::to_string(setting.scale.rounds) +
          " rounds in which the systems take turns; ratios are the median of the rounds' ratios. After its "
          "turn each "
          "system puts itself in order, unmeasured: a checkpoint, an index flush.",
  };
}

Result<Report> run_cases(const Options& options) {
  CAIRN_TRY(const TempFolder folder, TempFolder::make(options.folder));
  CAIRN_TRY(Machine machine, describe_machine(folder.path()));
  CAIRN_TRY(const std::unique_ptr<PostgresPeer> postgres, PostgresPeer::start(folder.path() / "pg"));
  SqlitePeer sqlite(folder.path() / "sqlite");
  CAIRN_TRY(machine.postgres, postgres->version());
  machine.sqlite = SqlitePeer::version();
  machine.cairn = CAIRN_VERSION;

  Scale scale = options.quick ? quick_scale() : full_scale();
  scale.rounds = options.rounds;
  Setting setting{.scale = scale,
                  .client_ids = options.client_ids ? ClientIds::kYes : ClientIds::kNo,
                  .folder = folder.path() / "cairn",
                  .program = std::filesystem::read_symlink("/proc/self/exe"),
                  .payloads = Payloads(200),
                  .postgres = *postgres,
                  .sqlite = sqlite};
  Report report{std::move(machine), terms_of(setting), {}};
  for (const Case& chosen : kCases) {
    const bool wanted =
        options.only.empty() || std::count(options.only.begin(), options.only.end(), chosen.name) > 0;
    if (!wanted) continue;
    CAIRN_TRY(Rows rows, chosen.measure(setting));
    std::move(rows.begin(), rows.end(), std::back_inserter(report.rows));
  }
  report.machine.busy_after = busy_share();
  return report;
}

int compare(const Options& options) {
  const Result<Report> report = run_cases(options);
  if (!report) {
    std::cerr << "compare: " << report.error().message << '\n';
    return 1;
  }
  if (options.markdown) {
    print_markdown(std::cout, *report);
  } else {
    print_text(std::cout, *report);
  }
  if (!options.json.empty() && !(std::ofstream(options.json) << to_json(*report).dump(2) << '\n')) {
    std::cerr << "compare: could not write " << options.json << '\n';
    return 1;
  }
  return options.check && !report->all_met() ? 1 : 0;
}

int probe(const Options& options) {
  const Result<MemoryFigures> figures = probe_memory(options.probe_folder, options.probe_streams,
                                                     std::chrono::duration<double>(options.probe_seconds));
  if (!figures) {
    std::cerr << "compare: " << figures.error().message << '\n';
    return 1;
  }
  std::cout << figures->opened.anonymous << ' ' << figures->opened.file << ' ' << figures->peak.anonymous
            << ' ' << figures->peak.file << '\n';
  return 0;
}

}  // namespace
}  // namespace cairn::bench

int main(int argc, char** argv) {
  CLI::App app("Runs the same work on Cairn, PostgreSQL and SQLite and prints how they compare.", "compare");
  cairn::bench::Options options;
  cairn::bench::add_options(app, options);
  CLI11_PARSE(app, argc, argv);
  cairn::bench::watch_interrupts();
  return options.probe_folder.empty() ? cairn::bench::compare(options) : cairn::bench::probe(options);
}
