#pragma once

namespace CLI {
class App;
}

namespace cairn::cli {

// Adds `cairn completion`, which completes all commands of `app`, also those added after it. The command runs
// while the line is parsed and sets `exit_code`. REQUIRES: `app` and `exit_code` outlive the parsing.
void add_completion_command(CLI::App& app, int& exit_code);

}  // namespace cairn::cli
