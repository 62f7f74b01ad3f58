#include "tools/cli/aggregate/aggregate_commands.h"

#include <CLI/CLI.hpp>

namespace cairn::cli {

void add_snapshot_commands(CLI::App& app, CommandAction& action) {
  CLI::App& snapshot = *app.add_subcommand("snapshot", "Store states, so that fewer events are folded");
  snapshot.require_subcommand(1);
  snapshot.footer(
      "\nSnapshots are made automatically, as often as snapshot_every of the aggregate says. They are a "
      "cache: a\n"
      "snapshot of an older aggregate, upcaster or schema is ignored.\n"
      "\nExamples:\n"
      "  cairn snapshot create order-42\n"
      "  cairn snapshot create --all --category order      after a new aggregate or upcaster\n"
      "  cairn snapshot show order-42\n"
      "  cairn snapshot list order-42\n"
      "  cairn snapshot prune order-42 --keep 1");
  add_snapshot_create_command(snapshot, action);
  add_snapshot_show_command(snapshot, action);
  add_snapshot_list_command(snapshot, action);
  add_snapshot_prune_command(snapshot, action);
}

}  // namespace cairn::cli
