// The messages about invalid command lines.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <utility>

#include "tests/support/cairn_process.h"
#include "tests/tools/cli/command_walk.h"
#include "tools/cli/help/unknown_command.h"
#include "tools/cli/help/usage_text.h"

namespace cairn::test {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

// As fingers do it: the last two letters the wrong way round, or one of two equal ones lost.
std::string mistyped(std::string word) {
  const std::size_t last = word.size() - 1;
  if (word[last] == word[last - 1]) return word.substr(0, last);
  std::swap(word[last], word[last - 1]);
  return word;
}

// The message when the parser refuses these words; "" when it accepts them.
std::string refusal(std::vector<std::string> words) {
  CommandWalk walk;
  std::reverse(words.begin(), words.end());
  try {
    walk.program().parse(std::move(words));
  } catch (const CLI::ParseError& error) {
    return cli::usage_text(walk.program(), error);
  }
  return "";
}

// The first line of stderr, which is the message.
std::string complaint(const std::vector<std::string>& words, const ProcessOptions& options = {}) {
  const Finished refused = run_cairn(words, options);
  EXPECT_EQ(refused.exit_code, 2) << ::testing::PrintToString(words);
  EXPECT_THAT(refused.errors, StartsWith("cairn: ")) << ::testing::PrintToString(words);
  return refused.errors.substr(7, refused.errors.find('\n') - 7);
}

TEST(UsageTest, MistypedCommandsAreFoundAtEveryLevel) {
  CommandWalk walk;
  for (const auto& command : walk.commands()) {
    if (command.words.empty()) continue;
    std::vector<std::string> words = command.words;
    words.back() = mistyped(words.back());
    EXPECT_THAT(cli::unknown_command_text(walk.program(), words),
                HasSubstr("; did you mean '" + command.path() + "'?"))
        << words.back();
  }
  EXPECT_EQ(complaint({"projection", "rebuid", "x"}),
            "there is no command 'rebuid'; did you mean 'cairn projection rebuild'?");
  EXPECT_EQ(complaint({"schema", "chekc"}),
            "there is no command 'chekc'; did you mean 'cairn schema check'?");
  EXPECT_EQ(complaint({"help", "schema", "chekc"}),
            "there is no command 'chekc'; did you mean 'cairn schema check'?");
}

TEST(UsageTest, MistypedOptionsAreFoundInEveryCommand) {
  const CommandWalk walk;
  for (const auto& command : walk.commands()) {
    for (const CLI::Option* option : command.app->get_options()) {
      if (option->get_lnames().empty()) continue;
      const std::string name = "--" + option->get_lnames().front();
      std::vector<std::string> words = command.words;
      words.push_back(mistyped(name));
      EXPECT_THAT(refusal(words), StartsWith("there is no option '" + mistyped(name) + "'; did you mean '" +
                                             name + "'?\n`" + command.path() + " --help`"))
          << command.path();
    }
  }
  EXPECT_EQ(complaint({"append", "--jsno"}), "there is no option '--jsno'; did you mean '--json'?");
  EXPECT_EQ(complaint({"append", "s", "--typo=x"}), "there is no option '--typo'; did you mean '--type'?");
  EXPECT_EQ(complaint({"read", "--dance"}), "there is no option '--dance'");
  EXPECT_EQ(complaint({"-V"}), "there is no option '-V'");
}

TEST(UsageTest, OptionsBeforeTheCommandAreReported) {
  EXPECT_EQ(complaint({"--json", "read", "s"}), "--json belongs behind the command: cairn read … --json");
}

TEST(UsageTest, AllMissingOptionsAreListed) {
  EXPECT_EQ(complaint({"append"}), "STREAM, --type and --data are missing");
  EXPECT_EQ(complaint({"append", "s", "--type", "T"}), "--data is missing");
  EXPECT_EQ(complaint({"serve", "--data"}), "--data: its DIR is missing");
  EXPECT_EQ(complaint({"serve", "--tls-key", "k"}), "--tls-key needs --tls-cert as well");
}

TEST(UsageTest, RefusedValuesHaveOneFormOfMessage) {
  EXPECT_EQ(complaint({"serve", "--schemas", "requird"}),
            "--schemas: must be required or optional, not 'requird'; did you mean 'required'?");
  EXPECT_EQ(complaint({"project", "--threads", "0"}), "--threads: must be a number from 1 to 256, not '0'");
  EXPECT_EQ(complaint({"state", "s", "--version", "0"}), "--version: must be a number, at least 1, not '0'");
  EXPECT_EQ(complaint({"state", "s", "--version", "1", "--time", "t"}),
            "--version and --time do not go together");
  EXPECT_EQ(complaint({"state", "s", "--diff", "1"}), "--diff: takes 2 values, not 1");
  EXPECT_EQ(complaint({"projection", "list", "--watch", "--interval", "0"}),
            "--interval: must be a number from 0.05 to 3600, not '0'");
  EXPECT_EQ(complaint({"append", "a", "b"}), "'b' is not expected");
}

TEST(UsageTest, TheHintToHelpComesLast) {
  EXPECT_THAT(run_cairn({"schema", "check", "--jsno"}).errors,
              EndsWith("\n`cairn schema check --help` shows how it is used.\n"));
}

TEST(UsageTest, AWrongUrlIsReportedWithItsSource) {
  const ProcessOptions variable{.input = "", .variables = {{"CAIRN_URL", "localhost"}}};
  EXPECT_THAT(complaint({"read", "s"}, variable),
              StartsWith("CAIRN_URL: 'localhost' is not the URL of a server, "));
  EXPECT_THAT(complaint({"read", "s", "--url", "http://x:99999"}, variable),
              StartsWith("--url: 'http://x:99999' is not the URL of a server, "));
  const Finished nobody = run_cairn({"read", "s", "--url", "http://127.0.0.1:1"}, variable);
  EXPECT_EQ(nobody.exit_code, 3);
  EXPECT_EQ(nobody.errors,
            "cairn: http://127.0.0.1:1: no server answers there; `cairn serve` starts one, --url or "
            "CAIRN_URL names "
            "another\n");
}

}  // namespace
}  // namespace cairn::test
