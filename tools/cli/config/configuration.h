#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tools/cli/config/setting.h"

namespace cairn::cli {

// Where the value of a setting comes from, from the least to the most important.
enum class ValueSource { kDefault, kFile, kEnvironment, kFlag };

std::string_view to_string(ValueSource source);

struct ConfiguredSetting {
  Setting setting;
  ValueSource source = ValueSource::kDefault;
  std::string place;                // "cairn.toml:7", "CAIRN_LISTEN", "flag" or "default"
  std::vector<std::string> values;  // one, or those of a list; empty: no value. Valid without problems
};

// What a command with --config was told by the command line, the environment and the file.
struct Configuration {
  std::string file;                         // "" = none
  std::vector<ConfiguredSetting> settings;  // in the order of the options; empty for other commands
  // What is wrong, each with its place: "cairn.toml:7: listen: it has no port". Complete, and also about
  // values that others take precedence over.
  std::vector<std::string> problems;
};

// Parses `words`, the command line without the program's name, into `app`. A command with --config then also
// gets the values that only the environment or the file has, by the same checks and with the same conversions;
// with problems it does not get them. Throws CLI::ParseError as CLI::App::parse() does when the command line
// itself is refused, and CLI::Success for --help.
Configuration parse_configured(CLI::App& app, const std::vector<std::string>& words);

// A warning for each variable CAIRN_… that nothing reads: most are typing errors.
std::vector<std::string> unknown_variables(CLI::App& app);

}  // namespace cairn::cli
