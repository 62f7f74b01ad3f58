// Where the server's routes run: work that may take long is never on a thread that serves connections.

#include "api/server/routes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <set>
#include <string>

#include "api/events/follower_wakeups.h"
#include "api/metrics/metrics.h"

namespace cairn::api {
namespace {

using ::testing::UnorderedElementsAre;

// "METHOD path" of the routes that are so.
std::set<std::string> routes_that(const std::function<bool(const Route&)>& are) {
  const StoreSlot store;
  FollowerWakeups wakeups;
  Metrics metrics;
  std::set<std::string> found;
  for (const Route& route :
       all_routes({.store = store, .wakeups = wakeups, .metrics = metrics, .version = ""}))
    if (are(route)) found.insert(route.method + " " + route.path);
  return found;
}

// The others answer from memory, or hand their work to threads of their own.
TEST(RoutesTest, ReadsOfTheLogRunOnWorkers) {
  EXPECT_THAT(routes_that([](const Route& route) { return route.runs_on == RunsOn::kWorker; }),
              UnorderedElementsAre("GET /events", "GET /streams/{stream}/events", "GET /streams",
                                   "GET /streams/{stream}", "GET /stats/counts", "GET /metrics",
                                   "POST /reload", "POST /events/query", "POST /tickets", "GET /status"));
}

// A trial may take all the time that a request has: reads do not wait for it.
TEST(RoutesTest, TrialsHaveAThreadOfTheirOwn) {
  EXPECT_THAT(routes_that([](const Route& route) { return route.runs_on == RunsOn::kTrialWorker; }),
              UnorderedElementsAre("POST /projections/try", "POST /aggregates/try", "POST /upcasters/try"));
}

TEST(RoutesTest, LargeAppendsRunOnWorkersAndHaveAWindow) {
  const auto appends = UnorderedElementsAre("POST /append", "POST /streams/{stream}/events");
  EXPECT_THAT(routes_that([](const Route& route) { return route.runs_on == RunsOn::kWorkerIfLarge; }),
              appends);
  EXPECT_THAT(routes_that([](const Route& route) { return route.work == WorkKind::kAppend; }), appends);
}

}  // namespace
}  // namespace cairn::api
