#include "tools/cli/commands/commands.h"

#include <CLI/CLI.hpp>

#include "tools/bench/bench_command.h"

namespace cairn::cli {

void add_bench_command(CLI::App& app, CommandAction& action) {
  CLI::App& bench = *app.add_subcommand("bench", "Measure how fast this machine appends and reads");
  bench.footer(
      "\nExamples:\n"
      "  cairn bench append --writers 64     64 synchronous writers, one event per append\n"
      "  cairn bench append --batch 1000     1,000 events per append\n"
      "  cairn bench replay --json           read the whole log, print JSON");
  bench::add_bench_commands(bench, action);
}

}  // namespace cairn::cli
