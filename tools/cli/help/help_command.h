#pragma once

namespace CLI {
class App;
}

namespace cairn::cli {

// `cairn help COMMAND...`, which prints what `cairn COMMAND... --help` does.
void add_help_command(CLI::App& app, int& exit_code);

}  // namespace cairn::cli
