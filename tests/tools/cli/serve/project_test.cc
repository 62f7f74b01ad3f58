// `cairn project` with `cairn serve --projections read`: two processes, one data folder.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <map>
#include <nlohmann/json.hpp>

#include "tests/support/cairn_process.h"
#include "tests/support/child_process.h"
#include "tests/support/temp_folder.h"
#include "tests/tools/cli/schema/schema_files.h"
#include "tests/tools/cli/upcaster/upcaster_files.h"

namespace cairn::test {
namespace {

using nlohmann::json;
using ::testing::AllOf;
using ::testing::HasSubstr;

// What customers have spent; a row says in which words.
std::string customers(const std::string& word) {
  return R"(return projection {
  from = {categories = {"order"}, types = {"Placed"}},
  key = function(event) return event.data.customer end,
  on = { Placed = function(row, event) row.)" +
         word + " = (row." + word + R"( or 0) + event.data.amount end }
}
)";
}

class ProjectTest : public ::testing::Test {
 protected:
  void serve(const std::string& projections = "read") {
    server_ = std::make_unique<CairnProcess>(server_words(projections));
    const std::string line = server_->first_line();
    const std::size_t at = line.find(" on http");
    ASSERT_NE(at, std::string::npos) << server_->finish(std::chrono::milliseconds(0)).errors;
    url_ = line.substr(at + 4);
  }
  std::vector<std::string> server_words(const std::string& projections) const {
    return {"serve",    "--data",      folder_.path().string(), "--schemas", "optional",
            "--listen", "127.0.0.1:0", "--projections",         projections};
  }
  std::vector<std::string> project_words() const { return {"project", "--data", folder_.path().string()}; }
  Finished project_once() const {
    auto words = project_words();
    words.push_back("--once");
    return run_cairn(words);
  }
  void build() {
    builder_ = std::make_unique<CairnProcess>(project_words());
    ASSERT_THAT(builder_->first_line(), HasSubstr(" building the read models of "));
  }
  void kill_builder() {
    builder_->signal(SIGKILL);
    builder_->finish();
  }

  Finished run(std::vector<std::string> words) const {
    words.insert(words.end(), {"--url", url_});
    return run_cairn(words);
  }
  std::string output(const std::vector<std::string>& words) const {
    const Finished done = run(words);
    EXPECT_EQ(done.exit_code, 0) << done.errors;
    return done.output;
  }

  // Returns the position.
  std::string place(const std::string& customer, int amount) {
    const json data = {{"customer", customer}, {"amount", amount}};
    const std::string answer = output({"append", "order-" + std::to_string(++orders_), "--type", "Placed",
                                       "--data", data.dump(), "--json"});
    sums_[customer] += amount;
    return std::to_string(json::parse(answer)["lastPosition"].get<std::uint64_t>());
  }
  void deploy(const std::string& name, const std::string& source) const {
    files_.put(name + ".lua", source);
    output({"projection", "deploy", name, files_.path_of(name + ".lua"), "--wait"});
  }
  // For the process that builds later.
  void deploy_later() const {
    files_.put("customers.lua", customers("spent"));
    output({"projection", "deploy", "customers", files_.path_of("customers.lua")});
  }
  json row(const std::string& name, const std::string& key, const std::string& position) const {
    return json::parse(output({"projection", "rows", name, key, "--min-position", position, "--wait-ms",
                               "30000", "--json"}))["row"];
  }
  json status(const std::string& name) const {
    return json::parse(output({"projection", "status", name, "--json"}));
  }

  TempFolder folder_;
  SchemaFiles files_;
  std::string url_;
  std::unique_ptr<CairnProcess> server_;
  std::unique_ptr<CairnProcess> builder_;
  std::map<std::string, int> sums_;
  int orders_ = 0;
};

