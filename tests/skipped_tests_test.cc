// cmake/skipped-tests, which ends a run of the tests: what was skipped is listed with its reason.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "tests/support/child_process.h"
#include "tests/support/temp_folder.h"

namespace cairn::test {
namespace {

namespace fs = std::filesystem;

// What is printed for such a log.
std::string skipped_in(const std::string& log) {
  const TempFolder folder;
  std::ofstream(folder / "LastTest.log") << log;
  ChildProcess script(
      {{(fs::path(CAIRN_SOURCE_DIR) / "cmake/skipped-tests").string(), (folder / "LastTest.log").string()},
       {}});
  std::string output;
  while (auto line = script.read_line()) output += *line + "\n";
  EXPECT_TRUE(script.wait().clean());
  return output;
}

// A test as ctest and GoogleTest log it.
std::string logged(const std::string& name, const std::string& says) {
  return "1/3 Testing: " + name + "\n1/3 Test: " + name + "\nCommand: \"tests\"\nOutput:\n" +
         "----------------------------------------------------------\n[ RUN      ] X\n" + says +
         "<end of output>\nTest time =   0.02 sec\n\n";
}

TEST(SkippedTestsTest, AreListedByTheirReason) {
  EXPECT_EQ(
      skipped_in(
          logged("a:Disk.Fills", "/src/a.cc:7: Skipped\nmounting needs root\n\n[  SKIPPED ] X (0 ms)\n") +
          logged("a:Disk.Works", "[       OK ] X (0 ms)\n") +
          logged("b:Trace.Kills", "/src/b.cc:9: Skipped\nno strace\n\n[  SKIPPED ] X (0 ms)\n") +
          logged("b:Disk.Empties", "/src/a.cc:7: Skipped\nmounting needs root\n\n[  SKIPPED ] X (0 ms)\n")),
      "3 tests were skipped:\n"
      "  mounting needs root\n    a:Disk.Fills\n    b:Disk.Empties\n"
      "  no strace\n    b:Trace.Kills\n");
}

TEST(SkippedTestsTest, ATestMaySkipWithoutAReason) {
  EXPECT_EQ(skipped_in(logged("a:A.B", "/src/a.cc:7: Skipped\n\n\n[  SKIPPED ] X (0 ms)\n")),
            "1 test was skipped:\n  no reason given\n    a:A.B\n");
}

TEST(SkippedTestsTest, NothingIsPrintedWhenAllRan) {
  EXPECT_EQ(skipped_in(logged("a:A.B", "[       OK ] X (0 ms)\n")), "");
}

}  // namespace
}  // namespace cairn::test
