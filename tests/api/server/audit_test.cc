// The program's own events say which request they were written for.

#include <chrono>
#include <string>
#include <utility>

#include "tests/api/server/access_fixture.h"
#include "tests/api/server/aggregate_fixture.h"
#include "tests/api/server/projection_fixture.h"

namespace cairn::test {
namespace {

using ::testing::MatchesRegex;

constexpr const char* kLua = "text/x-lua";

class AuditTest : public AccessTest {
 protected:
  void SetUp() override {
    AccessTest::SetUp();
    serve_with_tokens();
  }
  // An administrator whose requests have this id.
  ApiClient admin(const std::string& request_id) {
    return ApiClient(port(),
                     {{"Authorization", std::string("Bearer ") + kAdmin}, {"X-Request-Id", request_id}});
  }
  void restart_without_tokens() {
    kill_server();
    send_always({});
    serve();
  }
  // The newest event, once it is in `stream`.
  Json newest(const std::string& stream) {
    Json event = get("/events?direction=backward&limit=1").json()["events"][0];
    EXPECT_EQ(event["stream"], stream);
    return event;
  }
  void expect_origin(const std::string& stream, const std::string& type, const std::string& request_id) {
    const Json event = newest(stream);
    EXPECT_EQ(event["type"], type);
    EXPECT_EQ(event["metadata"], (Json{{"actor", "admin"}, {"requestId", request_id}}));
  }
  void expect_audited(const std::string& type, const std::string& request_id, const std::string& outcome) {
    const Json event = newest("$audit");
    EXPECT_EQ(event["type"], type);
    EXPECT_EQ(event["metadata"], (Json{{"actor", "admin"}, {"requestId", request_id}, {"outcome", outcome}}));
  }
};

TEST_F(AuditTest, EachAnswerHasTheIdOfItsRequest) {
  for (const std::string given : {"r", "order 7/~!\"\\"}) {
    EXPECT_EQ(admin(given).get("/version").header("X-Request-Id"), given);
    EXPECT_EQ(admin(given).get("/nowhere").header("X-Request-Id"), given);
  }
  const std::string longest(128, 'x');
  EXPECT_EQ(admin(longest).get("/version").header("X-Request-Id"), longest);
  const std::string made = "[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}-";
  for (const std::string& wrong : {longest + "x", std::string("\xC3\xA4"), std::string("a\tb")}) {
    EXPECT_THAT(admin(wrong).get("/version").header("X-Request-Id"), MatchesRegex(made + "1")) << wrong;
  }
  ApiClient none = as(kReader);
  const std::string first = none.get("/version").header("X-Request-Id");
  const std::string second = none.get("/version").header("X-Request-Id");
  EXPECT_THAT(first, MatchesRegex(made + "1"));
  EXPECT_EQ(second, first.substr(0, first.size() - 1) + "2");
  EXPECT_THAT(nobody().get("/version").header("X-Request-Id"), MatchesRegex(made + "1"))
      << "refused with 401";
  EXPECT_THAT(none.get("/events", {{"Accept", "application/x-ndjson"}}).header("X-Request-Id"),
              MatchesRegex(made + "3"));
}

TEST_F(AuditTest, ChangesOfSchemasHaveActorAndRequest) {
  const std::string schema = R"({"schema":"\"long\""})";
  ASSERT_EQ(admin("a \"\\ b").post("/subjects/S/versions", schema).status, 200);
  expect_origin("$schemas", "SchemaRegistered", "a \"\\ b");
  const std::vector<std::pair<std::string, std::string>> settings = {
      {"/config/S", R"({"compatibility":"NONE"})"},
      {"/config", R"({"compatibility":"NONE"})"},
      {"/mode/S", R"({"mode":"READWRITE"})"},
      {"/mode", R"({"mode":"READONLY_OVERRIDE"})"}};
  for (const auto& [path, body] : settings) {
    ASSERT_EQ(admin("set " + path).put(path, body).status, 200);
    EXPECT_EQ(newest("$schemas")["metadata"]["requestId"], "set " + path);
  }
  ASSERT_EQ(admin("rw").put("/mode", R"({"mode":"READWRITE"})").status, 200);
  for (const auto& [path, body] : settings) {
    ASSERT_EQ(admin("unset " + path).remove(path).status, 200) << path;
    EXPECT_EQ(newest("$schemas")["metadata"]["requestId"], "unset " + path);
  }
  ASSERT_EQ(admin("b").remove("/subjects/S/versions/1").status, 200);
  EXPECT_EQ(newest("$schemas")["metadata"]["requestId"], "b");
  ASSERT_EQ(admin("c").post("/subjects/S/versions", schema).status, 200);
  ASSERT_EQ(admin("d").remove("/subjects/S").status, 200);
  EXPECT_EQ(newest("$schemas")["metadata"]["requestId"], "d");
}

