// Generations: built beside the live one, atomic take-over, cancel, rollback, verification.

#include "tests/projections/daemon/daemon_fixture.h"

namespace cairn::test {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

const std::string kCounting = projection("Added = function(row) row.n = (row.n or 0) + 1 end");
const std::string kSumming =
    projection("Added = function(row, event) row.sum = (row.sum or 0) + event.data.cents end");

class RebuildTest : public DaemonTest {
 protected:
  RebuildTest() {
    daemon_options().batch_positions_max = 4;  // so that a rebuild takes several steps
    daemon_options().commit_events_max = 8;
  }

  void history(int events) {
    for (int i = 0; i < events; ++i) added("order-" + std::to_string(i % 3), "ada", i);
  }
  void step(int times = 1) {
    for (int i = 0; i < times; ++i) daemon().run_once();
  }
};

TEST_F(RebuildTest, TheFirstGenerationAnswersOnceItIsBuilt) {
  history(20);
  has_projection("orders", kCounting);
  EXPECT_EQ(state("orders"), "rebuilding");
  EXPECT_THAT(daemon().row("orders", "order-1", false), fails_with(Errc::kFailedPrecondition));
  step(3);
  const ProjectionStatus halfway = status("orders");
  ASSERT_TRUE(halfway.rebuild.has_value());
  EXPECT_EQ(halfway.rebuild->position.value, 12u);
  EXPECT_EQ(halfway.rebuild->target.value, head());
  EXPECT_EQ(halfway.generation, 0u);
  EXPECT_THAT(daemon().rows("orders", {}), fails_with(Errc::kFailedPrecondition));
  // A query with `partial` sees the rows there are.
  EXPECT_FALSE(rows("orders", true).empty());
  EXPECT_TRUE(value_of(daemon().row("orders", "order-1", true)).partial);
  settle();
  EXPECT_EQ(state("orders"), "running");
  EXPECT_EQ(row("orders", "order-1"), R"({"n":7})");
  EXPECT_FALSE(value_of(daemon().row("orders", "order-1", true)).partial);
}

TEST_F(RebuildTest, AChangedDefinitionIsBuiltBesideTheLiveOne) {
  history(20);
  has_projection("orders", kCounting);
  settle();
  has_projection("orders", kSumming);
  step(2);
  EXPECT_EQ(state("orders"), "rebuilding");
  EXPECT_EQ(row("orders", "order-1"), R"({"n":7})");
  added("order-1", "ada", 1'000);
  step();
  // The live generation advances meanwhile.
  EXPECT_EQ(row("orders", "order-1"), R"({"n":8})");
  settle();
  EXPECT_EQ(row("orders", "order-1"), R"({"sum":1070})");
  EXPECT_EQ(status("orders").generation, 2u);
  EXPECT_EQ(status("orders").previous_generation, 1u);
}

TEST_F(RebuildTest, AGenerationIsNotBehindWhenItTakesOver) {
  history(40);
  has_projection("orders", kCounting);
  settle();
  ASSERT_THAT(daemon().rebuild("orders", std::nullopt), succeeds());
  std::uint64_t last = status("orders").position.value;
  int appended = 0;
  while (status("orders").generation == 1) {
    if (appended++ < 30) added("order-1", "ada", 1);  // Appends continue during the build.
    step();
    const std::uint64_t now = status("orders").position.value;
    EXPECT_GE(now, last);
    last = now;
  }
  EXPECT_GT(appended, 5);
  settle();
  EXPECT_EQ(row("orders", "order-1"), "{\"n\":" + std::to_string(version_of("order-1")) + "}");
}

TEST_F(RebuildTest, ARebuildGivesTheSameBytes) {
  has_projection("customers", kByCustomer);
  for (int i = 0; i < 50; ++i) {
    added("order-" + std::to_string(i % 3), "c" + std::to_string(i % 11), i);
    if (i % 7 == 0) settle();
  }
  settle();
  const Rows live = rows("customers");
  ASSERT_THAT(daemon().rebuild("customers", std::nullopt), succeeds());
  settle();
  EXPECT_EQ(status("customers").generation, 2u);
  EXPECT_EQ(rows("customers"), live);
}

TEST_F(RebuildTest, ARestartResumesTheBuild) {
  history(40);
  has_projection("orders", kCounting);
  step(5);
  const std::uint64_t before = status("orders").rebuild->position.value;
  restart_daemon();
  ASSERT_TRUE(status("orders").rebuild.has_value());
  EXPECT_EQ(status("orders").rebuild->generation, 1u);
  EXPECT_EQ(status("orders").rebuild->position.value, before);  // what was not committed was at the end
  settle();
  EXPECT_EQ(row("orders", "order-0"), R"({"n":14})");
}

TEST_F(RebuildTest, ABuildCommitsEveryFewSeconds) {
  daemon_options().commit_events_max = 1'000'000;
  history(40);
  has_projection("orders", kCounting);
  step(2);
  EXPECT_THAT(rows("orders", true), IsEmpty()) << "many batches share a commit";
  clock().advance(5 * ManualClock::kSecond);
  step();
  EXPECT_EQ(value_of(daemon().rows("orders", {.partial = true})).position.value, 12u);
}

TEST_F(RebuildTest, ALostBuildIsStartedAgain) {
  history(40);
  has_projection("orders", kCounting);
  settle();
  has_projection("orders", kSumming);
  step(2);
  close_daemon();
  std::filesystem::remove_all(folder() / "readmodels" / "orders" / "2");
  settle();
  EXPECT_EQ(row("orders", "order-1"), R"({"sum":247})");
  EXPECT_EQ(status("orders").previous_generation, 1u);
}

TEST_F(RebuildTest, ACancelledRebuildLeavesTheLiveOne) {
  history(20);
  has_projection("orders", kCounting);
  settle();
  EXPECT_THAT(daemon().cancel("orders"), fails_with(Errc::kFailedPrecondition));
  has_projection("orders", kSumming);
  step();
  EXPECT_THAT(daemon().cancel("orders"), succeeds());
  settle();
  EXPECT_EQ(state("orders"), "running");
  EXPECT_EQ(status("orders").generation, 1u);
  EXPECT_EQ(row("orders", "order-1"), R"({"n":7})");
  EXPECT_FALSE(std::filesystem::exists(folder() / "readmodels" / "orders" / "2"));
  restart_daemon();
  settle();
  EXPECT_EQ(status("orders").generation, 1u) << "what was cancelled must not begin again by itself";
  ASSERT_THAT(daemon().rebuild("orders", std::nullopt), succeeds());
  settle();
  EXPECT_EQ(row("orders", "order-1"), R"({"sum":70})");
}

TEST_F(RebuildTest, TheFirstBuildCannotBeCancelled) {
  history(20);
  has_projection("orders", kCounting);
  EXPECT_THAT(daemon().cancel("orders"), fails_with(Errc::kFailedPrecondition));
}

TEST_F(RebuildTest, ASecondRebuildIsRefused) {
  history(20);
  has_projection("orders", kCounting);
  settle();
  ASSERT_THAT(daemon().rebuild("orders", std::nullopt), succeeds());
  EXPECT_THAT(daemon().rebuild("orders", std::nullopt), fails_with(Errc::kFailedPrecondition));
}

TEST_F(RebuildTest, RollbackRestoresTheOldRowsAndFollowsTheLog) {
  history(20);
  has_projection("orders", kCounting);
  settle();
  EXPECT_THAT(daemon().rollback("orders"), fails_with(Errc::kFailedPrecondition));
  has_projection("orders", kSumming);
  settle();
  added("order-1", "ada", 3);
  settle();
  EXPECT_EQ(row("orders", "order-1"), R"({"sum":73})");
  ASSERT_THAT(daemon().rollback("orders"), succeeds());
  EXPECT_EQ(status("orders").generation, 1u);
  EXPECT_EQ(status("orders").previous_generation, 2u);
  settle();
  EXPECT_EQ(row("orders", "order-1"), R"({"n":8})") << "the old script counts what came after its rows";
  restart_daemon();
  settle();
  EXPECT_EQ(status("orders").generation, 1u) << "a start does not undo a rollback";
  added("order-1", "ada", 3);
  settle();
  EXPECT_EQ(row("orders", "order-1"), R"({"n":9})");
  ASSERT_THAT(daemon().rollback("orders"), succeeds());
  settle();
  EXPECT_EQ(row("orders", "order-1"), R"({"sum":76})");
}

TEST_F(RebuildTest, DeployingTheNewestScriptAfterARollbackBuildsIt) {
  history(20);
  has_projection("orders", kCounting);
  settle();
  has_projection("orders", kSumming);
  settle();
  EXPECT_EQ(deploy_projection("orders", kSumming), "unchanged 2");
  ASSERT_THAT(daemon().rollback("orders"), succeeds());
  settle();
  EXPECT_EQ(deploy_projection("orders", kSumming), "deployed 2") << "no new definition, but a build of it";
  EXPECT_EQ(state("orders"), "rebuilding");
  EXPECT_EQ(deploy_projection("orders", kSumming), "unchanged 2") << "it is being built";
  settle();
  EXPECT_EQ(status("orders").generation, 3u);
  EXPECT_EQ(row("orders", "order-1"), R"({"sum":70})");
  restart_daemon();
  settle();
  EXPECT_EQ(status("orders").generation, 3u);
}

TEST_F(RebuildTest, DeployingTheScriptOfACancelledBuildBuildsIt) {
  history(20);
  has_projection("orders", kCounting);
  settle();
  has_projection("orders", kSumming);
  ASSERT_THAT(daemon().cancel("orders"), succeeds());
  EXPECT_EQ(deploy_projection("orders", kSumming), "deployed 2");
  settle();
  EXPECT_EQ(row("orders", "order-1"), R"({"sum":70})");
}

TEST_F(RebuildTest, OnlyOneEarlierGenerationIsKept) {
  history(5);
  has_projection("orders", kCounting);
  settle();
  for (int i = 0; i < 3; ++i) {
    ASSERT_THAT(daemon().rebuild("orders", std::nullopt), succeeds());
    settle();
  }
  EXPECT_EQ(status("orders").generation, 4u);
  std::vector<std::string> folders;
  for (const auto& entry : std::filesystem::directory_iterator(folder() / "readmodels" / "orders")) {
    if (entry.is_directory()) folders.push_back(entry.path().filename());
  }
  EXPECT_THAT(folders, ::testing::UnorderedElementsAre("3", "4"));
}

TEST_F(RebuildTest, ARateLimitSlowsTheRebuild) {
  history(40);
  has_projection("orders", kCounting);
  settle();
  ASSERT_THAT(daemon().rebuild("orders", 10), succeeds());
  settle();
  EXPECT_EQ(status("orders").rebuild->position.value, 0u) << "no time has passed";
  clock().advance(ManualClock::kSecond / 2);
  settle();
  EXPECT_EQ(status("orders").rebuild->position.value, 5u);
  EXPECT_EQ(status("orders").rebuild->events_per_second_max, 10u);
  for (int i = 0; i < 20; ++i) {
    clock().advance(ManualClock::kSecond / 2);
    settle();
  }
  EXPECT_EQ(status("orders").generation, 2u);
}

TEST_F(RebuildTest, ARateLimitHoldsAfterARestartAndAPause) {
  daemon_options().batch_positions_max = 100;
  history(90);
  has_projection("orders", kCounting);
  settle();
  ASSERT_THAT(daemon().rebuild("orders", 10), succeeds());
  restart_daemon();
  settle();
  EXPECT_EQ(status("orders").rebuild->position.value, 0u) << "no time has passed since the start";
  clock().advance(ManualClock::kSecond / 2);
  settle();
  EXPECT_EQ(status("orders").rebuild->position.value, 5u);
  ASSERT_THAT(daemon().pause("orders"), succeeds());
  clock().advance(60 * ManualClock::kSecond);
  ASSERT_THAT(daemon().resume("orders"), succeeds());
  settle();
  EXPECT_LE(status("orders").rebuild->position.value, 15u) << "a pause is not followed by a burst";
}

TEST_F(RebuildTest, APauseSurvivesARestart) {
  has_projection("orders", kCounting);
  settle();
  ASSERT_THAT(daemon().pause("orders"), succeeds());
  EXPECT_THAT(daemon().pause("orders"), fails_with(Errc::kFailedPrecondition));
  history(3);
  settle();
  EXPECT_EQ(state("orders"), "paused");
  EXPECT_THAT(rows("orders"), IsEmpty());
  restart_daemon();
  settle();
  EXPECT_EQ(state("orders"), "paused");
  ASSERT_THAT(daemon().resume("orders"), succeeds());
  settle();
  EXPECT_EQ(row("orders", "order-1"), R"({"n":1})");
  EXPECT_THAT(daemon().resume("orders"), fails_with(Errc::kFailedPrecondition));
}

TEST_F(RebuildTest, VerifyOfCorrectRowsFindsNoDifference) {
  history(30);
  has_projection("orders", kCounting);
  settle();
  EXPECT_FALSE(daemon().verify_report("orders").has_value());
  ASSERT_THAT(daemon().verify("orders"), succeeds());
  step(2);
  EXPECT_EQ(daemon().verify_report("orders")->stage, RowsVerification::Stage::kBuilding);
  history(5);  // The live one advances, and is compared at its new position.
  settle();
  const auto report = daemon().verify_report("orders");
  ASSERT_TRUE(report.has_value());
  EXPECT_TRUE(report->is_equal()) << report->error;
  EXPECT_EQ(report->rows, 3u);
  EXPECT_EQ(report->position.value, head());
  EXPECT_FALSE(std::filesystem::exists(folder() / "readmodels" / "orders" / "verify"));
}

TEST_F(RebuildTest, VerifyNamesRowsThatDiffer) {
  history(30);
  has_projection("orders", kCounting);
  settle();
  // Other code from here on, with the rows that the first one made.
  EXPECT_EQ(
      deploy_projection("orders", projection("Added = function(row) row.n = (row.n or 0) + 2 end"), true),
      "deployed 2");
  settle();
  EXPECT_EQ(status("orders").generation, 1u);
  ASSERT_THAT(daemon().verify("orders"), succeeds());
  settle();
  const auto report = daemon().verify_report("orders");
  ASSERT_TRUE(report.has_value());
  EXPECT_EQ(report->different, 3u);
  ASSERT_EQ(report->differences.size(), 3u);
  EXPECT_EQ(report->differences[0].key, "order-0");
  EXPECT_EQ(report->differences[0].live, R"({"n":10})");
  EXPECT_EQ(report->differences[0].rebuilt, R"({"n":20})");
}

TEST_F(RebuildTest, ARollbackEndsAVerificationWithItsReason) {
  history(30);
  has_projection("orders", kCounting);
  settle();
  ASSERT_THAT(daemon().rebuild("orders", std::nullopt), succeeds());
  settle();
  ASSERT_THAT(daemon().verify("orders"), succeeds());
  step();
  ASSERT_EQ(daemon().verify_report("orders")->stage, RowsVerification::Stage::kBuilding);
  ASSERT_THAT(daemon().rollback("orders"), succeeds());
  const auto report = daemon().verify_report("orders");
  EXPECT_EQ(report->stage, RowsVerification::Stage::kFailed);
  EXPECT_THAT(report->error, HasSubstr("rolled back"));
  EXPECT_FALSE(std::filesystem::exists(folder() / "readmodels" / "orders" / "verify"));
  EXPECT_THAT(daemon().verify("orders"), succeeds());
}

TEST_F(RebuildTest, RowsMadeBeforeAnUpcasterAreOutdatedUntilTheyAreRebuilt) {
  registered("Order", kEuros);
  append_as("order-1", "Order", 1, R"({"total":1.5})");
  has_projection("orders",
                 projection("Order = function(row, event) row.x = event.data.total or event.data.cents end"));
  settle();
  EXPECT_FALSE(status("orders").outdated);
  registered("Order", kCents);
  deployed(kEurosToCents);
  EXPECT_TRUE(status("orders").outdated);
  restart_daemon();
  EXPECT_TRUE(status("orders").outdated);
  EXPECT_EQ(row("orders", "order-1"), R"({"x":1.5})");
  ASSERT_THAT(daemon().rebuild("orders", std::nullopt), succeeds());
  settle();
  EXPECT_FALSE(status("orders").outdated);
  EXPECT_EQ(row("orders", "order-1"), R"({"x":150})");
}

TEST_F(RebuildTest, CommandsForUnknownProjectionsAreNotFound) {
  for (const auto& status :
       {daemon().rebuild("no", std::nullopt), daemon().cancel("no"), daemon().pause("no"),
        daemon().rollback("no"), daemon().resume("no"), daemon().verify("no")}) {
    EXPECT_THAT(status, fails_with(Errc::kNotFound));
  }
}

TEST_F(RebuildTest, CommandsAreAudited) {
  history(3);
  has_projection("orders", kCounting);
  settle();
  ASSERT_THAT(daemon().rebuild("orders", 100), succeeds());
  std::vector<std::string> written;
  for (const Event& event : events_in("$audit")) written.push_back(event.type + " " + event.data);
  EXPECT_THAT(written, Contains(::testing::AllOf(HasSubstr("ProjectionCommanded"), HasSubstr("rebuild"),
                                                 HasSubstr("orders"), HasSubstr("100"))));
}

TEST_F(RebuildTest, ADamagedRecordCausesARebuild) {
  history(6);
  has_projection("orders", kCounting);
  settle();
  const Rows before = rows("orders");
  close_daemon();
  std::ofstream(folder() / "readmodels" / "orders" / "projection.json") << "{";
  settle();
  EXPECT_EQ(rows("orders"), before);
  EXPECT_THAT(said(), Contains(HasSubstr("damaged")));
}

TEST_F(RebuildTest, AnOlderLogUnderANewerReadModelIsNoticed) {
  history(6);
  has_projection("orders", kCounting);
  settle();
  close_daemon();
  close_all();
  TempFolder older;
  copy_folder(folder(), older / "copy");
  history(6);
  settle();
  close_daemon();
  close_all();
  for (const char* part : {"log", "index"}) copy_folder(older / "copy" / part, folder() / part);
  settle();
  EXPECT_EQ(row("orders", "order-1"), R"({"n":2})");
  EXPECT_THAT(said(), Contains(HasSubstr("replaced by an older one")));
}

}  // namespace
}  // namespace cairn::test
