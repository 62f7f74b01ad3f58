// examples/clients: the same client in three languages, each against a real server.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "eventstore/base/file.h"
#include "tests/examples/shell.h"
#include "tests/support/debian_python.h"
#include "tests/tools/running_server.h"

namespace cairn::test {
namespace {

using ::testing::HasSubstr;

// All of them print this.
constexpr char kCartStory[] =
    "apple: 201, version 1\n"
    "pear: 409, /problems/wrong-version, the cart is at 1\n"
    "apple again: 200, version 1\n"
    "pear: 201, version 2\n"
    "read: apple, pear\n"
    "row: 2 items, 95 cents\n"
    "followed: 1 apple\n"
    "followed: 2 pear\n";

const std::string kPythonClient = std::string(kDebianPython) + " examples/clients/cart.py";
const std::string kBashClient = "bash examples/clients/cart.sh";
const std::string kNodeClient = "node examples/clients/cart.mjs";

class ClientExampleTest : public ::testing::Test {
 protected:
  ShellOutcome run(const std::string& line) const { return run_shell(CAIRN_SOURCE_DIR, server_.url(), line); }

  // As its README says.
  void prepare() const {
    for (const char* line : {"cairn schema register --dir examples/clients/schemas",
                             "cairn projection deploy carts examples/clients/carts.lua --wait"}) {
      const ShellOutcome done = run(line);
      EXPECT_EQ(done.status, 0) << line << "\n" << done.output;
    }
  }

  // First on a server that has no projection, which the client has to say and not to stumble over. Then
  // twice, because a second run must not find anything of the first.
  void expect_story(const std::string& client) const {
    const ShellOutcome unprepared = run(client);
    EXPECT_EQ(unprepared.status, 1) << unprepared.output;
    EXPECT_THAT(unprepared.output, HasSubstr("There is no projection 'carts'."));
    prepare();
    for (int i = 0; i < 2; ++i) {
      const ShellOutcome done = run(client);
      EXPECT_EQ(done.status, 0);
      EXPECT_EQ(done.output, kCartStory);
    }
  }

 private:
  RunningServer server_;
};

TEST_F(ClientExampleTest, Python) { expect_story(kPythonClient); }

TEST_F(ClientExampleTest, Bash) { expect_story(kBashClient); }

TEST_F(ClientExampleTest, Node) {
  if (run("node -e 'process.exit(typeof fetch === \"function\" ? 0 : 1)'").status != 0) {
    GTEST_SKIP() << "There is no node, or one older than 18: " << kNodeClient << " IS NOT TESTED.";
  }
  expect_story(kNodeClient);
}

TEST(ClientExampleReadmeTest, ShowsTheirOutput) {
  const auto readme = read_file(CAIRN_SOURCE_DIR "/examples/clients/README.md");
  ASSERT_TRUE(readme.ok());
  EXPECT_THAT(*readme, HasSubstr("```text\n" + std::string(kCartStory) + "```\n"));
}

}  // namespace
}  // namespace cairn::test
