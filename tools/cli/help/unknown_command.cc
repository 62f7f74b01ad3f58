#include "tools/cli/help/unknown_command.h"

#include <CLI/CLI.hpp>
#include <algorithm>

#include "tools/cli/text/cell_text.h"

namespace cairn::cli {

namespace {

constexpr std::size_t kWordShownMax = 40;

std::vector<std::string> subcommands_of(CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* subcommand : app.get_subcommands([](CLI::App*) { return true; })) {
    names.push_back(subcommand->get_name());
  }
  return names;
}

}  // namespace

std::string unknown_command_text(CLI::App& app, const std::vector<std::string>& words) {
  CLI::App* current = &app;
  std::string path = "cairn";
  for (const std::string& word : words) {
    const std::vector<std::string> known = subcommands_of(*current);
    if (known.empty() || word.empty() || word.front() == '-') return "";
    if (std::find(known.begin(), known.end(), word) != known.end()) {
      current = current->get_subcommand(word);
      path += " " + word;
      continue;
    }
    std::string text = "there is no command '" + shortened(word, kWordShownMax) + "'";
    if (const std::string nearest = nearest_word(word, known); !nearest.empty()) {
      text += "; did you mean '" + path + " " + nearest + "'?";
    }
    return text + "\n`" + path + " --help` lists all commands.";
  }
  return "";
}

}  // namespace cairn::cli