TEST_F(ProjectTest, TheServerAnswersFromRowsOfTheOtherProcess) {
  serve();
  build();
  place("ann", 5);
  deploy("customers", customers("spent"));
  EXPECT_EQ(row("customers", "ann", place("ann", 7)), json({{"spent", 12}}));
  EXPECT_EQ(row("customers", "bob", place("bob", 1)), json({{"spent", 1}}));
  EXPECT_EQ(status("customers")["state"], "running");
  EXPECT_EQ(status("customers")["reason"], "another process builds it");
  EXPECT_THAT(output({"projection", "list"}), HasSubstr("\ncustomers  running"));

  // An event that changes no row, and a row that is read with its position.
  const json other =
      json::parse(output({"append", "stock-1", "--type", "Counted", "--data", "{}", "--json"}));
  EXPECT_EQ(row("customers", "ann", std::to_string(other["lastPosition"].get<std::uint64_t>())),
            json({{"spent", 12}}));

  const Finished refused = run({"projection", "pause", "customers"});
  EXPECT_EQ(refused.exit_code, 1);
  EXPECT_THAT(refused.errors, AllOf(HasSubstr("`cairn project`"), HasSubstr("--projections on")));

  builder_->signal(SIGTERM);
  const Finished ended = builder_->finish();
  EXPECT_EQ(ended.exit_code, 0);
  EXPECT_THAT(ended.errors, AllOf(HasSubstr("generation 1 answers from now on"), HasSubstr("Stopped")));
}

TEST_F(ProjectTest, AChangedDefinitionIsRebuiltByTheOtherProcess) {
  serve();
  build();
  deploy("customers", customers("spent"));
  EXPECT_EQ(row("customers", "ann", place("ann", 5)), json({{"spent", 5}}));
  deploy("customers", customers("paid"));
  EXPECT_EQ(status("customers")["generation"], 2);
  EXPECT_EQ(row("customers", "ann", place("ann", 2)), json({{"paid", 7}}));
  output({"projection", "delete", "customers", "--yes"});
  EXPECT_EQ(run({"projection", "status", "customers"}).exit_code, 1);
}

TEST_F(ProjectTest, KilledAndStartedAgainEachEventCountsOnce) {
  serve();
  deploy_later();
  for (int turn = 0; turn < 5; ++turn) {
    build();
    std::string position;
    for (int i = 0; i < 4; ++i) position = place("c" + std::to_string(i % 2), i + 1);
    if (turn % 2 == 0) row("customers", "c0", position);
    kill_builder();
  }
  EXPECT_EQ(status("customers")["reason"].get<std::string>().substr(0, 21), "no process builds it:");
  build();
  row("customers", "c0", place("c0", 1));
  for (const auto& [customer, sum] : sums_) {
    EXPECT_EQ(json::parse(output({"projection", "rows", "customers", customer, "--json"}))["row"]["spent"],
              sum);
  }
}

TEST_F(ProjectTest, SchemasAndUpcastersOfTheServerAreSeen) {
  serve();
  build();
  deploy("orders", R"(return projection {
  from = {types = {"Order"}},
  key = function() return "all" end,
  on = { Order = function(row, event) row.cents = (row.cents or 0) + event.data.cents end }
}
)");
  const SchemaFiles schemas;
  const auto order = [](const std::string& field) {
    return record("Order", std::string(kId) + R"(,{"name":")" + field + R"(","type":"int"})");
  };
  const auto append = [&](const std::string& field, int value) {
    const json data = {{"id", "a"}, {field, value}};
    const json answer =
        json::parse(output({"append", "order-1", "--type", "Order", "--data", data.dump(), "--json"}));
    return std::to_string(answer["lastPosition"].get<std::uint64_t>());
  };
  schemas.put("Order/1.avsc", order("cents"));
  output({"schema", "register", "--dir", schemas.path()});
  EXPECT_EQ(row("orders", "all", append("cents", 3)), json({{"cents", 3}}));

  // Another version, which only its upcaster leads to, and another projection that needs it.
  schemas.put("Order/2.avsc", order("pennies"));
  schemas.put("Order/1-2.lua", upcaster("Order", 1, "data.pennies = data.cents; data.cents = nil"));
  output({"schema", "register", "--dir", schemas.path()});
  deploy("pennies", R"(return projection {
  from = {types = {"Order"}},
  key = function() return "all" end,
  on = { Order = function(row, event) row.pennies = (row.pennies or 0) + event.data.pennies end }
}
)");
  EXPECT_EQ(row("pennies", "all", append("pennies", 4)), json({{"pennies", 7}}));
  EXPECT_EQ(status("orders")["outdated"], true);
  EXPECT_EQ(status("pennies")["outdated"], false);
}

