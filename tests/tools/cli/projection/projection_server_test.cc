// `cairn projection` with a real server.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <nlohmann/json.hpp>

#include "tests/support/cairn_process.h"
#include "tests/tools/cli/schema/schema_files.h"
#include "tests/tools/running_server.h"

namespace cairn::test {
namespace {

using nlohmann::json;
using ::testing::AllOf;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::MatchesRegex;
using ::testing::StartsWith;

// How many orders a customer has placed; an order without a customer has no key, one without an amount fails.
std::string customers_script(const std::string& amount) {
  return R"(return projection {
  from = {categories = {"order"}, types = {"Placed"}},
  key = function(event) return event.data.customer end,
  on = {
    Placed = function(row, event)
      row.orders = (row.orders or 0) + 1
      row.total = (row.total or 0) + )" +
         amount + R"(
    end
  }
}
)";
}

const std::string kStrict = customers_script("event.data.amount");
const std::string kForgiving = customers_script("(event.data.amount ~= null and event.data.amount or 0)");

class ProjectionServerTest : public ::testing::Test {
 protected:
  ProjectionServerTest() { files_.put("customers.lua", kStrict); }

  Finished run(std::vector<std::string> words) const {
    words.insert(words.end(), {"--url", server_.url()});
    return run_cairn(words);
  }
  Finished projection(std::vector<std::string> words) const {
    words.insert(words.begin(), "projection");
    return run(words);
  }
  // The output of a command that must succeed.
  std::string output(const std::vector<std::string>& words) const {
    const Finished done = projection(words);
    EXPECT_EQ(done.exit_code, 0) << done.errors;
    return done.output;
  }

  // Appends an order and returns its position.
  std::string place(const std::string& customer, const std::string& amount = "10") {
    const json data = {{"customer", customer}, {"amount", json::parse(amount)}};
    const Finished done = run({"append", "order-" + std::to_string(++orders_), "--type", "Placed", "--data",
                               data.dump(), "--json"});
    EXPECT_EQ(done.exit_code, 0) << done.errors;
    return std::to_string(json::parse(done.output)["lastPosition"].get<std::uint64_t>());
  }
  void deploy() const { output({"deploy", "customers", file_, "--wait"}); }
  json row(const std::string& key, const std::string& position) const {
    return json::parse(output({"rows", "customers", key, "--min-position", position, "--json"}))["row"];
  }
  json status() const { return json::parse(output({"status", "customers", "--json"})); }
  std::string at_head() const { return std::to_string(status()["head"].get<std::uint64_t>()); }

  SchemaFiles files_;
  const std::string file_ = files_.path_of("customers.lua");
  RunningServer server_;
  int orders_ = 0;
};

TEST_F(ProjectionServerTest, ItIsDeployedListedAndShown) {
  EXPECT_EQ(output({"list"}), "No projection is deployed.\n");
  place("7");
  EXPECT_THAT(output({"deploy", "customers", file_, "--wait"}),
              MatchesRegex("customers: deployed as revision 1 \\(fingerprint [0-9a-f]{8}…\\)\n"
                           "customers: generation 1 is live: 1 row\n"));
  EXPECT_THAT(output({"deploy", "customers", file_, "--wait"}),
              StartsWith("customers: already deployed as revision 1 "));
  EXPECT_THAT(output({"list"}), AllOf(StartsWith("NAME "), HasSubstr("\ncustomers  running")));
  EXPECT_THAT(output({"status", "customers"}), StartsWith("customers   running\n"));
  EXPECT_EQ(output({"show", "customers"}), kStrict);
}

TEST_F(ProjectionServerTest, AScriptErrorHasItsLine) {
  files_.put("customers.lua", "return projection {\n  from = = 1\n}\n");
  const Finished no = projection({"deploy", "customers", file_});
  EXPECT_EQ(no.exit_code, 1);
  EXPECT_THAT(no.errors, AllOf(HasSubstr("customers.lua:2"), HasSubstr("422 script-error")));
  EXPECT_EQ(json::parse(projection({"deploy", "customers", file_, "--json"}).output)["line"], 2);
}

TEST_F(ProjectionServerTest, MinPositionWaitsForTheAppendedEvent) {
  deploy();
  place("7");
  EXPECT_EQ(row("7", place("7", "5")), json({{"orders", 2}, {"total", 15}}));
  place("8");
  row("9", place("9"));
  EXPECT_EQ(output({"rows", "customers", "--limit", "2"}), R"({"key":"7","row":{"orders":2,"total":15}})"
                                                           "\n"
                                                           R"({"key":"8","row":{"orders":1,"total":10}})"
                                                           "\n");
  EXPECT_THAT(output({"rows", "customers", "--prefix", "9"}), StartsWith(R"({"key":"9",)"));
  EXPECT_EQ(projection({"rows", "customers", "nobody"}).exit_code, 1);
  EXPECT_EQ(projection({"rows", "customers", "7", "--min-position", "1000000", "--wait-ms", "0"}).exit_code,
            1);
}

