#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <CLI/CLI.hpp>
#include <array>
#include <cstdio>
#include <memory>
#include <sstream>

#include "eventstore/base/file.h"
#include "tests/api/client/scripted_server.h"
#include "tests/support/cairn_process.h"
#include "tests/support/child_process.h"
#include "tests/support/matchers.h"
#include "tests/support/temp_folder.h"
#include "tests/tools/cli/command_walk.h"
#include "tests/tools/running_server.h"
#include "tools/cli/help/option_facts.h"
#include "tools/cli/help/unknown_command.h"

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

class CompletionTest : public ::testing::Test {
 protected:
  CompletionTest() {
    const Finished printed = run_cairn({"completion", "bash"});
    EXPECT_EQ(printed.exit_code, 0);
    EXPECT_THAT(write_file(path_, printed.output), succeeds());
  }

  // What bash offers for the last of these words.
  std::vector<std::string> offered(const std::vector<std::string>& words) const {
    return all_offered({words})[0];
  }

  // The same for many lines of words, asked of one shell.
  std::vector<std::vector<std::string>> all_offered(
      const std::vector<std::vector<std::string>>& lines) const {
    std::string script = "set -u\ncompopt() { :; }\nsource " + path_.string() + "\n";
    for (const std::vector<std::string>& words : lines) {
      script += "COMP_WORDS=(";
      for (const std::string& word : words) script += " '" + word + "'";
      script += "); COMP_CWORD=" + std::to_string(words.size() - 1) +
                "; _cairn; printf '%s\\n' \"${COMPREPLY[@]}\" =\n";
    }
    EXPECT_THAT(write_file(script_.path() / "ask.bash", script), succeeds());
    std::istringstream output(shell("bash " + (script_.path() / "ask.bash").string()));
    std::vector<std::vector<std::string>> offers(1);
    for (std::string offer; std::getline(output, offer);) {
      if (offer == "=") {
        offers.emplace_back();
      } else if (!offer.empty()) {
        offers.back().push_back(offer);
      }
    }
    EXPECT_EQ(offers.size(), lines.size() + 1);
    EXPECT_THAT(offers.back(), ElementsAre("0")) << "bash complains";
    offers.resize(lines.size());
    return offers;
  }

  TempFolder folder_;
  TempFolder script_;
  std::filesystem::path path_ = folder_ / "cairn.bash";
};

TEST_F(CompletionTest, BashAcceptsIt) { EXPECT_EQ(shell("bash -n " + path_.string()), "0\n"); }

