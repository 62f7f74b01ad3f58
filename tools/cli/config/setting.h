#pragma once

#include <optional>
#include <string>
#include <vector>

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace cairn::cli {

// What a setting takes, which decides the accepted TOML types.
enum class SettingKind {
  kSwitch,        // a boolean
  kNumber,        // a number
  kText,          // a string
  kTextOrNumber,  // either, as in --dedup-days 7|forever
  kList           // an array
};

// An option that the configuration file and the environment can set, too.
struct Setting {
  CLI::Option* option = nullptr;
  std::string name;      // its key in the file: "log-format"
  std::string variable;  // "CAIRN_LOG_FORMAT"
  SettingKind kind = SettingKind::kText;
  bool is_secret = false;  // its value is never printed, and the variable …_FILE may name a file with it
};

// Adds --config FILE to `command`: all its other options are settings then, also those that are added later.
// An option of the type name SECRET is a secret. REQUIRES: `file` outlives the parsing.
void add_config_option(CLI::App& command, std::string& file);

// The paragraph of help about file and variables, for the footer of a command with --config.
std::string config_help();

// The settings of a command with --config, in the order of its options.
std::vector<Setting> settings_of(const CLI::App& command);

// Whether the word of a switch means on: true, on, yes or 1. nullopt for other words than these and false, off,
// no and 0.
std::optional<bool> switch_value(const std::string& text);

// The words of a command line that give the setting these values. None for a switch that is off.
std::vector<std::string> words_for(const Setting& setting, const std::vector<std::string>& values);

// The commands of the program `app` that have --config. A file and the variables are for all of them.
std::vector<CLI::App*> configured_commands(CLI::App& app);

}  // namespace cairn::cli
