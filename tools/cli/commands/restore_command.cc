#include "tools/cli/commands/commands.h"

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

void add_restore_command(CLI::App& app, CommandAction& action) {
  CLI::App& command = *app.add_subcommand("restore", "Make a data folder from a backup");
  command.footer(
      "\nVerifies the backup as `cairn verify` does, copies it, and verifies the copy. The data folder must "
      "not\n"
      "exist, or be empty: move the old one away and keep it. The new one is created under its name when it "
      "is\n"
      "complete.\n"
      "\nExamples:\n"
      "  cairn restore --from /backup/cairn-2026-11-17 --data /var/lib/cairn\n"
      "  cairn serve --data /var/lib/cairn");
  auto arguments = std::make_shared<RestoreArguments>();
  command.add_option("--from", arguments->from, "The folder that `cairn backup` made")
      ->type_name("DIR")
      ->required();
  command.add_option("--data", arguments->data, "The data folder; must not exist, or be empty")
      ->type_name("DIR")
      ->capture_default_str();
  command.add_flag("--no-verify", arguments->no_verify,
                   "Only check blocks and their hash chain while copying");
  command.add_flag("--json", arguments->json, "Print JSON");
  run_after_parsing(command, action, [arguments] {
    return run_store_copy({.from = arguments->from,
                           .to = arguments->data,
                           .check = arguments->no_verify ? CopyCheck::kNothing : CopyCheck::kBoth,
                           .json = arguments->json,
                           .done_word = "restored"});
  });
}

}  // namespace cairn::cli
