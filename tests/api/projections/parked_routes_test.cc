// Parked events: list, retry, skip.

#include <string>
#include <utility>
#include <vector>

#include "tests/api/projections/projection_routes_fixture.h"

namespace cairn::test {
namespace {

using ::testing::ElementsAre;

class ParkedRoutesTest : public ProjectionRoutesTest {
 protected:
  ParkedRoutesTest() {
    daemon_.parked_ = {{ParkedKey{.key = "c/7",
                                  .by_stream = false,
                                  .generation = 2,
                                  .events = 3,
                                  .position = {40},
                                  .kind = "script",
                                  .message = "attempt to add a nil value",
                                  .line = 5,
                                  .parked_at = {1'795'000'000'000'000},
                                  .retries = 1},
                        {{40}, {44}, {51}}}};
    daemon_.retried_ = {.keys = 4, .released = 3, .events = 17};
  }
  static Json entry() {
    return Json::parse(R"({"key":"c/7","by":"key","generation":2,"events":3,"position":40,"kind":"script",
      "message":"attempt to add a nil value","line":5,"parkedAt":"2026-11-18T11:06:40.000000Z","retries":1,
      "event":null})");
  }
  static Json report() { return {{"keys", 4}, {"released", 3}, {"events", 17}}; }
  HttpAnswer cancel() { return new_client().remove("/projections/orders/redrive"); }
  HttpAnswer skip(const std::string& body, const std::string& type = "application/json") {
    return post("/projections/orders/parked/c%2F7/skip", body, type);
  }
};

TEST_F(ParkedRoutesTest, ListHasEveryField) {
  EXPECT_EQ(answered(get("/projections/orders/parked"), 200), (Json{{"parked", {entry()}}, {"next", "c/7"}}));
  EXPECT_EQ(get("/projections/orders/parked?after=c%2F7&limit=10000").status, 200);
  EXPECT_THAT(daemon_.calls(), ElementsAre("parked '' 100", "parked 'c/7' 10000"));
  daemon_.parked_.clear();
  EXPECT_EQ(get("/projections/orders/parked").body, R"({"parked":[],"next":null})");
  problem(get("/projections/orders/parked?limit=10001"), 400, "invalid-request");
  problem(get("/projections/orders/parked?key=a"), 400, "invalid-request");
}

TEST_F(ParkedRoutesTest, StreamCanBeParked) {
  daemon_.parked_[0].parked.by_stream = true;
  EXPECT_EQ(answered(get("/projections/orders/parked"), 200)["parked"][0]["by"], "stream");
}

TEST_F(ParkedRoutesTest, KeyHasItsPositions) {
  Json with_positions = entry();
  with_positions["positions"] = {40, 44, 51};
  EXPECT_EQ(answered(get("/projections/orders/parked/c%2F7"), 200),
            (Json{{"key", "c/7"}, {"entries", {with_positions}}}));
  EXPECT_THAT(daemon_.calls(), ElementsAre("parked_key c/7"));
}

TEST_F(ParkedRoutesTest, RetryReportsWhatItDid) {
  EXPECT_EQ(answered(post("/projections/orders/parked/retry"), 200), report());
  EXPECT_EQ(answered(post("/projections/orders/parked/c%2F7/retry"), 200), report());
  EXPECT_EQ(answered(post("/projections/orders/parked/retry/retry"), 200), report()) << "a key of this name";
  EXPECT_THAT(daemon_.calls(), ElementsAre("retry all", "retry c/7", "retry retry"));
}

TEST_F(ParkedRoutesTest, ARetryWithABodyBeginsARedrive) {
  RedriveReport report;
  report.id = 3;
  report.options = {.keys_per_second = 50, .stop_after_failures = 5, .dry_run = true};
  report.state = RedriveState::kStopped;
  report.reason = "5 keys have failed again";
  report.keys = 9;
  report.tried = 7;
  report.released = 2;
  report.failed = 5;
  report.events = 40;
  report.failures = {{{ParkedPlace::By::kStream, "order-1"}, 2, {{40}, "script", "no \"sum\"", 5, {}, 1}}};
  report.started_at = {1'795'000'000'000'000};
  report.ended_at = Timestamp{1'795'000'001'000'000};
  daemon_.redrive_ = report;
  const Json expected =
      Json::parse(R"({"redrive":{"id":3,"state":"stopped","reason":"5 keys have failed again",
    "dryRun":true,"keysPerSecond":50,"stopAfterFailures":5,"keys":9,"tried":7,"released":2,"failed":5,
    "eventsApplied":40,"failures":[{"key":"order-1","by":"stream","generation":2,"position":40,"kind":"script",
    "message":"no \"sum\"","line":5}],"startedAt":"2026-11-18T11:06:40.000000Z",
    "endedAt":"2026-11-18T11:06:41.000000Z"}})");
  const std::string path = "/projections/orders/parked/retry";
  const std::string body = R"({"keysPerSecond":50,"stopAfterFailures":5,"dryRun":true})";
  EXPECT_EQ(answered(post(path, body, "application/json"), 202), expected);
  EXPECT_EQ(answered(get("/projections/orders/redrive"), 200), expected);
  EXPECT_EQ(answered(cancel(), 200), expected);
  daemon_.redrive_ = RedriveReport{};
  const Json begun = answered(post(path, "{}", "application/json"), 202)["redrive"];
  for (const char* field : {"reason", "keysPerSecond", "stopAfterFailures", "endedAt"}) {
    EXPECT_TRUE(begun[field].is_null()) << field;
  }
  EXPECT_EQ(begun["state"], "running");
  EXPECT_EQ(post(path, R"({"keysPerSecond":null})", "application/json").status, 202);
  EXPECT_THAT(daemon_.calls(),
              ElementsAre("redrive 50 5 dry", "cancel_redrive", "redrive 0 0", "redrive 0 0"));
}

TEST_F(ParkedRoutesTest, RedriveRefusesWhatItDoesNotKnow) {
  const std::string path = "/projections/orders/parked/retry";
  for (const auto& [body, field] :
       std::vector<std::pair<std::string, std::string>>{{R"({"keysPerSecond":0})", "keysPerSecond"},
                                                        {R"({"keysPerSecond":1000001})", "keysPerSecond"},
                                                        {R"({"keysPerSecond":1.5})", "keysPerSecond"},
                                                        {R"({"keysPerSecond":"1"})", "keysPerSecond"},
                                                        {R"({"stopAfterFailures":-1})", "stopAfterFailures"},
                                                        {R"({"dryRun":1})", "dryRun"},
                                                        {R"({"keys":1})", "keys"},
                                                        {"[]", "body"},
                                                        {"{", "body"}}) {
    EXPECT_EQ(problem(post(path, body, "application/json"), 400, "invalid-request")["field"], field) << body;
  }
  problem(post(path, "{}", "text/plain"), 415, "unsupported-media-type");
  EXPECT_EQ(problem(get("/projections/orders/redrive"), 404, "not-found")["kind"], "redrive");
  EXPECT_EQ(problem(get("/projections/none/redrive"), 404, "not-found")["kind"], "projection");
  EXPECT_THAT(daemon_.calls(), ::testing::IsEmpty());
  daemon_.error_ = make_error(Errc::kFailedPrecondition, "a retry is under way");
  problem(post(path, "{}", "application/json"), 409, "wrong-state");
  problem(cancel(), 409, "wrong-state");
}

TEST_F(ParkedRoutesTest, KeyWithoutParkedEventsIs404) {
  daemon_.error_ = make_error(Errc::kNotFound, "nothing is parked");
  for (const HttpAnswer& answer :
       {get("/projections/orders/parked/c%2F7"), post("/projections/orders/parked/c%2F7/retry"),
        skip(R"({"reason":"x"})")}) {
    const Json missing = problem(answer, 404, "not-found");
    EXPECT_EQ(missing["kind"], "parked");
    EXPECT_EQ(missing["name"], "c/7");
  }
  EXPECT_EQ(answered(post("/projections/orders/parked/retry"), 200)["keys"], 0);
}

TEST_F(ParkedRoutesTest, SkipNeedsAReason) {
  EXPECT_EQ(answered(skip(R"({"reason":"the customer is a test"})"), 200), report());
  EXPECT_EQ(daemon_.calls().back(), "skip c/7: the customer is a test");
  std::string umlauts;
  for (int i = 0; i < 1'000; ++i) umlauts += "ü";
  EXPECT_EQ(skip(Json{{"reason", umlauts}}.dump()).status, 200) << "characters count, not bytes";
  const std::size_t before = daemon_.calls().size();
  for (const std::string& body : {std::string("{}"), std::string(R"({"reason":""})"),
                                  std::string(R"({"reason":7})"), Json{{"reason", umlauts + "ü"}}.dump()}) {
    EXPECT_EQ(problem(skip(body), 400, "invalid-request")["field"], "reason") << body.substr(0, 50);
  }
  EXPECT_EQ(problem(skip(R"({"reason":"x","force":true})"), 400, "invalid-request")["field"], "force");
  EXPECT_EQ(problem(skip(""), 400, "invalid-request")["field"], "body");
  EXPECT_EQ(problem(skip("[]"), 400, "invalid-request")["field"], "body");
  EXPECT_EQ(problem(skip(R"({"reason":"x","reason":"y"})"), 400, "invalid-request")["field"], "body");
  problem(skip(R"({"reason":"x"})", "text/plain"), 415, "unsupported-media-type");
  EXPECT_EQ(daemon_.calls().size(), before);
}

TEST_F(ParkedRoutesTest, WrongStateIsAConflict) {
  daemon_.status_.state = ProjectionState::kFaulted;
  daemon_.error_ = make_error(Errc::kFailedPrecondition, "the definition is gone");
  EXPECT_EQ(problem(post("/projections/orders/parked/retry"), 409, "wrong-state")["state"], "faulted");
  EXPECT_EQ(problem(skip(R"({"reason":"x"})"), 409, "wrong-state")["state"], "faulted");
}

}  // namespace
}  // namespace cairn::test
