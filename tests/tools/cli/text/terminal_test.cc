// What goes to a terminal, and what does not: colour, lines that are drawn again, and a reader that has gone.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "eventstore/base/file.h"
#include "eventstore/event_store.h"
#include "tests/support/cairn_process.h"
#include "tests/support/events.h"
#include "tests/support/matchers.h"
#include "tests/support/store_fixture.h"
#include "tests/support/temp_folder.h"
#include "tests/tools/running_server.h"

namespace cairn::test {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

constexpr char kColour[] = "\033[";

using Variables = std::vector<std::pair<std::string, std::string>>;

class TerminalTest : public ::testing::Test {
 protected:
  TerminalTest() {
    auto store = EventStore::open(folder_.path(), small_store());
    EXPECT_THAT(store, succeeds());
    EXPECT_THAT((*store)->append(request({to("order-1", ExpectedVersion::any(), {event("Placed")})})),
                succeeds());
  }

  // What `cairn verify` prints, and its bar, on a terminal.
  Finished verify(const Variables& variables) {
    ProcessOptions terminal;
    terminal.variables = variables;
    terminal.terminal_width = 100;
    terminal.errors_width = 100;
    return run_cairn({"verify", "--data", folder_.path().string()}, terminal);
  }

  // A start that fails at once, with a log line.
  std::string log_line(const Variables& variables, unsigned short width) {
    const auto file = folder_ / "file";
    EXPECT_THAT(write_file(file, ""), succeeds());
    ProcessOptions terminal;
    terminal.variables = variables;
    terminal.errors_width = width;
    return run_cairn({"serve", "--data", file.string(), "--listen", "127.0.0.1:0"}, terminal).errors;
  }

  TempFolder folder_;
};

TEST_F(TerminalTest, ColourIsForTerminalsThatShowIt) {
  EXPECT_THAT(verify({{"TERM", "xterm"}, {"NO_COLOR", ""}}).output, HasSubstr(kColour));
  EXPECT_THAT(verify({{"TERM", "xterm"}, {"NO_COLOR", "1"}}).output, Not(HasSubstr(kColour)));
  EXPECT_THAT(verify({{"TERM", "dumb"}, {"NO_COLOR", ""}}).output, Not(HasSubstr(kColour)));
  EXPECT_THAT(log_line({{"TERM", "xterm"}, {"NO_COLOR", ""}}, 100), HasSubstr(kColour));
  EXPECT_THAT(log_line({{"TERM", "xterm"}, {"NO_COLOR", "1"}}, 100), Not(HasSubstr(kColour)));
  EXPECT_THAT(log_line({{"TERM", "dumb"}, {"NO_COLOR", ""}}, 100), Not(HasSubstr(kColour)));
}

TEST_F(TerminalTest, ADumbTerminalGetsNoBar) {
  const RunningServer server;
  const std::string file = (folder_ / "in.ndjson").string();
  ASSERT_THAT(write_file(file, R"({"stream":"s-1","type":"T","data":1})"
                               "\n"),
              succeeds());
  const auto errors_on = [&](const std::string& term) {
    ProcessOptions terminal;
    terminal.variables = {{"TERM", term}};
    terminal.errors_width = 100;
    return run_cairn({"import", file, "--url", server.url()}, terminal).errors;
  };
  EXPECT_THAT(errors_on("xterm"), HasSubstr("\r\033[K"));
  EXPECT_THAT(errors_on("dumb"), IsEmpty());
}

TEST_F(TerminalTest, FilesAndPipesGetNoControlCharacters) {
  const RunningServer server;
  const std::string url = server.url();
  ASSERT_EQ(run_cairn({"append", "s", "--type", "T", "--data", "1", "--url", url}).exit_code, 0);
  const ProcessOptions plain{.input = "", .variables = {{"TERM", "xterm"}, {"NO_COLOR", ""}}};
  for (const std::vector<std::string>& words :
       std::vector<std::vector<std::string>>{{"--help"},
                                             {"verify", "--data", folder_.path().string()},
                                             {"read", "--all", "--url", url},
                                             {"projection", "list", "--url", url},
                                             {"schema", "list", "--url", url},
                                             {"read", "nobody", "--url", url},
                                             {"dance"}}) {
    const Finished done = run_cairn(words, plain);
    for (const char c : done.output + done.errors) {
      ASSERT_TRUE(c == '\n' || (c >= 0 && c < 0x20) == false)
          << words[0] << ": " << done.output << done.errors;
    }
  }
  EXPECT_THAT(log_line({{"TERM", "xterm"}, {"NO_COLOR", ""}}, 0), Not(HasSubstr("\033")));
}

TEST_F(TerminalTest, AClosedPipeIsNotAFailure) {
  const RunningServer server;
  std::string lines;
  for (int i = 0; i < 3'000; ++i)
    lines += R"({"stream":"s-1","type":"T","data":"a line that fills a pipe"})"
             "\n";
  ASSERT_EQ(run_cairn({"import", "-", "--url", server.url()}, {.input = lines}).exit_code, 0);
  const std::string cairn = std::string(CAIRN_TEST_BIN_DIR) + "/cairn";
  const auto errors = (folder_ / "errors").string();
  for (const std::string& words :
       {std::string("read --all"), std::string("read s-1 --backward"), std::string("read --all --follow")}) {
    const std::string script = "bash -c 'set -o pipefail; " + cairn + " " + words + " --url " + server.url() +
                               " 2> " + errors + " | head -n 1 > /dev/null'";
    EXPECT_EQ(std::system(script.c_str()), 0) << words;
    EXPECT_EQ(*read_file(errors), "") << words;
  }
}

TEST_F(TerminalTest, OutputThatCannotBeWrittenIsAFailure) {
  const std::string cairn = std::string(CAIRN_TEST_BIN_DIR) + "/cairn";
  const auto errors = (folder_ / "errors").string();
  for (const std::string& words : {std::string("version --json"), std::string("--help"), std::string("help"),
                                   std::string("completion bash")}) {
    const int status = std::system((cairn + " " + words + " > /dev/full 2> " + errors).c_str());
    EXPECT_EQ(WEXITSTATUS(status), 1) << words;
    EXPECT_EQ(*read_file(errors), "cairn: the output could not be written; is the disk full?\n") << words;
  }
}

}  // namespace
}  // namespace cairn::test
