// What `cmake --install` puts into a folder.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "eventstore/base/file.h"
#include "tests/support/cairn_process.h"
#include "tests/support/matchers.h"
#include "tests/support/temp_folder.h"
#include "tests/tools/said.h"

namespace cairn::test {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class InstallTest : public ::testing::Test {
 protected:
  InstallTest() {
    const Said done = said_by({"cmake", "--install", fs::path(CAIRN_TEST_BIN_DIR).parent_path().string(),
                               "--prefix", folder_.path().string()});
    EXPECT_TRUE(done.exit.clean()) << done.text;
  }

  TempFolder folder_;
  const fs::path unit_ = folder_ / "lib/systemd/system/cairn.service";
};

TEST_F(InstallTest, TheProgramIsInstalledWithAllItsFiles) {
  EXPECT_EQ(said_by({(folder_ / "bin/cairn").string(), "--version"}).text, run_cairn({"--version"}).output);
  EXPECT_EQ(said_by({"gzip", "-dc", (folder_ / "share/man/man1/cairn.1.gz").string()}).text,
            run_cairn({"man"}).output);
  EXPECT_EQ(said_by({"gzip", "-dc", (folder_ / "share/doc/cairn/changelog.gz").string()}).text,
            *read_file(fs::path(CAIRN_SOURCE_DIR) / "CHANGELOG.md"));
  EXPECT_EQ(*read_file(folder_ / "share/bash-completion/completions/cairn"),
            run_cairn({"completion", "bash"}).output);
  EXPECT_EQ(*read_file(folder_ / "share/fish/vendor_completions.d/cairn.fish"),
            run_cairn({"completion", "fish"}).output);
  for (const char* path :
       {"LICENSE", "README.md", "cairn.toml", "docs/http.md", "examples/orders", "examples/ci"}) {
    EXPECT_TRUE(fs::exists(folder_ / "share/doc/cairn" / path)) << path;
  }
}

TEST_F(InstallTest, TheUnitStartsTheInstalledProgramInASandbox) {
  EXPECT_THAT(*read_file(unit_), HasSubstr("\nExecStart=" + (folder_ / "bin/cairn").string() + " serve "));
  if (!is_installed("systemd-analyze"))
    GTEST_SKIP() << "THE UNIT IS NOT VERIFIED: there is no systemd-analyze";
  const Said verified =
      said_by({"systemd-analyze", "verify", unit_.string()}, {{"MANPATH", (folder_ / "share/man").string()}});
  EXPECT_TRUE(verified.exit.clean()) << verified.text;
  EXPECT_THAT(verified.text, IsEmpty());
  // Of 10, which is a service that may do all that root may; in tenths.
  const Said judged = said_by(
      {"systemd-analyze", "security", "--offline=true", "--threshold=16", "--no-pager", unit_.string()});
  EXPECT_TRUE(judged.exit.clean()) << judged.text;
}

}  // namespace
}  // namespace cairn::test
