// `cairn man`: the manual page says what --help says, and `man` can print it.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <regex>
#include <sstream>

#include "eventstore/base/file.h"
#include "tests/support/cairn_process.h"
#include "tests/support/matchers.h"
#include "tests/support/temp_folder.h"
#include "tests/tools/said.h"
#include "tools/cli/help/man_text.h"

namespace cairn::test {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST(ManTextTest, EveryCharacterIsPrintedLiterally) {
  EXPECT_EQ(cli::man_escaped("a-b"), "a\\-b");
  EXPECT_EQ(cli::man_escaped(".hidden"), "\\&.hidden");
  EXPECT_EQ(cli::man_escaped("'it' `is` \"so\""), "\\(aqit\\(aq \\(gais\\(ga \\(dqso\\(dq");
  EXPECT_EQ(cli::man_escaped("\\n"), "\\(rsn");
  EXPECT_EQ(cli::man_escaped("one, …"), "one, ...");
  EXPECT_EQ(cli::man_escaped("10 µs"), "10 \\[u00B5]s");
  EXPECT_EQ(cli::man_escaped("cut \xE2"), "cut \\[u00E2]");
}

TEST(ManTextTest, IndentedLinesStayAsTheyAre) {
  EXPECT_EQ(cli::man_paragraphs("\nOne\ntwo.\n\nExamples:\n  cairn a\n  .cairn b\nThree"),
            ".PP\nOne\ntwo.\n.PP\nExamples:\n.RS 4\n.EX\ncairn a\n\\&.cairn b\n.EE\n.RE\n.PP\nThree\n");
}

// The page has three full stops for an ellipsis.
std::string with_single_spaces(const std::string& text) {
  std::istringstream words(std::regex_replace(text, std::regex("…"), "..."));
  std::string joined;
  for (std::string word; words >> word;) joined += (joined.empty() ? "" : " ") + word;
  return joined;
}

class ManTest : public ::testing::Test {
 protected:
  void SetUp() override {
    const Finished printed = run_cairn({"man"});
    EXPECT_EQ(printed.exit_code, 0);
    EXPECT_THAT(printed.errors, IsEmpty());
    ASSERT_THAT(write_file(path_, printed.output), succeeds());
    if (!is_installed("groff")) GTEST_SKIP() << "THE MANUAL PAGE IS NOT RENDERED: there is no groff";
  }

  // The page as a terminal of this width shows it, and the warnings of groff.
  std::string rendered(int columns, const std::vector<std::string>& more = {},
                       const std::string& device = "utf8") const {
    std::vector<std::string> words = {"groff",       "-ww",     "-man",
                                      "-T" + device, "-P-cbou", "-rLL=" + std::to_string(columns) + "n"};
    words.insert(words.end(), more.begin(), more.end());
    words.push_back(path_.string());
    const Said shown = said_by(words);
    EXPECT_TRUE(shown.exit.clean()) << describe(shown.exit);
    return shown.text;
  }

  TempFolder folder_;
  const std::filesystem::path path_ = folder_ / "cairn.1";
};

// Holds the help of a command, and of the commands in it, against the page.
void expect_help_in(const std::string& page, const std::vector<std::string>& command, int& commands) {
  std::vector<std::string> words = command;
  words.push_back("--help");
  std::istringstream lines(run_cairn(words).output);
  bool names = false;  // of commands, which have sections of their own
  ++commands;
  for (std::string line; std::getline(lines, line);) {
    if (line == "Commands:") names = true;
    if (line.empty()) names = false;
    if (names && line.starts_with("  ")) {
      std::vector<std::string> inner = command;
      inner.push_back(line.substr(2, line.find(' ', 2) - 2));
      expect_help_in(page, inner, commands);
    }
    const bool heading = line.ends_with(':') && line != "Examples:" && line.find(' ') == std::string::npos;
    if (names || heading || line.starts_with("  -h, --help ")) continue;
    if (line.starts_with("Usage: ")) line.erase(0, 7);
    // Help prints an option and its description on one line, the manual page on two.
    line.erase(0, line.find_first_not_of(' '));
    const std::size_t gap = std::min(line.find("  "), line.size());
    EXPECT_THAT(page, HasSubstr(with_single_spaces(line.substr(0, gap))));
    EXPECT_THAT(page, HasSubstr(with_single_spaces(line.substr(gap))));
  }
}

TEST_F(ManTest, HasTheHelpOfEachCommand) {
  int commands = 0;
  expect_help_in(with_single_spaces(rendered(5'000)), {}, commands);
  EXPECT_GT(commands, 40);
}

TEST_F(ManTest, IsPrintedWithoutWarnings) {
  for (const int columns : {60, 78, 200}) {
    EXPECT_THAT(rendered(columns, {"-z"}), IsEmpty());
  }
}

TEST_F(ManTest, ATerminalWithoutUtf8ShowsEveryCharacter) {
  EXPECT_THAT(rendered(78, {"-z"}, "ascii"), IsEmpty());
}

}  // namespace
}  // namespace cairn::test
