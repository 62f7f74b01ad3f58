#pragma once

#include <string>

#include "tools/cli/server/server_options.h"

namespace CLI {
class App;
}

namespace cairn::cli {

// The arguments of every command that works on one projection.
struct ProjectionArguments {
  ServerOptions server;
  std::string name;

  // The path of a request: path("/rows") is "/projections/orders/rows".
  std::string path(const std::string& rest = "") const;
};

// Adds the name and the options of the server. REQUIRES: `arguments` outlives the parsing.
void add_projection_arguments(CLI::App& command, ProjectionArguments& arguments);

}  // namespace cairn::cli
