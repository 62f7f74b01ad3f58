#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <CLI/CLI.hpp>
#include <array>
#include <cstdio>
#include <memory>

#include "eventstore/base/file.h"
#include "tests/support/cairn_process.h"
#include "tests/support/matchers.h"
#include "tests/support/temp_folder.h"
#include "tools/cli/completion_words.h"
#include "tools/cli/unknown_command.h"

namespace cairn::test {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

// What a shell command prints on stdout and stderr, and its status at the end.
std::string shell(const std::string& command) {
  const std::unique_ptr<FILE, int (*)(FILE*)> pipe(::popen((command + " 2>&1; echo $?").c_str(), "r"),
                                                   ::pclose);
  std::string output;
  std::array<char, 4096> bytes{};
  while (const std::size_t size = std::fread(bytes.data(), 1, bytes.size(), pipe.get())) {
    output.append(bytes.data(), size);
  }
  return output;
}

// The names of the commands in a help text.
std::vector<std::string> subcommands_in(const std::string& help) {
  std::vector<std::string> names;
  std::istringstream lines(help.substr(help.find("\nSubcommands:\n") + 14));
  for (std::string line; std::getline(lines, line) && line.starts_with("  ");) {
    names.push_back(line.substr(2, line.find(' ', 2) - 2));
  }
  return names;
}

class CompletionTest : public ::testing::Test {
 protected:
  CompletionTest() {
    const Finished printed = run_cairn({"completion", "bash"});
    EXPECT_EQ(printed.exit_code, 0);
    EXPECT_THAT(write_file(path_, printed.output), succeeds());
  }

  // What bash offers for the last of these words.
  std::vector<std::string> offered(const std::vector<std::string>& words) const {
    std::string line;
    for (const std::string& word : words) line += " '" + word + "'";
    const std::string output =
        shell("bash -c 'set -u; compopt() { :; }; source " + path_.string() + "; COMP_WORDS=(" +
              quoted(line) + "); COMP_CWORD=" + std::to_string(words.size() - 1) +
              "; _cairn; printf \"%s\\n\" \"${COMPREPLY[@]}\"'");
    std::vector<std::string> offers;
    std::istringstream lines(output);
    for (std::string offer; std::getline(lines, offer);) {
      if (!offer.empty()) offers.push_back(offer);
    }
    EXPECT_FALSE(offers.empty());
    EXPECT_EQ(offers.back(), "0") << output;
    offers.pop_back();
    return offers;
  }

  TempFolder folder_;
  std::filesystem::path path_ = folder_ / "cairn.bash";

