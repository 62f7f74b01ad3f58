#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "tools/cli/command_tree.h"

namespace cairn::test {

// The program's commands as its parser knows them, so that a test about all of them forgets none.
class CommandWalk {
 public:
  struct Command {
    CLI::App* app = nullptr;
    std::vector<std::string> words;  // {} for the program itself, {"token", "create"}

    std::string path() const {
      std::string text = "cairn";
      for (const std::string& word : words) text += " " + word;
      return text;
    }
  };

  CommandWalk() {
    cli::add_commands(program_, "test", action_);
    walk(program_, {});
  }
  CommandWalk(const CommandWalk&) = delete;
  CommandWalk& operator=(const CommandWalk&) = delete;

  CLI::App& program() { return program_; }
  const std::vector<Command>& commands() const { return commands_; }

 private:
  void walk(CLI::App& app, const std::vector<std::string>& words) {
    commands_.push_back({&app, words});
    for (CLI::App* command : app.get_subcommands([](CLI::App*) { return true; })) {
      std::vector<std::string> longer = words;
      longer.push_back(command->get_name());
      walk(*command, longer);
    }
  }

  CLI::App program_;
  cli::CommandAction action_;
  std::vector<Command> commands_;
};

}  // namespace cairn::test
