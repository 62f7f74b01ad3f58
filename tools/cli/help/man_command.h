#pragma once

#include <string>

namespace CLI {
class App;
}

namespace cairn::cli {

// Adds `cairn man`, which describes all commands of `app`, also those added after it. The command runs while
// the line is parsed and sets `exit_code`. REQUIRES: `app` and `exit_code` outlive the parsing.
void add_man_command(CLI::App& app, const std::string& version, int& exit_code);

}  // namespace cairn::cli
