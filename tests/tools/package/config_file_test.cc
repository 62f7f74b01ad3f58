// The configuration file of the package has every option of the program, with its default.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <map>
#include <regex>
#include <sstream>
#include <string>

#include "eventstore/base/file.h"
#include "tests/support/cairn_process.h"
#include "tests/support/matchers.h"
#include "tests/support/temp_folder.h"
#include "tests/tools/cli/command_walk.h"
#include "tools/cli/config/setting.h"

namespace cairn::test {
namespace {

using ::testing::HasSubstr;

std::string packaged_file() {
  return *read_file(std::filesystem::path(CAIRN_SOURCE_DIR) / "cmake/package/cairn.toml");
}

// The settings in the file by their keys, whether they are commented out or not.
std::map<std::string, std::string> listed_settings() {
  static const std::regex kSetting(R"(#?([a-z][a-z-]*) = (.+))");
  std::map<std::string, std::string> settings;
  std::istringstream lines(packaged_file());
  for (std::string line; std::getline(lines, line);) {
    std::smatch found;
    if (!std::regex_match(line, found, kSetting)) continue;
    EXPECT_TRUE(settings.emplace(found[1], found[2]).second) << found[1] << " is there twice";
  }
  return settings;
}

// The default as TOML; "" when there is none.
std::string default_of(const cli::Setting& setting) {
  if (setting.kind == cli::SettingKind::kSwitch) return "false";
  const std::string value = setting.option->get_default_str();
  return value.empty() || setting.kind != cli::SettingKind::kText ? value : "\"" + value + "\"";
}

TEST(PackagedConfigTest, EverySettingIsThereWithItsDefault) {
  std::map<std::string, std::string> listed = listed_settings();
  EXPECT_EQ(listed["data"], "\"/var/lib/cairn\"");
  CommandWalk walk;
  std::map<std::string, std::string> known;
  for (const CLI::App* command : cli::configured_commands(walk.program())) {
    for (const cli::Setting& setting : cli::settings_of(*command)) {
      known[setting.name] = default_of(setting);
      EXPECT_TRUE(listed.contains(setting.name)) << "cmake/package/cairn.toml lacks " << setting.name;
      if (setting.name == "data" || known[setting.name].empty()) continue;
      EXPECT_EQ(listed[setting.name], known[setting.name]) << setting.name;
    }
  }
  for (const auto& [name, value] : listed) {
    EXPECT_TRUE(known.contains(name)) << "cmake/package/cairn.toml has " << name << ", the program has not";
  }
}

TEST(PackagedConfigTest, EachLineIsValidWithoutItsComment) {
  const TempFolder folder;
  const std::filesystem::path file = folder / "cairn.toml";
  ASSERT_THAT(write_file(file, std::regex_replace(packaged_file(), std::regex("\n#([a-z])"), "\n$1")),
              succeeds());
  const Finished shown = run_cairn({"config", "show", "--config", file.string()});
  EXPECT_EQ(shown.exit_code, 0) << shown.errors;
  EXPECT_THAT(shown.output, HasSubstr("https://app.example"));
}

}  // namespace
}  // namespace cairn::test
