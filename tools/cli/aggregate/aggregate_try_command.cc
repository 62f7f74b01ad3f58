#include <CLI/CLI.hpp>
#include <memory>
#include <string>

#include "eventstore/base/work_budget.h"
#include "projections/trial/aggregate_trial.h"
#include "tools/cli/aggregate/aggregate_commands.h"
#include "tools/cli/server/try_run.h"

namespace cairn::cli {

namespace {

ScriptResult<std::string> try_aggregate_here(const ScriptFile& script, const TrialEvents& events) {
  CAIRN_TRY(const auto trial, AggregateTrial::make(script.source, script.name()));
  WorkBudget budget;
  return rows_report_json(trial->run(events, shape_given(), budget));
}

}  // namespace

void add_aggregate_try_command(CLI::App& aggregate, CommandAction& action) {
  CLI::App& command = *aggregate.add_subcommand("try", "Run a script on events without deploying it");
  command.footer(
      "\nShows the states that the script makes of the streams, the events it fails on with the line of the "
      "script,\n"
      "and which fields it reads. Nothing is changed. --last takes the last events of the category: the "
      "states of\n"
      "streams that began before them are not whole. Exit code 1 when the script fails on an event.\n"
      "\nExamples:\n"
      "  cairn aggregate try order.lua --stream order-42\n"
      "  cairn aggregate try order.lua --last 500\n"
      "  cairn aggregate try order.lua --events events.ndjson --offline      without a server");
  auto arguments = std::make_shared<TryArguments>();
  add_try_options(command, *arguments, true);
  run_after_parsing(command, action, [arguments] {
    return run_try(
        *arguments,
        {.path = "/aggregates/try", .rows = "STREAM", .default_stream = "", .offline = try_aggregate_here});
  });
}

}  // namespace cairn::cli
