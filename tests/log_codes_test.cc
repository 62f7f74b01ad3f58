// The table of the log in the manual has the codes that the program writes, each with its level, and no others.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <regex>
#include <set>
#include <sstream>
#include <string>

namespace {

namespace fs = std::filesystem;
using ::testing::ContainerEq;

std::string file_text(const fs::path& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

// "disk-full error", from LogEvent(LogLevel::kError, "disk-full", …) in the sources.
std::set<std::string> codes_of_the_program() {
  static const std::regex kLine("LogLevel::k(\\w+),\\s*\"([a-z0-9-]+)\"");
  std::set<std::string> codes;
  for (const char* folder : {"eventstore", "schemaregistry", "upcasters", "projections", "api", "tools"}) {
    for (const auto& entry : fs::recursive_directory_iterator(fs::path(CAIRN_SOURCE_DIR) / folder)) {
      if (entry.path().extension() != ".cc") continue;
      const std::string text = file_text(entry.path());
      for (std::sregex_iterator it(text.begin(), text.end(), kLine), end; it != end; ++it) {
        std::string level = (*it)[1];
        level[0] = static_cast<char>(level[0] - 'A' + 'a');
        codes.insert((*it)[2].str() + " " + level);
      }
    }
  }
  return codes;
}

// The same from rows like | `accept-failed`, `accept-ended` | warning, error | … |; one level stands for all.
std::set<std::string> codes_of_the_manual() {
  const std::string manual = file_text(fs::path(CAIRN_SOURCE_DIR) / "docs/operations.md");
  const std::size_t begin = manual.find("\n## The log\n");
  std::istringstream lines(manual.substr(begin, manual.find("\n## ", begin + 1) - begin));
  static const std::regex kRow("\\| (`[^|]*`) \\| ([a-z, ]+) \\| .*");
  static const std::regex kCode("`([a-z0-9-]+)`");
  static const std::regex kWord("[a-z]+");
  std::set<std::string> codes;
  for (std::string line; std::getline(lines, line);) {
    std::smatch row;
    if (!std::regex_match(line, row, kRow)) continue;
    const std::string names = row[1], levels = row[2];
    std::sregex_iterator level(levels.begin(), levels.end(), kWord), end;
    for (std::sregex_iterator code(names.begin(), names.end(), kCode); code != end; ++code) {
      codes.insert((*code)[1].str() + " " + level->str());
      if (std::next(level) != end) ++level;
    }
  }
  return codes;
}

TEST(LogCodesTest, TheManualListsTheCodesOfTheProgram) {
  EXPECT_GT(codes_of_the_program().size(), 50u);
  EXPECT_THAT(codes_of_the_manual(), ContainerEq(codes_of_the_program()));
}

}  // namespace
