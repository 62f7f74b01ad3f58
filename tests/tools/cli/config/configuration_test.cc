// Options from the configuration file and the environment, for every option of every command that has --config.

#include "tools/cli/config/configuration.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <CLI/CLI.hpp>
#include <cstdlib>
#include <functional>
#include <set>
#include <string>
#include <vector>

#include "eventstore/base/file.h"
#include "tests/support/matchers.h"
#include "tests/support/temp_folder.h"
#include "tests/tools/cli/command_walk.h"
#include "tools/cli/config/config_file.h"
#include "tools/cli/help/option_facts.h"

namespace cairn::test {
namespace {

using cli::Configuration;
using cli::ConfiguredSetting;
using cli::Setting;
using cli::SettingKind;
using cli::ValueSource;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

// A variable of this process's environment, for the life of the object.
class ScopedVariable {
 public:
  ScopedVariable(std::string name, const std::string& value) : name_(std::move(name)) {
    ::setenv(name_.c_str(), value.c_str(), 1);
  }
  ~ScopedVariable() { ::unsetenv(name_.c_str()); }
  ScopedVariable(const ScopedVariable&) = delete;
  ScopedVariable& operator=(const ScopedVariable&) = delete;

 private:
  std::string name_;
};

// Two valid values of a setting, as the command line would have them.
std::pair<std::string, std::string> two_values(const Setting& setting) {
  if (setting.kind == SettingKind::kSwitch) return {"true", "false"};
  if (const auto choices = cli::option_choices(*setting.option); choices.size() >= 2) {
    return {choices[0], choices[1]};
  }
  if (setting.kind == SettingKind::kNumber || setting.kind == SettingKind::kTextOrNumber) return {"3", "4"};
  const std::string type = cli::value_name(*setting.option);
  if (type == "HOST:PORT") return {"127.0.0.1:1", "127.0.0.1:2"};
  if (type == "ORIGIN") return {"https://a.example", "https://b.example"};
  return {"one", "two"};
}

std::string in_toml(const Setting& setting, const std::string& value) {
  switch (setting.kind) {
    case SettingKind::kSwitch:
    case SettingKind::kNumber:
    case SettingKind::kTextOrNumber:
      return value;
    case SettingKind::kText:
      return "\"" + value + "\"";
    case SettingKind::kList:
      return "[\"" + value + "\"]";
  }
  return "";
}

class ConfigurationTest : public ::testing::Test {
 protected:
  ConfigurationTest() {
    for (char** variable = environ; *variable != nullptr; ++variable) {
      const std::string name = std::string(*variable).substr(0, std::string(*variable).find('='));
      if (name.starts_with("CAIRN_")) inherited_.push_back(name);
    }
    for (const std::string& name : inherited_) ::unsetenv(name.c_str());
  }

  std::string file(const std::string& text) {
    const std::filesystem::path path = folder_ / "cairn.toml";
    EXPECT_THAT(write_file(path, text), succeeds());
    return path.string();
  }

  // The settings for this command line.
  static Configuration configured(const std::vector<std::string>& words) {
    CommandWalk walk;
    Configuration configuration = cli::parse_configured(walk.program(), words);
    // They refer to options of the program, which is gone.
    for (ConfiguredSetting& setting : configuration.settings) setting.setting.option = nullptr;
    return configuration;
  }

  Configuration with_file(const std::string& text, std::vector<std::string> words = {"serve"}) {
    words.push_back("--config=" + file(text));
    return configured(words);
  }

  static ConfiguredSetting setting(const Configuration& configuration, const std::string& name) {
    for (const ConfiguredSetting& setting : configuration.settings) {
      if (setting.setting.name == name) return setting;
    }
    ADD_FAILURE() << "no setting " << name;
    return {};
  }

  // Every setting of every command that has --config; with it come values of the options it needs.
  void for_each_setting(const std::function<void(const std::string& command, const Setting& setting)>& act) {
    CommandWalk walk;
    std::set<std::string> commands;
    for (CLI::App* command : cli::configured_commands(walk.program())) {
      commands.insert(command->get_name());
      // All options but --config and --help, in case the list itself forgets one.
      EXPECT_THAT(cli::settings_of(*command), SizeIs(command->get_options().size() - 2));
      for (const Setting& setting : cli::settings_of(*command)) act(command->get_name(), setting);
    }
    EXPECT_EQ(commands, (std::set<std::string>{"serve", "project"}));
  }

