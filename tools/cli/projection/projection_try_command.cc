#include <CLI/CLI.hpp>
#include <memory>
#include <string>

#include "eventstore/base/work_budget.h"
#include "projections/trial/projection_trial.h"
#include "tools/cli/projection/projection_commands.h"
#include "tools/cli/server/try_run.h"

namespace cairn::cli {

namespace {

ScriptResult<std::string> try_projection_here(const ScriptFile& script, const TrialEvents& events) {
  CAIRN_TRY(const auto trial, ProjectionTrial::make(script.source, script.name()));
  WorkBudget budget;
  return rows_report_json(trial->run(events, shape_given(), budget));
}

}  // namespace

void add_projection_try_command(CLI::App& projection, CommandAction& action) {
  CLI::App& command = *projection.add_subcommand("try", "Run a script on events without deploying it");
  command.footer(
      "\nShows the rows that the script makes of the events, the events it fails on with the line of the "
      "script,\n"
      "how many it passes over and why, and which fields it reads. Nothing is changed. Without --events the "
      "last\n"
      "events of the server's log are taken. Exit code 1 when the script fails on an event.\n"
      "\nExamples:\n"
      "  cairn projection try customers.lua\n"
      "  cairn projection try customers.lua --last 10000 --json\n"
      "  cairn read --all --json > events.ndjson\n"
      "  cairn projection try customers.lua --events events.ndjson --offline      without a server");
  auto arguments = std::make_shared<TryArguments>();
  add_try_options(command, *arguments, false);
  run_after_parsing(command, action, [arguments] {
    return run_try(
        *arguments,
        {.path = "/projections/try", .rows = "KEY", .default_stream = "", .offline = try_projection_here});
  });
}

}  // namespace cairn::cli
