// The libraries and headers for C++ programs that embed a store, as `cmake --install` puts them into a folder.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <regex>
#include <set>
#include <string>

#include "eventstore/base/file.h"
#include "tests/support/matchers.h"
#include "tests/support/scale.h"
#include "tests/support/temp_folder.h"
#include "tests/tools/said.h"

namespace cairn::test {
namespace {

namespace fs = std::filesystem;
using ::testing::Contains;
using ::testing::IsEmpty;
using ::testing::Not;

constexpr char kRows[] = "ada {\"orders\":3,\"cents\":900}\nbob {\"orders\":2,\"cents\":600}\n";

class DevelTest : public ::testing::Test {
 protected:
  DevelTest() {
    said({"cmake", "--install", fs::path(CAIRN_TEST_BIN_DIR).parent_path().string(), "--component", "devel",
          "--prefix", prefix_.string()});
    // Away from the sources: what is not installed is not found.
    fs::copy(fs::path(CAIRN_SOURCE_DIR) / "examples/embedded", folder_ / "embedded");
    fs::current_path(folder_.path());
  }
  ~DevelTest() override { fs::current_path(before_); }

  std::string said(const std::vector<std::string>& words) {
    const Said done = said_by(words, {{"PKG_CONFIG_PATH", (prefix_ / "lib/pkgconfig").string()}});
    EXPECT_TRUE(done.exit.clean()) << done.text;
    return done.text;
  }

  const fs::path before_ = fs::current_path();
  const TempFolder folder_;
  const fs::path prefix_ = folder_ / "prefix";
};

TEST_F(DevelTest, TheExampleIsBuiltWithFindPackageAndRuns) {
  if (kSanitizerDivisor > 1) GTEST_SKIP() << "NOT BUILT: the libraries want the sanitizer of this build";
  // The prefix may move.
  fs::rename(prefix_, folder_ / "moved");
  said({"cmake", "-S", "embedded", "-B", "built", "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Debug",
        "-DCMAKE_PREFIX_PATH=" + (folder_ / "moved").string()});
  said({"cmake", "--build", "built"});
  EXPECT_EQ(said({"built/embedded", "data"}), kRows);
}

TEST_F(DevelTest, TheExampleIsBuiltWithPkgConfigAndRuns) {
  if (kSanitizerDivisor > 1) GTEST_SKIP() << "NOT BUILT: the libraries want the sanitizer of this build";
  said({"sh", "-c", "c++ embedded/main.cc $(pkg-config --cflags --libs cairn) -o embedded/embedded"});
  EXPECT_EQ(said({"embedded/embedded", "data"}), kRows);
}

TEST_F(DevelTest, InstalledHeadersIncludeEachOtherAndTheStandardLibraryOnly) {
  static const std::regex kInclude("\n#include ([<\"])([^>\"]+)[>\"]");
  const fs::path include = prefix_ / "include/cairn";
  std::set<std::string> headers;
  for (const auto& entry : fs::recursive_directory_iterator(include)) {
    if (!entry.is_regular_file()) continue;
    headers.insert(fs::relative(entry.path(), include).string());
    const std::string text = *read_file(entry.path());
    for (std::sregex_iterator found(text.begin(), text.end(), kInclude), end; found != end; ++found) {
      const std::string name = (*found)[2];
      if ((*found)[1] == "\"") {
        EXPECT_TRUE(fs::exists(include / name)) << entry.path() << " includes " << name;
      } else {
        EXPECT_EQ(name.find_first_of("./"), std::string::npos) << entry.path() << " includes " << name;
      }
    }
  }
  EXPECT_THAT(headers, Contains("eventstore/event_store.h"));
  EXPECT_THAT(headers, Contains("projections/typed_projection.h"));
  EXPECT_THAT(headers, Not(Contains("eventstore/format/jump.h"))) << "a private one";
}

TEST_F(DevelTest, AnotherMinorVersionIsNotTaken) {
  ASSERT_THAT(write_file(folder_ / "CMakeLists.txt",
                         "cmake_minimum_required(VERSION 3.25)\nproject(p CXX)\nfind_package(cairn 0.0)\n"
                         "file(WRITE \"${CMAKE_BINARY_DIR}/found\" \"${cairn_FOUND}\")\n"),
              succeeds());
  said({"cmake", "-S", ".", "-B", "built", "-G", "Ninja", "-DCMAKE_PREFIX_PATH=" + prefix_.string()});
  EXPECT_EQ(*read_file(folder_ / "built/found"), "0");
}

}  // namespace
}  // namespace cairn::test