  TempFolder folder_;
  std::vector<std::string> inherited_;
};

// The options that `setting` needs, as words of a command line.
std::vector<std::string> needed_words(const Setting& setting) {
  std::vector<std::string> words;
  for (const CLI::Option* needed : setting.option->get_needs()) {
    words.push_back(cli::option_name(*needed) + "=x");
  }
  return words;
}

std::vector<std::string> words_with(const std::string& command, const Setting& setting) {
  std::vector<std::string> words = {command};
  for (std::string& word : needed_words(setting)) words.push_back(std::move(word));
  return words;
}

TEST_F(ConfigurationTest, EveryOptionCanBeSetInTheFile) {
  for_each_setting([&](const std::string& command, const Setting& wanted) {
    const std::string value = two_values(wanted).first;
    const std::string path = file("\n" + wanted.name + " = " + in_toml(wanted, value) + "\n");
    std::vector<std::string> words = words_with(command, wanted);
    words.insert(words.end(), {"--config", path});
    const Configuration configuration = configured(words);
    EXPECT_THAT(configuration.problems, IsEmpty()) << command << " " << wanted.name;
    const ConfiguredSetting found = setting(configuration, wanted.name);
    EXPECT_EQ(found.source, ValueSource::kFile) << command << " " << wanted.name;
    EXPECT_EQ(found.place, path + ":2") << command << " " << wanted.name;
    EXPECT_THAT(found.values, ElementsAre(value)) << command << " " << wanted.name;
  });
}

TEST_F(ConfigurationTest, EveryOptionCanBeSetInTheEnvironmentAboveTheFile) {
  for_each_setting([&](const std::string& command, const Setting& wanted) {
    const auto [in_file, in_variable] = two_values(wanted);
    std::vector<std::string> words = words_with(command, wanted);
    words.insert(words.end(), {"--config", file(wanted.name + " = " + in_toml(wanted, in_file) + "\n")});
    const ScopedVariable variable(wanted.variable, in_variable);
    const Configuration configuration = configured(words);
    EXPECT_THAT(configuration.problems, IsEmpty()) << command << " " << wanted.name;
    const ConfiguredSetting found = setting(configuration, wanted.name);
    EXPECT_EQ(found.source, ValueSource::kEnvironment) << command << " " << wanted.name;
    EXPECT_EQ(found.place, wanted.variable);
    EXPECT_THAT(found.values, ElementsAre(in_variable)) << command << " " << wanted.name;
  });
}

TEST_F(ConfigurationTest, EveryFlagTakesPrecedence) {
  for_each_setting([&](const std::string& command, const Setting& wanted) {
    const auto [in_flag, in_variable] = two_values(wanted);
    std::vector<std::string> words = words_with(command, wanted);
    for (const std::string& word : cli::words_for(wanted, {in_flag})) words.push_back(word);
    const ScopedVariable variable(wanted.variable, in_variable);
    const ConfiguredSetting found = setting(configured(words), wanted.name);
    EXPECT_EQ(found.source, ValueSource::kFlag) << command << " " << wanted.name;
    EXPECT_EQ(found.place, "flag");
    EXPECT_THAT(found.values, ElementsAre(in_flag)) << command << " " << wanted.name;
  });
}

TEST_F(ConfigurationTest, AnEmptyVariableIsNotSet) {
  for_each_setting([&](const std::string& command, const Setting& wanted) {
    const ScopedVariable variable(wanted.variable, "");
    const Configuration configuration = configured({command});
    EXPECT_THAT(configuration.problems, IsEmpty());
    EXPECT_EQ(setting(configuration, wanted.name).source, ValueSource::kDefault) << wanted.name;
  });
  const ScopedVariable no_file("CAIRN_CONFIG", "");
  EXPECT_THAT(configured({"serve"}).file, IsEmpty());
}

TEST_F(ConfigurationTest, EveryOptionRefusesAWrongTomlType) {
  for_each_setting([&](const std::string& command, const Setting& wanted) {
    const std::string value = wanted.kind == SettingKind::kSwitch ? "\"true\"" : "true";
    const std::string path = file(wanted.name + " = " + value);
    std::vector<std::string> words = words_with(command, wanted);
    words.insert(words.end(), {"--config", path});
    EXPECT_THAT(configured(words).problems,
                ElementsAre(AllOf(
                    HasSubstr(path + ":1: " + wanted.name + ": must be "),
                    HasSubstr(wanted.kind == SettingKind::kSwitch ? ", not a string" : ", not a boolean"))));
  });
}

TEST_F(ConfigurationTest, ListsAreArraysInTheFileAndCommaSeparatedInTheEnvironment) {
  const std::string text = "cors-origin = [ 'https://a.example', 'https://b.example' ]";
  EXPECT_THAT(setting(with_file(text), "cors-origin").values,
              ElementsAre("https://a.example", "https://b.example"));
  const ScopedVariable variable("CAIRN_CORS_ORIGIN", "https://c.example, https://d.example,");
  EXPECT_THAT(setting(with_file(text), "cors-origin").values,
              ElementsAre("https://c.example", "https://d.example"));
}

TEST_F(ConfigurationTest, ValuesAreCheckedAsThoseOfFlagsAre) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"listen = 'localhost'", ":1: listen: 'localhost' is not an address to listen on: it has no port"},
      {"request-cpu-ms = 0", ":1: request-cpu-ms: must be a number from 1 to 600000, not '0'"},
      {"request-cpu-ms = 1.5", ":1: request-cpu-ms: must be a number from 1 to 600000, not '1.5'"},
      {"dedup-days = -1", ":1: dedup-days: must be a number of days, at least 1, or 'forever'"},
      {"projections = 'of'", ":1: projections: must be on, read or off, not 'of'; did you mean 'off'?"},
      {"cors-origin = ['https://a.example', 'b']", ":1: cors-origin: "},
      {"cors-origin = ['https://a.example', true]", ":1: cors-origin: must be an array of strings"},
      {"data = 5", ":1: data: must be a string, not a number"},
      {"listen = 2026-11-19", ":1: listen: must be a string, not a date or time"},
      {"listen = { host = 'a' }", ":1: listen: must be a string, not a table"},
      {"tls-cert = 'a'", ":1: tls-cert needs --tls-key as well"},
      {"threads = 1000", ":1: threads: must be a number from 1 to 256, not '1000'"},
      {"listne = 'a'", ":1: there is no setting 'listne'; did you mean 'listen'?"},
      {"config = 'a'", ":1: there is no setting 'config'"},
      {"help = true", ":1: there is no setting 'help'"},
      {"[serve]\nlisten = 'a'", ":1: there is no table 'serve'; settings stand at the top of the file"},
      {"\nlisten = ", ":2:10: "},
      {"data = 'a'\ndata = 'b'", ":2:"}};
  for (const auto& [text, problem] : cases) {
    EXPECT_THAT(with_file(text).problems, ElementsAre(HasSubstr(file(text) + problem))) << text;
  }
  const ScopedVariable listen("CAIRN_LISTEN", "localhost");
  EXPECT_THAT(configured({"serve"}).problems, ElementsAre(HasSubstr("CAIRN_LISTEN: 'localhost' is not an ")));
}

