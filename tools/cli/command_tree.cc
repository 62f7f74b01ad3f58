#include "tools/cli/command_tree.h"

#include <unistd.h>

#include <CLI/CLI.hpp>

#include "tools/cli/aggregate/aggregate_commands.h"
#include "tools/cli/commands/commands.h"
#include "tools/cli/doctor/doctor_commands.h"
#include "tools/cli/help/help_commands.h"
#include "tools/cli/help/help_format.h"
#include "tools/cli/projection/projection_commands.h"
#include "tools/cli/schema/schema_commands.h"
#include "tools/cli/serve/serve_commands.h"
#include "tools/cli/upcaster/upcaster_commands.h"

namespace cairn::cli {

void add_commands(CLI::App& app, const std::string& version, CommandAction& action) {
  app.name("cairn");
  app.description("Cairn is an event store: it keeps every event of every entity, in order.");
  set_help_format(app, help_width(STDOUT_FILENO));
  app.set_version_flag("--version", "cairn " + version, "Print the version and exit");
  app.require_subcommand(1);
  app.footer(
      "\nExamples:\n"
      "  cairn serve                                           start a server on ./cairn-data\n"
      "  cairn append order-42 --type Placed --data '{\"n\":1}'  append an event\n"
      "  cairn read order-42                                   read the events of a stream\n"
      "  cairn verify --data ./cairn-data                      check it for damage\n"
      "  cairn backup --out /backup/cairn                      copy it while the server runs\n"
      "  cairn append --help                                   more about one command\n"
      "\nThe server is the one of --url, or of the variable CAIRN_URL, or http://127.0.0.1:7878.\n"
      "\nExit codes: 0 ok, 1 the answer is no, 2 wrong usage, 3 server unreachable.");
  add_serve_command(app, version, action);
  add_project_command(app, version, action);
  add_config_commands(app, version, action);
  add_status_command(app, action);
  add_append_command(app, action);
  add_read_command(app, action);
  add_query_command(app, action);
  add_stream_commands(app, action);
  add_stats_commands(app, action);
  add_import_command(app, action);
  add_export_command(app, action);
  add_schema_commands(app, action);
  add_upcaster_commands(app, action);
  add_aggregate_commands(app, action);
  add_state_command(app, action);
  add_snapshot_commands(app, action);
  add_projection_commands(app, action);
  add_verify_command(app, action);
  add_doctor_command(app, version, action);
  add_backup_command(app, action);
  add_restore_command(app, action);
  add_token_command(app, action);
  add_bench_command(app, action);
  add_completion_command(app, action);
  add_man_command(app, version, action);
  add_help_command(app, action);
  add_version_command(app, version, action);
}

}  // namespace cairn::cli
