#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace cairn::cli {

// One option as a shell completes it.
struct OptionWords {
  std::vector<std::string> names;  // "--from", "-h"
  std::string meaning;             // one line
  bool takes_value = false;
  bool takes_file = false;
  std::vector<std::string> choices;  // when only these values are taken
};

// One command with what can follow it.
struct CommandWords {
  std::vector<std::string> path;  // {} for the program itself, {"token", "create"} for a command in a command
  std::string meaning;
  std::vector<std::string> subcommands;
  std::vector<OptionWords> options;
  bool takes_file = false;           // as an argument without a name
  std::vector<std::string> choices;  // for such an argument, when only these are taken
};

// All commands of the program, each before its own subcommands. Taken from what the parser itself accepts.
std::vector<CommandWords> completion_words(CLI::App& app);

}  // namespace cairn::cli
