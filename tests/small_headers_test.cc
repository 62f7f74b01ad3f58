// A header of 20 lines or less has two users or a contract of its own. Otherwise its content belongs into the
// only source that includes it: a reader opens one file instead of three.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <regex>
#include <string>
#include <string_view>
#include <vector>

namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

// Where the rule holds.
constexpr std::string_view kCheckedFolders[] = {"eventstore", "schemaregistry", "upcasters", "projections",
                                                "api",        "tools"};

// Where the users of a header are looked for.
constexpr std::string_view kUserFolders[] = {"eventstore", "schemaregistry", "upcasters", "projections",
                                             "api",        "tools",          "tests",     "examples"};

constexpr std::ptrdiff_t kSmallHeaderLines = 20;

// A contract is a comment of two lines or more.
bool has_contract(const std::string& text) {
  static const std::regex kTwoCommentLines(R"(^[ \t]*//.*\n[ \t]*//)",
                                           std::regex::ECMAScript | std::regex::multiline);
  return std::regex_search(text, kTwoCommentLines);
}

// How many sources include each header. A header's own source (a.cc of a.h) is not a user.
std::map<std::string, int> users_of_headers(const std::map<std::string, std::string>& text_of_file) {
  static const std::regex kQuotedInclude(R"(^#include "([^"]+)\.h")",
                                         std::regex::ECMAScript | std::regex::multiline);
  std::map<std::string, int> users;
  for (const auto& [file, text] : text_of_file) {
    for (std::sregex_iterator it(text.begin(), text.end(), kQuotedInclude), end; it != end; ++it) {
      const std::string stem = (*it)[1];
      if (file != stem + ".cc") ++users[stem + ".h"];
    }
  }
  return users;
}

// The headers of a folder that break the rule, as "tools/a.h: 12 lines, 1 user".
std::vector<std::string> small_headers_in(std::string_view folder,
                                          const std::map<std::string, std::string>& text_of_file) {
  const std::map<std::string, int> users = users_of_headers(text_of_file);
  std::vector<std::string> found;
  for (const auto& [file, text] : text_of_file) {
    if (!file.starts_with(std::string(folder) + "/") || !file.ends_with(".h")) continue;
    const auto lines = std::count(text.begin(), text.end(), '\n');
    const auto counted = users.find(file);
    const int count = counted == users.end() ? 0 : counted->second;
    if (lines > kSmallHeaderLines || count >= 2 || has_contract(text)) continue;
    found.push_back(file + ": " + std::to_string(lines) + " lines, " + std::to_string(count) +
                    (count == 1 ? " user" : " users"));
  }
  return found;
}

std::map<std::string, std::string> texts_of_all_sources() {
  const fs::path root(CAIRN_SOURCE_DIR);
  std::map<std::string, std::string> text_of_file;
  for (const std::string_view folder : kUserFolders) {
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(root / folder)) {
      const fs::path extension = entry.path().extension();
      if (!entry.is_regular_file() || (extension != ".h" && extension != ".cc")) continue;
      std::ifstream file(entry.path(), std::ios::binary);
      text_of_file[entry.path().lexically_relative(root).generic_string()] =
          std::string(std::istreambuf_iterator<char>(file), {});
    }
  }
  return text_of_file;
}

TEST(SmallHeadersTest, EachHasTwoUsersOrAContract) {
  const auto sources = texts_of_all_sources();
  ASSERT_GT(sources.size(), 300u);
  for (const std::string_view folder : kCheckedFolders) {
    EXPECT_THAT(small_headers_in(folder, sources), IsEmpty());
  }
}

// The rest plants headers, to show that the check above finds them.

TEST(SmallHeadersTest, AHeaderWithOneUserAndNoContractIsFound) {
  EXPECT_THAT(small_headers_in("tools", {{"tools/a.h", "#pragma once\n\n// One line.\nvoid a();\n"},
                                         {"tools/a.cc", "#include \"tools/a.h\"\n"},
                                         {"tools/b.cc", "#include \"tools/a.h\"\n"}}),
              ElementsAre("tools/a.h: 4 lines, 1 user"));
}

TEST(SmallHeadersTest, TwoUsersAContractOrManyLinesAreEnough) {
  EXPECT_THAT(small_headers_in("tools", {{"tools/a.h", "void a();\n"},
                                         {"tools/b.cc", "#include \"tools/a.h\"\n"},
                                         {"tests/a_test.cc", "#include \"tools/a.h\"\n"}}),
              IsEmpty());
  EXPECT_THAT(
      small_headers_in("tools", {{"tools/a.h", "// Fails when the file\n// is missing.\nvoid a();\n"}}),
      IsEmpty());
  EXPECT_THAT(small_headers_in("tools", {{"tools/a.h", std::string(21, '\n')}}), IsEmpty());
}

TEST(SmallHeadersTest, OtherFoldersAreNotReported) {
  EXPECT_THAT(small_headers_in("tools", {{"api/a.h", "void a();\n"}, {"tools/a.cc", ""}}), IsEmpty());
}

}  // namespace