TEST_F(AuditTest, DefinitionsHaveActorAndRequest) {
  ASSERT_EQ(admin("a").put("/projections/sales", sales(), kLua).status, 201);
  expect_origin("$definitions", "ProjectionDeployed", "a");
  ASSERT_EQ(admin("b").remove("/projections/sales").status, 204);
  expect_origin("$definitions", "ProjectionRemoved", "b");
  ASSERT_EQ(admin("c").put("/aggregates/count", adder(), kLua).status, 201);
  expect_origin("$definitions", "AggregateDeployed", "c");

  const auto record = [](const std::string& field) {
    return R"({\"type\":\"record\",\"name\":\"S\",\"fields\":[{\"name\":\")" + field +
           R"(\",\"type\":\"long\"}]})";
  };
  const auto upcaster = [](const std::string& value) {
    return "return upcaster {type = 'S', from = 1, to = 2, upcast = function(data) return {b = " + value +
           "} end}";
  };
  ASSERT_EQ(admin("d").post("/subjects/S/versions", R"({"schema":")" + record("a") + "\"}").status, 200);
  const HttpAnswer both =
      admin("e").post("/subjects/S/versions",
                      R"({"schema":")" + record("b") + R"(","upcaster":")" + upcaster("data.a") + "\"}");
  ASSERT_EQ(both.status, 200) << both.body;
  expect_origin("$definitions", "UpcasterInstalled", "e");
  const Json schema = get("/events?direction=backward&limit=2").json()["events"][1];
  EXPECT_EQ(schema["stream"], "$schemas");
  EXPECT_EQ(schema["metadata"], (Json{{"actor", "admin"}, {"requestId", "e"}}));
  ASSERT_EQ(admin("f").put("/upcasters/S/1", upcaster("data.a + 1"), kLua).status, 201);
  expect_origin("$definitions", "UpcasterInstalled", "f");
  restart();
  EXPECT_EQ(get("/upcasters/S").json()["upcasters"].size(), 1u) << "they are read back";
}

TEST_F(AuditTest, CommandsHaveActorRequestAndOutcome) {
  ASSERT_EQ(admin("a").post("/reload", "").status, 200);
  expect_audited("ServerReloaded", "a", "ok");
  ASSERT_EQ(admin("b").put("/projections/sales", sales(), kLua).status, 201);
  const std::string bad = R"({"type":"Sold","data":{"customer":"ann"}})";
  ASSERT_EQ(append("sale-1", {bad, bad, bad, bad, bad, bad}).status, 201);
  ASSERT_EQ(get("/projections/sales/rows/ann?waitMs=30000&minPosition=" + std::to_string(head())).status,
            404);
  // The slow rebuild is still there to be cancelled, and the other one is there to be rolled back at some time.
  for (const std::string command : {"pause", "resume", "rebuild?eventsPerSecond=1", "cancel", "rebuild"}) {
    ASSERT_EQ(admin(command).post("/projections/sales/" + command, "").status, 202) << command;
    expect_audited("ProjectionCommanded", command, "ok");
  }
  const auto give_up_at = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  while (admin("rollback").post("/projections/sales/rollback", "").status != 202) {
    ASSERT_LT(std::chrono::steady_clock::now(), give_up_at);
  }
  expect_audited("ProjectionCommanded", "rollback", "ok");
  ASSERT_EQ(admin("d").post("/projections/sales/parked/ann/retry", "").status, 200);
  expect_audited("ProjectionParkedRetried", "d", "begun");
  ASSERT_EQ(admin("e").post("/projections/sales/parked/retry", "").status, 200);
  expect_audited("ProjectionParkedRetryEnded", "e", "ok");
  const Json begun = get("/events?direction=backward&limit=2").json()["events"][1];
  EXPECT_EQ(begun["type"], "ProjectionParkedRetried");
  EXPECT_EQ(begun["metadata"], (Json{{"actor", "admin"}, {"requestId", "e"}, {"outcome", "begun"}}));
  const HttpAnswer skipped = admin("f").post("/projections/sales/parked/ann/skip", R"({"reason":"bad"})");
  ASSERT_EQ(skipped.status, 200) << skipped.body;
  expect_audited("ProjectionEventSkipped", "f", "ok");
}

