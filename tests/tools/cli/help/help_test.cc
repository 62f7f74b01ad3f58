// What --help says, of every command there is.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <sstream>

#include "tests/support/cairn_process.h"
#include "tests/tools/cli/command_walk.h"
#include "tools/cli/help/help_format.h"
#include "tools/cli/text/cell_text.h"

namespace cairn::test {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

std::string help_at(const CommandWalk::Command& command, std::size_t width) {
  cli::set_help_format(*command.app, width);
  return cli::help_text(*command.app, command.path());
}

TEST(HelpTest, EveryCommandHasAnExampleOfItself) {
  const CommandWalk walk;
  ASSERT_GT(walk.commands().size(), 40u);
  for (const auto& command : walk.commands()) {
    const std::string help = help_at(command, cli::kHelpWidthMax);
    const std::size_t examples = help.find("\nExample");
    ASSERT_NE(examples, std::string::npos) << command.path() << " has no example";
    EXPECT_THAT(help.substr(examples), HasSubstr(command.path()))
        << command.path() << " is not in its examples";
    EXPECT_THAT(help, HasSubstr("\nUsage: " + command.path() + " [OPTIONS]")) << command.path();
  }
}

TEST(HelpTest, NoLineIsTooLong) {
  const CommandWalk walk;
  for (const std::size_t width : {cli::kHelpWidthMax, std::size_t{80}, cli::kHelpWidthMin}) {
    for (const auto& command : walk.commands()) {
      for (const std::string& line : lines_of(help_at(command, width))) {
        // Examples are there to be copied, and are not broken: up to 100 columns they may have anywhere.
        const bool is_description = line.starts_with(std::string(20, ' '));
        const bool is_example = line.starts_with(' ') && !is_description && width < cli::kHelpWidthMax;
        if (!is_example) {
          EXPECT_LE(cli::text_width(line), width) << command.path() << ": " << line;
        }
        EXPECT_THAT(line, Not(EndsWith(" "))) << command.path() << ": " << line;
        EXPECT_EQ(line.find('\t'), std::string::npos) << command.path() << ": " << line;
      }
    }
  }
}

TEST(HelpTest, EverythingIsDescribed) {
  const CommandWalk walk;
  for (const auto& command : walk.commands()) {
    EXPECT_THAT(command.app->get_description(), Not(IsEmpty())) << command.path();
    for (const CLI::Option* option : command.app->get_options()) {
      EXPECT_THAT(option->get_description(), Not(IsEmpty())) << command.path() << " " << option->get_name();
      EXPECT_EQ(option->get_description().find('\n'), std::string::npos) << command.path();
    }
  }
}

TEST(HelpTest, FactsFollowTheDescription) {
  const CommandWalk walk;
  for (const auto& command : walk.commands()) {
    const std::string help = help_at(command, 1000);
    for (const CLI::Option* option : command.app->get_options()) {
      if (option->get_required()) {
        EXPECT_THAT(help, HasSubstr(option->get_description() + " (required")) << command.path();
      }
      if (!option->get_default_str().empty()) {
        EXPECT_THAT(help, HasSubstr("default " + option->get_default_str())) << command.path();
      }
    }
    EXPECT_THAT(help, Not(HasSubstr("POSITIVE"))) << command.path();
    EXPECT_THAT(help, Not(HasSubstr(":{"))) << command.path();
    EXPECT_THAT(help, Not(HasSubstr(" in ["))) << command.path();
  }
}

TEST(HelpTest, TheProgramListsItsExitCodesAndCommands) {
  const Finished help = run_cairn({"--help"});
  EXPECT_EQ(help.exit_code, 0);
  EXPECT_THAT(help.output,
              HasSubstr("Exit codes: 0 ok, 1 the answer is no, 2 wrong usage, 3 server unreachable."));
  const CommandWalk walk;
  for (const auto& command : walk.commands()) {
    if (command.words.size() != 1) continue;
    EXPECT_THAT(help.output, HasSubstr("\n  " + command.words[0] + " "));
  }
}

TEST(HelpTest, HelpIsPrintedForAllFormsOfTheRequest) {
  const std::string program = run_cairn({"--help"}).output;
  const std::string rebuild = run_cairn({"projection", "rebuild", "--help"}).output;
  EXPECT_THAT(rebuild, StartsWith("Rebuild the rows from the whole log\n\nUsage: cairn projection rebuild "));
  const std::vector<std::pair<std::vector<std::string>, std::string>> ways = {
      {{"-h"}, program},
      {{"help"}, program},
      {{"help", "projection", "rebuild"}, rebuild},
      {{"projection", "rebuild", "-h"}, rebuild},
      {{"projection", "rebuild", "help", "--url", "x", "--nonsense"}, rebuild},
      {{"append", "help"}, run_cairn({"append", "--help"}).output},
      {{"projection", "help"}, run_cairn({"projection", "--help"}).output}};
  for (const auto& [words, text] : ways) {
    const Finished help = run_cairn(words);
    EXPECT_EQ(help.exit_code, 0) << ::testing::PrintToString(words);
    EXPECT_EQ(help.output, text) << ::testing::PrintToString(words);
    EXPECT_THAT(help.errors, IsEmpty()) << ::testing::PrintToString(words);
  }
}

TEST(HelpTest, AnIncompleteCommandPrintsHelp) {
  const Finished nothing = run_cairn({});
  EXPECT_EQ(nothing.exit_code, 2);
  EXPECT_EQ(nothing.errors, run_cairn({"--help"}).output);
  EXPECT_THAT(nothing.output, IsEmpty());
  const Finished half = run_cairn({"schema"});
  EXPECT_EQ(half.exit_code, 2);
  EXPECT_EQ(half.errors, run_cairn({"schema", "--help"}).output);
}

TEST(HelpTest, ItIsAsWideAsTheTerminal) {
  const auto widest = [](unsigned short columns) {
    std::size_t width = 0;
    const ProcessOptions terminal{.input = "", .variables = {}, .terminal_width = columns};
    for (std::string line : lines_of(run_cairn({"serve", "--help"}, terminal).output)) {
      if (line.ends_with('\r')) line.pop_back();
      if (line.starts_with(std::string(20, ' '))) width = std::max(width, cli::text_width(line));
    }
    return width;
  };
  EXPECT_LE(widest(70), 70u);
  EXPECT_GT(widest(300), 70u);
  EXPECT_LE(widest(300), 100u);
}

}  // namespace
}  // namespace cairn::test
