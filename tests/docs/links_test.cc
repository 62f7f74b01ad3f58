// Links from one document to another, or to a file of the sources, lead somewhere.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "tests/docs/documents.h"

namespace cairn::test {
namespace {

namespace fs = std::filesystem;

// "" or why a link in the document `from` has no target.
std::string dead_end(const std::string& from, const std::string& target) {
  if (target.find("://") != std::string::npos || target.starts_with("mailto:")) return "";
  const std::string path = target.substr(0, target.find('#'));
  const fs::path root(CAIRN_SOURCE_DIR);
  const fs::path file = path.empty() ? root / from : (root / from).parent_path() / path;
  const std::string name = file.lexically_normal().lexically_relative(root).generic_string();
  if (name.starts_with("..")) return "it leads out of the sources";
  if (!fs::exists(file)) return "there is no " + name;
  if (target.find('#') == std::string::npos) return "";
  const std::string anchor = target.substr(target.find('#') + 1);
  const std::vector<std::string> anchors = document(name).anchors;
  const bool is_there = std::find(anchors.begin(), anchors.end(), anchor) != anchors.end();
  return is_there ? "" : name + " has no heading #" + anchor;
}

class LinksTest : public ::testing::TestWithParam<std::string> {};

TEST_P(LinksTest, PointToExistingTargets) {
  for (const Place& link : document(GetParam()).links) {
    const std::string why = dead_end(GetParam(), link.text);
    if (!why.empty()) ADD_FAILURE() << GetParam() << ":" << link.line << ": (" << link.text << ") " << why;
  }
}

INSTANTIATE_TEST_SUITE_P(Document, LinksTest, ::testing::ValuesIn(document_names()),
                         [](const auto& chosen) { return test_name_of(chosen.param); });

TEST(DeadLinkTest, IsReported) {
  EXPECT_EQ(dead_end("docs/http.md", "registry.md"), "");
  EXPECT_EQ(dead_end("docs/http.md", "#put-upcasterstypefrom"), "");
  EXPECT_EQ(dead_end("docs/http.md", "https://example.org/x"), "");
  EXPECT_EQ(dead_end("docs/http.md", "nowhere.md"), "there is no docs/nowhere.md");
  EXPECT_EQ(dead_end("docs/http.md", "cli.md#nothing"), "docs/cli.md has no heading #nothing");
  EXPECT_EQ(dead_end("docs/http.md", "../../elsewhere"), "it leads out of the sources");
}

}  // namespace
}  // namespace cairn::test