TEST_F(ProjectTest, OnceExitsWhenAllProjectionsHaveCaughtUp) {
  serve();
  deploy_later();
  place("ann", 5);
  const std::string position = place("ann", 6);
  const Finished done = project_once();
  EXPECT_EQ(done.exit_code, 0) << done.errors;
  EXPECT_EQ(done.output, "1 projection built through position " + position + "\n");
  EXPECT_EQ(row("customers", "ann", position), json({{"spent", 11}}));

  // Without anything to do, and without a server.
  EXPECT_EQ(project_once().exit_code, 0);
  server_->signal(SIGTERM);
  EXPECT_EQ(server_->finish().exit_code, 0);
  EXPECT_EQ(project_once().exit_code, 0);
}

TEST_F(ProjectTest, OnlyOneProcessBuilds) {
  serve();
  build();
  const auto refused = AllOf(HasSubstr("another process builds the read models"),
                             HasSubstr("start the server with --projections read"));
  const Finished second = run_cairn(project_words());
  EXPECT_EQ(second.exit_code, 1);
  EXPECT_THAT(second.errors, refused);
  server_->signal(SIGTERM);
  server_->finish();
  const Finished on = run_cairn(server_words("on"));
  EXPECT_EQ(on.exit_code, 1);
  EXPECT_THAT(on.errors, refused);

  kill_builder();
  serve("on");
  const Finished beside = run_cairn(project_words());
  EXPECT_EQ(beside.exit_code, 1);
  EXPECT_THAT(beside.errors, refused);
}

TEST_F(ProjectTest, AFolderWithoutAStoreIsRefused) {
  const Finished no = run_cairn(project_words());
  EXPECT_EQ(no.exit_code, 1);
  EXPECT_EQ(run_cairn({"project", "--threads", "0"}).exit_code, 2);
  EXPECT_THAT(run_cairn({"project", "--help"}).output,
              HasSubstr("cairn project --data /var/lib/cairn --once"));
}

// In containers the first process of each has the id 1, and LMDB tells processes apart by their ids.
TEST_F(ProjectTest, BothMayHaveTheSameProcessIdInTheirNamespaces) {
  const auto in_namespace = [](std::vector<std::string> words) {
    std::vector<std::string> command = {"/usr/bin/unshare", "--pid", "--fork", "--kill-child=TERM",
                                        test_program("cairn").string()};
    command.insert(command.end(), words.begin(), words.end());
    return std::make_unique<ChildProcess>(ChildProcess::Command{command, {}});
  };
  if (!ChildProcess({{"/usr/bin/unshare", "--pid", "--fork", "/bin/true"}, {}}).wait().clean())
    GTEST_SKIP() << "NO PID NAMESPACE IS TESTED: making one needs root";
  const auto server = in_namespace(server_words("read"));
  const std::string line = server->read_line().value_or("");
  ASSERT_THAT(line, HasSubstr(" on http"));
  url_ = line.substr(line.find(" on http") + 4);
  const auto stop = [](ChildProcess& process) {
    process.kill(SIGKILL);  // unshare: process 1 of the namespace gets SIGTERM
    while (process.read_line()) {
    }
    process.wait();
  };
  for (int round = 0; round < 2; ++round) {
    const auto builder = in_namespace(project_words());
    EXPECT_THAT(builder->read_line().value_or(""), HasSubstr(" building the read models of "));
    EXPECT_TRUE(in_namespace({"verify", "--data", folder_.path().string()})->wait().clean());
    stop(*builder);
  }
  EXPECT_EQ(run_cairn({"append", "order-1", "--type", "Placed", "--data", "{}", "--url", url_}).exit_code, 0);
  stop(*server);
}

}  // namespace
}  // namespace cairn::test
