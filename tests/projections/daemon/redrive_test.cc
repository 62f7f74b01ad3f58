// A redrive: all that is parked is tried again in small steps, while the projection goes on with the log.

#include <functional>
#include <nlohmann/json.hpp>

#include "projections/runner/redrive_pace.h"
#include "tests/projections/daemon/daemon_fixture.h"

namespace cairn::test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// Counts events and adds up their cents, and fails where `fails` is true.
std::string failing_where(const std::string& fails) {
  return projection(
      "    Added = function(row, event)\n"
      "      row.n = (row.n or 0) + 1\n"
      "      if " +
          fails +
          " then error('refused') end\n"
          "      row.sum = (row.sum or 0) + event.data.cents\n"
          "    end,",
      " key = function(event) return event.data.customer end,");
}

const std::string kRefusesBelow0 = failing_where("event.data.cents < 0");
const std::string kRefusesBelowMinus1 = failing_where("event.data.cents < -1");
const std::string kRefusesNothing = failing_where("false");

class RedriveTest : public DaemonTest {
 protected:
  // `keys` customers, each with an event that fails with kRefusesBelow0, and `behind` more events.
  void park(std::size_t keys, std::size_t behind, std::int64_t cents = -1) {
    has_projection("customers", kRefusesBelow0);
    for (std::size_t key = 0; key < keys; ++key) {
      const std::string name = "c" + std::to_string(1'000 + key);
      add_to(name, cents, 1);
      add_to(name, 1, behind);
    }
    settle();
    ASSERT_EQ(status("customers").parked_keys, keys);
  }
  // Appends `count` events of a customer.
  void add_to(const std::string& name, std::int64_t cents, std::size_t count) {
    constexpr std::size_t kAtOnce = 500;
    while (count > 0) {
      std::vector<NewEvent> events;
      for (; count > 0 && events.size() < kAtOnce; --count) {
        events.push_back(event("Added", added_json(name, cents)));
      }
      append("order-" + name, std::move(events));
    }
  }
  void fix(const std::string& source = kRefusesNothing) {
    ASSERT_THAT(deploy_projection("customers", source, true), HasSubstr("deployed"));
  }
  void start(const RedriveOptions& options = {}) {
    ASSERT_THAT(daemon().start_redrive("customers", options, {"ops", "r-1"}), succeeds());
  }
  RedriveReport report() {
    const auto found = daemon().redrive("customers");
    EXPECT_TRUE(found.has_value());
    return found.value_or(RedriveReport{});
  }
  std::string outcome() {
    const RedriveReport now = report();
    return std::string(to_string(now.state)) + (now.reason.empty() ? "" : ": " + now.reason);
  }
  void expect_rows_are_rebuilt_the_same() {
    const Rows before = rows("customers", false, 1'000);
    const std::uint64_t generation = status("customers").generation;
    ASSERT_THAT(daemon().rebuild("customers", std::nullopt), succeeds());
    settle();
    ASSERT_EQ(status("customers").generation, generation + 1);
    EXPECT_EQ(rows("customers", false, 1'000), before);
  }
  // "type outcome state" of what $audit has about retries.
  std::vector<std::string> audited() {
    std::vector<std::string> found;
    for (const Event& event : events_in("$audit")) {
      if (!event.type.starts_with("ProjectionParkedRetr")) continue;
      const auto metadata = nlohmann::json::parse(event.metadata);
      found.push_back(event.type + " " + metadata["outcome"].get<std::string>() + " by " +
                      metadata["actor"].get<std::string>() + " " + event.data);
    }
    return found;
  }
};

TEST_F(RedriveTest, GivesWhatARebuildGives) {
  park(30, 5);
  fix();
  start();
  EXPECT_EQ(outcome(), "running");
  settle();
  const RedriveReport now = report();
  EXPECT_EQ(outcome(), "done");
  EXPECT_EQ(now.keys, 30u);
  EXPECT_EQ(now.tried, 30u);
  EXPECT_EQ(now.released, 30u);
  EXPECT_EQ(now.failed, 0u);
  EXPECT_EQ(now.events, 30u * 6);
  EXPECT_TRUE(now.ended_at.has_value());
  EXPECT_THAT(parked("customers"), IsEmpty());
  expect_rows_are_rebuilt_the_same();
}

// The step is bounded in events: 15,000 events of one key and of many do not hold up the batches of the log.
TEST_F(RedriveTest, BatchesOfTheLogAreTakenBetweenTwoBoundedSteps) {
  park(100, 49);
  add_to("c1050", 1, 10'000);
  settle();
  fix();
  start();
  std::uint64_t live = 0;
  std::uint64_t events = 0;
  bool was_unfinished = false;
  while (report().state == RedriveState::kRunning) {
    ++live;
    added("order-live", "live", 1);
    ASSERT_TRUE(daemon().run_once());
    EXPECT_EQ(row("customers", "live"),
              R"({"n":)" + std::to_string(live) + R"(,"sum":)" + std::to_string(live) + "}");
    const std::uint64_t now = report().events;
    // A step ends with the key that comes to the bound.
    EXPECT_LE(now - events, RedrivePace::kEventsMax) << "step " << live;
    events = now;
    for (const std::string& one : parked("customers")) {
      was_unfinished = was_unfinished || one.ends_with(" unfinished");
    }
    ASSERT_LT(live, 20'000u);
  }
  EXPECT_EQ(events, 15'000u);
  EXPECT_GE(live, 5u);
  EXPECT_TRUE(was_unfinished) << "the long key took one step";
  EXPECT_EQ(outcome(), "done");
  EXPECT_EQ(status("customers").parked_events, 0u);
  ASSERT_TRUE(status("customers").last_error.has_value());
  EXPECT_THAT(status("customers").last_error->message, HasSubstr("refused"))
      << "an unfinished key is no error";
  expect_rows_are_rebuilt_the_same();
}

TEST_F(RedriveTest, AKeyThatFailsAgainStaysParkedAtItsNewFirstFailure) {
  has_projection("customers", kRefusesBelow0);
  for (const std::int64_t cents : {1, -1, 2, -2, 3}) added("order-1", "ada", cents);  // from 2 on
  settle();
  ASSERT_THAT(parked("customers"), ElementsAre("ada@3 +3 script"));
  fix(kRefusesBelowMinus1);
  const std::uint64_t failing = 5;
  start();
  settle();
  EXPECT_EQ(outcome(), "done");
  EXPECT_EQ(report().failed, 1u);
  EXPECT_EQ(report().events, 2u);
  ASSERT_EQ(report().failures.size(), 1u);
  EXPECT_EQ(report().failures[0].place.name, "ada");
  EXPECT_EQ(report().failures[0].event.position, GlobalPosition{failing});
  EXPECT_THAT(report().failures[0].event.message, HasSubstr("refused"));
  EXPECT_EQ(row("customers", "ada"), R"({"n":3,"sum":2})");
  EXPECT_THAT(parked("customers"), ElementsAre("ada@5 +1 script"));
}

TEST_F(RedriveTest, StopsAfterSoManyFailuresAndTriesNoFurtherKey) {
  park(100, 1);
  start({.stop_after_failures = 3});
  settle();
  EXPECT_EQ(outcome(), "stopped: 3 keys have failed again");
  EXPECT_EQ(report().tried, 3u);
  EXPECT_EQ(report().failed, 3u);
  EXPECT_EQ(status("customers").parked_keys, 100u);
  std::size_t retried = 0;
  for (const ParkedKey& key : value_of(daemon().parked("customers", "", 100)).keys) retried += key.retries;
  EXPECT_EQ(retried, 3u);
}

TEST_F(RedriveTest, KeepsItsRate) {
  park(50, 0);
  fix();
  start({.keys_per_second = 10});
  settle();
  EXPECT_EQ(report().tried, 1u);
  for (std::uint64_t tried = 2; tried <= 50; ++tried) {
    clock().advance(100'000);
    settle();
    ASSERT_EQ(report().tried, tried);
    ASSERT_EQ(status("customers").parked_keys, 50 - tried);
  }
  settle();
  EXPECT_EQ(outcome(), "done");
}

TEST_F(RedriveTest, ADryRunSaysWhatWouldHappenAndChangesNothing) {
  park(20, 3);
  add_to("c1004", 1, 1'000);  // more than the first step
  add_to("c1005", -2, 1);
  settle();
  fix(kRefusesBelowMinus1);
  const auto before = parked("customers");
  const Rows rows_before = rows("customers");
  start({.dry_run = true});
  std::uint64_t live = 0;
  while (report().state == RedriveState::kRunning) {
    added("order-live", "live", 1);
    ++live;
    ASSERT_TRUE(daemon().run_once());
  }
  EXPECT_GT(live, 2u);
  EXPECT_EQ(outcome(), "done");
  EXPECT_EQ(report().released, 19u);
  EXPECT_EQ(report().failed, 1u);
  EXPECT_EQ(report().events, 20u * 4 + 1'000);
  ASSERT_EQ(report().failures.size(), 1u);
  EXPECT_EQ(report().failures[0].place.name, "c1005");
  EXPECT_EQ(parked("customers"), before);
  Rows rows_now = rows("customers");
  EXPECT_EQ(rows_now.extract("live").mapped(),
            R"({"n":)" + std::to_string(live) + R"(,"sum":)" + std::to_string(live) + "}");
  EXPECT_EQ(rows_now, rows_before);
  start();
  settle();
  EXPECT_EQ(report().released, 19u);
  EXPECT_EQ(report().events, 20u * 4 + 1'000);
}

TEST_F(RedriveTest, ACancelledOneKeepsWhatItReleased) {
  park(200, 0);
  fix();
  EXPECT_THAT(daemon().cancel_redrive("customers"), fails_with(Errc::kFailedPrecondition));
  start();
  ASSERT_TRUE(daemon().run_once());
  EXPECT_THAT(daemon().start_redrive("customers", {}), fails_with(Errc::kFailedPrecondition));
  const RedriveReport cancelled = value_of(daemon().cancel_redrive("customers"));
  EXPECT_EQ(outcome(), "cancelled: on request");
  EXPECT_GT(cancelled.released, 0u);
  EXPECT_LT(cancelled.released, 200u);
  settle();
  EXPECT_EQ(status("customers").parked_keys, 200 - cancelled.released);
  start();
  settle();
  EXPECT_EQ(outcome(), "done");
  EXPECT_EQ(report().keys, 200 - cancelled.released);
  expect_rows_are_rebuilt_the_same();
}

TEST_F(RedriveTest, IsAuditedWithItsOutcome) {
  park(2, 1);
  start({.keys_per_second = 1'000, .stop_after_failures = 1});
  settle();
  EXPECT_THAT(
      audited(),
      ElementsAre(
          "ProjectionParkedRetried begun by ops "
          R"({"projection":"customers","key":null,"keysPerSecond":1000,"stopAfterFailures":1})",
          "ProjectionParkedRetryEnded ok by ops "
          R"({"projection":"customers","state":"stopped","reason":"1 key has failed again","keys":2,"tried":1,)"
          R"("released":0,"failed":1,"eventsApplied":0})"));
}

TEST_F(RedriveTest, EndsWhenTheProjectionIsChanged) {
  park(200, 0);
  const std::vector<std::pair<std::function<void()>, std::string>> changes = {
      {[&] { ASSERT_THAT(daemon().pause("customers"), succeeds()); }, "cancelled: the projection was paused"},
      {[&] { fix(kRefusesBelowMinus1); }, "cancelled: another definition was deployed"},
  };
  for (const auto& [change, expected] : changes) {
    start({.keys_per_second = 1});
    ASSERT_TRUE(daemon().run_once());
    change();
    EXPECT_EQ(outcome(), expected);
    if (state("customers") != "paused") continue;
    ASSERT_THAT(daemon().resume("customers"), succeeds());
  }
  const std::size_t begun = audited().size();
  start({.keys_per_second = 1});
  ASSERT_TRUE(daemon().run_once());
  restart_daemon();
  EXPECT_FALSE(daemon().redrive("customers").has_value());
  ASSERT_EQ(audited().size(), begun + 2);
  EXPECT_THAT(audited().back(), HasSubstr(R"("state":"cancelled","reason":"the server stopped")"));
  settle();
  start({.keys_per_second = 1});
  ASSERT_TRUE(daemon().run_once());
  ASSERT_THAT(daemon().remove("customers"), succeeds());
  EXPECT_THAT(audited().back(), HasSubstr("the projection was removed"));
}

TEST_F(RedriveTest, GoesOnBesideARebuildAndEndsWhenItsGenerationIsReplaced) {
  park(200, 0);
  fix();
  start({.keys_per_second = 10});
  ASSERT_THAT(daemon().rebuild("customers", std::nullopt), succeeds());
  EXPECT_EQ(outcome(), "running");
  settle();  // The rebuild parks nothing and takes over.
  EXPECT_EQ(status("customers").generation, 2u);
  clock().advance(1'000'000);
  settle();
  EXPECT_EQ(outcome(), "cancelled: generation 1 is no longer built or read");
  EXPECT_THAT(parked("customers"), IsEmpty());
}

TEST_F(RedriveTest, WorksWhileTheProjectionIsPaused) {
  park(10, 1);
  fix();
  ASSERT_THAT(daemon().pause("customers"), succeeds());
  start();
  settle();
  EXPECT_EQ(outcome(), "done");
  EXPECT_EQ(state("customers"), "paused");
  EXPECT_THAT(parked("customers"), IsEmpty());
}

TEST_F(RedriveTest, AnUnfinishedKeyCannotBeSkippedAndGoesOnWhereItStopped) {
  park(1, 2'000);
  fix();
  start();
  ASSERT_TRUE(daemon().run_once());
  ASSERT_THAT(daemon().cancel_redrive("customers"), succeeds());
  ASSERT_THAT(parked("customers"), ElementsAre(HasSubstr(" unfinished")));
  const auto skipped = daemon().skip("customers", "c1000", "no");
  ASSERT_THAT(skipped, fails_with(Errc::kFailedPrecondition));
  EXPECT_THAT(skipped.error().message, HasSubstr("has not failed"));
  restart_daemon();
  settle();
  const RetryReport rest = value_of(daemon().retry("customers", "c1000"));
  EXPECT_EQ(rest.released, 1u);
  EXPECT_LT(rest.events, 2'001u);
  EXPECT_EQ(row("customers", "c1000"), R"({"n":2001,"sum":1999})");
  EXPECT_THAT(parked("customers"), IsEmpty());
}

TEST_F(RedriveTest, AStreamIsReleasedWithTheRowsOfItsEvents) {
  has_projection("customers", projection("    Added = function(row, event) row.n = (row.n or 0) + 1 end,",
                                         " key = function(event)\n"
                                         "   if event.data.cents < 0 then error('no key') end\n"
                                         "   return event.data.customer end,"));
  for (const std::int64_t cents : {1, -1, 2}) added("order-1", "ada", cents);
  added("order-2", "ada", 5);
  settle();
  ASSERT_THAT(parked("customers"), ElementsAre(HasSubstr("stream order-1@3 +1")));
  fix();
  start({.dry_run = true});
  settle();
  EXPECT_EQ(report().released, 1u);
  EXPECT_EQ(row("customers", "ada"), R"({"n":2})");
  start();
  settle();
  EXPECT_EQ(report().released, 1u);
  EXPECT_EQ(report().events, 2u);
  EXPECT_EQ(row("customers", "ada"), R"({"n":4,"sum":7})");
}

TEST_F(RedriveTest, WithNothingParkedItIsDone) {
  has_projection("customers", kRefusesBelow0);
  settle();
  start();
  settle();
  EXPECT_EQ(outcome(), "done");
  EXPECT_EQ(report().keys, 0u);
  EXPECT_THAT(daemon().start_redrive("none", {}), fails_with(Errc::kNotFound));
}

}  // namespace
}  // namespace cairn::test
