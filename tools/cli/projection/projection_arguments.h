#pragma once

#include <string>

#include "tools/cli/server/server_options.h"

namespace CLI {
class App;
}

namespace cairn::cli {

// What every command about one projection is told.
struct ProjectionArguments {
  ServerOptions server;
  std::string name;

  // Where it stands in the server: path("/rows") is "/projections/orders/rows".
  std::string path(const std::string& rest = "") const;
};

// Adds the name and the options of the server. REQUIRES: `arguments` outlives the parsing.
void add_projection_arguments(CLI::App& command, ProjectionArguments& arguments);

}  // namespace cairn::cli
