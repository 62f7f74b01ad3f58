// examples/ci: the commands of its workflows, run unchanged, and the output that its README shows.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <sstream>
#include <string>
#include <vector>

#include "eventstore/base/file.h"
#include "tests/examples/shell.h"
#include "tests/support/matchers.h"
#include "tests/support/temp_folder.h"
#include "tests/tools/running_server.h"

namespace cairn::test {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

class CiExampleTest : public ::testing::Test {
 protected:
  CiExampleTest() {
    fs::copy(fs::path(CAIRN_SOURCE_DIR) / "examples/ci", folder_.path(), fs::copy_options::recursive);
  }

  // The `run:` command of the step of that name.
  std::string command(const std::string& workflow, const std::string& step) const {
    std::istringstream lines(*read_file(folder_ / workflow));
    bool is_there = false;
    for (std::string line; std::getline(lines, line);) {
      if (line == "      - name: " + step) is_there = true;
      if (is_there && line.starts_with("        run: ")) return line.substr(13);
    }
    ADD_FAILURE() << "no step " << step << " in " << workflow;
    return "false";
  }

  ShellOutcome run(const std::string& line, const std::string& url = "") const {
    return run_shell(folder_.path(), url, line);
  }

  void edit(const std::string& file, const std::string& from, const std::string& to) const {
    std::string text = *read_file(folder_ / file);
    const std::size_t at = text.find(from);
    ASSERT_NE(at, std::string::npos) << file;
    text.replace(at, from.size(), to);
    ASSERT_THAT(write_file(folder_ / file, text), succeeds());
  }

  // A change that old events cannot be read with, as the README makes it.
  void break_a_schema() const { edit("schemas/Money.avsc", "\"cents\"", "\"pence\""); }

  // What the workflow checks out beside the change: the branch that it is for, as it is now.
  void have_a_base() const {
    fs::create_directory(folder_ / ".base");
    fs::copy(folder_ / "schemas", folder_ / ".base/schemas", fs::copy_options::recursive);
  }

