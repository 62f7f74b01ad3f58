#include "tools/cli/upcaster/upcaster_commands.h"

#include <CLI/CLI.hpp>

namespace cairn::cli {

void add_upcaster_commands(CLI::App& app, CommandAction& action) {
  CLI::App& upcaster = *app.add_subcommand("upcaster", "Deploy and show the scripts that convert old events");
  upcaster.require_subcommand(1);
  upcaster.footer(
      "\nAn upcaster is a Lua script that converts data of one schema version to the next:\n"
      "  return upcaster {\n"
      "    type = \"OrderPlaced\", from = 1, to = 2,\n"
      "    upcast = function(data)\n"
      "      data.total_cents = data.total * 100\n"
      "      data.total = nil\n"
      "      return data\n"
      "    end\n"
      "  }\n"
      "\nExamples:\n"
      "  cairn upcaster deploy schemas/OrderPlaced/1-2.lua --dry-run  test it on all events, change nothing\n"
      "  cairn upcaster deploy schemas/OrderPlaced/1-2.lua\n"
      "  cairn upcaster list\n"
      "  cairn upcaster show OrderPlaced");
  add_upcaster_try_command(upcaster, action);
  add_upcaster_deploy_command(upcaster, action);
  add_upcaster_list_command(upcaster, action);
  add_upcaster_show_command(upcaster, action);
}

}  // namespace cairn::cli