TEST_F(ConfigurationTest, EveryProblemIsReportedAlsoOfOverriddenValues) {
  const ScopedVariable days("CAIRN_DEDUP_DAYS", "many");
  EXPECT_THAT(
      with_file("listen = 'a'\nunknown = 1\n", {"serve", "--listen=127.0.0.1:0", "--dedup-days=3"}).problems,
      ElementsAre(HasSubstr(":1: listen: "), HasSubstr(":2: there is no setting 'unknown'"),
                  HasSubstr("CAIRN_DEDUP_DAYS: must be")));
}

TEST_F(ConfigurationTest, AFileThatCannotBeReadIsNamed) {
  const std::string nowhere = (folder_ / "nowhere.toml").string();
  EXPECT_THAT(configured({"serve", "--config", nowhere}).problems,
              ElementsAre(AllOf(HasSubstr("--config: "), HasSubstr(nowhere))));
  const ScopedVariable variable("CAIRN_CONFIG", folder_.path().string());
  EXPECT_THAT(configured({"serve"}).problems,
              ElementsAre(AllOf(HasSubstr("CAIRN_CONFIG: "), HasSubstr("Is a directory"))));
}

TEST_F(ConfigurationTest, ATooLargeFileIsRefused) {
  EXPECT_THAT(with_file(std::string(cli::kConfigFileBytesMax, '#')).problems, IsEmpty());
  EXPECT_THAT(with_file(std::string(cli::kConfigFileBytesMax + 1, '#')).problems,
              ElementsAre(HasSubstr("a configuration file may have 1048576")));
}

