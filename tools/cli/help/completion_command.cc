#include <CLI/CLI.hpp>
#include <iostream>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "tools/cli/help/completion_words.h"
#include "tools/cli/help/help_commands.h"
#include "tools/cli/text/choice_option.h"
#include "tools/cli/text/exit_code.h"

namespace cairn::cli {

namespace {

enum class Shell { kBash, kZsh };

std::string joined(const std::vector<std::string>& words, std::string_view between) {
  std::string text;
  for (const std::string& word : words) {
    if (!text.empty()) text += between;
    text += word;
  }
  return text;
}

// `text` quoted as one word for a shell.
std::string in_quotes(std::string_view text) {
  std::string quoted = "'";
  for (const char c : text) {
    if (c == '\'') {
      quoted += "'\\''";
    } else {
      quoted += c;
    }
  }
  return quoted + "'";
}

// The patterns of a `case` for all commands but the program itself: 'token'|'token create'
std::string command_patterns(const std::vector<CommandWords>& commands) {
  std::vector<std::string> patterns;
  for (const CommandWords& command : commands) {
    if (!command.path.empty()) patterns.push_back(in_quotes(joined(command.path, " ")));
  }
  return joined(patterns, "|");
}

// The branches of a `case` over "command:previous word", for options with a value. `files` is the shell's
// code that completes file names; `offer` returns the code that completes given values.
template <typename Offer>
std::string value_branches(const std::vector<CommandWords>& commands, const std::string& files,
                           const Offer& offer) {
  std::map<std::string, std::vector<std::string>> patterns;  // by the code of their branch
  for (const CommandWords& command : commands) {
    for (const OptionWords& option : command.options) {
      if (!option.takes_value) continue;
      std::string act;  // Nothing to complete: any value may follow.
      if (option.takes_file) act = files + "; ";
      if (!option.choices.empty()) act = offer(option.choices) + "; ";
      for (const std::string& name : option.names) {
        patterns[act].push_back(in_quotes(joined(command.path, " ") + ":" + name));
      }
    }
  }
  std::string text;
  for (const auto& [act, words] : patterns) text += "    " + joined(words, "|") + ") " + act + "return ;;\n";
  return text;
}

std::string described(const std::string& name, const std::string& meaning) {
  return in_quotes(name + (meaning.empty() ? "" : ":" + meaning));
}

std::string meaning_of(const std::vector<CommandWords>& commands, std::vector<std::string> path,
                       const std::string& subcommand) {
  path.push_back(subcommand);
  for (const CommandWords& command : commands) {
    if (command.path == path) return command.meaning;
  }
  return "";
}

std::string bash_completion(const std::vector<CommandWords>& commands) {
  std::string text =
      "# Completion of cairn for bash, made by `cairn completion bash`.\n"
      "_cairn() {\n"
      "  local current=\"${COMP_WORDS[COMP_CWORD]}\" previous=\"${COMP_WORDS[COMP_CWORD-1]}\"\n"
      "  local command='' word words='' files='' i\n"
      "  COMPREPLY=()\n"
      "  for ((i = 1; i < COMP_CWORD; i++)); do\n"
      "    word=\"$command ${COMP_WORDS[i]}\"\n"
      "    case \"${word# }\" in\n"
      "      " +
      command_patterns(commands) +
      ") command=\"${word# }\" ;;\n"
      "    esac\n"
      "  done\n"
      "  case \"$command:$previous\" in\n" +
      value_branches(commands, "compopt -o filenames; mapfile -t COMPREPLY < <(compgen -f -- \"$current\")",
                     [](const std::vector<std::string>& values) {
                       return "mapfile -t COMPREPLY < <(compgen -W " + in_quotes(joined(values, " ")) +
                              " -- \"$current\")";
                     }) +
      "  esac\n"
      "  case \"$command\" in\n";
  for (const CommandWords& command : commands) {
    std::vector<std::string> words = command.subcommands;
    words.insert(words.end(), command.choices.begin(), command.choices.end());
    for (const OptionWords& option : command.options) {
      words.insert(words.end(), option.names.begin(), option.names.end());
    }
    text += "    " + in_quotes(joined(command.path, " ")) + ") words=" + in_quotes(joined(words, " "));
    text += command.takes_file ? "; files=1 ;;\n" : " ;;\n";
  }
  return text +
         "  esac\n"
         "  if [[ -n $files && $current != -* ]]; then\n"
         "    compopt -o filenames\n"
         "    mapfile -t COMPREPLY < <(compgen -f -- \"$current\")\n"
         "    return\n"
         "  fi\n"
         "  mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$current\")\n"
         "}\n"
         "complete -F _cairn cairn\n";
}

std::string zsh_completion(const std::vector<CommandWords>& commands) {
  std::string text =
      "#compdef cairn\n"
      "# Completion of cairn for zsh, made by `cairn completion zsh`.\n"
      "_cairn() {\n"
      "  local command='' word files='' i\n"
      "  local -a commands options\n"
      "  for ((i = 2; i < CURRENT; i++)); do\n"
      "    word=\"$command ${words[i]}\"\n"
      "    case \"${word# }\" in\n"
      "      " +
      command_patterns(commands) +
      ") command=\"${word# }\" ;;\n"
      "    esac\n"
      "  done\n"
      "  case \"$command:${words[CURRENT-1]}\" in\n" +
      value_branches(
          commands, "_files",
          [](const std::vector<std::string>& values) { return "compadd -- " + joined(values, " "); }) +
      "  esac\n"
      "  case \"$command\" in\n";
  for (const CommandWords& command : commands) {
    std::vector<std::string> subcommands = command.choices;
    for (const std::string& subcommand : command.subcommands) {
      subcommands.push_back(described(subcommand, meaning_of(commands, command.path, subcommand)));
    }
    std::vector<std::string> options;
    for (const OptionWords& option : command.options) {
      for (const std::string& name : option.names) options.push_back(described(name, option.meaning));
    }
    text += "    " + in_quotes(joined(command.path, " ")) + ")\n      commands=(" + joined(subcommands, " ") +
            ")\n      options=(" + joined(options, " ") + ")" +
            (command.takes_file ? "\n      files=1" : "") + " ;;\n";
  }
  return text +
         "  esac\n"
         "  [[ -n $files ]] && _files\n"
         "  (( $#commands )) && _describe command commands\n"
         "  (( $#options )) && _describe -o option options\n"
         "}\n"
         "if [[ \"${funcstack[1]}\" == _cairn ]]; then _cairn \"$@\"; else compdef _cairn cairn; fi\n";
}

}  // namespace

void add_completion_command(CLI::App& app, CommandAction& action) {
  CLI::App& command =
      *app.add_subcommand("completion", "Print a script that completes commands in your shell");
  command.footer(
      "\nExamples:\n"
      "  source <(cairn completion bash)                                   for this shell\n"
      "  cairn completion bash > ~/.local/share/bash-completion/completions/cairn\n"
      "  cairn completion zsh > \"${fpath[1]}/_cairn\"");
  auto shell = std::make_shared<Shell>(Shell::kBash);
  add_choice<Shell>(command, "shell", *shell, "bash or zsh", {{"bash", Shell::kBash}, {"zsh", Shell::kZsh}})
      ->type_name("SHELL")
      ->required()
      ->default_str("");
  run_after_parsing(command, action, [&app, shell] {
    const auto commands = completion_words(app);
    std::cout << (*shell == Shell::kBash ? bash_completion(commands) : zsh_completion(commands));
    return kExitOk;
  });
}

}  // namespace cairn::cli
