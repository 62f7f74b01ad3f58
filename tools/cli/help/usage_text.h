#pragma once

#include <string>

namespace CLI {
class App;
class Option;
class ParseError;
}  // namespace CLI

namespace cairn::cli {

// The last command that the parser recognised before its error.
struct ReachedCommand {
  CLI::App* command = nullptr;
  std::string path;  // "cairn schema check"
};
ReachedCommand reached_command(CLI::App& app);

// Why the parser refused the value of `option`: "must be on, read or off, not 'of'; did you mean 'off'?"
// REQUIRES: parsing this option's value has just thrown `error`.
std::string value_fault(const CLI::Option& option, const CLI::ParseError& error);

// The message for a command line that was refused, and how to get help. Lists everything that is missing, and
// suggests the nearest name for an unknown option or value.
// REQUIRES: `app` has just thrown `error`, and all words in the place of commands are commands.
std::string usage_text(CLI::App& app, const CLI::ParseError& error);

}  // namespace cairn::cli
