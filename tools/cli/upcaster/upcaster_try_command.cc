#include <CLI/CLI.hpp>
#include <memory>
#include <string>

#include "eventstore/base/work_budget.h"
#include "tools/cli/server/try_run.h"
#include "tools/cli/upcaster/upcaster_commands.h"
#include "upcasters/trial/upcaster_trial.h"

namespace cairn::cli {

namespace {

ScriptResult<std::string> try_upcaster_here(const ScriptFile& script, const TrialEvents& events) {
  CAIRN_TRY(const auto trial, UpcasterTrial::make(script.source, script.name()));
  WorkBudget budget;
  return results_report_json(trial->run(events, nullptr, budget), std::nullopt);
}

}  // namespace

void add_upcaster_try_command(CLI::App& upcaster, CommandAction& action) {
  CLI::App& command = *upcaster.add_subcommand("try", "Run a script on events without deploying it");
  command.footer(
      "\nShows each event before and after the script, and the events it fails on with the line of the "
      "script. "
      "A\n"
      "server checks the results against the schema of the version that the script leads to; --offline "
      "checks\n"
      "nothing. Events of --events have data of the version that the script starts from. Nothing is changed. "
      "Exit\n"
      "code 1 when the script fails on an event. `cairn upcaster deploy --dry-run` tries it on all history.\n"
      "\nExamples:\n"
      "  cairn upcaster try schemas/OrderPlaced/1-2.lua\n"
      "  cairn upcaster try schemas/OrderPlaced/1-2.lua --last 10 --json\n"
      "  cairn upcaster try schemas/OrderPlaced/1-2.lua --events events.ndjson --offline");
  auto arguments = std::make_shared<TryArguments>();
  add_try_options(command, *arguments, false);
  run_after_parsing(command, action, [arguments] {
    return run_try(
        *arguments,
        {.path = "/upcasters/try", .rows = "", .default_stream = "try-1", .offline = try_upcaster_here});
  });
}

}  // namespace cairn::cli
