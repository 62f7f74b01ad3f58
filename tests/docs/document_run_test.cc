// Samples of synthetic documents, right and wrong: errors are reported with their line.

#include "tests/docs/document_run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>

#include "eventstore/base/file.h"
#include "tests/support/temp_folder.h"

namespace cairn::test {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::vector<std::string> complaints_about(const std::string& text) {
  return run_document("made-up.md", Markdown::read("<!-- samples: no server -->\n" + text));
}

TEST(DocumentRunTest, CommandsShareOneShell) {
  EXPECT_THAT(
      complaints_about("```bash\nmkdir a && cd a\nword=here\n```\n\n```bash\n"
                       "for i in 1 2; do\n  echo \"$word $i\"\ndone\ncat <<'END'\nit's \"all\"\nEND\n"
                       "echo one \\\n  two\n```\n```text\nhere 1\nhere 2\nit's \"all\"\none two\n```\n"),
      IsEmpty());
}

TEST(DocumentRunTest, AFailedCommandIsReported) {
  EXPECT_THAT(complaints_about("a\n\n```bash\ntrue\nls /nowhere-at-all\n```\n"),
              ElementsAre(AllOf(HasSubstr("made-up.md:6: exit code 2 instead of 0"),
                                HasSubstr("ls /nowhere-at-all"), HasSubstr("No such file"))));
}

TEST(DocumentRunTest, ADocumentedExitCodeIsChecked) {
  EXPECT_THAT(complaints_about("```bash\nfalse    # refused: exit code 1\n```\n"), IsEmpty());
  EXPECT_THAT(complaints_about("```bash\ntrue    # refused: exit code 1\n```\n"),
              ElementsAre(HasSubstr("made-up.md:3: exit code 0 instead of 1")));
}

TEST(DocumentRunTest, CommentsAreOutsideOfQuotes) {
  EXPECT_THAT(
      complaints_about(
          "```bash\nfalse 'a # b'   # exit code 1: it's \"no\"\nsh -c '\n# exit code 1\ntrue'\n"
          "echo a#b \"# exit code 1\"\ncat <<END >/dev/null   # it's text\n# exit code 1\nEND\n```\n"),
      IsEmpty());
}

TEST(DocumentRunTest, ADifferentOutputIsReported) {
  EXPECT_THAT(complaints_about("```bash\necho '{\"a\":1}'\n```\nsays\n```json\n{\"a\":2}\n```\n"),
              ElementsAre(AllOf(HasSubstr("made-up.md:6: at /a the document shows 2 and the command gives 1"),
                                HasSubstr("commands, line 3:"))));
  EXPECT_THAT(complaints_about("```bash\necho yes; echo no >&2\n```\n```text\nyes\nnot\n```\n"),
              ElementsAre(HasSubstr("shows the line \"not\" and the command prints \"no\"")));
  EXPECT_THAT(complaints_about("```bash\necho '{\"a\": 1, \"b\": 2}'   # {\"a\":2,…}\n```\n"),
              ElementsAre(HasSubstr("it does not print what the comment says")));
}

TEST(DocumentRunTest, ABlockInAnotherSectionIsNotOutput) {
  EXPECT_THAT(complaints_about("```bash\necho 1\n```\n## Next\n```json\n2\n```\n"), IsEmpty());
}

TEST(DocumentRunTest, EventualOutputIsAwaited) {
  EXPECT_THAT(complaints_about("```bash eventually\necho x >> file; wc -l < file\n```\n```text\n3\n```\n"),
              IsEmpty());
}

TEST(DocumentRunTest, ScriptsAreSavedUnderTheirNames) {
  EXPECT_THAT(
      complaints_about("```lua\n-- sub/1-2.lua\nreturn 1\n```\n```bash\ngrep return sub/1-2.lua\n```\n"),
      IsEmpty());
}

TEST(DocumentRunTest, ACommandThatDoesNotEndIsReported) {
  EXPECT_THAT(complaints_about("```bash\necho 'open\n```\n"),
              ElementsAre(HasSubstr("made-up.md:3: the command does not end")));
}

TEST(DocumentRunTest, AShellThatEndsIsReported) {
  EXPECT_THAT(complaints_about("```bash\nexit 0\n```\n"),
              ElementsAre(HasSubstr("the shell ended with this")));
}

TEST(DocumentRunTest, BackgroundProcessesEndWithTheShell) {
  const TempFolder folder;
  const std::string file = (folder / "pid").string();
  EXPECT_THAT(complaints_about("```bash\nsleep 1000 &\necho $! > " + file + "\n```\n"), IsEmpty());
  const pid_t pid = std::stoi(*read_file(file));
  EXPECT_EQ(::kill(pid, 0), -1);
}

TEST(DocumentRunTest, EachDocumentHasItsOwnServer) {
  const auto with_server = [](const std::string& options, const std::string& text) {
    return run_document("made-up.md", Markdown::read("<!-- samples: serve " + options + " -->\n" + text));
  };
  const std::string append =
      "```bash\ncairn append s-1 --type T --data 1 --expect 0 --url http://127.0.0.1:7878\n```\n";
  EXPECT_THAT(with_server("--schemas optional", append), IsEmpty());
  EXPECT_THAT(with_server("--schemas optional", append), IsEmpty());
  EXPECT_THAT(with_server("", append), ElementsAre(HasSubstr("422 unknown-type")));
  EXPECT_THAT(with_server("--dance", "```bash\ntrue\n```\n"),
              ElementsAre(HasSubstr("its server does not start")));
}

TEST(DocumentRunTest, AServersErrorMustBeDocumented) {
  const auto about = [](const std::string& comment) {
    return run_document("made-up.md", Markdown::read("```bash\ncurl -sS http://127.0.0.1:7878/streams/s-1  " +
                                                     comment + "\n```\n"));
  };
  EXPECT_THAT(about(""), ElementsAre(HasSubstr("the server answers 404, and the document does not say so")));
  EXPECT_THAT(about("# 404: nothing yet"), IsEmpty());
  EXPECT_THAT(about("| grep -c 'not-found'   # 404"), IsEmpty());
  const std::string script = "```bash\necho 'curl -sS $CAIRN_URL/streams/s-1' > ask.sh\nbash ask.sh\n```\n";
  EXPECT_THAT(run_document("made-up.md", Markdown::read(script)), IsEmpty()) << "a program minds its own";
}

}  // namespace
}  // namespace cairn::test
