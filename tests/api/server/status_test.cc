// GET /status of a real server.

#include <algorithm>
#include <string>
#include <vector>

#include "eventstore/base/time_text.h"
#include "tests/api/server/access_fixture.h"
#include "tests/api/server/aggregate_fixture.h"
#include "tests/api/server/projection_fixture.h"

namespace cairn::test {
namespace {

using ::testing::Contains;
using ::testing::Not;

class ServerStatusTest : public ProjectionApiTest {
 protected:
  Json status() {
    const HttpAnswer answer = get("/status");
    EXPECT_EQ(answer.status, 200) << answer.body;
    return answer.json();
  }
  static std::vector<std::string> attention(const Json& status) {
    std::vector<std::string> found;
    for (const Json& one : status["needsAttention"])
      found.push_back(one.value("kind", "") + " " + one.value("name", ""));
    return found;
  }
};

TEST_F(ServerStatusTest, NumbersAreThoseOfTheStore) {
  for (int i = 0; i < 6; ++i)
    ASSERT_EQ(append("a-" + std::to_string(i), {event_text("A"), event_text("B")}).status, 201);
  const std::vector<std::string> same = {event_text("C", "1", uuid(1))};
  ASSERT_EQ(append("b-1", same).status, 201);
  ASSERT_EQ(append("b-1", same).status, 200);
  const Json found = status();
  EXPECT_EQ(found["version"], get("/version").json()["version"]);
  EXPECT_EQ(found["head"], 13);
  EXPECT_EQ(found["data"], folder());
  EXPECT_EQ(found["store"].get<std::string>().size(), 36u);
  EXPECT_EQ(found["appends"]["queued"], 0);
  EXPECT_EQ(found["commits"]["lastMinute"], 7) << "a repeat commits nothing";
  EXPECT_GT(found["commits"]["meanMs"].get<double>(), 0);
  EXPECT_GE(found["commits"]["p99Ms"].get<double>() * 1.2, found["commits"]["meanMs"].get<double>());
  const double events = found["events"]["perSecond1m"].get<double>();
  EXPECT_GT(events, 0);
  EXPECT_LE(events, 13);
  // 13 events in 7 appends, over the same seconds; both are rounded to three decimals.
  EXPECT_NEAR(found["appends"]["perSecond1m"].get<double>() * 13 / 7, events, 0.01);
  EXPECT_GT(found["log"]["bytes"].get<std::uint64_t>(), 0u);
  EXPECT_EQ(found["index"]["complete"], true);
  EXPECT_GE(found["disk"]["bytes"].get<std::uint64_t>(), found["disk"]["freeBytes"].get<std::uint64_t>());
  EXPECT_TRUE(found["disk"]["growthBytesPerDay"].is_null()) << "too young";
  EXPECT_EQ(found["projections"], Json::array());
  EXPECT_TRUE(parse_time(found["time"].get<std::string>()).has_value());
  EXPECT_GE(found["time"].get<std::string>(), found["startedAt"].get<std::string>());
}

TEST_F(ServerStatusTest, AnEmptyServerHasNoCommits) {
  const Json found = status();
  EXPECT_EQ(found["head"], 0);
  EXPECT_EQ(found["commits"], (Json{{"lastMinute", 0}, {"meanMs", nullptr}, {"p99Ms", nullptr}}));
  EXPECT_EQ(found["events"]["perSecond10s"].get<double>(), 0);
}

TEST_F(ServerStatusTest, WhatIsDeployedIsCounted) {
  use(sales());
  ASSERT_EQ(client().put("/aggregates/count", adder(), kLuaType).status, 201);
  const Json found = status();
  EXPECT_EQ(found["aggregates"], 1);
  EXPECT_EQ(found["upcasters"], 0);
  ASSERT_EQ(found["projections"].size(), 1u);
  EXPECT_EQ(found["projections"][0]["name"], "sales");
}

TEST_F(ServerStatusTest, AParkedKeyNeedsAPersonUntilItIsSkipped) {
  use(sales());
  row("ada", sell({sold("ada", 5)}));
  EXPECT_THAT(attention(status()), Not(Contains("keys-parked sales")));
  row("ada", sell({sold_badly("ada")}));
  EXPECT_THAT(attention(status()), Contains("keys-parked sales"));
  ASSERT_EQ(post("/projections/sales/parked/ada/skip", R"({"reason":"a test"})").status, 200);
  EXPECT_THAT(attention(status()), Not(Contains("keys-parked sales")));
}

TEST_F(ServerStatusTest, AnUnknownParameterIsRefused) {
  problem(get("/status?all=1"), 400, "invalid-request");
}

class StatusAccessTest : public AccessTest {};

TEST_F(StatusAccessTest, ATokenForSomeCategoriesSeesNoProjectionsAndNoFolder) {
  serve_with_tokens();
  EXPECT_EQ(as(kReader).get("/status").json()["data"], folder());
  EXPECT_TRUE(as(kReader).get("/status").json()["projections"].is_array());
  const Json limited = as(kOrders).get("/status").json();
  EXPECT_TRUE(limited["data"].is_null());
  EXPECT_TRUE(limited["projections"].is_null());
  EXPECT_EQ(limited["head"], 0);
  expect_unauthorized(nobody().get("/status"));
}

}  // namespace
}  // namespace cairn::test
