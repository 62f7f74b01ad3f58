#include "tools/cli/config/configuration.h"

#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <cstdlib>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "tools/cli/config/config_file.h"
#include "tools/cli/help/option_facts.h"
#include "tools/cli/help/unknown_command.h"
#include "tools/cli/help/usage_text.h"
#include "tools/cli/server/secret_variable.h"
#include "tools/cli/text/cell_text.h"

namespace cairn::cli {

namespace {

constexpr std::string_view kPrefix = "CAIRN_";
constexpr std::size_t kWordShownMax = 60;

// Read outside of the options: the token of clients, the options that the unit passes on, and the folder of
// cmake/fetch-avro.
constexpr std::array<std::string_view, 4> kOtherVariables = {"CAIRN_TOKEN", "CAIRN_TOKEN_FILE",
                                                             "CAIRN_OPTIONS", "CAIRN_CACHE_DIR"};

// Kubernetes sets these for a Service with the name cairn.
constexpr std::array<std::string_view, 2> kForeignPrefixes = {"CAIRN_SERVICE_", "CAIRN_PORT"};

std::string trimmed(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t");
  if (begin == std::string_view::npos) return "";
  return std::string(text.substr(begin, text.find_last_not_of(" \t") + 1 - begin));
}

std::vector<std::string> comma_separated(std::string_view text) {
  std::vector<std::string> words;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(','), text.size());
    if (std::string word = trimmed(text.substr(0, end)); !word.empty()) words.push_back(std::move(word));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return words;
}

// Why the option does not take these values; "" when it does. Leaves the option without values. The variable
// that the option is bound to may have changed: the command line is parsed again afterwards.
std::string fault_of(const Setting& setting, const std::vector<std::string>& values) {
  if (setting.kind == SettingKind::kSwitch) {
    if (switch_value(values.front())) return "";
    return "must be true or false, not '" + shortened(values.front(), kWordShownMax) + "'";
  }
  std::string fault;
  setting.option->clear();
  try {
    for (const std::string& value : values) setting.option->add_result(value);
    if (!values.empty()) setting.option->run_callback();
  } catch (const CLI::ParseError& error) {
    fault = setting.is_secret ? "is not valid" : value_fault(*setting.option, error);
  }
  setting.option->clear();
  return fault;
}

// Why the TOML type of the value does not fit; "" when it does.
std::string type_fault_of(const Setting& setting, const FileEntry& entry) {
  std::string wanted;
  switch (setting.kind) {
    case SettingKind::kSwitch:
      if (entry.type != TomlType::kBoolean) wanted = "true or false";
      break;
    case SettingKind::kNumber:
      if (entry.type != TomlType::kNumber) wanted = "a number";
      break;
    case SettingKind::kText:
      if (entry.type != TomlType::kString) wanted = "a string";
      break;
    case SettingKind::kTextOrNumber:
      if (entry.type != TomlType::kString && entry.type != TomlType::kNumber) wanted = "a string or a number";
      break;
    case SettingKind::kList:
      if (entry.type != TomlType::kArray) wanted = "an array of strings";
      break;
  }
  return wanted.empty() ? "" : "must be " + wanted + ", not " + entry.type_text;
}

// The values of environment and file for one command, as words of its command line.
std::vector<std::string> words_of(const Configuration& configuration) {
  std::vector<std::string> words;
  for (const ConfiguredSetting& configured : configuration.settings) {
    if (configured.source != ValueSource::kFile && configured.source != ValueSource::kEnvironment) continue;
    const std::vector<std::string> more = words_for(configured.setting, configured.values);
    words.insert(words.end(), more.begin(), more.end());
  }
  return words;
}

// Collects the values for `command` from all sources, and every problem with them.
class ConfigurationReader {
 public:
  ConfigurationReader(CLI::App& app, CLI::App& command)
      : file_option_(*command.get_option("--config")), own_(settings_of(command)) {
    for (const Setting& setting : own_) {
      configuration_.settings.push_back(value_of(setting));
      known_.push_back(setting);
    }
    for (const CLI::App* other : configured_commands(app)) {
      if (other == &command) continue;
      for (const Setting& setting : settings_of(*other)) known_.push_back(setting);
    }
  }

  Configuration read() && {
    read_file_values();
    read_environment();
    check_needs();
    return std::move(configuration_);
  }

