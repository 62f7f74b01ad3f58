#include "tools/cli/commands/backup_command.h"

#include <CLI/CLI.hpp>
#include <memory>
#include <string>

#include "tools/cli/commands/store_copy_run.h"

namespace cairn::cli {

namespace {

struct BackupArguments {
  std::string data = "./cairn-data";
  std::string out;
  bool no_verify = false;
  bool json = false;
};

}  // namespace

void add_backup_command(CLI::App& app, int& exit_code) {
  CLI::App& command = *app.add_subcommand("backup", "Copy a data folder, also while a server works on it");
  command.footer(
      "\nThe copy has every event that was acknowledged before the command began. It is a data folder of its "
      "own, which\n"
      "`cairn verify` proves, `cairn serve` opens and `cairn restore` takes back. It gets its name when it "
      "is "
      "complete.\n"
      "Left out are read models, which are built from the log again, and what is not in the data folder: "
      "token files\n"
      "and certificates.\n"
      "\nExamples:\n"
      "  cairn backup --data /var/lib/cairn --out /backup/cairn-$(date +%F)\n"
      "  cairn backup --out /backup/cairn --json | jq -r .headHash   keep it where nobody can change it");
  auto arguments = std::make_shared<BackupArguments>();
  command.add_option("--data", arguments->data, "The data folder")->type_name("DIR")->capture_default_str();
  command.add_option("--out", arguments->out, "The folder of the copy; not there yet, or empty")
      ->type_name("DIR")
      ->required();
  command.add_flag("--no-verify", arguments->no_verify, "Do not read the copy back to prove it");
  command.add_flag("--json", arguments->json, "Print JSON");
  command.callback([arguments, &exit_code] {
    exit_code = run_store_copy({.from = arguments->data,
                                .to = arguments->out,
                                .check = arguments->no_verify ? CopyCheck::kNothing : CopyCheck::kCopy,
                                .json = arguments->json,
                                .deed = "backed up"});
  });
}

}  // namespace cairn::cli
