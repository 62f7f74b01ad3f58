#include "tools/cli/help/unknown_command.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <numeric>

#include "tools/cli/text/cell_text.h"

namespace cairn::cli {

namespace {

constexpr std::size_t kWordShownMax = 40;

// The Damerau-Levenshtein distance: letters to add, drop, change or swap with their neighbour.
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before(b.size() + 1), row(b.size() + 1), next(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    next[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      next[j] = std::min({row[j] + 1, next[j - 1] + 1, row[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1)});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        next[j] = std::min(next[j], before[j - 2] + 1);
      }
    }
    before = std::exchange(row, std::exchange(next, before));
  }
  return row[b.size()];
}

std::vector<std::string> subcommands_of(CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* subcommand : app.get_subcommands([](CLI::App*) { return true; })) {
    names.push_back(subcommand->get_name());
  }
  return names;
}

}  // namespace

std::string nearest_word(std::string_view word, const std::vector<std::string>& words) {
  if (word.size() > kWordShownMax) return "";
  std::string nearest;
  std::size_t best = std::max<std::size_t>(1, word.size() / 3) + 1;  // More edits are no typing error.
  for (const std::string& candidate : words) {
    // A prefix is an abbreviation of the whole word.
    const bool begun = word.size() > 1 && candidate.starts_with(word);
    const std::size_t far = begun ? 0 : distance(word, candidate);
    if (far < best) {
      best = far;
      nearest = candidate;
    }
  }
  return nearest;
}

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