// The completions of a command line: the words so far, and the one that is being typed.
std::vector<std::string> behind(const CommandWalk::Command& command, const std::vector<std::string>& more) {
  std::vector<std::string> words = {"cairn"};
  words.insert(words.end(), command.words.begin(), command.words.end());
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

TEST_F(CompletionTest, EveryCommandAndOptionIsOffered) {
  const CommandWalk walk;
  const std::string zsh = run_cairn({"completion", "zsh"}).output;
  const std::string fish = run_cairn({"completion", "fish"}).output;
  std::vector<std::vector<std::string>> questions;
  for (const auto& command : walk.commands()) {
    questions.push_back(behind(command, {"-"}));
    if (!command.words.empty()) {
      questions.push_back({"cairn"});
      questions.back().insert(questions.back().end(), command.words.begin(), command.words.end());
    }
  }
  const auto answers = all_offered(questions);
  std::size_t next = 0;
  for (const auto& command : walk.commands()) {
    const auto& options = answers[next++];
    for (const CLI::Option* option : command.app->get_options()) {
      for (const std::string& name : option->get_lnames()) {
        EXPECT_THAT(options, Contains("--" + name)) << command.path();
        EXPECT_THAT(zsh, HasSubstr("'--" + name + ":")) << command.path();
        EXPECT_THAT(fish, HasSubstr(" -l " + name + " ")) << command.path();
      }
      for (const std::string& name : option->get_snames()) EXPECT_THAT(options, Contains("-" + name));
    }
    if (command.words.empty()) continue;
    EXPECT_THAT(answers[next++], Contains(command.words.back())) << command.path();
    EXPECT_THAT(zsh, HasSubstr("'" + command.words.back() + ":")) << command.path();
  }
}

TEST_F(CompletionTest, EveryFixedSetOfValuesIsOffered) {
  const CommandWalk walk;
  std::vector<std::vector<std::string>> questions;
  std::vector<std::vector<std::string>> wanted;
  for (const auto& command : walk.commands()) {
    for (const CLI::Option* option : command.app->get_options()) {
      const auto choices = cli::option_choices(*option);
      if (choices.empty()) continue;
      questions.push_back(option->nonpositional() ? behind(command, {cli::option_name(*option), ""})
                                                  : behind(command, {""}));
      wanted.push_back(choices);
    }
  }
  EXPECT_GE(questions.size(), 8u) << "log formats, schema policies, projection modes, levels, scopes, shells";
  const auto answers = all_offered(questions);
  for (std::size_t i = 0; i < questions.size(); ++i) {
    EXPECT_THAT(answers[i], ::testing::IsSupersetOf(wanted[i])) << ::testing::PrintToString(questions[i]);
  }
}

TEST_F(CompletionTest, WordsAreCompletedByContext) {
  EXPECT_THAT(offered({"cairn", "ap"}), ElementsAre("append"));
  EXPECT_THAT(offered({"cairn", "token", ""}), Contains("revoke"));
  EXPECT_THAT(offered({"cairn", "token", "create", "--sc"}), ElementsAre("--scope"));
  EXPECT_THAT(offered({"cairn", "token", "create", "--scope", "a"}), ElementsAre("append", "admin"));
  EXPECT_THAT(offered({"cairn", "stats", "counts", "--by", "t"}), ElementsAre("type", "tag"));
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
  EXPECT_THAT(offered({"cairn", "serve", "--schemas", ""}), ElementsAre("required", "optional"));
  EXPECT_THAT(offered({"cairn", "help", "proj"}), ElementsAre("project", "projection"));
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

TEST_F(CompletionTest, ZshGetsDescriptions) {
  const std::string zsh = run_cairn({"completion", "zsh"}).output;
  EXPECT_THAT(zsh, HasSubstr("#compdef cairn\n"));
  EXPECT_THAT(zsh, HasSubstr("'append:Append one event to a stream'"));
  if (shell("command -v zsh").starts_with('/')) {
    ASSERT_THAT(write_file(folder_ / "_cairn", zsh), succeeds());
    EXPECT_EQ(shell("zsh -n " + (folder_ / "_cairn").string()), "0\n");
  }
}

// Names of the server, completed in real shells. Each name begins with two letters of its own.
class CompletedNamesTest : public ::testing::Test {
 protected:
  static const std::vector<std::string>& names() {
    static const std::vector<std::string> kNames = {
        "sp ace-1",       "qu'ote-1",   "dq\"uote-1", "do$(touch ran)-1", "bt`touch ran`-1",
        "se;touch ran-1", "co:lon:2-1", "st*ar-1",    "ba\\ckslash-1",    "umläut-1"};
    return kNames;
  }

  void SetUp() override {
    for (const std::string& name : names()) {
      const Finished done =
          run_cairn({"append", name, "--type", "Placed", "--data", "{}", "--url", server_.url()});
      ASSERT_EQ(done.exit_code, 0) << done.errors;
    }
  }
  // Skips the test where the shell is not installed.
  static bool is_missing(const std::string& name) { return !shell("command -v " + name).starts_with('/'); }

  // What the function `cairn` got, for each line: the shell was interactive, and a Tab came before the Enter.
  std::string typed_in(const std::string& name, const std::vector<std::string>& lines) const {
    const auto script = folder_ / ("cairn." + name);
    EXPECT_THAT(write_file(script, run_cairn({"completion", name}).output), succeeds());
    std::string command = environment() + "python3 " +
                          (source_folder() / "tests/tools/cli/help/complete_in_shell.py").string() + " " +
                          name + " " + script.string();
    for (const std::string& line : lines) {
      command += " '";
      for (const char c : line) command += c == '\'' ? std::string("'\\''") : std::string(1, c);
      command += "'";
    }
    return shell(command);
  }
  std::string environment() const {
    return "cd " + folder_.path().string() + "; export CAIRN_URL=" + server_.url() +
           " PATH=" + test_program("cairn").parent_path().string() + ":$PATH; ";
  }
  static std::filesystem::path source_folder() { return CAIRN_SOURCE_DIR; }

  void expect_names_are_typed(const std::string& name) {
    std::vector<std::string> lines;
    std::string expected;
    for (const std::string& stream : names()) {
      lines.push_back("cairn read " + stream.substr(0, 2));
      expected += "<read><" + stream + "><x>\n";
    }
    for (const char* line : {"cairn read 'sp", "cairn read \"do", "cairn read sp\\ a", "cairn read co:l"}) {
      lines.emplace_back(line);
    }
    expected +=
        "<read><sp ace-1><x>\n<read><do$(touch ran)-1><x>\n<read><sp ace-1><x>\n<read><co:lon:2-1><x>\n";
    EXPECT_EQ(typed_in(name, lines), expected + "0\n");
    EXPECT_FALSE(std::filesystem::exists(folder_ / "ran")) << "a name was executed";
  }

  RunningServer server_;
  TempFolder folder_;
};

TEST_F(CompletedNamesTest, BashTypesAnyNameAndRunsNothing) { expect_names_are_typed("bash"); }

TEST_F(CompletedNamesTest, ZshTypesAnyNameAndRunsNothing) {
  if (is_missing("zsh")) GTEST_SKIP() << "zsh is not installed";
  expect_names_are_typed("zsh");
}

TEST_F(CompletedNamesTest, FishOffersAnyNameAndRunsNothing) {
  if (is_missing("fish")) GTEST_SKIP() << "fish is not installed";
  const auto script = folder_ / "cairn.fish";
  ASSERT_THAT(write_file(script, run_cairn({"completion", "fish"}).output), succeeds());
  const auto offered = [&](const std::string& line) {
    return shell(environment() + "fish -N -c 'source cairn.fish; complete -C $argv[1]' -- \"" + line + "\"");
  };
  for (const std::string& stream : names()) {
    EXPECT_EQ(offered("cairn read " + stream.substr(0, 2)), stream + "\n0\n");
  }
  EXPECT_FALSE(std::filesystem::exists(folder_ / "ran")) << "a name was executed";
  EXPECT_EQ(offered("cairn stream sh"), "show\tShow where a stream is\n0\n");
  EXPECT_THAT(offered("cairn read --from-t"), HasSubstr("--from-time\t"));
  EXPECT_THAT(offered("cairn token create --scope ap"), HasSubstr("append\t"));
}

TEST_F(CompletedNamesTest, KindsOfNamesAreThoseOfTheServer) {
  const auto names_of = [&](const std::string& kind, const std::string& prefix) {
    return shell(environment() + "cairn __complete " + kind + " '" + prefix + "'");
  };
  EXPECT_EQ(names_of("stream", "s"), "se;touch ran-1\nsp ace-1\nst*ar-1\n0\n");
  EXPECT_EQ(names_of("category", "co"), "co:lon:2\n0\n");
  EXPECT_EQ(names_of("projection", ""), "0\n");
  ASSERT_THAT(
      write_file(folder_ / "n.lua", "return projection { on = { Placed = function(row) row.n = 1 end } }"),
      succeeds());
  ASSERT_EQ(
      run_cairn({"projection", "deploy", "placed", (folder_ / "n.lua").string(), "--url", server_.url()})
          .exit_code,
      0);
  EXPECT_EQ(names_of("projection", "pl"), "placed\n0\n");
  EXPECT_EQ(names_of("projection", "x"), "0\n");
  ASSERT_THAT(write_file(folder_ / "p.avsc", "\"long\""), succeeds());
  ASSERT_EQ(run_cairn({"schema", "register", "Paid", (folder_ / "p.avsc").string(), "--url", server_.url()})
                .exit_code,
            0);
  EXPECT_EQ(names_of("subject", "P"), "Paid\n0\n");
  EXPECT_EQ(names_of("nothing", ""), "0\n");
}

// No message, no exit code, and no long wait: the shell is in the middle of a line.
TEST(CompletedNamesFailureTest, AServerThatDoesNotAnswerGivesNoNames) {
  ScriptedServer silent({{"", ScriptedServer::Then::kKeep}});
  ScriptedServer refusing({ScriptedServer::answer(401, "{}")});
  ScriptedServer other({ScriptedServer::answer(200, "[{\"streams\":1}, 7]")});
  for (const std::string& url : {silent.url(), refusing.url(), other.url(), std::string("http://127.0.0.1:1"),
                                 std::string("no url")}) {
    EXPECT_EQ(shell("CAIRN_URL='" + url + "' " + test_program("cairn").string() + " __complete stream a"),
              "0\n")
        << url;
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

TEST(UnknownCommandTest, TheProgramSuggestsTheNearestCommand) {
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