  TempFolder folder_;
};

TEST_F(CiExampleTest, TheWorkflowChecksAndRegistersWithAServer) {
  const RunningServer server;
  const std::string check = command("schemas.yml", "Check");
  EXPECT_EQ(check, "cairn schema check --dir schemas --format github");
  const ShellOutcome fresh = run(check, server.url());
  EXPECT_EQ(fresh.status, 0) << fresh.output;
  EXPECT_THAT(fresh.output, AllOf(HasSubstr("5 schemas: 3 new, 1 compatible, 1 upcast"),
                                  HasSubstr("incompatible, but 2-3.lua brings events over")));
  const ShellOutcome registered = run(command("schemas.yml", "Register"), server.url());
  EXPECT_EQ(registered.status, 0) << registered.output;
  EXPECT_THAT(run(check, server.url()).output, HasSubstr("5 schemas: 5 unchanged"));

  break_a_schema();
  const ShellOutcome refused = run(check, server.url());
  EXPECT_EQ(refused.status, 1);
  EXPECT_THAT(refused.output,
              HasSubstr("::error file=schemas/Money.avsc,line=1,title=Money is incompatible with version 1 "
                        "(BACKWARD)::/fields/0  READER_FIELD_MISSING_DEFAULT_VALUE: "));
}

TEST_F(CiExampleTest, TheOtherWorkflowNeedsNoServer) {
  have_a_base();
  EXPECT_EQ(run(command("schemas-offline.yml", "Base")).status, 0);
  const std::string check = command("schemas-offline.yml", "Check");
  const ShellOutcome same = run(check);
  EXPECT_EQ(same.status, 0) << same.output;
  EXPECT_THAT(same.output, AllOf(HasSubstr("5 schemas: 5 unchanged"), Not(HasSubstr("::"))));
  break_a_schema();
  const ShellOutcome refused = run(check);
  EXPECT_EQ(refused.status, 1);
  EXPECT_THAT(refused.output, HasSubstr("::error file=schemas/Money.avsc,line=1,"));
}

TEST_F(CiExampleTest, AMistakeInTheUpcasterIsShownAtItsLine) {
  have_a_base();
  edit("schemas/OrderPlaced/2-3.lua", "data.total_cents = nil", "data.total_cents = = nil");
  const ShellOutcome refused = run(command("schemas-offline.yml", "Check"));
  EXPECT_EQ(refused.status, 1);
  EXPECT_THAT(refused.output, HasSubstr("::error file=schemas/OrderPlaced/2-3.lua,line=8,title="));
}

TEST_F(CiExampleTest, TheFirstSchemasAreCheckedToo) {
  fs::create_directory(folder_ / ".base");
  EXPECT_EQ(run(command("schemas-offline.yml", "Base")).status, 0);
  const std::string check = command("schemas-offline.yml", "Check");
  const ShellOutcome first = run(check);
  EXPECT_EQ(first.status, 0) << first.output;
  EXPECT_THAT(first.output, HasSubstr("5 schemas: 3 new, 1 compatible, 1 upcast"));
  fs::remove(folder_ / "schemas/OrderPlaced/2-3.lua");
  EXPECT_EQ(run(check).status, 1);
}

TEST_F(CiExampleTest, VersionThreeAloneIsRefused) {
  fs::remove(folder_ / "schemas/OrderPlaced/2-3.lua");
  const RunningServer server;
  const ShellOutcome refused = run(command("schemas.yml", "Check"), server.url());
  EXPECT_EQ(refused.status, 1);
  EXPECT_THAT(refused.output, AllOf(HasSubstr("::error file=schemas/OrderPlaced/3.avsc,line=1,title="),
                                    HasSubstr("3 new"), HasSubstr("1 incompatible")));
}

TEST_F(CiExampleTest, OneRefusedSchemaPrintsATableAndRegistersNothing) {
  const RunningServer server;
  const ShellOutcome good = run("cairn schema check --dir schemas", server.url());
  EXPECT_EQ(good.status, 0) << good.output;
  EXPECT_THAT(good.output, AllOf(HasSubstr("SUBJECT "), HasSubstr("5 schemas: 3 new, 1 compatible, 1 upcast"),
                                 Not(HasSubstr("::"))));
  edit("schemas/OrderPlaced/2.avsc", R"(, "default": null)", "");
  EXPECT_EQ(run("cairn schema check --dir schemas", server.url()).status, 1);
  const ShellOutcome refused = run(command("schemas.yml", "Register"), server.url());
  EXPECT_EQ(refused.status, 1);
  EXPECT_THAT(refused.output, HasSubstr("nothing was registered"));
  EXPECT_THAT(run("cairn schema list --json", server.url()).output, Not(HasSubstr("Money")));
}

TEST_F(CiExampleTest, AnUpcasterThatFailsIsRefusedWithItsVersionAndTheEventIsListed) {
  const RunningServer server;
  fs::create_directories(folder_ / "earlier/OrderPlaced");
  for (const char* file : {"OrderPlaced/1.avsc", "OrderPlaced/2.avsc"}) {
    fs::copy(folder_ / "schemas" / file, folder_ / "earlier" / file);
  }
  for (const char* line :
       {"cairn schema register --dir earlier",
        "cairn append order-1 --type OrderPlaced --data '{\"order_id\": \"1\", \"total_cents\": 5}'",
        "cairn append order-2 --type OrderPlaced --data '{\"order_id\": \"2\", \"total_cents\": -7}'"}) {
    const ShellOutcome done = run(line, server.url());
    ASSERT_EQ(done.status, 0) << line << "\n" << done.output;
  }
  edit("schemas/OrderPlaced/2-3.lua",
       "data.total = ", "assert(data.total_cents > 0, \"a total below nothing\")\n    data.total = ");
  EXPECT_EQ(run(command("schemas.yml", "Check"), server.url()).status, 0) << "only history can tell";
  const ShellOutcome refused = run(command("schemas.yml", "Register"), server.url());
  EXPECT_EQ(refused.status, 1);
  EXPECT_THAT(refused.output,
              AllOf(HasSubstr("order-2"), HasSubstr("a total below nothing"), Not(HasSubstr("order-1"))));
  EXPECT_EQ(run("cairn schema show OrderPlaced 2", server.url()).status, 0);
  EXPECT_EQ(run("cairn schema show OrderPlaced 3", server.url()).status, 1);
}

TEST_F(CiExampleTest, ATokenNeedsTheScopesOfTheReadme) {
  const auto token = [&](std::vector<std::string> scopes) {
    std::vector<std::string> words = {"token", "create", scopes[0] + scopes.back(), "--tokens",
                                      (folder_ / "tokens").string()};
    for (const std::string& scope : scopes) words.insert(words.end(), {"--scope", scope});
    const std::string text = run_cairn(words).output;
    return "env CAIRN_TOKEN=" + text.substr(0, text.find('\n')) + " ";
  };
  const std::string checks = token({"read"});
  const std::string registers = token({"read", "admin"});
  const RunningServer server({"--tokens", (folder_ / "tokens").string()});
  const std::string check = command("schemas.yml", "Check"), enter = command("schemas.yml", "Register");
  EXPECT_NE(run(check, server.url()).status, 0);
  EXPECT_EQ(run(checks + check, server.url()).status, 0);
  EXPECT_EQ(run(checks + enter, server.url()).status, 1);
  const ShellOutcome registered = run(registers + enter, server.url());
  EXPECT_EQ(registered.status, 0) << registered.output;
}

TEST_F(CiExampleTest, TheReadmeShowsTheOutput) {
  const RunningServer server;
  EXPECT_EQ(run(command("schemas.yml", "Register"), server.url()).status, 0);
  break_a_schema();
  const std::string output = run(command("schemas.yml", "Check"), server.url()).output;
  const std::string shown = output.substr(0, output.find('\n') + 1);
  EXPECT_THAT(*read_file(folder_ / "README.md"), HasSubstr("```text\n" + shown));
}

}  // namespace
}  // namespace cairn::test
