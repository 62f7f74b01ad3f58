// examples/ci: the commands of its workflows, run as they stand there.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <sstream>

#include "eventstore/base/file.h"
#include "tests/support/matchers.h"
#include "tests/support/temp_folder.h"
#include "tests/tools/running_server.h"

namespace cairn::test {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

struct Shell {
  int status = -1;
  std::string output;
};

class CiExampleTest : public ::testing::Test {
 protected:
  CiExampleTest() {
    fs::copy(fs::path(CAIRN_SOURCE_DIR) / "examples/ci", folder_.path(), fs::copy_options::recursive);
  }

  // What stands behind `run:` in the step of that name.
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

  Shell run(const std::string& command, const std::string& url = "") const {
    const std::string line = "cd " + folder_.path().string() +
                             " && PATH=" CAIRN_TEST_BIN_DIR ":$PATH CAIRN_URL=" + url + " " + command +
                             " 2>&1";
    FILE* pipe = ::popen(line.c_str(), "r");
    Shell done;
    std::array<char, 4096> bytes{};
    while (const std::size_t size = std::fread(bytes.data(), 1, bytes.size(), pipe)) {
      done.output.append(bytes.data(), size);
    }
    done.status = WEXITSTATUS(::pclose(pipe));
    return done;
  }

  // A change that old events cannot be read with.
  void break_a_schema() const {
    const fs::path path = folder_ / "schemas/Money.avsc";
    std::string text = *read_file(path);
    text.replace(text.find(R"(, "default": "EUR")"), 18, "");
    text.replace(text.find("cents"), 5, "pence");
    ASSERT_THAT(write_file(path, text), succeeds());
  }

  TempFolder folder_;
};

TEST_F(CiExampleTest, TheWorkflowChecksAndRegistersWithAServer) {
  const RunningServer server;
  const std::string check = command("schemas.yml", "Check");
  EXPECT_EQ(check, "cairn schema check --dir schemas --format github");
  const Shell fresh = run(check, server.url());
  EXPECT_EQ(fresh.status, 0) << fresh.output;
  EXPECT_THAT(fresh.output, AllOf(HasSubstr("5 schemas: 3 new, 1 compatible, 1 upcast"),
                                  HasSubstr("incompatible, but 2-3.lua brings events over")));
  const Shell registered = run(command("schemas.yml", "Register"), server.url());
  EXPECT_EQ(registered.status, 0) << registered.output;
  EXPECT_THAT(run(check, server.url()).output, HasSubstr("5 schemas: 5 unchanged"));

  break_a_schema();
  const Shell refused = run(check, server.url());
  EXPECT_EQ(refused.status, 1);
  EXPECT_THAT(refused.output,
              HasSubstr("::error file=schemas/Money.avsc,line=1,title=Money is incompatible with version 1 "
                        "(BACKWARD)::/fields/0  READER_FIELD_MISSING_DEFAULT_VALUE: "));
}

TEST_F(CiExampleTest, TheOtherWorkflowNeedsNoServer) {
  fs::create_directory(folder_ / ".base");
  fs::copy(folder_ / "schemas", folder_ / ".base/schemas", fs::copy_options::recursive);
  const std::string check = command("schemas-offline.yml", "Check");
  const Shell same = run(check);
  EXPECT_EQ(same.status, 0) << same.output;
  EXPECT_THAT(same.output, AllOf(HasSubstr("5 schemas: 5 unchanged"), Not(HasSubstr("::"))));
  break_a_schema();
  const Shell refused = run(check);
  EXPECT_EQ(refused.status, 1);
  EXPECT_THAT(refused.output, HasSubstr("::error file=schemas/Money.avsc,line=1,"));
}

TEST_F(CiExampleTest, AMistakeInTheUpcasterIsShownAtItsLine) {
  fs::create_directory(folder_ / ".base");
  fs::copy(folder_ / "schemas", folder_ / ".base/schemas", fs::copy_options::recursive);
  const fs::path path = folder_ / "schemas/OrderPlaced/2-3.lua";
  std::string text = *read_file(path);
  text.replace(text.find("data.total_cents = nil"), 22, "data.total_cents = = nil");
  ASSERT_THAT(write_file(path, text), succeeds());
  const Shell refused = run(command("schemas-offline.yml", "Check"));
  EXPECT_EQ(refused.status, 1);
  EXPECT_THAT(refused.output, HasSubstr("::error file=schemas/OrderPlaced/2-3.lua,line=8,title="));
}

}  // namespace
}  // namespace cairn::test
