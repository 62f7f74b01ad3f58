// Reads of one row and of pages, and reads that wait for a position.

#include <chrono>
#include <future>
#include <string>
#include <vector>

#include "tests/api/projections/projection_routes_fixture.h"

namespace cairn::test {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;

class RowRoutesTest : public ProjectionRoutesTest {
 protected:
  RowRoutesTest() {
    daemon_.status_.position = {20};
    daemon_.status_.generation = 3;
    daemon_.rows_ = {{"a", R"({"n":1})"}, {"b/1 ü", R"({"n":18446744073709551615})"}, {"b2", "{}"}};
  }
  // Reads a row on another thread.
  std::future<HttpAnswer> begin_get(const std::string& path) {
    if (!service_started_) serve();
    service_started_ = true;
    return std::async(std::launch::async, [client = std::make_shared<ApiClient>(new_client()), path] {
      return client->get(path);
    });
  }

 private:
  bool service_started_ = false;
};

TEST_F(RowRoutesTest, RowHasItsPosition) {
  EXPECT_EQ(get("/projections/orders/rows/a").body,
            R"({"key":"a","row":{"n":1},"position":20,"generation":3})");
  EXPECT_EQ(get("/projections/orders/rows/a?minPosition=20&waitMs=0").status, 200);
}

TEST_F(RowRoutesTest, KeyMayHaveSlashes) {
  EXPECT_EQ(get("/projections/orders/rows/b%2F1%20%C3%BC").body,
            R"({"key":"b/1 ü","row":{"n":18446744073709551615},"position":20,"generation":3})");
  EXPECT_EQ(problem(get("/projections/orders/rows/b/1"), 404, "not-found")["kind"], "path");
  EXPECT_EQ(problem(get("/projections/orders/rows/b%2"), 400, "invalid-request")["field"], "path");
}

TEST_F(RowRoutesTest, MissingRowHasThePosition) {
  const Json missing = problem(get("/projections/orders/rows/none"), 404, "not-found");
  EXPECT_EQ(missing["kind"], "row");
  EXPECT_EQ(missing["name"], "none");
  EXPECT_EQ(missing["position"], 20);
  EXPECT_EQ(missing["generation"], 3);
}

TEST_F(RowRoutesTest, NextPageBeginsAfterTheLast) {
  const HttpAnswer first = get("/projections/orders/rows?limit=1&prefix=b");
  EXPECT_EQ(first.body, R"({"rows":[{"key":"b/1 ü","row":{"n":18446744073709551615}}],"next":"b/1 ü",)"
                        R"("position":20,"generation":3})");
  const HttpAnswer second = get("/projections/orders/rows?limit=1&prefix=b&after=b%2F1%20%C3%BC");
  EXPECT_EQ(second.body, R"({"rows":[{"key":"b2","row":{}}],"next":null,"position":20,"generation":3})");
  EXPECT_EQ(get("/projections/orders/rows?prefix=x").json()["rows"], Json::array());
  EXPECT_EQ(get("/projections/orders/rows").json()["rows"].size(), 3u);
  EXPECT_THAT(daemon_.calls(),
              ElementsAre("rows 'b' '' 1", "rows 'b' 'b/1 ü' 1", "rows 'x' '' 100", "rows '' '' 100"));
}

TEST_F(RowRoutesTest, ProblemNamesTheWrongParameter) {
  for (const char* path : {"rows", "rows/a"}) {
    for (const char* field :
         {"minPosition=-1", "minPosition=x", "waitMs=30001", "waitMs=1.5", "partial=1", "maxPosition=1"}) {
      const Json wrong =
          problem(get("/projections/orders/" + std::string(path) + "?" + field), 400, "invalid-request");
      EXPECT_EQ(wrong["field"], std::string(field).substr(0, std::string(field).find('=')));
    }
  }
  problem(get("/projections/orders/rows?limit=0"), 400, "invalid-request");
  problem(get("/projections/orders/rows?limit=10001"), 400, "invalid-request");
  EXPECT_EQ(get("/projections/orders/rows?limit=10000&waitMs=30000").status, 200);
}

TEST_F(RowRoutesTest, WaitingReadIsAnsweredAtThePosition) {
  for (const char* path : {"rows/new?minPosition=21&waitMs=30000", "rows?minPosition=21&waitMs=30000"}) {
    daemon_.reach(20);
    auto answer = begin_get(std::string("/projections/orders/") + path);
    auto waits = daemon_.take_waits(1);
    ASSERT_EQ(waits.size(), 1u);
    EXPECT_EQ(waits[0].position.value, 21u);
    EXPECT_EQ(waits[0].timeout, 30s);
    EXPECT_EQ(answer.wait_for(0s), std::future_status::timeout);
    daemon_.rows_["new"] = "{}";
    daemon_.reach(21);
    waits[0].done(true);
    EXPECT_EQ(answered(answer.get(), 200)["position"], 21);
  }
}

TEST_F(RowRoutesTest, WaitingReadsHoldNoThread) {
  std::vector<std::future<HttpAnswer>> answers;
  for (int i = 0; i < 10; ++i) {
    answers.push_back(begin_get("/projections/orders/rows/a?minPosition=21&waitMs=30000"));
    answers.push_back(begin_get("/projections/orders/rows?minPosition=21&waitMs=30000"));
  }
  auto waits = daemon_.take_waits(20);
  // The server has one thread, the readers have two.
  EXPECT_EQ(get("/health").status, 200);
  EXPECT_EQ(get("/projections/orders/rows").status, 200);
  daemon_.reach(21);
  for (auto& wait : waits) wait.done(true);
  for (auto& answer : answers) EXPECT_EQ(answer.get().status, 200);
}

TEST_F(RowRoutesTest, TimeoutAnswersWithThePositionOfTheRows) {
  for (const char* path : {"rows/a?minPosition=25", "rows?minPosition=25"}) {
    auto answer = begin_get(std::string("/projections/orders/") + path);
    auto waits = daemon_.take_waits(1);
    ASSERT_EQ(waits.size(), 1u);
    EXPECT_EQ(waits[0].timeout, 1s) << "the default";
    daemon_.reach(22);
    waits[0].done(false);
    const HttpAnswer told = answer.get();
    const Json problem_told = problem(told, 503, "not-yet");
    EXPECT_EQ(problem_told["position"], 22);
    EXPECT_EQ(problem_told["minPosition"], 25);
    EXPECT_EQ(told.header("Retry-After"), "1");
    daemon_.reach(20);
  }
}

TEST_F(RowRoutesTest, WithoutAWaitTheAnswerComesAtOnce) {
  for (const char* path : {"rows/a?minPosition=21&waitMs=0", "rows?minPosition=21&waitMs=0"}) {
    const Json told = problem(get(std::string("/projections/orders/") + path), 503, "not-yet");
    EXPECT_EQ(told["position"], 20);
  }
}

// The read waits for one generation and then reads from another.
TEST_F(RowRoutesTest, RowsBeforeThePositionAreNotReturned) {
  auto answer = begin_get("/projections/orders/rows/a?minPosition=25&waitMs=30000");
  auto waits = daemon_.take_waits(1);
  ASSERT_EQ(waits.size(), 1u);
  waits[0].done(true);
  EXPECT_EQ(problem(answer.get(), 503, "not-yet")["position"], 20);
}

TEST_F(RowRoutesTest, StopAnswersWaitingReads) {
  auto answer = begin_get("/projections/orders/rows?minPosition=25&waitMs=30000");
  auto waits = daemon_.take_waits(1);
  ASSERT_EQ(waits.size(), 1u);
  service_.stop();
  waits[0].done(false);
  EXPECT_EQ(answer.get().status, 503);
}

class FirstBuildTest : public RowRoutesTest {
 protected:
  FirstBuildTest() {
    daemon_.partial_ = true;
    daemon_.status_.state = ProjectionState::kRebuilding;
    daemon_.status_.position = {0};
    daemon_.status_.generation = 0;
    daemon_.status_.rebuild = RebuildStatus{
        .generation = 1, .position = {7}, .target = {30}, .events_per_second = 2, .eta_seconds = 11.5};
  }
};

TEST_F(FirstBuildTest, ReadsAreAnsweredWith503) {
  for (const char* path : {"rows/a", "rows", "rows/a?minPosition=3&waitMs=0"}) {
    const HttpAnswer told = get(std::string("/projections/orders/") + path);
    const Json building = problem(told, 503, "not-yet");
    EXPECT_EQ(building["state"], "rebuilding");
    EXPECT_EQ(building["rebuild"]["position"], 7);
    EXPECT_EQ(building["rebuild"]["target"], 30);
    EXPECT_EQ(told.header("Retry-After"), "12") << "the estimated time to the end of the build";
  }
  daemon_.status_.rebuild->eta_seconds = 1e9;
  EXPECT_EQ(get("/projections/orders/rows/a").header("Retry-After"), "60");
  daemon_.status_.rebuild->eta_seconds.reset();
  EXPECT_EQ(get("/projections/orders/rows/a").header("Retry-After"), "1");
}

TEST_F(FirstBuildTest, PartialReadsGetTheRowsBuiltSoFar) {
  EXPECT_EQ(get("/projections/orders/rows/a?partial=true").body,
            R"({"key":"a","row":{"n":1},"position":0,"generation":0,"partial":true})");
  EXPECT_EQ(answered(get("/projections/orders/rows?partial=true"), 200)["partial"], true);
}

TEST_F(FirstBuildTest, WaitLastsUntilTheFirstRowsAreBuilt) {
  auto answer = begin_get("/projections/orders/rows/a?minPosition=5&waitMs=30000");
  auto waits = daemon_.take_waits(1);
  ASSERT_EQ(waits.size(), 1u);
  daemon_.partial_ = false;
  daemon_.reach(5);
  waits[0].done(true);
  EXPECT_EQ(answered(answer.get(), 200)["position"], 5);
}

}  // namespace
}  // namespace cairn::test
