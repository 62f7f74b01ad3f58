// Documents and alerts use existing metrics of the server, and the reference lists all of them.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <regex>
#include <set>
#include <sstream>
#include <string>

namespace {

namespace fs = std::filesystem;
using ::testing::IsEmpty;
using ::testing::IsSupersetOf;

std::string text_of(const fs::path& path) {
  std::ostringstream text;
  text << std::ifstream(fs::path(CAIRN_SOURCE_DIR) / path, std::ios::binary).rdbuf();
  return text.str();
}

std::set<std::string> matches_in(const std::string& text, const std::string& pattern) {
  const std::regex wanted(pattern);
  std::set<std::string> found;
  for (std::sregex_iterator it(text.begin(), text.end(), wanted), end; it != end; ++it)
    found.insert((*it)[1]);
  return found;
}

// The quoted names in the sources.
std::set<std::string> metrics_of_the_server() {
  std::set<std::string> names;
  for (const fs::directory_entry& entry :
       fs::directory_iterator(fs::path(CAIRN_SOURCE_DIR) / "api/metrics")) {
    if (entry.path().extension() == ".cc")
      names.merge(matches_in(text_of(entry.path()), R"re("((?:cairn|process)_\w+)")re"));
  }
  return names;
}

// The names in `text` that the server does not have. The series of a histogram (_bucket, _sum, _count) count.
std::set<std::string> unknown_in(const std::string& text) {
  static const std::regex kPartOfHistogram("_(count|sum|bucket)$");
  const std::set<std::string> known = metrics_of_the_server();
  std::set<std::string> unknown = matches_in(text, R"(\b(cairn_\w+))");
  std::erase_if(unknown, [&](const std::string& name) {
    return known.contains(name) || known.contains(std::regex_replace(name, kPartOfHistogram, ""));
  });
  return unknown;
}

TEST(MetricNamesTest, AlertsUseExistingMetrics) {
  EXPECT_THAT(unknown_in(text_of("examples/monitoring/alerts.yml")), IsEmpty());
}

TEST(MetricNamesTest, DocumentsUseExistingMetrics) {
  EXPECT_THAT(unknown_in(text_of("docs/operations.md")), IsEmpty());
}

TEST(MetricNamesTest, TheReferenceListsAllMetrics) {
  EXPECT_THAT(matches_in(text_of("docs/http.md"), R"(`((?:cairn|process)_\w+)`)"),
              IsSupersetOf(metrics_of_the_server()));
}

TEST(MetricNamesTest, AlertsInTheManualMatchTheFile) {
  const std::string alerts = text_of("examples/monitoring/alerts.yml");
  ASSERT_NE(alerts, "");
  EXPECT_NE(text_of("docs/operations.md").find("```yaml\n" + alerts + "```"), std::string::npos)
      << "docs/operations.md has another examples/monitoring/alerts.yml";
}

TEST(MetricNamesTest, AWrongNameIsReported) {
  EXPECT_EQ(unknown_in("cairn_log_head > 1 and cairn_log_tail"), std::set<std::string>{"cairn_log_tail"});
  EXPECT_THAT(unknown_in("rate(cairn_http_request_seconds_count[5m])"), IsEmpty());
}

}  // namespace
