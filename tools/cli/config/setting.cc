#include "tools/cli/config/setting.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cctype>

#include "tools/cli/help/option_facts.h"

namespace cairn::cli {

namespace {

constexpr char kConfigOption[] = "--config";

bool is_unsigned_number(const std::string& text) {
  return !text.empty() &&
         std::all_of(text.begin(), text.end(), [](unsigned char c) { return std::isdigit(c) != 0; });
}

SettingKind kind_of(const CLI::Option& option) {
  if (option.get_items_expected_max() == 0) return SettingKind::kSwitch;
  if (is_repeatable(option)) return SettingKind::kList;
  // CLI11 puts the name of a check behind the type: "MS:UINT in [1 - 600000]".
  const std::string type = option.get_type_name();
  for (const char* const number : {" in [", ":POSITIVE", ":NONNEGATIVE"}) {
    if (type.find(number) != std::string::npos) return SettingKind::kNumber;
  }
  if (const std::string name = value_name(option); name == "N" || name == "NUMBER") {
    return SettingKind::kNumber;
  }
  return is_unsigned_number(option.get_default_str()) ? SettingKind::kTextOrNumber : SettingKind::kText;
}

std::string variable_of(std::string name) {
  std::transform(name.begin(), name.end(), name.begin(),
                 [](unsigned char c) { return c == '-' ? '_' : static_cast<char>(std::toupper(c)); });
  return "CAIRN_" + name;
}

}  // namespace

void add_config_option(CLI::App& command, std::string& file) {
  command.add_option(kConfigOption, file, "A TOML file with values of the options")
      ->type_name("FILE")
      ->envname("CAIRN_CONFIG");
}

std::string config_help() {
  return "\nThe option --some-name is also the key some-name of the TOML file that --config names, and the\n"
         "variable CAIRN_SOME_NAME. Options take precedence over variables, variables over the file. An\n"
         "option that can be repeated is an array in the file, and separated by commas in the variable.\n";
}

std::vector<Setting> settings_of(const CLI::App& command) {
  std::vector<Setting> settings;
  for (CLI::Option* option : const_cast<CLI::App&>(command).get_options()) {
    if (!option->nonpositional() || option->get_lnames().empty()) continue;
    const std::string& name = option->get_lnames().front();
    if (option == command.get_help_ptr() || option->check_name(kConfigOption)) continue;
    settings.push_back(
        {option, name, variable_of(name), kind_of(*option), option->get_type_name().starts_with("SECRET")});
  }
  return settings;
}

std::optional<bool> switch_value(const std::string& text) {
  for (const char* const word : {"true", "on", "yes", "1"}) {
    if (text == word) return true;
  }
  for (const char* const word : {"false", "off", "no", "0"}) {
    if (text == word) return false;
  }
  return std::nullopt;
}

std::vector<std::string> words_for(const Setting& setting, const std::vector<std::string>& values) {
  const std::string name = "--" + setting.name;
  std::vector<std::string> words;
  for (const std::string& value : values) {
    if (setting.kind == SettingKind::kSwitch) {
      if (switch_value(value) == true) words.push_back(name);
    } else if (value.empty()) {  // The parser takes the next word for "--name=".
      words.push_back(name);
      words.emplace_back();
    } else {
      words.push_back(name + "=" + value);
    }
  }
  return words;
}

std::vector<CLI::App*> configured_commands(CLI::App& app) {
  return app.get_subcommands(
      [](CLI::App* command) { return command->get_option_no_throw(kConfigOption) != nullptr; });
}

}  // namespace cairn::cli
