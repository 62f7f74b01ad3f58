#include "tools/cli/cli.h"

#include <CLI/CLI.hpp>
#include <exception>
#include <iostream>

#include "tools/cli/aggregate/aggregate_commands.h"
#include "tools/cli/aggregate/snapshot_commands.h"
#include "tools/cli/aggregate/state_command.h"
#include "tools/cli/append_command.h"
#include "tools/cli/backup_command.h"
#include "tools/cli/bench_command.h"
#include "tools/cli/completion_command.h"
#include "tools/cli/exit_code.h"
#include "tools/cli/export_command.h"
#include "tools/cli/failure_report.h"
#include "tools/cli/import_command.h"
#include "tools/cli/project_command.h"
#include "tools/cli/projection/projection_commands.h"
#include "tools/cli/read_command.h"
#include "tools/cli/restore_command.h"
#include "tools/cli/schema/schema_commands.h"
#include "tools/cli/serve_command.h"
#include "tools/cli/token_command.h"
#include "tools/cli/unknown_command.h"
#include "tools/cli/upcaster/upcaster_commands.h"
#include "tools/cli/verify_command.h"
#include "tools/cli/version_command.h"

namespace cairn::cli {

namespace {

int parse_and_run(int argc, char** argv, const std::string& version) {
  int exit_code = kExitOk;
  CLI::App app("Cairn keeps every event of every entity, in order and for ever.", "cairn");
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
      "Exit codes: 0 ok, 1 the answer is no, 2 wrong usage, 3 server unreachable.");
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
  add_version_command(app, version, exit_code);

  if (argc <= 1) {
    std::cerr << app.help();
    return kExitUsage;
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& success) {  // --help and --version
    app.exit(success);
  } catch (const CLI::ParseError& error) {
    if (const std::string unknown = unknown_command_text(app, argc, argv); !unknown.empty()) {
      return report_usage(unknown);
    }
    app.exit(error);
    return kExitUsage;
  }
  return exit_code;
}

}  // namespace

int run(int argc, char** argv, const std::string& version) {
  try {
    return parse_and_run(argc, argv, version);
  } catch (const std::exception& error) {
    std::cerr << "cairn: unexpected failure: " << error.what() << '\n';
    return kExitNo;
  }
}

}  // namespace cairn::cli
