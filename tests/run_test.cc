// ./run in a folder of its own, with programs in place of apt, sudo, df and cmake.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <string>

#include "eventstore/base/file.h"
#include "tests/support/matchers.h"
#include "tests/support/temp_folder.h"
#include "tests/tools/said.h"

namespace cairn::test {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

class RunTest : public ::testing::Test {
 protected:
  void SetUp() override {
    fs::permissions(folder_.path(), fs::perms(0777));
    fs::create_directories(folder_ / "cmake");
    fs::create_directories(folder_ / "programs");
    fs::create_directories(folder_ / "build/release/bin");
    fs::permissions(folder_ / "build", fs::perms(0777));
    fs::copy_file(fs::path(CAIRN_SOURCE_DIR) / "run", folder_ / "run");
    script("cmake/fetch-avro", "exit 0");
    program("dpkg-query", "printf not-installed");
    program("apt-get", "exit 0");
    program("df", "printf 'Avail\\n 99999\\n'");
    program("cmake", "echo '[1/1] made'");
  }

  void script(const std::string& path, const std::string& text) {
    ASSERT_THAT(write_file(folder_ / path, "#!/bin/bash\n" + text + "\n"), succeeds());
    fs::permissions(folder_ / path, fs::perms(0755));
  }
  // In place of a program of the machine.
  void program(const std::string& name, const std::string& text) { script("programs/" + name, text); }

  // What ./run prints, which is also in log_ while it runs.
  Said run(const std::string& arguments, const std::string& before = "") {
    return said_by({"bash", "-c",
                    "set -o pipefail; export PATH='" + (folder_ / "programs").string() + "':$PATH; " +
                        before + " '" + (folder_ / "run").string() + "' " + arguments +
                        " 2>&1 </dev/null | tee '" + log_.string() + "'"});
  }
  // The same, without the rights of root.
  Said run_as_user(const std::string& arguments) {
    return run(arguments, ::geteuid() == 0 ? "setpriv --reuid=65534 --regid=65534 --clear-groups" : "");
  }

  const TempFolder folder_;
  const TempFolder logs_;
  const fs::path log_ = logs_ / "log";
};

TEST_F(RunTest, TheFirstTimeSaysTimeAndDiskBeforeAnythingElse) {
  const Said said = run("build");
  EXPECT_TRUE(said.exit.clean()) << said.text;
  EXPECT_THAT(said.text, StartsWith("==> This first time: about 5 minutes on two cores"));
  EXPECT_THAT(said.text, AllOf(HasSubstr(" MB in " + (folder_ / "build").string()),
                               HasSubstr("packages of Debian are installed"),
                               HasSubstr("==> Installing what building needs: g++ cmake"),
                               HasSubstr("[1/1] made"), HasSubstr("==> build/cairn is ready")));
  script("build/release/bin/cairn", "exit 0");
  EXPECT_THAT(run("build").text, Not(HasSubstr("first time")));
}

TEST_F(RunTest, AStepWithoutOutputIsReportedWhileItRuns) {
  // Ends as soon as ./run has said that it goes on.
  const std::string wait = "until grep -q '^==> WHAT: [0-9]* s$' '" + log_.string() + "'; do sleep 0.1; done";
  const auto until_said = [&](const std::string& what) {
    return std::string(wait).replace(wait.find("WHAT"), 4, what);
  };
  program("apt-get", "case \"$*\" in *install*) " + until_said("installing packages") + " ;; esac");
  program("cmake", "case \"$*\" in *--build*) printf 'no line end yet'; " + until_said("compiling release") +
                       "; echo ', and now' ;; esac");
  const Said said = run("build");
  EXPECT_TRUE(said.exit.clean()) << said.text;
  EXPECT_THAT(said.text, HasSubstr("no line end yet, and now\n"));
}

TEST_F(RunTest, AFullDiskIsOneLineBeforeItBuilds) {
  program("dpkg-query", "printf installed");
  program("df", "printf 'Avail\\n 12\\n'");
  program("cmake", "echo must not run");
  const Said said = run("build");
  EXPECT_FALSE(said.exit.clean());
  EXPECT_THAT(said.text, EndsWith("run: building release needs about 700 MB in " + folder_.path().string() +
                                  ", where 12 MB are free\n"));
  EXPECT_THAT(said.text, Not(HasSubstr("must not run")));
}

TEST_F(RunTest, ADiskThatFillsUpWhileItBuildsIsNamed) {
  program("dpkg-query", "printf installed");
  program("cmake", "case \"$*\" in *--build*) printf '#!/bin/sh\\nprintf \"Avail\\\\n 3\\\\n\"\\n' > '" +
                       (folder_ / "programs/df").string() + "'; exit 1 ;; esac");
  const Said said = run("build");
  EXPECT_FALSE(said.exit.clean());
  EXPECT_THAT(said.text, EndsWith("run: could not build release: the disk of " + folder_.path().string() +
                                  " is full\n"));
}

TEST_F(RunTest, ARefusedSudoIsOneLineWithTheCommandForRoot) {
  program("sudo", "echo 'sudo: a password is required' >&2; exit 1");
  program("apt-get", "echo must not run");
  const Said said = run_as_user("build");
  EXPECT_FALSE(said.exit.clean());
  EXPECT_THAT(said.text, HasSubstr("\nrun: installing packages needs root, and sudo refused; as root, run: "
                                   "apt-get update && apt-get install -y --no-install-recommends g++ cmake"));
  EXPECT_THAT(said.text, Not(::testing::AnyOf(HasSubstr("must not run"), HasSubstr("a password"))));
}

TEST_F(RunTest, TestSaysWhatItInstallsAndWhatFor) {
  program("cmake", "exit 1");
  const Said said = run("test");
  EXPECT_FALSE(said.exit.clean());
  EXPECT_THAT(said.text, AllOf(HasSubstr("==> Installing what building needs: g++"),
                               HasSubstr("==> Installing what the tests need: strace"),
                               HasSubstr("==> Installing clients of Confluent for the tests: python3-")));
}

TEST_F(RunTest, APackageThatCannotBeInstalledEndsIt) {
  program("apt-get", "case \"$*\" in *install*) exit 100 ;; esac");
  program("cmake", "echo must not run");
  const Said said = run("build");
  EXPECT_FALSE(said.exit.clean());
  EXPECT_THAT(said.text, HasSubstr("run: apt-get could not install: g++"));
  EXPECT_THAT(said.text, Not(HasSubstr("must not run")));
}

}  // namespace
}  // namespace cairn::test
