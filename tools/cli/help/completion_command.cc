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

enum class Shell { kBash, kZsh, kFish };

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
template <typename Offer, typename Names>
std::string value_branches(const std::vector<CommandWords>& commands, const std::string& files,
                           const Offer& offer, const Names& names) {
  std::map<std::string, std::vector<std::string>> patterns;  // by the code of their branch
  for (const CommandWords& command : commands) {
    for (const OptionWords& option : command.options) {
      if (!option.takes_value) continue;
      std::string act;  // Nothing to complete: any value may follow.
      if (option.takes_file) act = files + "; ";
      if (!option.choices.empty()) act = offer(option.choices) + "; ";
      if (!option.server_names.empty()) act = names(option.server_names) + "; ";
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

// Adds the names that the server has to COMPREPLY. Nothing of what was typed, or of what the server says, is
// evaluated. A word in quotes is left to readline, which continues them; other names are quoted here. Where a word
// is split (at ':' in most settings), its first parts are taken from the line and cut off the names.
constexpr std::string_view kBashNames =
    "_cairn_names() {\n"
    "  local line=\"${COMP_LINE-}\" whole=\"$current\" i=$COMP_CWORD typed head name\n"
    "  line=\"${line:0:${COMP_POINT:-0}}\"\n"
    "  while ((i > 1)) && [[ -n $line && $line == *\"${COMP_WORDS[i-1]}$whole\" ]]; do\n"
    "    whole=\"${COMP_WORDS[i-1]}$whole\"\n"
    "    ((i--))\n"
    "  done\n"
    "  head=\"${whole%\"$current\"}\"\n"
    "  case \"$whole\" in\n"
    "    [\\'\\\"]*) typed=\"${whole:1}\" ;;\n"
    "    *) typed=\"${whole//\\\\/}\" ;;\n"
    "  esac\n"
    "  while IFS= read -r name; do\n"
    "    if [[ $whole == [\\'\\\"]* ]]; then\n"
    "      compopt -o filenames\n"
    "    else\n"
    "      printf -v name %q \"$name\"\n"
    "    fi\n"
    "    COMPREPLY+=(\"${name#\"$head\"}\")\n"
    "  done < <(command cairn __complete \"$1\" \"$typed\" 2>/dev/null)\n"
    "}\n";

std::string bash_completion(const std::vector<CommandWords>& commands) {
  std::string text =
      "# Completion of cairn for bash, made by `cairn completion bash`.\n" + std::string(kBashNames) +
      "_cairn() {\n"
      "  local current=\"${COMP_WORDS[COMP_CWORD]}\" previous=\"${COMP_WORDS[COMP_CWORD-1]}\"\n"
      "  local command='' word words='' files='' names='' i\n"
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
      value_branches(
          commands, "compopt -o filenames; mapfile -t COMPREPLY < <(compgen -f -- \"$current\")",
          [](const std::vector<std::string>& values) {
            return "mapfile -t COMPREPLY < <(compgen -W " + in_quotes(joined(values, " ")) +
                   " -- \"$current\")";
          },
          [](const std::string& kind) { return "_cairn_names " + kind; }) +
      "  esac\n"
      "  case \"$command\" in\n";
  for (const CommandWords& command : commands) {
    std::vector<std::string> words = command.subcommands;
    words.insert(words.end(), command.choices.begin(), command.choices.end());
    for (const OptionWords& option : command.options) {
      words.insert(words.end(), option.names.begin(), option.names.end());
    }
    text += "    " + in_quotes(joined(command.path, " ")) + ") words=" + in_quotes(joined(words, " "));
    if (!command.server_names.empty()) text += "; names=" + command.server_names;
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
         "  if [[ -n $names && $current != -* ]]; then _cairn_names \"$names\"; fi\n"
         "}\n"
         "complete -F _cairn cairn\n";
}

std::string zsh_completion(const std::vector<CommandWords>& commands) {
  std::string text =
      "#compdef cairn\n"
      "# Completion of cairn for zsh, made by `cairn completion zsh`.\n"
      "_cairn_names() {\n"
      "  local -a names\n"
      "  names=(\"${(@f)$(command cairn __complete \"$1\" \"${(Q)PREFIX}\" 2>/dev/null)}\")\n"
      "  names=(\"${(@)names:#}\")\n"
      "  (( $#names )) && compadd -- \"${names[@]}\"\n"
      "}\n"
      "_cairn() {\n"
      "  local command='' word files='' names='' i\n"
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
          [](const std::vector<std::string>& values) { return "compadd -- " + joined(values, " "); },
          [](const std::string& kind) { return "_cairn_names " + kind; }) +
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
            (command.takes_file ? "\n      files=1" : "") +
            (command.server_names.empty() ? "" : "\n      names=" + command.server_names) + " ;;\n";
  }
  return text +
         "  esac\n"
         "  [[ -n $files ]] && _files\n"
         "  [[ -n $names ]] && _cairn_names $names\n"
         "  (( $#commands )) && _describe command commands\n"
         "  (( $#options )) && _describe -o option options\n"
         "}\n"
         "if [[ \"${funcstack[1]}\" == _cairn ]]; then _cairn \"$@\"; else compdef _cairn cairn; fi\n";
}

// `text` quoted as one word for fish.
std::string in_fish_quotes(std::string_view text) {
  std::string quoted = "'";
  for (const char c : text) {
    if (c == '\'' || c == '\\') quoted += '\\';
    quoted += c;
  }
  return quoted + "'";
}

// One `complete` for what may follow a command.
std::string fish_line(const CommandWords& command, const std::string& rest, const std::string& meaning) {
  return "complete -c cairn -n " + in_fish_quotes("__cairn_is " + in_fish_quotes(joined(command.path, " "))) +
         rest + (meaning.empty() ? "" : " -d " + in_fish_quotes(meaning)) + "\n";
}

std::string fish_names(const std::string& kind) { return " -a '(__cairn_names " + kind + ")'"; }

std::string fish_completion(const std::vector<CommandWords>& commands) {
  std::vector<std::string> paths;
  for (const CommandWords& command : commands) {
    if (!command.path.empty()) paths.push_back(in_fish_quotes(joined(command.path, " ")));
  }
  std::string text =
      "# Completion of cairn for fish, made by `cairn completion fish`.\n"
      "function __cairn_is\n"
      "  set -l command ''\n"
      "  for word in (commandline -opc)[2..]\n"
      "    set -l longer (string trim -- \"$command $word\")\n"
      "    if contains -- \"$longer\" " +
      joined(paths, " ") +
      "\n"
      "      set command $longer\n"
      "    end\n"
      "  end\n"
      "  test \"$command\" = \"$argv[1]\"\n"
      "end\n"
      "function __cairn_names\n"
      "  command cairn __complete $argv[1] (string unescape -- (commandline -ct)) 2>/dev/null\n"
      "end\n"
      "complete -c cairn -f\n";
  for (const CommandWords& command : commands) {
    for (const std::string& subcommand : command.subcommands) {
      text += fish_line(command, " -a " + in_fish_quotes(subcommand),
                        meaning_of(commands, command.path, subcommand));
    }
    for (const std::string& choice : command.choices) text += fish_line(command, " -a " + choice, "");
    if (!command.server_names.empty()) text += fish_line(command, fish_names(command.server_names), "");
    if (command.takes_file) text += fish_line(command, " -F", "");
    for (const OptionWords& option : command.options) {
      std::string rest;
      for (const std::string& name : option.names) {
        rest += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
      }
      if (option.takes_file) {
        rest += " -r -F";
      } else if (option.takes_value) {
        rest += " -x";
        if (!option.choices.empty()) rest += " -a " + in_fish_quotes(joined(option.choices, " "));
        if (!option.server_names.empty()) rest += fish_names(option.server_names);
      }
      text += fish_line(command, rest, option.meaning);
    }
  }
  return text;
}

std::string completion_for(Shell shell, const std::vector<CommandWords>& commands) {
  switch (shell) {
    case Shell::kZsh:
      return zsh_completion(commands);
    case Shell::kFish:
      return fish_completion(commands);
    case Shell::kBash:
      break;
  }
  return bash_completion(commands);
}

}  // namespace

void add_completion_command(CLI::App& app, CommandAction& action) {
  CLI::App& command =
      *app.add_subcommand("completion", "Print a script that completes commands in your shell");
  command.footer(
      "\nNames of streams, projections, subjects, categories and tags are those of the server of CAIRN_URL, "
      "with\n"
      "the token of CAIRN_TOKEN. A server that does not answer within a second gives none.\n"
      "\nExamples:\n"
      "  source <(cairn completion bash)                                   for this shell\n"
      "  cairn completion bash > ~/.local/share/bash-completion/completions/cairn\n"
      "  cairn completion zsh > \"${fpath[1]}/_cairn\"\n"
      "  cairn completion fish > ~/.config/fish/completions/cairn.fish");
  auto shell = std::make_shared<Shell>(Shell::kBash);
  add_choice<Shell>(command, "shell", *shell, "bash, zsh or fish",
                    {{"bash", Shell::kBash}, {"zsh", Shell::kZsh}, {"fish", Shell::kFish}})
      ->type_name("SHELL")
      ->required()
      ->default_str("");
  run_after_parsing(command, action, [&app, shell] {
    const auto commands = completion_words(app);
    std::cout << completion_for(*shell, commands);
    return kExitOk;
  });
}

}  // namespace cairn::cli
