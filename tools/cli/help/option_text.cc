#include "tools/cli/help/option_text.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <set>
#include <vector>

#include "tools/cli/help/option_facts.h"

namespace cairn::cli {

namespace {

std::string joined_facts(const std::vector<std::string>& facts, const std::string& between) {
  std::string text;
  for (const std::string& fact : facts) text += (text.empty() ? "" : between) + fact;
  return text;
}

std::string names_of(const std::set<CLI::Option*>& options) {
  std::vector<std::string> names;
  for (const CLI::Option* option : options) names.push_back(option_name(*option));
  std::sort(names.begin(), names.end());  // The parser sorts them by address.
  return joined_facts(names, ", ");
}

// Default, choices, conflicts and so on, for the parentheses after the description.
std::vector<std::string> facts_about(const CLI::Option& option) {
  const std::string description = option.get_description();
  const auto is_said = [&](const std::string& word) { return description.find(word) != std::string::npos; };
  std::vector<std::string> facts;
  if (option.get_required()) facts.push_back("required");
  const std::vector<std::string> choices = option_choices(option);
  if (!std::all_of(choices.begin(), choices.end(), is_said)) {
    facts.push_back("one of " + joined_facts(choices, ", "));
  }
  if (is_repeatable(option) && !is_said("repeatable")) facts.push_back("repeatable");
  if (!option.get_envname().empty()) facts.push_back("or the variable " + option.get_envname());
  if (!option.get_default_str().empty()) facts.push_back("default " + option.get_default_str());
  if (!option.get_needs().empty()) facts.push_back("needs " + names_of(option.get_needs()));
  if (!option.get_excludes().empty()) facts.push_back("not with " + names_of(option.get_excludes()));
  return facts;
}

}  // namespace

std::string option_title(const CLI::Option& option) {
  std::string name = option_name(option);
  if (!option.nonpositional()) return name;
  for (const std::string& letter : option.get_snames()) {
    if (!option.get_lnames().empty()) name = "-" + letter + ", " + name;
  }
  const std::string value = value_name(option);
  const int values = is_repeatable(option) ? 1 : option.get_items_expected_max();
  const bool is_optional = option.get_items_expected_min() == 0;
  for (int i = 0; i < values && !value.empty(); ++i) name += is_optional ? " [" + value + "]" : " " + value;
  return name;
}

std::string option_meaning(const CLI::Option& option) {
  std::string meaning = option.get_description();
  if (const auto facts = facts_about(option); !facts.empty()) {
    meaning += " (" + joined_facts(facts, "; ") + ")";
  }
  return meaning;
}

std::string usage_of(const CLI::App& command, const std::string& path) {
  std::string text = path + " [OPTIONS]";
  for (const CLI::Option* option : command.get_options()) {
    if (!option->get_positional()) continue;
    const std::string name = option_name(*option) + (is_repeatable(*option) ? "..." : "");
    text += option->get_required() ? " " + name : " [" + name + "]";
  }
  if (!command.get_subcommands([](const CLI::App*) { return true; }).empty()) text += " COMMAND";
  return text;
}

}  // namespace cairn::cli