TEST_F(AuditTest, RefusedCommandsAreWrittenDown) {
  const auto expect_refused = [&](const std::string& method, const std::string& path,
                                  const std::string& refusal, const std::string& request_id) {
    expect_audited("CommandRefused", request_id, "refused");
    EXPECT_EQ(newest("$audit")["data"], (Json{{"method", method}, {"path", path}, {"problem", refusal}}));
  };
  problem(admin("a").put("/projections/sales", "return 7", kLua), 422, "script-error");
  expect_refused("PUT", "/projections/sales", "script-error", "a");
  ASSERT_EQ(admin("b").put("/projections/sales", sales(), kLua).status, 201);
  problem(admin("c").post("/projections/sales/rollback", ""), 409, "wrong-state");
  expect_refused("POST", "/projections/sales/rollback", "wrong-state", "c");
  problem(admin("d").put("/aggregates/other", adder(), kLua), 422, "invalid-aggregate");
  expect_refused("PUT", "/aggregates/other", "invalid-aggregate", "d");
  problem(admin("e").put("/upcasters/Sold/1", "return 7", kLua), 422, "script-error");
  expect_refused("PUT", "/upcasters/Sold/1", "script-error", "e");
  EXPECT_EQ(
      admin("f").post("/subjects/Sold/versions", R"({"schema":"\"long\"","upcaster":"return 7"})").status,
      422);
  expect_refused("POST", "/subjects/Sold/versions", "script-error", "f");
  std::filesystem::remove(tokens_path());
  problem(admin("g").post("/reload", ""), 409, "reload-failed");
  expect_refused("POST", "/reload", "reload-failed", "g");
  restart_without_tokens();
  EXPECT_EQ(get("/projections/sales").status, 200) << "they are read back";
}

TEST_F(AuditTest, WhatIsWrongWithTheRequestAloneIsNotWrittenDown) {
  ASSERT_EQ(admin("a").put("/projections/sales", sales(), kLua).status, 201);
  const std::uint64_t before = head();
  problem(admin("b").post("/projections/none/rollback", ""), 404, "not-found");
  problem(admin("b").post("/projections/sales/rollback?x=1", ""), 400, "invalid-request");
  problem(admin("b").put("/projections/sales", sales(), "text/plain"), 415, "unsupported-media-type");
  problem(as(kOrdersAdmin).put("/projections/sales", "return 7", kLua), 403, "forbidden");
  problem(as(kBoth).post("/projections/sales/rollback", ""), 403, "forbidden");
  problem(admin("b").put("/upcasters/Sold/1?dryRun=true", "return 7", kLua), 422, "script-error");
  EXPECT_EQ(admin("b").post("/subjects/Sold/versions", R"({"schema":"no schema"})").status, 422);
  EXPECT_EQ(head(), before);
}

TEST_F(AuditTest, WithoutTokensThereIsNoActor) {
  restart_without_tokens();
  ApiClient client(port(), {{"X-Request-Id", "a"}});
  ASSERT_EQ(client.post("/reload", "").status, 200);
  EXPECT_EQ(newest("$audit")["metadata"], (Json{{"requestId", "a"}, {"outcome", "ok"}}));
}

}  // namespace
}  // namespace cairn::test
