#include "tools/cli/help/usage_text.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <optional>
#include <vector>

#include "tools/cli/help/option_facts.h"
#include "tools/cli/help/unknown_command.h"
#include "tools/cli/text/cell_text.h"

namespace cairn::cli {

namespace {

constexpr std::size_t kArgumentShownMax = 60;

std::string in_marks(const std::string& word) { return "'" + shortened(word, kArgumentShownMax) + "'"; }

std::string did_you_mean(const std::string& word, const std::vector<std::string>& words) {
  const std::string nearest = nearest_word(word, words);
  return nearest.empty() ? "" : "; did you mean '" + nearest + "'?";
}

std::vector<std::string> option_names(const CLI::App& command) {
  std::vector<std::string> names;
  for (const CLI::Option* option : command.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
    for (const std::string& name : option->get_snames()) names.push_back("-" + name);
  }
  return names;
}

bool looks_like_option(const std::string& word) { return word.size() > 1 && word.front() == '-'; }

std::string unknown_option(const ReachedCommand& reached, const std::string& word) {
  const std::string name = word.substr(0, word.find('='));
  const std::vector<std::string> names = option_names(*reached.command);
  if (std::find(names.begin(), names.end(), name) != names.end()) {
    return name + " belongs behind the command: " + reached.path + " … " + name;
  }
  // No suggestion for single letters: each is near to every other.
  return "there is no option " + in_marks(name) + (name.starts_with("--") ? did_you_mean(name, names) : "");
}

// The message for a word that the parser could not place. "" when there is none.
std::string stray_word(CLI::App& app, const ReachedCommand& reached) {
  const std::vector<std::string> strays = app.remaining(true);
  const auto option = std::find_if(strays.begin(), strays.end(), looks_like_option);
  if (option != strays.end()) return unknown_option(reached, *option);
  return strays.empty() ? "" : in_marks(strays.front()) + " is not expected";
}

// "STREAM, --type and --data are missing"; "" when nothing is.
std::string missing_options(const CLI::App& command) {
  std::vector<std::string> names;
  for (const CLI::Option* option : command.get_options()) {
    if (option->get_required() && option->count() == 0) names.push_back(option_name(*option));
  }
  if (names.empty()) return "";
  std::string text = names.front();
  for (std::size_t i = 1; i < names.size(); ++i) text += (i + 1 < names.size() ? ", " : " and ") + names[i];
  return text + (names.size() == 1 ? " is missing" : " are missing");
}

// The option whose name begins the parser's message.
const CLI::Option* blamed_option(const CLI::App& command, const std::string& message) {
  for (const CLI::Option* option : command.get_options()) {
    if (message.starts_with(option->get_name() + ": ")) return option;
  }
  return nullptr;
}

// The text between `left` and `right`; nullopt when they do not occur.
std::optional<std::string> text_between(const std::string& text, const std::string& left,
                                        const std::string& right) {
  const std::size_t begin = text.find(left);
  if (begin == std::string::npos) return std::nullopt;
  const std::size_t end = text.find(right, begin + left.size());
  if (end == std::string::npos) return std::nullopt;
  return text.substr(begin + left.size(), end - begin - left.size());
}

// "3600.000000" -> "3600"; "" for a limit that is only the largest number of the type.
std::string short_number(std::string number) {
  if (number.find('.') == std::string::npos) return number;
  number.erase(number.find_last_not_of('0') + 1);
  if (number.ends_with('.')) number.pop_back();
  return number.size() > 15 ? "" : number;
}

// Rewords the message of a CLI11 check about a value. Messages of our own checks are kept.
std::string reworded_fault(const CLI::Option& option, const std::string& fault) {
  if (const auto value = text_between(": " + fault, ": ", " not in {")) {
    const std::vector<std::string> choices = option_choices(option);
    std::string text;
    for (std::size_t i = 0; i < choices.size(); ++i) {
      text += (i == 0 ? "" : i + 1 < choices.size() ? ", " : " or ") + choices[i];
    }
    return "must be " + text + ", not " + in_marks(*value) + did_you_mean(*value, choices);
  }
  if (const auto value = text_between(fault, "Value ", " not in range ")) {
    const std::string range = fault.substr(fault.rfind(" not in range ") + 14);
    const std::string least = short_number(range.substr(0, range.find(" to ")));
    const std::string most = short_number(range.substr(range.find(" to ") + 4));
    // CLI::PositiveNumber is used for integers only.
    if (most.empty()) return "must be a number, at least 1, not " + in_marks(*value);
    return "must be a number from " + least + " to " + most + ", not " + in_marks(*value);
  }
  if (fault.find(" required but received ") != std::string::npos) {
    return "takes " + std::to_string(option.get_items_expected_max()) + " values, not " +
           fault.substr(fault.rfind(' ') + 1);
  }
  if (fault.ends_with(" missing")) return "its " + value_name(option) + " is missing";
  return fault;
}

constexpr char kNotConverted[] = "Could not convert: ";

// For "Could not convert: --threads = many".
std::string unconverted_text(const std::string& message) {
  return "must be a number, not " + in_marks(message.substr(message.find(" = ") + 3));
}

std::string refused_text(const CLI::App& command, const CLI::ParseError& error) {
  const std::string message = error.what();
  if (const CLI::Option* option = blamed_option(command, message)) {
    return option_name(*option) + ": " +
           reworded_fault(*option, message.substr(option->get_name().size() + 2));
  }
  if (error.get_name() == "ExcludesError") {
    const std::size_t word = message.find(" excludes ");
    return message.substr(0, word) + " and " + message.substr(word + 10) + " do not go together";
  }
  if (error.get_name() == "RequiresError") {
    const std::size_t word = message.find(" requires ");
    return message.substr(0, word) + " needs " + message.substr(word + 10) + " as well";
  }
  if (const auto name = text_between(message, kNotConverted, " = ")) {
    return *name + ": " + unconverted_text(message);
  }
  return message;
}

}  // namespace

std::string value_fault(const CLI::Option& option, const CLI::ParseError& error) {
  const std::string message = error.what();
  if (message.starts_with(kNotConverted)) return unconverted_text(message);
  const std::string name = option.get_name() + ": ";
  return message.starts_with(name) ? reworded_fault(option, message.substr(name.size())) : message;
}

ReachedCommand reached_command(CLI::App& app) {
  ReachedCommand reached{&app, app.get_name()};
  while (!reached.command->get_subcommands().empty()) {
    reached.command = reached.command->get_subcommands().back();
    reached.path += " " + reached.command->get_name();
  }
  return reached;
}

std::string usage_text(CLI::App& app, const CLI::ParseError& error) {
  const ReachedCommand reached = reached_command(app);
  std::string text = stray_word(app, reached);
  if (text.empty() && error.get_name() == "RequiredError") text = missing_options(*reached.command);
  if (text.empty()) text = refused_text(*reached.command, error);
  return text + "\n`" + reached.path + " --help` shows how it is used.";
}

}  // namespace cairn::cli
