// Events that cannot be applied: parked with the later events of their key, retried, and skipped with a
// reason.

#include <string>

#include "tests/api/server/projection_fixture.h"

namespace cairn::test {
namespace {

using ::testing::HasSubstr;

class ParkedTest : public ProjectionApiTest {
 protected:
  // A sale that fails, a later sale of the same customer, and a sale of another customer.
  void SetUp() override {
    ProjectionApiTest::SetUp();
    use(sales());
    sell({sold("ann", 10)});
    failing_ = sell({sold_badly("ann")});
    last_ = sell({sold("ann", 5), sold("bob", 1)});
    EXPECT_EQ(row("bob", last_), bought(1, 1)) << "other keys go on";
  }
  HttpAnswer skip(const std::string& key, const std::string& body) {
    return change("parked/" + key + "/skip", body);
  }

  std::uint64_t failing_ = 0, last_ = 0;
};

TEST_F(ParkedTest, AFailingEventParksOnlyItsKey) {
  EXPECT_EQ(row("ann", last_), bought(10, 1));
  const Json listed = get("/projections/sales/parked").json();
  ASSERT_EQ(listed["parked"].size(), 1u) << listed;
  EXPECT_TRUE(listed["next"].is_null());
  const Json parked = listed["parked"][0];
  EXPECT_EQ(parked["key"], "ann");
  EXPECT_EQ(parked["by"], "key");
  EXPECT_EQ(parked["events"], 2);
  EXPECT_EQ(parked["position"], failing_);
  EXPECT_EQ(parked["kind"], "script");
  EXPECT_EQ(parked["line"], 6);
  EXPECT_THAT(parked["message"].get<std::string>(), HasSubstr("amount"));

  const Json one = get("/projections/sales/parked/ann").json();
  EXPECT_EQ(one["key"], "ann");
  ASSERT_EQ(one["entries"].size(), 1u);
  EXPECT_EQ(one["entries"][0]["positions"], (Json{failing_, last_ - 1}));
  const Json now = status();
  EXPECT_EQ(now["parkedKeys"], 1);
  EXPECT_EQ(now["parkedEvents"], 2);
  EXPECT_EQ(now["state"], "running");
}

TEST_F(ParkedTest, AFailedRetryChangesNothing) {
  for (const char* what : {"parked/retry", "parked/ann/retry"}) {
    const HttpAnswer tried = change(what);
    EXPECT_EQ(tried.status, 200) << tried.body;
    EXPECT_EQ(tried.json(), (Json{{"keys", 1}, {"released", 0}, {"events", 0}}));
  }
  EXPECT_EQ(get("/projections/sales/parked").json()["parked"][0]["retries"], 2);
  EXPECT_EQ(row("ann", last_), bought(10, 1));
}

TEST_F(ParkedTest, SkippingAnEventReleasesTheEventsBehindIt) {
  const HttpAnswer skipped = skip("ann", R"({"reason":"a sale without an amount"})");
  EXPECT_EQ(skipped.status, 200) << skipped.body;
  EXPECT_EQ(skipped.json(), (Json{{"keys", 1}, {"released", 1}, {"events", 1}}));
  EXPECT_EQ(row("ann", last_), bought(15, 2));
  EXPECT_TRUE(get("/projections/sales/parked").json()["parked"].empty());
  EXPECT_EQ(problem(skip("ann", R"({"reason":"again"})"), 404, "not-found")["kind"], "parked");
}

TEST_F(ParkedTest, ASkipWithoutAReasonIsRefused) {
  for (const char* body : {"{}", R"({"reason":""})", R"({"reason":null})"}) {
    EXPECT_EQ(problem(skip("ann", body), 400, "invalid-request")["field"], "reason");
  }
  EXPECT_EQ(problem(skip("ann", R"({"reason":"x","all":true})"), 400, "invalid-request")["field"], "all");
  EXPECT_EQ(get("/projections/sales/parked").json()["parked"].size(), 1u);
}

TEST_F(ParkedTest, AKeyWithoutParkedEventsIs404) {
  EXPECT_EQ(problem(get("/projections/sales/parked/bob"), 404, "not-found")["kind"], "parked");
  EXPECT_EQ(problem(change("parked/bob/retry"), 404, "not-found")["kind"], "parked");
}

TEST_F(ParkedTest, ParkedEventsSurviveARestart) {
  restart();
  EXPECT_EQ(row("ann", last_), bought(10, 1));
  EXPECT_EQ(get("/projections/sales/parked").json()["parked"].size(), 1u);
}

}  // namespace
}  // namespace cairn::test
