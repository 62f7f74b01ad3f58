#include "tools/cli/command_tree.h"

#include <unistd.h>

#include <CLI/CLI.hpp>

#include "tools/cli/aggregate/aggregate_commands.h"
#include "tools/cli/aggregate/snapshot_commands.h"
#include "tools/cli/aggregate/state_command.h"
#include "tools/cli/commands/append_command.h"
#include "tools/cli/commands/backup_command.h"
#include "tools/cli/commands/bench_command.h"
#include "tools/cli/commands/export_command.h"
#include "tools/cli/commands/import_command.h"
#include "tools/cli/commands/read_command.h"
#include "tools/cli/commands/restore_command.h"
#include "tools/cli/commands/token_command.h"
#include "tools/cli/commands/verify_command.h"
#include "tools/cli/commands/version_command.h"
#include "tools/cli/help/completion_command.h"
#include "tools/cli/help/help_command.h"
#include "tools/cli/help/help_format.h"
#include "tools/cli/help/man_command.h"
#include "tools/cli/projection/projection_commands.h"
#include "tools/cli/schema/schema_commands.h"
#include "tools/cli/serve/project_command.h"
#include "tools/cli/serve/serve_command.h"
#include "tools/cli/upcaster/upcaster_commands.h"

namespace cairn::cli {

void add_commands(CLI::App& app, const std::string& version, int& exit_code) {
  app.name("cairn");
  app.description("Cairn keeps every event of every entity, in order and for ever.");
  set_help_format(app, help_width(STDOUT_FILENO));
  app.set_version_flag("--version", "cairn " + version, "Print the version and exit");
  app.require_subcommand(1);
  app.footer(
      "\nExamples:\n"
      "  cairn serve                                           start a server on ./cairn-data\n"
      "  cairn append order-42 --type Placed --data '{\"n\":1}'  tell it what happened\n"
      "  cairn read order-42                                   see what happened\n"
      "  cairn verify --data ./cairn-data                      prove that nothing in it was damaged\n"
      "  cairn backup --out /backup/cairn                      copy it, while the server works\n"
      "  cairn append --help                                   more about one command\n"
      "\nThe server is the one of --url, or of the variable CAIRN_URL, or http://127.0.0.1:7878.\n"
      "\nExit codes: 0 ok, 1 the answer is no, 2 wrong usage, 3 server unreachable.");
  add_serve_command(app, version, exit_code);
  add_project_command(app, version, exit_code);
  add_append_command(app, exit_code);
  add_read_command(app, exit_code);
  add_import_command(app, exit_code);
  add_export_command(app, exit_code);
  add_schema_commands(app, exit_code);
  add_upcaster_commands(app, exit_code);
  add_aggregate_commands(app, exit_code);
  add_state_command(app, exit_code);
  add_snapshot_commands(app, exit_code);
  add_projection_commands(app, exit_code);
  add_verify_command(app, exit_code);
  add_backup_command(app, exit_code);
  add_restore_command(app, exit_code);
  add_token_command(app, exit_code);
  add_bench_command(app, exit_code);
  add_completion_command(app, exit_code);
  add_man_command(app, version, exit_code);
  add_help_command(app, exit_code);
  add_version_command(app, version, exit_code);
}

}  // namespace cairn::cli