TEST_F(ProjectionServerTest, ARebuildBecomesLiveAndCanBeRolledBack) {
  place("7");
  deploy();
  // One of a single row may be over before the answer to the command is made.
  EXPECT_THAT(output({"rebuild", "customers", "--wait"}),
              EndsWith("customers: generation 2 is live: 1 row\n"));
  EXPECT_EQ(status()["previousGeneration"], 1);
  EXPECT_THAT(output({"rollback", "customers"}), HasSubstr("rolled back"));
  EXPECT_EQ(status()["generation"], 1);
  EXPECT_EQ(projection({"cancel", "customers"}).exit_code, 1) << "there is nothing to cancel";
  EXPECT_THAT(output({"verify", "customers"}), EndsWith("1 row is what the log says\n"));
}

TEST_F(ProjectionServerTest, AThrottledRebuildCanBeCancelled) {
  for (int i = 0; i < 20; ++i) place("7");
  deploy();
  output({"rebuild", "customers", "--events-per-second", "1"});
  EXPECT_EQ(status()["state"], "rebuilding");
  EXPECT_EQ(status()["rebuild"]["eventsPerSecondMax"], 1);
  output({"cancel", "customers"});
  EXPECT_EQ(status()["rebuild"], nullptr);
  EXPECT_EQ(status()["generation"], 1);
}

TEST_F(ProjectionServerTest, AProjectionIsPausedAndResumed) {
  deploy();
  EXPECT_THAT(output({"pause", "customers"}), StartsWith("customers: paused; paused"));
  const std::string position = place("7");
  EXPECT_EQ(projection({"rows", "customers", "7", "--min-position", position, "--wait-ms", "0"}).exit_code,
            1);
  EXPECT_THAT(output({"resume", "customers"}), StartsWith("customers: resumed; "));
  EXPECT_EQ(row("7", position)["orders"], 1);
}

TEST_F(ProjectionServerTest, ParkedEventsAreShownRetriedAndSkipped) {
  deploy();
  place("7", "null");
  place("7");
  row("8", place("8"));
  EXPECT_THAT(output({"parked", "customers"}), AllOf(HasSubstr("\n7 "), HasSubstr("customers.lua:7")));
  EXPECT_THAT(output({"parked", "customers", "show", "7"}), HasSubstr("waiting "));
  EXPECT_EQ(projection({"parked", "customers", "retry"}).exit_code, 1) << "nothing was mended";
  EXPECT_THAT(output({"parked", "customers", "skip", "7", "--reason", "a test"}),
              HasSubstr("1 event after it applied"));
  EXPECT_EQ(projection({"parked", "customers"}).errors, "Nothing is parked.\n");
  EXPECT_EQ(row("7", at_head())["orders"], 1);
  EXPECT_EQ(projection({"parked", "customers", "retry", "7"}).exit_code, 1);
}

TEST_F(ProjectionServerTest, ACorrectedScriptAppliesParkedEvents) {
  deploy();
  row("8", (place("7", "null"), place("8")));
  files_.put("customers.lua", kForgiving);
  EXPECT_THAT(output({"deploy", "customers", file_, "--wait"}), EndsWith("generation 2 is live: 2 rows\n"));
  EXPECT_EQ(projection({"parked", "customers"}).errors, "Nothing is parked.\n");
  EXPECT_EQ(row("7", at_head()), json({{"orders", 1}, {"total", 0}}));
}

TEST_F(ProjectionServerTest, ProjectionsSurviveARestart) {
  const std::string position = place("7");
  deploy();
  server_.kill();
  server_.start_again();
  EXPECT_EQ(row("7", position)["orders"], 1);
  EXPECT_THAT(output({"verify", "customers"}), HasSubstr("1 row is what the log says"));
}

TEST_F(ProjectionServerTest, WatchSurvivesARestart) {
  deploy();
  CairnProcess watching({"projection", "status", "customers", "--watch", "--interval", "0.05", "--json",
                         "--url", server_.url()});
  ASSERT_TRUE(watching.prints(R"("generation":1)"));
  server_.kill();
  ASSERT_TRUE(watching.complains("retrying"));
  server_.start_again();
  output({"rebuild", "customers", "--wait"});
  ASSERT_TRUE(watching.prints(R"("generation":2)"));
  watching.signal(SIGINT);
  EXPECT_EQ(watching.finish().exit_code, 0);
}

TEST_F(ProjectionServerTest, ADeletedProjectionIsGone) {
  place("7");
  deploy();
  EXPECT_EQ(output({"delete", "customers", "--yes"}), "customers: deleted\n");
  EXPECT_EQ(projection({"status", "customers"}).exit_code, 1);
  EXPECT_EQ(projection({"rows", "customers"}).exit_code, 1);
  deploy();
  EXPECT_EQ(row("7", at_head())["orders"], 1) << "its script brings the rows back";
}

}  // namespace
}  // namespace cairn::test
