#include "tools/cli/aggregate/snapshot_commands.h"

#include <CLI/CLI.hpp>

namespace cairn::cli {

void add_snapshot_commands(CLI::App& app, int& exit_code) {
  CLI::App& snapshot = *app.add_subcommand("snapshot", "Keep states, so that they need not be made again");
  snapshot.require_subcommand(1);
  snapshot.footer(
      "\nSnapshots are made by themselves as an aggregate says with snapshot_every. They are a cache: one\n"
      "that an older aggregate, upcaster or schema made counts as not being there.\n"
      "\nExamples:\n"
      "  cairn snapshot create order-42\n"
      "  cairn snapshot create --all --category order      after a new aggregate or upcaster\n"
      "  cairn snapshot show order-42\n"
      "  cairn snapshot list order-42\n"
      "  cairn snapshot prune order-42 --keep 1");
  add_snapshot_create_command(snapshot, exit_code);
  add_snapshot_show_command(snapshot, exit_code);
  add_snapshot_list_command(snapshot, exit_code);
  add_snapshot_prune_command(snapshot, exit_code);
}

}  // namespace cairn::cli
