#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace cairn::test {

// The commands of the program and their options, from `cairn … --help`.
class CommandTree {
 public:
  struct Command {
    std::set<std::string> subcommands;
    std::set<std::string> options;      // with their dashes, without --help
    std::vector<std::string> examples;  // the lines under "Examples:", without the remark at their end
  };

  // Asks the program, command by command.
  static CommandTree of_the_program();

  // By their words: "", "projection", "projection deploy".
  const std::map<std::string, Command>& commands() const { return commands_; }

  // The words of the command that `words` begin with, and how many of `words` these are.
  struct Found {
    std::string name;
    std::size_t words = 0;
  };
  Found find(const std::vector<std::string>& words) const;

  // What is wrong with a line that calls the program: a command or an option that it does not have; "" when
  // nothing is. Reads `cairn`, or `build/cairn`, wherever it stands in the line, and what follows up to the
  // next comment, pipe or separator. Words in capitals stand for any command; `append|read` are both meant.
  std::string mistake_in(std::string_view line) const;

 private:
  std::map<std::string, Command> commands_;
};

// The options in a text: what begins with two dashes, each once.
std::set<std::string> options_in(std::string_view text);

// The words of a line.
std::vector<std::string> words_in(std::string_view line);

}  // namespace cairn::test