 private:
  // Of the command line, or the default.
  static ConfiguredSetting value_of(const Setting& setting) {
    if (setting.option->count() > 0) {
      auto values = setting.option->results();
      if (setting.kind == SettingKind::kSwitch) values = {values.back() == "false" ? "false" : "true"};
      return {setting, ValueSource::kFlag, "flag", std::move(values)};
    }
    ConfiguredSetting configured{setting, ValueSource::kDefault, "default", {}};
    if (setting.kind == SettingKind::kSwitch) configured.values = {"false"};
    if (const std::string& value = setting.option->get_default_str(); !value.empty()) {
      configured.values = {value};
    }
    return configured;
  }

  // Gives the setting a value, unless it has one from a more important source. An invalid one is given too, for
  // `cairn config show`: there is a problem then, and the command does not run. `setting` may be one of another
  // command: then there is nothing to give.
  void set(const Setting& setting, ValueSource source, const std::string& place,
           const std::vector<std::string>& values) {
    for (ConfiguredSetting& configured : configuration_.settings) {
      if (configured.setting.option != setting.option || configured.source > source) continue;
      configured.source = source;
      configured.place = place;
      configured.values = values;
    }
  }

  // True when the values are valid; otherwise there is a further problem.
  bool accept(const std::string& place, const std::string& fault) {
    if (!fault.empty()) configuration_.problems.push_back(place + ": " + fault);
    return fault.empty();
  }

  // Where the name of the file comes from.
  std::string file_source() const {
    const char* const variable = std::getenv("CAIRN_CONFIG");
    return variable != nullptr && configuration_.file == variable ? "CAIRN_CONFIG" : "--config";
  }

  void read_file_values() {
    if (file_option_.count() == 0) return;
    configuration_.file = file_option_.results().back();
    const auto entries = read_config_file(configuration_.file);
    if (!entries) {
      // Of what is in the file, the message has the line.
      const bool has_place = entries.error().code == Errc::kInvalidArgument;
      configuration_.problems.push_back((has_place ? "" : file_source() + ": ") + entries.error().message);
      return;
    }
    for (const FileEntry& entry : *entries) read_entry(entry);
  }

  void read_entry(const FileEntry& entry) {
    const std::string place = fmt::format("{}:{}", configuration_.file, entry.line);
    bool is_known = false;
    for (const Setting& setting : known_) {
      if (setting.name != entry.key) continue;
      is_known = true;
      std::string fault = type_fault_of(setting, entry);
      if (fault.empty()) fault = fault_of(setting, entry.values);
      set(setting, ValueSource::kFile, place, entry.values);
      if (!accept(place + ": " + entry.key, fault)) return;
    }
    if (is_known) return;
    const std::string key = shortened(entry.key, kWordShownMax);
    if (entry.type_text == "a table") {
      configuration_.problems.push_back(fmt::format(
          "{}: there is no table '{}'; settings stand at the top of the file, without a table", place, key));
      return;
    }
    std::vector<std::string> names;
    for (const Setting& setting : known_) names.push_back(setting.name);
    const std::string nearest = nearest_word(entry.key, names);
    configuration_.problems.push_back(
        fmt::format("{}: there is no setting '{}'{}", place, key,
                    nearest.empty() ? "" : fmt::format("; did you mean '{}'?", nearest)));
  }

  void read_environment() {
    std::set<std::string> refused;  // Several commands may have the option.
    for (const Setting& setting : known_) {
      if (refused.contains(setting.variable)) continue;
      if (!read_variable(setting)) refused.insert(setting.variable);
    }
  }

  bool read_variable(const Setting& setting) {
    std::string name = setting.variable;
    std::string text;
    if (setting.is_secret) {
      auto secret = secret_variable(name);
      if (!secret) {
        configuration_.problems.push_back(secret.error().message);
        return false;
      }
      if (*secret) {
        name = (*secret)->variable;
        text = (*secret)->text;
      }
    } else if (const char* value = std::getenv(name.c_str())) {
      text = value;
    }
    if (text.empty()) return true;  // As if it were not set.
    std::vector<std::string> values = {text};
    if (setting.kind == SettingKind::kList) values = comma_separated(text);
    set(setting, ValueSource::kEnvironment, name, values);
    return accept(name, fault_of(setting, values));
  }

  bool has_value(const CLI::Option* option) const {
    return std::any_of(configuration_.settings.begin(), configuration_.settings.end(),
                       [&](const ConfiguredSetting& configured) {
                         return configured.setting.option == option &&
                                configured.source != ValueSource::kDefault;
                       });
  }

