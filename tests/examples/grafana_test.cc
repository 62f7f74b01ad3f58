// examples/monitoring/grafana.json: a dashboard whose queries parse, and name metrics that a server exports.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "tests/api/raw_client.h"
#include "tests/examples/shell.h"
#include "tests/support/cairn_process.h"
#include "tests/support/child_process.h"
#include "tests/support/temp_folder.h"

namespace cairn::test {
namespace {

namespace fs = std::filesystem;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

class GrafanaTest : public ::testing::Test {
 protected:
  static nlohmann::json dashboard() {
    std::ifstream file(fs::path(CAIRN_SOURCE_DIR) / "examples/monitoring/grafana.json");
    return nlohmann::json::parse(file);
  }
  static std::vector<std::string> queries() {
    std::vector<std::string> queries;
    const nlohmann::json all = dashboard();
    for (const auto& panel : all["panels"]) {
      for (const auto& target : panel.value("targets", nlohmann::json::array()))
        queries.push_back(target["expr"].get<std::string>());
    }
    for (const auto& annotation : all["annotations"]["list"])
      queries.push_back(annotation["expr"].get<std::string>());
    return queries;
  }

  // The names of all samples that a server with a projection exports.
  std::set<std::string> exported() {
    CairnProcess server(
        {"serve", "--data", (folder_ / "data").string(), "--listen", "127.0.0.1:0", "--schemas", "optional"});
    const std::string line = server.first_line();
    const std::string url = line.substr(line.find("http"));
    std::ofstream(folder_ / "p.lua") << "return projection {\n  from = {categories = {\"a\"}},\n  key = "
                                        "function(event) return event.stream end,\n  on = {T = "
                                        "function(row, event) row.n = (row.n or 0) + 1 end}\n}\n";
    for (const char* const command :
         {"cairn append a-1 --type T --data 1", "cairn projection deploy p p.lua --wait"}) {
      const ShellOutcome done = run_shell(folder_.path().string(), url, command);
      EXPECT_EQ(done.status, 0) << done.output;
    }
    RawClient client(static_cast<std::uint16_t>(std::stoul(url.substr(url.rfind(':') + 1))));
    const std::string text = client.get("/metrics").body;
    std::set<std::string> names;
    std::istringstream lines(text);
    for (std::string sample; std::getline(lines, sample);) {
      if (!sample.starts_with("#")) names.insert(sample.substr(0, sample.find_first_of("{ ")));
    }
    return names;
  }

  static std::set<std::string> metrics_in(const std::string& query) {
    static const std::regex kName(R"(\b((?:cairn|process)_\w+))");
    std::set<std::string> names;
    for (std::sregex_iterator it(query.begin(), query.end(), kName), end; it != end; ++it)
      names.insert((*it)[1]);
    return names;
  }

  // What promtool says against the queries; empty when they parse.
  std::string faults_of(const std::vector<std::string>& queries) {
    nlohmann::json rules = nlohmann::json::array();
    for (std::size_t i = 0; i < queries.size(); ++i) {
      // Grafana replaces its variables; the rest is PromQL.
      std::string query = std::regex_replace(queries[i], std::regex("\\$__rate_interval"), "5m");
      query = std::regex_replace(query, std::regex("\\$(job|instance)"), "cairn");
      rules.push_back({{"record", "query:" + std::to_string(i)}, {"expr", query}});
    }
    std::ofstream(folder_ / "rules.yml")
        << nlohmann::json{{"groups", {{{"name", "dashboard"}, {"rules", rules}}}}}.dump();
    ChildProcess promtool({{"/bin/sh", "-c", "exec \"$@\" 2>&1", "sh", "/usr/bin/promtool", "check", "rules",
                            (folder_ / "rules.yml").string()},
                           {}});
    std::string said;
    while (auto line = promtool.read_line()) said += *line + "\n";
    return promtool.wait().code == 0 ? "" : said;
  }

  TempFolder folder_;
};

TEST_F(GrafanaTest, EveryMetricIsExportedByAServer) {
  const std::set<std::string> known = exported();
  std::set<std::string> unknown, used;
  for (const std::string& query : queries()) {
    const std::set<std::string> names = metrics_in(query);
    EXPECT_THAT(names, Not(IsEmpty())) << query;
    for (const std::string& name : names) (known.contains(name) ? used : unknown).insert(name);
  }
  EXPECT_THAT(unknown, IsEmpty());
  EXPECT_THAT(used, SizeIs(::testing::Ge(30u)));
}

TEST_F(GrafanaTest, EveryQueryParses) {
  if (!fs::exists("/usr/bin/promtool")) GTEST_SKIP() << "promtool of the package prometheus is not installed";
  EXPECT_EQ(faults_of(queries()), "");
  EXPECT_THAT(faults_of({"rate(cairn_events_total[5m]"}), HasSubstr("parse")) << "a parenthesis is missing";
}

// A file with the data source of one installation could not be imported elsewhere.
TEST_F(GrafanaTest, TheDataSourceIsAVariable) {
  const nlohmann::json all = dashboard();
  EXPECT_TRUE(!all.contains("id") || all["id"].is_null());
  std::vector<std::string> variables;
  for (const auto& variable : all["templating"]["list"]) variables.push_back(variable["name"]);
  EXPECT_THAT(variables, Contains("datasource"));
  std::set<int> ids;
  for (const auto& panel : all["panels"]) {
    EXPECT_TRUE(ids.insert(panel["id"].get<int>()).second) << panel["title"];
    if (panel["type"] == "row") continue;
    EXPECT_EQ(panel["datasource"]["uid"], "${datasource}") << panel["title"];
    for (const auto& target : panel["targets"])
      EXPECT_EQ(target["datasource"]["uid"], "${datasource}") << panel["title"];
  }
}

}  // namespace
}  // namespace cairn::test