 private:
  static std::string quoted(const std::string& text) {
    std::string result;
    for (const char c : text) result += c == '\'' ? std::string("'\\''") : std::string(1, c);
    return result;
  }
};

TEST_F(CompletionTest, BashAcceptsIt) { EXPECT_EQ(shell("bash -n " + path_.string()), "0\n"); }

TEST_F(CompletionTest, EveryCommandIsOffered) {
  const auto commands = subcommands_in(run_cairn({"--help"}).output);
  EXPECT_THAT(commands, Contains("serve"));
  const auto offers = offered({"cairn", ""});
  const std::string zsh = run_cairn({"completion", "zsh"}).output;
  for (const std::string& command : commands) {
    EXPECT_THAT(offers, Contains(command));
    EXPECT_THAT(zsh, HasSubstr("'" + command + ":")) << command;
    EXPECT_THAT(offered({"cairn", command, "--h"}), Contains("--help")) << command;
  }
}

TEST_F(CompletionTest, WordsAreCompletedWhereTheyStand) {
  EXPECT_THAT(offered({"cairn", "ap"}), ElementsAre("append"));
  EXPECT_THAT(offered({"cairn", "token", ""}), Contains("revoke"));
  EXPECT_THAT(offered({"cairn", "token", "create", "--sc"}), ElementsAre("--scope"));
  EXPECT_THAT(offered({"cairn", "token", "create", "--scope", "a"}), ElementsAre("append", "admin"));
  EXPECT_THAT(offered({"cairn", "read", "token", "--fo"}), ElementsAre("--follow"));
  EXPECT_THAT(offered({"cairn", "read", "--from", "-"}), IsEmpty());
  EXPECT_THAT(offered({"cairn", "import", folder_.path().string() + "/"}), ElementsAre(path_.string()));
  EXPECT_THAT(offered({"cairn", "completion", "z"}), ElementsAre("zsh"));
  EXPECT_THAT(offered({"cairn", "schema", "c"}), ElementsAre("check", "config"));
  EXPECT_THAT(offered({"cairn", "schema", "check", "--format", "g"}), ElementsAre("github"));
  EXPECT_THAT(offered({"cairn", "schema", "check", "--level", "FO"}),
              ElementsAre("FORWARD", "FORWARD_TRANSITIVE"));
  EXPECT_THAT(offered({"cairn", "schema", "check", "--dir", folder_.path().string() + "/"}),
              ElementsAre(path_.string()));
  EXPECT_THAT(offered({"cairn", "export", "--o"}), ElementsAre("--out"));
  EXPECT_THAT(offered({"cairn", "backup", "--o"}), ElementsAre("--out"));
  EXPECT_THAT(offered({"cairn", "restore", "--from", folder_.path().string() + "/"}),
              ElementsAre(path_.string()));
  EXPECT_THAT(offered({"cairn", "up"}), ElementsAre("upcaster"));
  EXPECT_THAT(offered({"cairn", "upcaster", "d"}), ElementsAre("deploy"));
  EXPECT_THAT(offered({"cairn", "upcaster", "deploy", "--d"}), ElementsAre("--dry-run"));
  EXPECT_THAT(offered({"cairn", "upcaster", "deploy", folder_.path().string() + "/"}),
              ElementsAre(path_.string()));
  EXPECT_THAT(offered({"cairn", "schema", "register", "--upcaster", folder_.path().string() + "/"}),
              ElementsAre(path_.string()));
}

TEST_F(CompletionTest, ZshIsGivenMeanings) {
  const std::string zsh = run_cairn({"completion", "zsh"}).output;
  EXPECT_THAT(zsh, HasSubstr("#compdef cairn\n"));
  EXPECT_THAT(zsh, HasSubstr("'append:Append one event to a stream'"));
  if (shell("command -v zsh").starts_with('/')) {
    ASSERT_THAT(write_file(folder_ / "_cairn", zsh), succeeds());
    EXPECT_EQ(shell("zsh -n " + (folder_ / "_cairn").string()), "0\n");
  }
}

TEST(UnknownCommandTest, TheNearestIsSuggested) {
  const std::vector<std::string> words = {"serve", "append", "read", "verify", "version", "completion"};
  EXPECT_EQ(cli::nearest_word("apend", words), "append");
  EXPECT_EQ(cli::nearest_word("raed", words), "read");
  EXPECT_EQ(cli::nearest_word("sevre", words), "serve");
  EXPECT_EQ(cli::nearest_word("comp", words), "completion");
  EXPECT_EQ(cli::nearest_word("vresion", words), "version");
  EXPECT_EQ(cli::nearest_word("dance", words), "");
  EXPECT_EQ(cli::nearest_word("x", words), "");
  EXPECT_EQ(cli::nearest_word(std::string(100'000, 'x'), words), "");
}

TEST(UnknownCommandTest, TheProgramSaysSo) {
  const Finished near = run_cairn({"apend", "s"});
  EXPECT_EQ(near.exit_code, 2);
  EXPECT_EQ(near.errors,
            "cairn: there is no command 'apend'; did you mean 'cairn append'?\n`cairn --help` lists all "
            "commands.\n");
  EXPECT_THAT(run_cairn({"token", "creat"}).errors, HasSubstr("did you mean 'cairn token create'?"));
  EXPECT_THAT(run_cairn({"upcaster", "depoly"}).errors, HasSubstr("did you mean 'cairn upcaster deploy'?"));
  EXPECT_THAT(run_cairn({"upcast"}).errors, HasSubstr("did you mean 'cairn upcaster'?"));
  EXPECT_THAT(run_cairn({"dance"}).errors, HasSubstr("there is no command 'dance'\n"));
  EXPECT_THAT(run_cairn({"token"}).errors, Not(HasSubstr("there is no command")));
}

}  // namespace
}  // namespace cairn::test
