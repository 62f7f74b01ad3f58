#include "tools/cli/commands/restore_command.h"

#include <CLI/CLI.hpp>
#include <memory>
#include <string>

#include "tools/cli/commands/store_copy_run.h"

namespace cairn::cli {

namespace {

struct RestoreArguments {
  std::string from;
  std::string data = "./cairn-data";
  bool no_verify = false;
  bool json = false;
};

}  // namespace

void add_restore_command(CLI::App& app, int& exit_code) {
  CLI::App& command = *app.add_subcommand("restore", "Make a data folder from a backup");
  command.footer(
      "\nProves the backup first, as `cairn verify` does, copies it, and proves the copy. The data folder\n"
      "must not be there yet, or be empty: move what is left of the old one away, and keep it. It gets its\n"
      "name when it is complete.\n"
      "\nExamples:\n"
      "  cairn restore --from /backup/cairn-2026-11-17 --data /var/lib/cairn\n"
      "  cairn serve --data /var/lib/cairn");
  auto arguments = std::make_shared<RestoreArguments>();
  command.add_option("--from", arguments->from, "The folder that `cairn backup` made")
      ->type_name("DIR")
      ->required();
  command.add_option("--data", arguments->data, "The data folder; not there yet, or empty")
      ->type_name("DIR")
      ->capture_default_str();
  command.add_flag("--no-verify", arguments->no_verify,
                   "Check blocks and their chain while copying, and no more");
  command.add_flag("--json", arguments->json, "Print JSON");
  command.callback([arguments, &exit_code] {
    exit_code = run_store_copy({.from = arguments->from,
                                .to = arguments->data,
                                .check = arguments->no_verify ? CopyCheck::kNothing : CopyCheck::kBoth,
                                .json = arguments->json,
                                .deed = "restored"});
  });
}

}  // namespace cairn::cli
