#include "tools/cli/help/completion_words.h"

#include <CLI/CLI.hpp>
#include <string_view>

#include "tools/cli/help/completion_names.h"
#include "tools/cli/help/option_facts.h"

namespace cairn::cli {

namespace {

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

bool is_file(std::string_view type_name) {
  return type_name.starts_with("FILE") || type_name.starts_with("DIR");
}

OptionWords words_of(const CLI::Option& option, const std::string& command) {
  OptionWords words;
  for (const std::string& name : option.get_lnames()) words.names.push_back("--" + name);
  for (const std::string& name : option.get_snames()) words.names.push_back("-" + name);
  words.meaning = first_line(option.get_description());
  words.takes_value = option.get_items_expected_max() > 0;
  words.takes_file = is_file(option.get_type_name());
  words.choices = option_choices(option);
  words.server_names = completed_names(option, command);
  return words;
}

void add_command(CLI::App& app, const std::vector<std::string>& path, std::vector<CommandWords>& to) {
  CommandWords command;
  command.path = path;
  command.meaning = first_line(app.get_description());
  const auto subcommands = app.get_subcommands([](CLI::App*) { return true; });
  for (const CLI::App* subcommand : subcommands) command.subcommands.push_back(subcommand->get_name());
  for (const CLI::Option* option : app.get_options()) {
    if (option->nonpositional()) {
      command.options.push_back(words_of(*option, path.empty() ? "" : path.front()));
    } else {
      command.takes_file = command.takes_file || is_file(option->get_type_name());
      if (command.choices.empty()) command.choices = option_choices(*option);
      if (command.server_names.empty())
        command.server_names = completed_names(*option, path.empty() ? "" : path.front());
    }
  }
  to.push_back(std::move(command));
  for (CLI::App* subcommand : subcommands) {
    std::vector<std::string> longer = path;
    longer.push_back(subcommand->get_name());
    add_command(*subcommand, longer, to);
  }
}

}  // namespace

std::vector<CommandWords> completion_words(CLI::App& app) {
  std::vector<CommandWords> commands;
  add_command(app, {}, commands);
  for (CommandWords& command : commands) {  // `help` takes the commands of the program.
    if (command.path == std::vector<std::string>{"help"}) command.choices = commands.front().subcommands;
  }
  return commands;
}

}  // namespace cairn::cli
