#include "tools/cli/commands/bench_command.h"

#include <CLI/CLI.hpp>

#include "tools/bench/bench_command.h"

namespace cairn::cli {

void add_bench_command(CLI::App& app, int& exit_code) {
  CLI::App& bench = *app.add_subcommand("bench", "Measure how fast this machine appends and reads");
  bench.footer(
      "\nExamples:\n"
      "  cairn bench append --writers 64     single events from 64 waiting writers, each durable\n"
      "  cairn bench append --batch 1000     a thousand events an append\n"
      "  cairn bench replay --json           the whole log from first to last, for machines to read");
  bench::add_bench_commands(bench, exit_code);
}

}  // namespace cairn::cli
