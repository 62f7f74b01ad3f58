// The rules of examples/monitoring/alerts.yml fire: `promtool test rules` runs alerts_test.yml against them.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <regex>
#include <set>
#include <sstream>
#include <string>

#include "tests/support/child_process.h"
#include "tests/support/temp_folder.h"

namespace cairn::test {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::SizeIs;

const fs::path kPromtool = "/usr/bin/promtool";

std::string source_text(const std::string& name) {
  std::ostringstream text;
  text << std::ifstream(fs::path(CAIRN_SOURCE_DIR) / name, std::ios::binary).rdbuf();
  return text.str();
}

std::set<std::string> names_in(const std::string& text, const std::string& pattern) {
  const std::regex wanted(pattern);
  std::set<std::string> names;
  for (std::sregex_iterator it(text.begin(), text.end(), wanted), end; it != end; ++it)
    names.insert((*it)[1]);
  return names;
}

class AlertsTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!fs::exists(kPromtool)) GTEST_SKIP() << "promtool of the package prometheus is not installed";
  }

  // Tests the rules in `alerts`; promtool's exit code, and what it said in said_.
  int test_rules(const std::string& alerts) {
    std::ofstream(folder_ / "alerts.yml") << alerts;
    std::string tests = source_text("tests/examples/alerts_test.yml");
    const std::string place = "../../examples/monitoring/alerts.yml";
    EXPECT_THAT(tests, HasSubstr(place));
    tests.replace(tests.find(place), place.size(), "alerts.yml");
    std::ofstream(folder_ / "test.yml") << tests;
    ChildProcess promtool({{"/bin/sh", "-c", "exec \"$@\" 2>&1", "sh", kPromtool.string(), "test", "rules",
                            (folder_ / "test.yml").string()},
                           {}});
    said_.clear();
    while (auto line = promtool.read_line()) said_ += *line + "\n";
    return promtool.wait().code;
  }

  TempFolder folder_;
  std::string said_;
};

TEST_F(AlertsTest, EveryRuleFiresForASeriesThatCallsForIt) {
  EXPECT_EQ(test_rules(source_text("examples/monitoring/alerts.yml")), 0) << said_;
}

TEST_F(AlertsTest, EveryRuleIsTested) {
  const auto rules = names_in(source_text("examples/monitoring/alerts.yml"), R"(- alert: (\w+))");
  EXPECT_THAT(rules, SizeIs(::testing::Ge(12u)));
  EXPECT_EQ(names_in(source_text("tests/examples/alerts_test.yml"),
                     R"(- alertname: (\w+)\n +eval_time: \w+\n +exp_alerts:\n +- exp_labels)"),
            rules);
}

TEST_F(AlertsTest, ARuleThatCannotFireIsReported) {
  std::string alerts = source_text("examples/monitoring/alerts.yml");
  const std::string expression = "changes(process_start_time_seconds{job=\"cairn\"}[15m])";
  ASSERT_THAT(alerts, HasSubstr(expression));
  alerts.replace(alerts.find(expression), expression.size(), "resets(cairn_http_connections_total[15m])");
  EXPECT_NE(test_rules(alerts), 0);
  EXPECT_THAT(said_, HasSubstr("CairnRestarted"));
}

}  // namespace
}  // namespace cairn::test
