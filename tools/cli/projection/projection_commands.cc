#include "tools/cli/projection/projection_commands.h"

#include <CLI/CLI.hpp>

namespace cairn::cli {

void add_projection_commands(CLI::App& app, CommandAction& action) {
  CLI::App& projection = *app.add_subcommand("projection", "Deploy, watch and repair read models");
  projection.require_subcommand(1);
  projection.footer(
      "\nA projection is a Lua script that folds the events of many streams into rows:\n"
      "  return projection {\n"
      "    from = {categories = {\"order\"}, types = {\"OrderPlaced\"}},\n"
      "    key = function(event) return event.data.customer_id end,\n"
      "    on = {\n"
      "      OrderPlaced = function(row, event) row.orders = (row.orders or 0) + 1 end\n"
      "    }\n"
      "  }\n"
      "\nExamples:\n"
      "  cairn projection try customers.lua          what it makes of the last events\n"
      "  cairn projection deploy customers customers.lua --wait\n"
      "  cairn projection list --watch\n"
      "  cairn projection rows customers 7           the row of one key\n"
      "  cairn projection parked customers           what could not be applied, and why\n"
      "  cairn projection verify customers           compare the rows with the log");
  add_projection_try_command(projection, action);
  add_projection_deploy_command(projection, action);
  add_projection_list_command(projection, action);
  add_projection_status_command(projection, action);
  add_projection_show_command(projection, action);
  add_projection_rows_command(projection, action);
  add_projection_rebuild_command(projection, action);
  add_projection_change_commands(projection, action);
  add_projection_verify_command(projection, action);
  add_projection_parked_command(projection, action);
  add_projection_delete_command(projection, action);
}

}  // namespace cairn::cli
