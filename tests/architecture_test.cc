// docs/architecture.md leads to files and functions that are there.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::string content_of(const fs::path& file) {
  std::ostringstream text;
  text << std::ifstream(file, std::ios::binary).rdbuf();
  return text.str();
}

std::string architecture() { return content_of(fs::path(CAIRN_SOURCE_DIR) / "docs/architecture.md"); }

// Paths from the top, as `eventstore/log/journal.cc`, that lead nowhere.
std::vector<std::string> lost_files(const std::string& text) {
  static const std::regex kFile(
      R"(\b((?:api|eventstore|projections|schemaregistry|tests|tools|upcasters)/[a-z_/]+\.(?:cc|h)\b))");
  std::vector<std::string> lost;
  for (std::sregex_iterator it(text.begin(), text.end(), kFile), end; it != end; ++it) {
    if (!fs::exists(fs::path(CAIRN_SOURCE_DIR) / (*it)[1].str())) lost.push_back((*it)[1]);
  }
  return lost;
}

std::string all_sources() {
  std::string text;
  for (const char* folder : {"api", "eventstore", "projections", "schemaregistry", "upcasters"}) {
    for (const auto& entry : fs::recursive_directory_iterator(fs::path(CAIRN_SOURCE_DIR) / folder)) {
      if (entry.path().extension() == ".cc" || entry.path().extension() == ".h")
        text += content_of(entry.path());
    }
  }
  return text;
}

// Functions, as `Journal::write`, that no source has: neither so nor as a class with such a member.
std::vector<std::string> lost_functions(const std::string& text) {
  static const std::regex kFunction(R"(`([A-Z]\w+)::(\w+)`)");
  static const std::string sources = all_sources();
  std::vector<std::string> lost;
  for (std::sregex_iterator it(text.begin(), text.end(), kFunction), end; it != end; ++it) {
    const std::string type = (*it)[1], member = (*it)[2];
    const bool is_there = sources.find(type + "::" + member + "(") != std::string::npos ||
                          (sources.find("class " + type) != std::string::npos &&
                           sources.find(" " + member + "(") != std::string::npos);
    if (!is_there) lost.push_back(type + "::" + member);
  }
  return lost;
}

TEST(ArchitectureTest, FilesExist) { EXPECT_THAT(lost_files(architecture()), IsEmpty()); }

TEST(ArchitectureTest, FunctionsExist) { EXPECT_THAT(lost_functions(architecture()), IsEmpty()); }

TEST(ArchitectureTest, MissingNamesAreReported) {
  EXPECT_THAT(lost_files("`eventstore/log/journal.cc`, `eventstore/log/diary.cc`"),
              ElementsAre("eventstore/log/diary.cc"));
  EXPECT_THAT(lost_functions("`Journal::write`, `Journal::burn_after_reading`"),
              ElementsAre("Journal::burn_after_reading"));
}

}  // namespace
