#include "tests/docs/command_tree.h"

#include <cctype>
#include <regex>
#include <sstream>

#include "tests/support/cairn_process.h"

namespace cairn::test {

namespace {

// Reads one help text: the names under "Commands:", and all options.
CommandTree::Command command_of(const std::string& help) {
  static const std::regex kOption(R"(^  (-[a-zA-Z], )?(--[a-z][a-z0-9-]*).*)");
  static const std::regex kName(R"(^  ([a-z][a-z-]*) .*)");
  CommandTree::Command command;
  bool in_subcommands = false;
  bool in_examples = false;
  std::istringstream lines(help);
  for (std::string line; std::getline(lines, line);) {
    std::smatch found;
    if (!line.starts_with(" ")) in_subcommands = line == "Commands:";
    in_examples |= line == "Examples:";
    if (in_examples) {
      if (line.starts_with("  ")) command.examples.push_back(line.substr(2, line.find("  ", 2) - 2));
      continue;
    }
    if (std::regex_match(line, found, kOption)) command.options.insert(found[2]);
    if (in_subcommands && std::regex_match(line, found, kName)) command.subcommands.insert(found[1]);
  }
  command.options.erase("--help");
  return command;
}

bool ends_a_command(const std::string& word) {
  return word == "|" || word == "&&" || word == "||" || word == ";" || word == "#" || word == "&" ||
         word == "…";
}

bool is_program(const std::string& word) {
  return word == "cairn" || word.ends_with("/cairn") || word == "<(cairn" || word == "$(cairn" ||
         word.ends_with("/bin/cairn");
}

// `append|replay` are two words.
std::vector<std::string> alternatives_in(const std::string& word) {
  std::istringstream stream(word);
  std::vector<std::string> words;
  for (std::string one; std::getline(stream, one, '|');) words.push_back(one);
  return words;
}

bool is_a_place_for_a_word(const std::string& word) {
  if (word.empty() || word.starts_with("…")) return true;
  for (const char c : word) {
    if (std::islower(static_cast<unsigned char>(c))) return false;
  }
  return true;
}

}  // namespace

CommandTree CommandTree::of_the_program() {
  CommandTree tree;
  std::vector<std::string> open = {""};
  while (!open.empty()) {
    const std::string name = open.back();
    open.pop_back();
    std::vector<std::string> words = words_in(name);
    words.emplace_back("--help");
    const Command command = command_of(run_cairn(words).output);
    for (const std::string& sub : command.subcommands) open.push_back(name.empty() ? sub : name + " " + sub);
    tree.commands_[name] = command;
  }
  return tree;
}

CommandTree::Found CommandTree::find(const std::vector<std::string>& words) const {
  Found found;
  for (const std::string& word : words) {
    const auto at = commands_.find(found.name);
    if (at == commands_.end() || !at->second.subcommands.contains(word)) break;
    found.name += (found.name.empty() ? "" : " ") + word;
    ++found.words;
  }
  return found;
}

std::string CommandTree::mistake_in(std::string_view line) const {
  std::istringstream stream{std::string(line)};
  const std::vector<std::string> all{std::istream_iterator<std::string>(stream), {}};
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (all[i] == "#") break;
    // `sudo -u cairn cairn …`: the first is a user.
    if (!is_program(all[i]) || (i + 1 < all.size() && is_program(all[i + 1]))) continue;
    std::vector<std::string> words;
    for (++i; i < all.size() && !ends_a_command(all[i]); ++i) words.push_back(all[i]);
    const Found found = find(words);
    const Command& command = commands_.at(found.name);
    if (!command.subcommands.empty() && found.words < words.size()) {
      for (const std::string& word : alternatives_in(words[found.words])) {
        if (word.starts_with("-") || is_a_place_for_a_word(word) || command.subcommands.contains(word))
          continue;
        return "there is no command `cairn " + (found.name.empty() ? "" : found.name + " ") + word + "`";
      }
    }
    for (std::size_t w = found.words; w < words.size(); ++w) {
      for (const std::string& option : options_in(words[w])) {
        if (option != "--help" && !command.options.contains(option)) {
          return "`cairn" + (found.name.empty() ? "" : " " + found.name) + "` has no option " + option;
        }
      }
    }
    --i;
  }
  return "";
}

std::set<std::string> options_in(std::string_view text) {
  static const std::regex kOption(R"((^|[^a-zA-Z0-9-])(--[a-z][a-z0-9-]*))");
  std::set<std::string> options;
  const std::string copy(text);
  for (std::sregex_iterator it(copy.begin(), copy.end(), kOption), end; it != end; ++it) {
    options.insert((*it)[2]);
  }
  return options;
}

std::vector<std::string> words_in(std::string_view line) {
  std::istringstream stream{std::string(line)};
  return {std::istream_iterator<std::string>(stream), {}};
}

}  // namespace cairn::test
