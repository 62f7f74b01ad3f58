// The status of projections, changes to them, and the problem for each refusal.

#include <string>
#include <utility>
#include <vector>

#include "tests/api/projections/projection_routes_fixture.h"

namespace cairn::test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr const char* kLua = "text/x-lua";
constexpr Timestamp kMoment{1'795'000'000'000'000};  // 2026-11-18T11:06:40Z

ProjectionStatus with_everything() {
  ProjectionStatus status;
  status.name = "orders";
  status.state = ProjectionState::kRebuilding;
  status.reason = "the script changed";
  status.position = {40};
  status.head = {1'000};
  status.lag_events = 960;
  status.lag_seconds = 1.5;
  status.events_per_second = 1234.5678;
  status.generation = 3;
  status.previous_generation = 2;
  status.rebuild = RebuildStatus{.generation = 4,
                                 .position = {500},
                                 .target = {1'000},
                                 .events_per_second = 250,
                                 .eta_seconds = 2,
                                 .events_per_second_max = 300,
                                 .parked_keys = 1,
                                 .rows = 17,
                                 .holds = "more is parked than before"};
  status.parked_keys = 2;
  status.parked_events = 9;
  status.oldest_parked_seconds = 60.25;
  status.retries = 5;
  status.events_passed_over = 12;
  status.rows = 18'000'000'000'000'000'001u;
  status.bytes = 4'096;
  status.first_error = ProjectionError{"no \"total\"", GlobalPosition{7}, kMoment};
  status.last_error = ProjectionError{"disk full", std::nullopt, kMoment};
  status.fingerprint = "ab12";
  status.revision = 6;
  status.outdated = true;
  return status;
}

Json everything() {
  return Json::parse(R"({"name":"orders","state":"rebuilding","reason":"the script changed","position":40,
    "head":1000,"lag":{"events":960,"seconds":1.5},"eventsPerSecond":1234.568,"generation":3,
    "previousGeneration":2,"rebuild":{"generation":4,"position":500,"target":1000,"eventsPerSecond":250,
    "etaSeconds":2,"eventsPerSecondMax":300,"parkedKeys":1,"rows":17,"holds":"more is parked than before"},
    "parkedKeys":2,"parkedEvents":9,"oldestParkedSeconds":60.25,"retries":5,"eventsPassedOver":12,
    "rows":18000000000000000001,"bytes":4096,"firstError":{"message":"no \"total\"","position":7,"at":"2026-11-18T11:06:40.000000Z"},
    "lastError":{"message":"disk full","position":null,"at":"2026-11-18T11:06:40.000000Z"},
    "fingerprint":"ab12","revision":6,"outdated":true})");
}

TEST_F(ProjectionRoutesTest, StatusHasEveryField) {
  daemon_.status_ = with_everything();
  EXPECT_EQ(answered(get("/projections/orders"), 200), everything());
  EXPECT_EQ(answered(get("/projections"), 200), (Json{{"projections", {everything()}}}));
}

TEST_F(ProjectionRoutesTest, MissingValuesAreNull) {
  const Json status = answered(get("/projections/orders"), 200);
  for (const char* name :
       {"previousGeneration", "rebuild", "oldestParkedSeconds", "firstError", "lastError"}) {
    ASSERT_TRUE(status.contains(name)) << name;
    EXPECT_TRUE(status[name].is_null()) << name;
  }
  EXPECT_EQ(status["reason"], "");
  EXPECT_FALSE(status.contains("source")) << "a native (C++) projection has none";
  daemon_.status_.rebuild.emplace();
  const Json rebuild = answered(get("/projections/orders"), 200)["rebuild"];
  for (const char* name : {"etaSeconds", "eventsPerSecondMax", "holds"}) EXPECT_TRUE(rebuild[name].is_null());
}

TEST_F(ProjectionRoutesTest, ScriptIsShownWithItsSource) {
  daemon_.definition_ = ProjectionDefinition{.name = "orders", .source = "return projection {…}"};
  EXPECT_EQ(answered(get("/projections/orders"), 200)["source"], "return projection {…}");
  EXPECT_FALSE(answered(get("/projections"), 200)["projections"][0].contains("source"));
}

TEST_F(ProjectionRoutesTest, DeploymentReportsTheDefinition) {
  daemon_.definition_ = ProjectionDefinition{.name = "orders",
                                             .source = "",
                                             .fingerprint = "cd34",
                                             .revision = 2,
                                             .position = {11},
                                             .deployed_at = kMoment};
  const Json made = answered(new_client().put("/projections/orders?file=o.lua", "return 1", kLua), 201);
  EXPECT_EQ(made["status"]["name"], "orders");
  Json rest = made;
  rest.erase("status");
  EXPECT_EQ(rest, Json::parse(R"({"name":"orders","revision":2,"fingerprint":"cd34","position":11,
                                  "deployedAt":"2026-11-18T11:06:40.000000Z","unchanged":false,"warnings":[]})"));
  daemon_.unchanged_ = true;
  EXPECT_EQ(answered(new_client().put("/projections/orders", "return 1", kLua), 200)["unchanged"], true);
  EXPECT_THAT(daemon_.calls(),
              ElementsAre("deploy orders o.lua return 1", "deploy orders projection.lua return 1"));
}

TEST_F(ProjectionRoutesTest, RefusedDeploymentHasAReason) {
  const auto deploy = [this](const std::string& path, const std::string& type = kLua) {
    return new_client().put("/projections/" + path, "return 1", type);
  };
  for (const char* name : {".hidden", "a%2Fb", "a%20b", "%24own", "a%0Ab"}) {
    EXPECT_EQ(problem(deploy(name), 400, "invalid-request")["field"], "name") << name;
  }
  EXPECT_EQ(problem(deploy(std::string(65, 'a')), 400, "invalid-request")["field"], "name");
  EXPECT_EQ(problem(deploy("orders?files=a"), 400, "invalid-request")["field"], "files");
  problem(deploy("orders", "application/json"), 415, "unsupported-media-type");
  EXPECT_THAT(daemon_.calls(), ElementsAre());

  daemon_.refusal_ = ScriptError{ScriptFault::kSyntax, "unexpected symbol", "o.lua", 7};
  const Json script = problem(deploy("orders"), 422, "script-error");
  EXPECT_EQ(script["line"], 7);
  EXPECT_EQ(script["file"], "o.lua");
  EXPECT_EQ(script["message"], "unexpected symbol");
  daemon_.refusal_ = make_error(Errc::kFailedPrecondition, "orders is one of the program's own");
  EXPECT_EQ(problem(deploy("orders"), 409, "wrong-state")["state"], "running");
  daemon_.refusal_ = make_error(Errc::kDiskFull, "no space");
  problem(deploy("orders"), 507, "disk-full");
}

TEST_F(ProjectionRoutesTest, ChangesAnswerWithTheNewStatus) {
  daemon_.status_ = with_everything();
  for (const char* what :
       {"rebuild", "rebuild?eventsPerSecond=500", "cancel", "rollback", "pause", "resume", "verify"}) {
    EXPECT_EQ(answered(post(std::string("/projections/orders/") + what), 202), everything()) << what;
  }
  EXPECT_THAT(daemon_.calls(),
              ElementsAre("rebuild orders", "rebuild 500 orders", "cancel orders", "rollback orders",
                          "pause orders", "resume orders", "verify orders"));
  for (const char* query : {"eventsPerSecond=0", "eventsPerSecond=-1", "eventsPerSecond=x", "force=true"}) {
    problem(post(std::string("/projections/orders/rebuild?") + query), 400, "invalid-request");
  }
}

TEST_F(ProjectionRoutesTest, ChangeInTheWrongStateIsAConflict) {
  daemon_.status_.state = ProjectionState::kPaused;
  daemon_.error_ = make_error(Errc::kFailedPrecondition, "there is nothing to cancel");
  for (const char* what : {"rebuild", "cancel", "rollback", "pause", "resume", "verify"}) {
    const Json conflict = problem(post(std::string("/projections/orders/") + what), 409, "wrong-state");
    EXPECT_EQ(conflict["state"], "paused");
    EXPECT_EQ(conflict["name"], "orders");
    EXPECT_EQ(conflict["detail"], "There is nothing to cancel.");
  }
  EXPECT_EQ(new_client().remove("/projections/orders").status, 409);
  daemon_.error_ = make_error(Errc::kOverloaded, "busy");
  problem(post("/projections/orders/rebuild"), 503, "overloaded");
  daemon_.error_ = make_error(Errc::kCorruption, "/secret/path is damaged");
  EXPECT_THAT(problem(post("/projections/orders/rebuild"), 500, "internal-error").dump(),
              ::testing::Not(HasSubstr("secret")));
}

TEST_F(ProjectionRoutesTest, RemoveHasNoBody) {
  const HttpAnswer answer = new_client().remove("/projections/orders");
  EXPECT_EQ(answer.status, 204);
  EXPECT_EQ(answer.body, "");
  EXPECT_THAT(daemon_.calls(), ElementsAre("remove orders"));
}

TEST_F(ProjectionRoutesTest, UnknownProjectionIs404) {
  std::vector<HttpAnswer> answers = {get("/projections/none"), new_client().remove("/projections/none")};
  for (const char* path : {"rows", "rows/a", "rows/a?minPosition=5", "parked", "parked/a", "verify"}) {
    answers.push_back(get(std::string("/projections/none/") + path));
  }
  for (const char* path :
       {"rebuild", "cancel", "rollback", "pause", "resume", "verify", "parked/retry", "parked/a/retry"}) {
    answers.push_back(post(std::string("/projections/none/") + path));
  }
  answers.push_back(post("/projections/none/parked/a/skip", R"({"reason":"x"})"));
  for (const HttpAnswer& answer : answers) {
    const Json missing = problem(answer, 404, "not-found");
    EXPECT_EQ(missing["kind"], "projection") << missing;
    EXPECT_EQ(missing["name"], "none");
  }
}

TEST_F(ProjectionRoutesTest, VerificationIsReported) {
  const Json none = problem(get("/projections/orders/verify"), 404, "not-found");
  EXPECT_EQ(none["kind"], "verification");
  RowsVerification report;
  report.stage = RowsVerification::Stage::kDone;
  report.position = {90};
  report.target = {90};
  report.rows = 12;
  report.missing = 1;
  report.different = 1;
  report.differences = {{"a", R"({"n":1})", R"({"n":2})"}, {"b", std::nullopt, "{}"}};
  report.started_at = kMoment;
  report.seconds = 0.25;
  daemon_.report_ = report;
  EXPECT_EQ(answered(get("/projections/orders/verify"), 200),
            Json::parse(R"({"name":"orders","stage":"done","equal":false,"position":90,"target":90,"rows":12,
              "missing":1,"extra":0,"different":1,"differences":[{"key":"a","live":{"n":1},"rebuilt":{"n":2}},
              {"key":"b","live":null,"rebuilt":{}}],"error":null,"startedAt":"2026-11-18T11:06:40.000000Z",
              "seconds":0.25})"));
  daemon_.report_ = RowsVerification{.stage = RowsVerification::Stage::kFailed, .error = "stopped"};
  const Json failed = answered(get("/projections/orders/verify"), 200);
  EXPECT_EQ(failed["error"], "stopped");
  EXPECT_TRUE(failed["equal"].is_null());
}

TEST_F(ProjectionRoutesTest, ServerWithoutProjectionsAnswers503) {
  serve({}, false);
  for (const char* path : {"/projections", "/projections/orders", "/projections/orders/rows/a"}) {
    EXPECT_THAT(problem(get(path), 503, "projections-off")["detail"].get<std::string>(),
                HasSubstr("--projections off"));
  }
  EXPECT_EQ(get("/ready").status, 200);
  EXPECT_THAT(get("/metrics").body, ::testing::Not(HasSubstr("cairn_projection")));
}

TEST_F(ProjectionRoutesTest, MetricsHaveEveryNumber) {
  daemon_.status_ = with_everything();
  const std::string text = get("/metrics").body;
  for (const char* line :
       {"position{projection=\"orders\"} 40", "lag_events{projection=\"orders\"} 960",
        "lag_seconds{projection=\"orders\"} 1.5", "retries_total{projection=\"orders\"} 5",
        "parked_keys{projection=\"orders\"} 2", "parked_events{projection=\"orders\"} 9",
        "oldest_parked_seconds{projection=\"orders\"} 60.25", "generation{projection=\"orders\"} 3",
        "bytes{projection=\"orders\"} 4096", "rebuild_position{projection=\"orders\"} 500",
        "state{projection=\"orders\",state=\"rebuilding\"} 1",
        "state{projection=\"orders\",state=\"running\"} 0"}) {
    EXPECT_THAT(text, HasSubstr("\ncairn_projection_" + std::string(line) + "\n"));
  }
  EXPECT_THAT(text, HasSubstr("# TYPE cairn_projection_retries_total counter\n"));
  EXPECT_THAT(text, HasSubstr("\ncairn_projection_events_per_second{projection=\"orders\"} 1234.56"));
  daemon_.status_.rebuild.reset();
  EXPECT_THAT(get("/metrics").body, ::testing::Not(HasSubstr("rebuild_position{")));
}

// Rows, keys, messages and scripts may contain data of any category.
TEST_F(ProjectionRoutesTest, TokenLimitedToCategoriesIsRefused) {
  const auto token = [](const char* name, std::optional<std::vector<std::string>> categories) {
    return api::Token{name, sha256(name), {api::Scope::kRead, api::Scope::kAdmin}, std::move(categories)};
  };
  daemon_.rows_ = {{"a", R"({"secret":1})"}};
  serve(api::AccessList({token("all", std::nullopt), token("some", {{"order"}}),
                         api::Token{"reader", sha256("reader"), {api::Scope::kRead}, std::nullopt}}));
  const auto as = [this](const char* name) {
    return new_client({{"Authorization", std::string("Bearer ") + name}});
  };
  const std::vector<std::string> reads = {"",
                                          "/orders",
                                          "/orders/rows",
                                          "/orders/rows/a",
                                          "/orders/parked",
                                          "/orders/parked/a",
                                          "/orders/verify"};
  for (const std::string& path : reads) {
    SCOPED_TRACE(path);
    const HttpAnswer refused = as("some").get("/projections" + path);
    problem(refused, 403, "forbidden");
    EXPECT_THAT(refused.body, HasSubstr("categor"));
    EXPECT_THAT(refused.body, ::testing::Not(HasSubstr("secret")));
    EXPECT_NE(as("all").get("/projections" + path).status, 403);
  }
  const std::vector<std::string> changes = {"rebuild",      "cancel",         "rollback",
                                            "pause",        "resume",         "verify",
                                            "parked/retry", "parked/a/retry", "parked/a/skip"};
  for (const std::string& what : changes) {
    const std::string path = "/projections/orders/" + what;
    problem(as("some").post(path, R"({"reason":"x"})"), 403, "forbidden");
    EXPECT_THAT(problem(as("reader").post(path, R"({"reason":"x"})"), 403, "forbidden").dump(),
                HasSubstr("admin"));
    const std::string body = what == "parked/retry" ? "" : R"({"reason":"x"})";
    EXPECT_LT(as("all").post(path, body).status, 300) << path;
  }
  problem(as("some").get("/projections/orders/redrive"), 403, "forbidden");
  problem(as("some").remove("/projections/orders/redrive"), 403, "forbidden");
  problem(as("reader").remove("/projections/orders/redrive"), 403, "forbidden");
  EXPECT_EQ(as("all").remove("/projections/orders/redrive").status, 200);
  problem(as("some").put("/projections/orders", "return 1", kLua), 403, "forbidden");
  problem(as("reader").put("/projections/orders", "return 1", kLua), 403, "forbidden");
  problem(as("some").remove("/projections/orders"), 403, "forbidden");
  EXPECT_EQ(as("reader").get("/projections/orders/rows/a").status, 200);
  EXPECT_EQ(new_client().get("/projections").status, 401);
}

}  // namespace
}  // namespace cairn::test
