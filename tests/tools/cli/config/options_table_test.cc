// docs/operations.md has a table of all options, keys, variables and defaults.

#include <gtest/gtest.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <sstream>
#include <string>
#include <vector>

#include "eventstore/base/file.h"
#include "tests/tools/cli/command_walk.h"
#include "tools/cli/config/setting.h"

namespace cairn::test {
namespace {

std::vector<std::string> documented_rows() {
  std::istringstream lines(*read_file(std::filesystem::path(CAIRN_SOURCE_DIR) / "docs/operations.md"));
  std::vector<std::string> rows;
  bool in_table = false;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("| option | key in the file | variable | default | of |")) {
      in_table = true;
    } else if (in_table && !line.starts_with("|")) {
      break;
    } else if (in_table && !line.starts_with("|---")) {
      rows.push_back(line);
    }
  }
  return rows;
}

std::string in_code(const std::string& text) { return text.empty() ? "" : "`" + text + "` "; }

TEST(OptionsTableTest, EachOptionIsInTheTableWithItsKeyVariableAndDefault) {
  CommandWalk walk;
  std::vector<std::string> names;
  std::vector<std::string> rows;  // without the last column
  std::vector<std::string> commands;
  for (const CLI::App* command : cli::configured_commands(walk.program())) {
    for (const cli::Setting& setting : cli::settings_of(*command)) {
      const auto at = std::find(names.begin(), names.end(), setting.name);
      if (at != names.end()) {
        commands[static_cast<std::size_t>(at - names.begin())] += ", `" + command->get_name() + "`";
        continue;
      }
      names.push_back(setting.name);
      rows.push_back("| `--" + setting.name + "` | `" + setting.name + "` | `" + setting.variable + "` | " +
                     in_code(setting.option->get_default_str()) + "| ");
      commands.push_back("`" + command->get_name() + "`");
    }
  }
  for (std::size_t i = 0; i < rows.size(); ++i) rows[i] += commands[i] + " |";
  // The table may group the options otherwise than --help.
  std::vector<std::string> documented = documented_rows();
  std::sort(documented.begin(), documented.end());
  std::sort(rows.begin(), rows.end());
  EXPECT_EQ(documented, rows);
}

}  // namespace
}  // namespace cairn::test
