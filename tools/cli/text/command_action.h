#pragma once

#include <functional>

namespace CLI {
class App;
}

namespace cairn::cli {

// Runs the command that was given on the command line. Returns the exit code of the process (exit_code.h).
// The parser only selects it; run() in cli.cc calls it after parsing, so that a command does not run inside
// the parser's exception handling.
using CommandAction = std::function<int()>;

// Makes the parser store `action` in `chosen` when it has accepted `command` with all its options.
// REQUIRES: `chosen` outlives the parsing.
void run_after_parsing(CLI::App& command, CommandAction& chosen, CommandAction action);

}  // namespace cairn::cli
