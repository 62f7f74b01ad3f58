#include "tools/cli/commands/commands.h"

#include <CLI/CLI.hpp>
#include <memory>
#include <string>

#include "tools/cli/commands/store_copy_run.h"
#include "tools/cli/serve/process_id.h"

namespace cairn::cli {

namespace {

struct BackupArguments {
  std::string data = "./cairn-data";
  std::string out;
  bool no_verify = false;
  bool json = false;
};

}  // namespace

void add_backup_command(CLI::App& app, CommandAction& action) {
  CLI::App& command = *app.add_subcommand("backup", "Copy a data folder, also while a server uses it");
  command.footer(
      "\nThe copy has every event that was acknowledged before the command began. It is a complete data "
      "folder for\n"
      "`cairn verify`, `cairn serve` and `cairn restore`, and is created under its name when it is complete. "
      "Not\n"
      "included are read models, which are rebuilt from the log, and files outside of the data folder, such "
      "as\n"
      "tokens and certificates.\n"
      "\nExamples:\n"
      "  cairn backup --data /var/lib/cairn --out /backup/cairn-$(date +%F)\n"
      "  cairn backup --out /backup/cairn --json | jq -r .headHash   keep it in a safe place");
  auto arguments = std::make_shared<BackupArguments>();
  command.add_option("--data", arguments->data, "The data folder")
      ->type_name("DIR")
      ->envname("CAIRN_DATA")
      ->capture_default_str();
  command.add_option("--out", arguments->out, "The folder of the copy; must not exist, or be empty")
      ->type_name("DIR")
      ->required();
  command.add_flag("--no-verify", arguments->no_verify, "Do not verify the copy");
  command.add_flag("--json", arguments->json, "Print JSON");
  run_after_parsing(command, action, [arguments] {
    if (const auto ended = continue_with_free_process_id(arguments->data)) return *ended;
    return run_store_copy({.from = arguments->data,
                           .to = arguments->out,
                           .check = arguments->no_verify ? CopyCheck::kNothing : CopyCheck::kCopy,
                           .json = arguments->json,
                           .done_word = "backed up"});
  });
}

}  // namespace cairn::cli
