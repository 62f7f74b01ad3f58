// The version is defined once, in the `project` line of CMakeLists.txt, and everything else says what stands
// there.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <regex>
#include <sstream>

#include "eventstore/base/file.h"
#include "tests/support/cairn_process.h"
#include "tests/tools/running_server.h"
#include "tests/tools/said.h"

namespace cairn::test {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

std::string project_version() {
  const std::string text = *read_file(fs::path(CAIRN_SOURCE_DIR) / "CMakeLists.txt");
  std::smatch found;
  EXPECT_TRUE(std::regex_search(text, found, std::regex(R"(project\(cairn VERSION ([0-9.]+) )")));
  return found[1];
}

TEST(VersionTest, AllOutputsHaveTheSameVersion) {
  const std::string version = project_version();
  EXPECT_EQ(run_cairn({"--version"}).output, "cairn " + version + "\n");
  EXPECT_THAT(run_cairn({"man"}).output, HasSubstr("\n.TH CAIRN 1 \"\" \"cairn " + version + "\" "));

  const RunningServer server;
  const auto got = [&](const std::string& path) {
    return nlohmann::json::parse(said_by({"curl", "--silent", "--fail", server.url() + path}).text);
  };
  EXPECT_EQ(got("/version")["version"], version);
  EXPECT_EQ(got("/v1/metadata/version")["version"], version);
  const auto description = got("/openapi.json");
  EXPECT_EQ(description["info"]["version"], version);
  EXPECT_THAT(description.dump(), ::testing::Not(HasSubstr("PROJECT_VERSION")));
}

TEST(VersionTest, NoFileRepeatsIt) {
  const std::string quoted = "\"" + project_version() + "\"";
  for (const char* folder : {"api", "cmake", "docs", "eventstore", "examples", "projections",
                             "schemaregistry", "tests", "tools", "upcasters"}) {
    for (const auto& entry : fs::recursive_directory_iterator(fs::path(CAIRN_SOURCE_DIR) / folder)) {
      if (!entry.is_regular_file()) continue;
      const auto text = read_file(entry.path());
      std::istringstream lines(text.ok() ? *text : "");
      for (std::string line; std::getline(lines, line);) {
        if (line.find(quoted) == std::string::npos) continue;
        EXPECT_EQ(line.find("ersion"), std::string::npos) << entry.path() << ": " << line;
      }
    }
  }
}

}  // namespace
}  // namespace cairn::test
