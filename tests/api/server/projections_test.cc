// Projections of a real server: deploying, querying, rebuilding, verifying and removing.

#include <string>

#include "tests/api/server/projection_fixture.h"

namespace cairn::test {
namespace {

using ::testing::HasSubstr;
using ::testing::MatchesRegex;

class ProjectionsTest : public ProjectionApiTest {};

TEST_F(ProjectionsTest, ADeployedProjectionIsListedAndShown) {
  EXPECT_EQ(get("/projections").json(), (Json{{"projections", Json::array()}}));
  const HttpAnswer first = deploy_projection(sales());
  EXPECT_EQ(first.status, 201) << first.body;
  const Json made = first.json();
  EXPECT_EQ(made["name"], "sales");
  EXPECT_EQ(made["revision"], 1);
  EXPECT_EQ(made["position"], 1);
  EXPECT_EQ(made["unchanged"], false);
  EXPECT_THAT(made["fingerprint"].get<std::string>(), MatchesRegex("[0-9a-f]{32}"));
  EXPECT_THAT(made["deployedAt"].get<std::string>(), MatchesRegex("20[0-9-]+T[0-9:.]+Z"));
  EXPECT_EQ(made["status"]["name"], "sales");

  use(sales(), "other");
  EXPECT_EQ(each(get("/projections").json()["projections"], "/name"), (Json{"other", "sales"}));
  const Json one = status();
  EXPECT_EQ(one["source"], sales());
  EXPECT_EQ(one["revision"], 1);
  EXPECT_EQ(one["head"], head());
}

TEST_F(ProjectionsTest, DeployingTheSameScriptAgainChangesNothing) {
  use(sales());
  const std::uint64_t before = head();
  const HttpAnswer again = deploy_projection(sales());
  EXPECT_EQ(again.status, 200) << again.body;
  EXPECT_EQ(again.json()["unchanged"], true);
  EXPECT_EQ(again.json()["revision"], 1);
  EXPECT_EQ(head(), before);
}

TEST_F(ProjectionsTest, AScriptErrorHasItsLine) {
  const Json syntax = problem(deploy_projection("return projection {\n  on = = 1\n}", "sales", "?file=s.lua"),
                              422, "script-error");
  EXPECT_EQ(syntax["file"], "s.lua");
  EXPECT_EQ(syntax["line"], 2);
  EXPECT_FALSE(syntax["message"].get<std::string>().empty());
  problem(deploy_projection("return 1"), 422, "script-error");
  EXPECT_EQ(problem(deploy_projection(sales(), ".sales"), 400, "invalid-request")["field"], "name");
  EXPECT_TRUE(get("/projections").json()["projections"].empty());
}

TEST_F(ProjectionsTest, AFileOfTheStoreCannotBeTheNameOfAProjection) {
  const std::filesystem::path lock = std::filesystem::path(folder()) / "readmodels" / "lock";
  ASSERT_TRUE(std::filesystem::exists(lock));
  EXPECT_EQ(problem(deploy_projection(sales(), "lock"), 400, "invalid-request")["field"], "name");
  EXPECT_EQ(problem(client().remove("/projections/lock"), 404, "not-found")["kind"], "projection");
  EXPECT_TRUE(std::filesystem::exists(lock));
  EXPECT_TRUE(get("/projections").json()["projections"].empty());
}

TEST_F(ProjectionsTest, FurtherProjectionsThanThereMayBeAreRefused) {
  stop_server();
  serve({"--schemas", "optional", "--projections-max", "2"});
  use(sales(), "one");
  use(sales(), "two");
  const Json refused = problem(deploy_projection(sales(), "three"), 413, "too-large");
  EXPECT_EQ(refused["limit"], 2);
  EXPECT_THAT(refused["detail"].get<std::string>(), HasSubstr("--projections-max"));
  use(sales(2), "two");  // those that are there can be changed
  EXPECT_EQ(client().remove("/projections/one").status, 204);
  use(sales(), "three");
}

TEST_F(ProjectionsTest, AClientReadsItsOwnWrites) {
  use(sales());
  for (int i = 1; i <= 20; ++i) {
    const std::uint64_t position = sell({sold("ann", 10), sold("bob", 1)});
    EXPECT_EQ(row("ann", position), bought(10 * i, i));
    EXPECT_EQ(row("bob", position), bought(i, i));
  }
}

TEST_F(ProjectionsTest, WaitingForAPositionTimesOut) {
  use(sales());
  const std::uint64_t position = sell({sold("ann", 10)});
  EXPECT_EQ(row("ann", position), bought(10, 1));
  for (const char* wait : {"&waitMs=0", "&waitMs=50"}) {
    const HttpAnswer answer = get("/projections/sales/rows/ann?minPosition=1000" + std::string(wait));
    const Json behind = problem(answer, 503, "not-yet");
    EXPECT_EQ(behind["minPosition"], 1'000);
    EXPECT_EQ(behind["position"], position);
    EXPECT_EQ(answer.header("Retry-After"), "1");
  }
}

TEST_F(ProjectionsTest, RowsAreReadInPages) {
  use(sales());
  const std::uint64_t position =
      sell({sold("a/1", 1), sold("b", 2), sold("a/2", 3), sold("c", 4), sold("a/1", 5)});
  const Json all = ask_rows("", position).json();
  EXPECT_EQ(each(all["rows"], "/key"), (Json{"a/1", "a/2", "b", "c"}));
  EXPECT_EQ(each(all["rows"], "/row/total"), (Json{6, 3, 2, 4}));
  EXPECT_TRUE(all["next"].is_null());

  Json keys = Json::array();
  std::string query = "&limit=1&prefix=a%2F";
  for (int page = 0; page < 3; ++page) {
    const Json answer = ask_rows("", position, query).json();
    for (const Json& key : each(answer["rows"], "/key")) keys.push_back(key);
    if (answer["next"].is_null()) break;
    query = "&limit=1&prefix=a%2F&after=" + answer["next"].get<std::string>();
  }
  EXPECT_EQ(keys, (Json{"a/1", "a/2"}));
  EXPECT_EQ(row("a%2F1", position), bought(6, 2));
  const Json missing = problem(ask_rows("/zoe", position), 404, "not-found");
  EXPECT_EQ(missing["kind"], "row");
  EXPECT_EQ(missing["position"], position);
}

TEST_F(ProjectionsTest, AChangedScriptTakesOverAndCanBeRolledBack) {
  use(sales());
  std::uint64_t position = sell({sold("ann", 10)});
  EXPECT_EQ(row("ann", position), bought(10, 1));
  const std::uint64_t generation = status()["generation"];
  use(sales(3));
  status_when([&](const Json& now) { return now["generation"] > generation && now["rebuild"].is_null(); });
  EXPECT_EQ(row("ann", position), bought(30, 1));

  const HttpAnswer back = change("rollback");
  EXPECT_EQ(back.status, 202) << back.body;
  EXPECT_EQ(back.json()["generation"], generation);
  position = sell({sold("ann", 1)});
  EXPECT_EQ(row("ann", position), bought(11, 2));
}

TEST_F(ProjectionsTest, AFixedScriptMayKeepTheRows) {
  use(sales());
  std::uint64_t position = sell({sold("ann", 10), sold_badly("ann"), sold("bob", 1)});
  EXPECT_EQ(row("bob", position), bought(1, 1));
  const std::uint64_t generation = status()["generation"];

  const auto mended = [](int factor) {
    std::string script = sales(factor);
    return script.replace(script.find("event.data.amount"), 17, "(event.data.amount or 0)");
  };
  EXPECT_EQ(
      problem(deploy_projection(mended(3), "sales", "?keepRows=perhaps"), 400, "invalid-request")["field"],
      "keepRows");
  const HttpAnswer kept = deploy_projection(mended(3), "sales", "?keepRows=true");
  EXPECT_EQ(kept.status, 201) << kept.body;
  EXPECT_EQ(kept.json()["revision"], 2);
  const Json now =
      status_when([&](const Json& one) { return one["fingerprint"] == kept.json()["fingerprint"]; });
  EXPECT_EQ(now["generation"], generation);
  EXPECT_TRUE(now["rebuild"].is_null());
  EXPECT_EQ(change("parked/retry").json(), (Json{{"keys", 1}, {"released", 1}, {"events", 1}}));
  position = sell({sold("bob", 2)});
  EXPECT_EQ(row("ann", position), bought(10, 2)) << "the old script's ten";
  EXPECT_EQ(row("bob", position), bought(1 + 3 * 2, 2)) << "the old script's one, and the new one's six";

  use(mended(5));
  status_when([&](const Json& one) { return one["generation"] > generation && one["rebuild"].is_null(); });
  EXPECT_EQ(row("bob", position), bought(15, 2)) << "without it, all is built anew";
}

TEST_F(ProjectionsTest, CommandsInTheWrongStateAreAConflict) {
  use(sales());
  status_when([](const Json& now) { return now["state"] == "running"; });
  for (const char* what : {"cancel", "rollback"}) {
    const Json conflict = problem(change(what), 409, "wrong-state");
    EXPECT_EQ(conflict["state"], "running");
    EXPECT_EQ(conflict["name"], "sales");
  }
}

TEST_F(ProjectionsTest, PauseFreezesTheRowsAndResumeContinues) {
  use(sales());
  EXPECT_EQ(row("ann", sell({sold("ann", 10)})), bought(10, 1));
  EXPECT_EQ(change("pause").status, 202);
  status_when([](const Json& now) { return now["state"] == "paused"; });
  const std::uint64_t position = sell({sold("ann", 5)});
  problem(get("/projections/sales/rows/ann?waitMs=50&minPosition=" + std::to_string(position)), 503,
          "not-yet");
  EXPECT_EQ(get("/projections/sales/rows/ann").json()["row"], bought(10, 1));
  EXPECT_EQ(change("resume").status, 202);
  EXPECT_EQ(row("ann", position), bought(15, 2));
}

TEST_F(ProjectionsTest, RowsAreComparedWithTheLog) {
  use(sales());
  EXPECT_EQ(row("ann", sell({sold("ann", 10), sold("bob", 1)})), bought(10, 1));
  EXPECT_EQ(problem(get("/projections/sales/verify"), 404, "not-found")["kind"], "verification");
  EXPECT_EQ(change("verify").status, 202);
  Json report;
  status_when([&](const Json&) {
    report = get("/projections/sales/verify").json();
    return report["stage"] == "done" || report["stage"] == "failed";
  });
  EXPECT_EQ(report["equal"], true) << report;
  EXPECT_EQ(report["rows"], 2);
}

TEST_F(ProjectionsTest, ProjectionsSurviveARestart) {
  use(sales());
  const std::uint64_t position = sell({sold("ann", 10)});
  EXPECT_EQ(row("ann", position), bought(10, 1));
  restart();
  EXPECT_EQ(row("ann", position), bought(10, 1));
  EXPECT_EQ(row("ann", sell({sold("ann", 1)})), bought(11, 2));
  EXPECT_EQ(stop_server().exit_code, 0);
}

TEST_F(ProjectionsTest, ARemovedProjectionIsGone) {
  use(sales());
  row("ann", sell({sold("ann", 10)}));
  EXPECT_EQ(client().remove("/projections/sales").status, 204);
  EXPECT_EQ(problem(get("/projections/sales"), 404, "not-found")["kind"], "projection");
  EXPECT_EQ(problem(get("/projections/sales/rows/ann"), 404, "not-found")["kind"], "projection");
  EXPECT_EQ(problem(client().remove("/projections/sales"), 404, "not-found")["kind"], "projection");
  restart();
  EXPECT_TRUE(get("/projections").json()["projections"].empty());
}

TEST_F(ProjectionsTest, ProjectionsHaveMetrics) {
  use(sales());
  const std::uint64_t position = sell({sold("ann", 10)});
  row("ann", position);
  const std::string text = get("/metrics").body;
  EXPECT_THAT(text, HasSubstr("cairn_projection_position{projection=\"sales\"} " + std::to_string(position)));
  EXPECT_THAT(text, HasSubstr("cairn_projection_lag_events{projection=\"sales\"} 0\n"));
  EXPECT_THAT(text, HasSubstr("cairn_projection_parked_keys{projection=\"sales\"} 0\n"));
}

TEST_F(ProjectionsTest, StoppingTheServerAnswersWaitingReads) {
  use(sales());
  RawClient waiting = raw();
  ASSERT_TRUE(
      waiting.send("GET /projections/sales/rows/ann?minPosition=1000&waitMs=30000 HTTP/1.1\r\n"
                   "Host: localhost\r\n\r\n"));
  EXPECT_EQ(raw().get("/health").status, 200);
  EXPECT_EQ(stop_server().exit_code, 0);
  EXPECT_EQ(waiting.receive().status, 503);
}

TEST_F(ProjectionsTest, AServerCanRunWithoutProjections) {
  use(sales());
  kill_server();
  serve({"--schemas", "optional", "--projections", "off"});
  EXPECT_THAT(problem(get("/projections"), 503, "projections-off")["detail"].get<std::string>(),
              HasSubstr("--projections off"));
  sell({sold("ann", 10)});
  kill_server();
  serve();
  EXPECT_EQ(row("ann", head()), bought(10, 1));
}

// One sample for each commit that changed rows; the log may be committed in one or several.
TEST_F(ProjectionsTest, CommitsOfRowsAreTimed) {
  use(sales());
  ask_rows("", head());  // The first build is over: it is not counted.
  row("ada", sell({sold("ada", 5)}));
  const auto count = [this] {
    const std::string text = get("/metrics").body;
    const std::string name = "\ncairn_append_row_committed_seconds_count ";
    const auto at = text.find(name);
    return at == std::string::npos ? -1 : std::stod(text.substr(at + name.size()));
  };
  EXPECT_EQ(count(), 1);
  row("ada", sell({event_text("Other", "1")}, "other-1"));
  EXPECT_EQ(count(), 1) << "no row has changed";
  row("ada", sell({sold("ada", 5)}));
  EXPECT_EQ(count(), 2);
}

}  // namespace
}  // namespace cairn::test
