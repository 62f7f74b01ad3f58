#include "tools/cli/projection/projection_arguments.h"

#include <CLI/CLI.hpp>

#include "api/client/server_url.h"

namespace cairn::cli {

std::string ProjectionArguments::path(const std::string& rest) const {
  return "/projections/" + api::percent_encoded(name) + rest;
}

void add_projection_arguments(CLI::App& command, ProjectionArguments& arguments) {
  command.add_option("name", arguments.name, "The projection")->type_name("NAME")->required();
  add_server_options(command, arguments.server);
}

}  // namespace cairn::cli
