#pragma once

#include <string>

namespace CLI {
class App;
class ParseError;
}  // namespace CLI

namespace cairn::cli {

// The command that a command line got to before it made no sense.
struct ReachedCommand {
  CLI::App* command = nullptr;
  std::string path;  // "cairn schema check"
};
ReachedCommand reached_command(CLI::App& app);

// What is wrong with a command line that was refused, in our words, and where help is. Says all that is
// missing, and what was probably meant by an option or a value that there is not.
// REQUIRES: `app` has just thrown `error`, and knows all words that should be commands.
std::string usage_text(CLI::App& app, const CLI::ParseError& error);

}  // namespace cairn::cli