TEST_F(ConfigurationTest, DeeplyNestedValuesAreAnErrorOfTheFile) {
  EXPECT_THAT(with_file("data = " + std::string(100'000, '[')).problems, ElementsAre(HasSubstr(":1:")));
}

TEST_F(ConfigurationTest, AnOptionMayNeedOneFromAnotherSource) {
  const ScopedVariable key("CAIRN_TLS_KEY", "k");
  EXPECT_THAT(configured({"serve", "--tls-cert", "c"}).problems, IsEmpty());
  EXPECT_THAT(with_file("tls-cert = 'c'").problems, IsEmpty());
}

TEST_F(ConfigurationTest, OneFileServesBothCommands) {
  const std::string text = "data = 'd'\nlisten = '127.0.0.1:0'\nthreads = 3\n";
  EXPECT_THAT(with_file(text, {"serve"}).problems, IsEmpty());
  const Configuration project = with_file(text, {"project"});
  EXPECT_THAT(project.problems, IsEmpty());
  EXPECT_THAT(setting(project, "threads").values, ElementsAre("3"));
  EXPECT_THAT(setting(project, "data").values, ElementsAre("d"));
}

TEST_F(ConfigurationTest, OtherCommandsReadNoFile) {
  const ScopedVariable variable("CAIRN_CONFIG", "/nowhere.toml");
  const ScopedVariable listen("CAIRN_LISTEN", "nonsense");
  EXPECT_THAT(configured({"version"}).problems, IsEmpty());
}

TEST_F(ConfigurationTest, VariablesThatNothingReadsAreFound) {
  CommandWalk walk;
  EXPECT_THAT(cli::unknown_variables(walk.program()), IsEmpty());
  const ScopedVariable typo("CAIRN_LISTNE", "x");
  const ScopedVariable strange("CAIRN_ZZZZZZZZ", "x");
  const ScopedVariable kubernetes("CAIRN_SERVICE_HOST", "x"), port("CAIRN_PORT_7878_TCP", "x");
  const ScopedVariable url("CAIRN_URL", "x"), token("CAIRN_TOKEN", "x"), file("CAIRN_TOKEN_FILE", "x"),
      options("CAIRN_OPTIONS", "x"), config("CAIRN_CONFIG", "x"), threads("CAIRN_THREADS", "x");
  EXPECT_THAT(
      cli::unknown_variables(walk.program()),
      ElementsAre("The variable CAIRN_LISTNE is set, and nothing reads it; did you mean CAIRN_LISTEN?",
                  "The variable CAIRN_ZZZZZZZZ is set, and nothing reads it."));
}

// No option of today is a secret; the mechanism is tested with one of a program of its own.
class SecretTest : public ConfigurationTest {
 protected:
  SecretTest() {
    CLI::App& command = *program_.add_subcommand("run");
    cli::add_config_option(command, config_);
    command.add_option("--password", password_, "A password")->type_name("SECRET");
  }

  Configuration run() { return cli::parse_configured(program_, {"run"}); }

  CLI::App program_;
  std::string config_;
  std::string password_;
};

TEST_F(SecretTest, AFileMayHoldIt) {
  const std::filesystem::path path = folder_ / "password";
  ASSERT_THAT(write_file(path, "s3cret\n"), succeeds());
  const ScopedVariable variable("CAIRN_PASSWORD_FILE", path.string());
  const Configuration configuration = run();
  EXPECT_THAT(configuration.problems, IsEmpty());
  EXPECT_EQ(password_, "s3cret");
  EXPECT_TRUE(configuration.settings.front().setting.is_secret);
  EXPECT_EQ(configuration.settings.front().place, "CAIRN_PASSWORD_FILE");
  EXPECT_THAT(cli::unknown_variables(program_), IsEmpty());
}

TEST_F(SecretTest, BothVariablesAreAnError) {
  const ScopedVariable text("CAIRN_PASSWORD", "a"), path("CAIRN_PASSWORD_FILE", "/nowhere");
  EXPECT_THAT(run().problems, ElementsAre("CAIRN_PASSWORD and CAIRN_PASSWORD_FILE are both set; only one of "
                                          "them can count"));
}

TEST_F(SecretTest, AnUnreadableFileIsNamed) {
  const ScopedVariable path("CAIRN_PASSWORD_FILE", "/nowhere");
  EXPECT_THAT(run().problems, ElementsAre(AllOf(HasSubstr("CAIRN_PASSWORD_FILE: "), HasSubstr("/nowhere"))));
}

}  // namespace
}  // namespace cairn::test
