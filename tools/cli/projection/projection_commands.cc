#include "tools/cli/projection/projection_commands.h"

#include <CLI/CLI.hpp>

namespace cairn::cli {

void add_projection_commands(CLI::App& app, int& exit_code) {
  CLI::App& projection =
      *app.add_subcommand("projection", "Deploy, watch and mend the read models that are made of events");
  projection.require_subcommand(1);
  projection.footer(
      "\nA projection is a Lua script that says what rows the events of many streams come to:\n"
      "  return projection {\n"
      "    from = {categories = {\"order\"}, types = {\"OrderPlaced\"}},\n"
      "    key = function(event) return event.data.customer_id end,\n"
      "    on = {\n"
      "      OrderPlaced = function(row, event) row.orders = (row.orders or 0) + 1 end\n"
      "    }\n"
      "  }\n"
      "\nExamples:\n"
      "  cairn projection deploy customers customers.lua --wait\n"
      "  cairn projection list --watch\n"
      "  cairn projection rows customers 7           the row of one key\n"
      "  cairn projection parked customers           what could not be applied, and why\n"
      "  cairn projection verify customers           are the rows what the log says?");
  add_projection_deploy_command(projection, exit_code);
  add_projection_list_command(projection, exit_code);
  add_projection_status_command(projection, exit_code);
  add_projection_show_command(projection, exit_code);
  add_projection_rows_command(projection, exit_code);
  add_projection_rebuild_command(projection, exit_code);
  add_projection_change_commands(projection, exit_code);
  add_projection_verify_command(projection, exit_code);
  add_projection_parked_command(projection, exit_code);
  add_projection_delete_command(projection, exit_code);
}

}  // namespace cairn::cli
