// docs/cli.md and the program have the same commands and options. In all other documents, every command that
// is shown exists, with its subcommands and options.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "eventstore/base/file.h"
#include "tests/docs/command_tree.h"
#include "tests/docs/documents.h"

namespace cairn::test {
namespace {

constexpr std::string_view kReference = "docs/cli.md";

// Options of many commands; the reference describes them once.
const std::set<std::string> kCommonOptions = {"--url", "--token-file", "--ca-file", "--json"};

// A line of a usage block: a call, and after at least two spaces its description.
//   cairn schema list [--deleted]      subjects, their versions and levels
// `cairn x pause NAME | resume NAME` calls two commands. A line that begins with spaces goes on with the
// call, or the description, before it.
struct UsageLine {
  std::string call;
  int line = 0;
};

std::vector<UsageLine> usage_lines(const Block& block) {
  std::vector<UsageLine> calls;
  std::istringstream lines(block.text);
  int number = block.line;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    if (line.empty()) continue;
    const bool goes_on = line.starts_with(" ") && !calls.empty();
    const std::size_t first = line.find_first_not_of(' ');
    const std::string call = line.substr(first, line.find("  ", first) - first);
    if (!goes_on) {
      calls.push_back({call, number});
    } else if (first < 24 || call.starts_with("[-")) {
      calls.back().call += " " + call;
    }
  }
  return calls;
}

std::string without_brackets(std::string text) {
  std::erase_if(text, [](char c) { return c == '[' || c == ']' || c == '(' || c == ')'; });
  return text;
}

class CommandLineTest : public ::testing::Test {
 protected:
  static const CommandTree& tree() {
    static const CommandTree tree = CommandTree::of_the_program();
    return tree;
  }
};

TEST_F(CommandLineTest, EveryCommandAndOptionIsInTheReference) {
  std::map<std::string, std::set<std::string>> named;
  const Markdown reference = document(std::string(kReference));
  for (const Block& block : reference.blocks) {
    if (block.language() != "usage") continue;
    for (const UsageLine& usage : usage_lines(block)) {
      std::vector<std::string> words = words_in(without_brackets(usage.call));
      words.erase(words.begin());
      const std::string name = tree().find(words).name;
      named[name].merge(options_in(usage.call));
      // `pause NAME | resume NAME`: another one of the same group.
      for (std::size_t i = 1; i + 1 < words.size(); ++i) {
        if (words[i] != "|") continue;
        const auto found = tree().find({words[0], words[i + 1]});
        if (found.words == 2) named[found.name].merge(options_in(usage.call));
      }
    }
  }
  const std::string text = *read_file(std::filesystem::path(CAIRN_SOURCE_DIR) / kReference);
  for (const auto& [name, command] : tree().commands()) {
    if (name.empty() || !command.subcommands.empty()) continue;
    if (!named.contains(name)) {
      ADD_FAILURE() << kReference << " has no usage of `cairn " << name << "`";
      continue;
    }
    for (const std::string& option : command.options) {
      // They take the options of serve, and their usage does not repeat them.
      const bool is_of_serve =
          name.starts_with("config ") && tree().commands().at("serve").options.contains(option);
      if (is_of_serve) continue;
      if (kCommonOptions.contains(option) || named[name].contains(option)) continue;
      ADD_FAILURE() << kReference << " does not name " << option << " in a usage of `cairn " << name << "`";
    }
  }
  for (const std::string& option : kCommonOptions) {
    EXPECT_THAT(text, ::testing::HasSubstr("`" + option)) << kReference;
  }
}

// The help texts have samples too.
TEST_F(CommandLineTest, TheExamplesOfTheHelpAreCommandsOfTheProgram) {
  for (const auto& [name, command] : tree().commands()) {
    for (const std::string& example : command.examples) {
      const std::string mistake = tree().mistake_in(example);
      if (!mistake.empty()) ADD_FAILURE() << "cairn " << name << " --help: " << mistake << ": " << example;
    }
  }
  EXPECT_FALSE(tree().commands().at("read").examples.empty());
}

// Commands in the prose and in blocks that are not run.
TEST_F(CommandLineTest, CommandsAndOptionsInDocumentsExist) {
  for (const std::string& name : document_names()) {
    const auto check = [&](const std::string& text, int line) {
      const std::string mistake = tree().mistake_in(without_brackets(text));
      if (!mistake.empty()) ADD_FAILURE() << name << ":" << line << ": " << mistake << ": " << text;
    };
    const Markdown markdown = document(name);
    for (const Block& block : markdown.blocks) {
      if (block.language() == "usage") {
        for (const UsageLine& usage : usage_lines(block)) {
          EXPECT_TRUE(usage.call.starts_with("cairn ")) << name << ":" << usage.line << ": " << usage.call;
          check(usage.call, usage.line);
        }
      } else if (block.language() == "console") {
        std::istringstream lines(block.text);
        int number = block.line;
        for (std::string line; std::getline(lines, line);) check(line, ++number);
      }
    }
    for (const Place& span : markdown.code_spans) {
      if (span.text.starts_with("cairn ") || span.text.starts_with("build/cairn "))
        check(span.text, span.line);
    }
  }
}

TEST_F(CommandLineTest, AMistakeIsReported) {
  ASSERT_TRUE(tree().commands().contains("projection deploy"));
  EXPECT_TRUE(tree().commands().at("read").options.contains("--url"));
  EXPECT_EQ(tree().mistake_in("cairn projection deploy NAME FILE --wait"), "");
  EXPECT_EQ(tree().mistake_in("sudo -u cairn /usr/bin/cairn verify --data DIR | head"), "");
  EXPECT_EQ(tree().mistake_in("cairn projection dance NAME"), "there is no command `cairn projection dance`");
  EXPECT_EQ(tree().mistake_in("cairn read --fast"), "`cairn read` has no option --fast");
  EXPECT_EQ(tree().mistake_in("cairn COMMAND --help"), "");
  EXPECT_EQ(tree().mistake_in("cairn bench append|replay"), "");
  EXPECT_EQ(tree().mistake_in("cairn bench append|dance"), "there is no command `cairn bench dance`");
}

}  // namespace
}  // namespace cairn::test