  void check_needs() {
    for (const ConfiguredSetting& configured : configuration_.settings) {
      if (configured.source == ValueSource::kDefault) continue;
      for (const CLI::Option* needed : configured.setting.option->get_needs()) {
        if (has_value(needed)) continue;
        const bool is_flag = configured.source == ValueSource::kFlag;
        configuration_.problems.push_back(fmt::format(
            "{}{} needs {} as well", is_flag ? "" : configured.place + ": ",
            is_flag ? "--" + configured.setting.name : configured.setting.name, option_name(*needed)));
      }
    }
  }

  const CLI::Option& file_option_;
  const std::vector<Setting> own_;
  std::vector<Setting> known_;  // of all commands, those of this one first
  Configuration configuration_;
};

void parse_words(CLI::App& app, std::vector<std::string> words) {
  std::reverse(words.begin(), words.end());  // As the parser wants them.
  app.parse(std::move(words));
}

// The command with --config that was parsed; nullptr when it was another one.
CLI::App* parsed_command(CLI::App& app) {
  for (CLI::App* command : configured_commands(app)) {
    if (command->parsed()) return command;
  }
  return nullptr;
}

// Every name that the program reads.
std::set<std::string> known_variables(CLI::App& app) {
  std::set<std::string> known(kOtherVariables.begin(), kOtherVariables.end());
  for (const CLI::App* command : configured_commands(app)) {
    for (const Setting& setting : settings_of(*command)) {
      known.insert(setting.variable);
      if (setting.is_secret) known.insert(setting.variable + "_FILE");
    }
  }
  std::vector<const CLI::App*> left = {&app};
  while (!left.empty()) {
    const CLI::App* command = left.back();
    left.pop_back();
    for (const CLI::Option* option : command->get_options()) known.insert(option->get_envname());
    for (const CLI::App* inner : command->get_subcommands([](const CLI::App*) { return true; })) {
      left.push_back(inner);
    }
  }
  return known;
}

}  // namespace

std::string_view to_string(ValueSource source) {
  switch (source) {
    case ValueSource::kDefault:
      return "default";
    case ValueSource::kFile:
      return "file";
    case ValueSource::kEnvironment:
      return "environment";
    case ValueSource::kFlag:
      return "flag";
  }
  return "";
}

Configuration parse_configured(CLI::App& app, const std::vector<std::string>& words) {
  // An option that another one needs may come from elsewhere: the second parsing decides.
  const auto is_for_later = [&] { return parsed_command(app) != nullptr; };
  try {
    parse_words(app, words);
  } catch (const CLI::RequiresError&) {
    if (!is_for_later()) throw;
  } catch (const CLI::RequiredError&) {
    if (!is_for_later()) throw;
  }
  CLI::App* const command = parsed_command(app);
  if (command == nullptr) return {};
  Configuration configuration = ConfigurationReader(app, *command).read();
  std::vector<std::string> all = words;
  if (configuration.problems.empty()) {
    const std::vector<std::string> more = words_of(configuration);
    all.insert(all.end(), more.begin(), more.end());
    try {
      parse_words(app, all);
    } catch (const CLI::ParseError& error) {  // Options that do not go together.
      configuration.problems.push_back(usage_text(app, error));
    }
  }
  return configuration;
}

std::vector<std::string> unknown_variables(CLI::App& app) {
  const std::set<std::string> known = known_variables(app);
  std::vector<std::string> known_ends;
  for (const std::string& name : known) {
    if (name.starts_with(kPrefix)) known_ends.push_back(name.substr(kPrefix.size()));
  }
  std::vector<std::string> warnings;
  for (char** variable = environ; variable != nullptr && *variable != nullptr; ++variable) {
    const std::string_view text(*variable);
    const std::string name(text.substr(0, text.find('=')));
    if (!name.starts_with(kPrefix) || known.contains(name)) continue;
    const bool is_foreign = std::any_of(kForeignPrefixes.begin(), kForeignPrefixes.end(),
                                        [&](std::string_view prefix) { return name.starts_with(prefix); });
    if (is_foreign) continue;
    const std::string nearest = nearest_word(name.substr(kPrefix.size()), known_ends);
    warnings.push_back(
        fmt::format("The variable {} is set, and nothing reads it{}", shortened(name, kWordShownMax),
                    nearest.empty() ? "." : fmt::format("; did you mean {}{}?", kPrefix, nearest)));
  }
  std::sort(warnings.begin(), warnings.end());
  return warnings;
}

}  // namespace cairn::cli
