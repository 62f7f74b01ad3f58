#include "tools/cli/aggregate/aggregate_commands.h"

#include <CLI/CLI.hpp>

namespace cairn::cli {

void add_aggregate_commands(CLI::App& app, CommandAction& action) {
  CLI::App& aggregate =
      *app.add_subcommand("aggregate", "Deploy and show the scripts that fold events into states");
  aggregate.require_subcommand(1);
  aggregate.footer(
      "\nAn aggregate is a Lua script that folds the events of a stream into a state:\n"
      "  return aggregate {\n"
      "    category = \"order\",\n"
      "    initial = function() return {status = \"new\", total = 0} end,\n"
      "    on = {\n"
      "      OrderPlaced = function(state, event)\n"
      "        state.status = \"placed\"\n"
      "        state.total = event.data.total\n"
      "        return state\n"
      "      end\n"
      "    },\n"
      "    snapshot_every = 100\n"
      "  }\n"
      "\nExamples:\n"
      "  cairn aggregate try order.lua --stream order-42\n"
      "  cairn aggregate deploy order.lua\n"
      "  cairn aggregate list\n"
      "  cairn aggregate show order\n"
      "  cairn state order-42                 the state of order-42");
  add_aggregate_try_command(aggregate, action);
  add_aggregate_deploy_command(aggregate, action);
  add_aggregate_list_command(aggregate, action);
  add_aggregate_show_command(aggregate, action);
}

}  // namespace cairn::cli
