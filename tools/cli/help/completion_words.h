#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace cairn::cli {

// One option, for completion.
struct OptionWords {
  std::vector<std::string> names;  // "--from", "-h"
  std::string meaning;             // one line
  bool takes_value = false;
  bool takes_file = false;
  std::vector<std::string> choices;  // the accepted values, if they are a fixed set
  std::string server_names;          // those that it may be; see completed_names()
};

// One command, with the words that can follow it.
struct CommandWords {
  std::vector<std::string> path;  // {} for the program itself, {"token", "create"} for a command in a command
  std::string meaning;
  std::vector<std::string> subcommands;
  std::vector<OptionWords> options;
  bool takes_file = false;           // as an argument without a name
  std::vector<std::string> choices;  // of such an argument, if they are a fixed set
  std::string server_names;          // of the first such argument
};

// All commands of the program, each before its subcommands, as the parser knows them.
std::vector<CommandWords> completion_words(CLI::App& app);

}  // namespace cairn::cli
