// Rows follow the log, each event exactly once, across restarts.

#include "tests/projections/daemon/daemon_fixture.h"

namespace cairn::test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;

TEST_F(DaemonTest, RowsFollowTheLog) {
  has_projection("customers", kByCustomer);
  added("order-1", "ada", 5);
  added("order-2", "bob", 7);
  added("order-1", "ada", 10);
  settle();
  EXPECT_THAT(rows("customers"),
              ElementsAre(Pair("ada", R"({"n":2,"sum":15})"), Pair("bob", R"({"n":1,"sum":7})")));
  EXPECT_EQ(status("customers").position.value, head());
  EXPECT_EQ(state("customers"), "running");
}

TEST_F(DaemonTest, EventsBeforeTheProjectionAreApplied) {
  for (int i = 0; i < 100; ++i) added("order-" + std::to_string(i % 7), "c" + std::to_string(i % 5), i);
  has_projection("customers", kByCustomer);
  settle();
  EXPECT_EQ(rows("customers").size(), 5u);
  EXPECT_EQ(row("customers", "c1"), R"({"n":20,"sum":970})");
}

TEST_F(DaemonTest, ARestartResumesAtTheCheckpoint) {
  has_projection("customers", kByCustomer);
  added("order-1", "ada", 5);
  settle();
  const std::uint64_t generation = status("customers").generation;
  restart_daemon();
  EXPECT_EQ(row("customers", "ada"), R"({"n":1,"sum":5})");
  added("order-1", "ada", 6);
  settle();
  EXPECT_EQ(row("customers", "ada"), R"({"n":2,"sum":11})");
  EXPECT_EQ(status("customers").generation, generation);
}

TEST_F(DaemonTest, TheKeyIsTheStreamWithoutAKeyFunction) {
  has_projection("orders", projection("Added = function(row, event) row.last = event.data.cents end"));
  added("order-1", "ada", 5);
  added("order-2", "bob", 6);
  settle();
  EXPECT_THAT(rows("orders"),
              ElementsAre(Pair("order-1", R"({"last":5})"), Pair("order-2", R"({"last":6})")));
}

TEST_F(DaemonTest, OnlyTheWantedCategoriesAndTypesCount) {
  has_projection("orders",
                 projection("Added = function(row) row.n = (row.n or 0) + 1 end",
                            " from = { categories = { 'order' } }, key = function() return 'all' end,"));
  added("order-1", "ada", 1);
  added("cart-1", "ada", 1);
  append("order-1", {event("Other")});
  settle();
  EXPECT_EQ(row("orders", "all"), R"({"n":1})");
}

TEST_F(DaemonTest, ADeletedRowIsGoneAndMayBeCreatedAgain) {
  has_projection("open", projection("Added = function(row) row.n = (row.n or 0) + 1 end,\n"
                                    "Removed = function(row) return DELETE end"));
  append("order-1", {event("Added"), event("Added"), event("Removed")});
  settle();
  EXPECT_THAT(rows("open"), IsEmpty());
  append("order-1", {event("Added")});
  settle();
  EXPECT_EQ(row("open", "order-1"), R"({"n":1})");
}

TEST_F(DaemonTest, AnEventWithoutAKeyChangesNoRow) {
  has_projection("customers", kByCustomer);
  append("order-1", {event("Added", R"({"cents":1})")});
  added("order-1", "ada", 2);
  settle();
  EXPECT_THAT(rows("customers"), ElementsAre(Pair("ada", R"({"n":1,"sum":2})")));
  EXPECT_THAT(parked("customers"), IsEmpty());
}

TEST_F(DaemonTest, ABrokenScriptIsRefusedWithItsLine) {
  EXPECT_THAT(deploy_projection("customers", "return projection {\n  on = {\n"), HasSubstr("customers.lua:"));
  EXPECT_FALSE(daemon().status("customers").has_value());
  EXPECT_THAT(daemon().list(), IsEmpty());
}

TEST_F(DaemonTest, TheSameSourceChangesNothing) {
  EXPECT_EQ(deploy_projection("customers", kByCustomer), "deployed 1");
  settle();
  EXPECT_EQ(deploy_projection("customers", kByCustomer), "unchanged 1");
  settle();
  EXPECT_EQ(status("customers").generation, 1u);
}

TEST_F(DaemonTest, ARemovedProjectionIsGoneWithItsRows) {
  has_projection("customers", kByCustomer);
  added("order-1", "ada", 5);
  settle();
  EXPECT_THAT(daemon().remove("customers"), succeeds());
  EXPECT_FALSE(daemon().status("customers").has_value());
  EXPECT_THAT(daemon().row("customers", "ada", false), fails_with(Errc::kNotFound));
  EXPECT_FALSE(std::filesystem::exists(folder() / "readmodels" / "customers"));
  EXPECT_THAT(daemon().remove("customers"), fails_with(Errc::kNotFound));
  restart_daemon();
  EXPECT_THAT(daemon().list(), IsEmpty());
}

TEST_F(DaemonTest, DeletingTheReadModelsWhileStoppedIsHarmless) {
  has_projection("customers", kByCustomer);
  added("order-1", "ada", 5);
  settle();
  const Rows before = rows("customers");
  close_daemon();
  std::filesystem::remove_all(folder() / "readmodels");
  EXPECT_EQ(state("customers"), "rebuilding");
  settle();
  EXPECT_EQ(rows("customers"), before);
}

TEST_F(DaemonTest, DeletingOneGenerationWhileStoppedIsHarmless) {
  has_projection("customers", kByCustomer);
  added("order-1", "ada", 5);
  settle();
  const Rows before = rows("customers");
  close_daemon();
  std::filesystem::remove_all(folder() / "readmodels" / "customers" / "1");
  settle();
  EXPECT_EQ(rows("customers"), before);
  EXPECT_THAT(said(), ::testing::Contains(HasSubstr("generation 1 cannot be used")));
}

TEST_F(DaemonTest, RowsOfAnotherStoreAreNotServed) {
  has_projection("customers", kByCustomer);
  for (int i = 0; i < 5; ++i) added("order-1", "ada", 1);
  settle();
  close_daemon();
  close_all();
  TempFolder kept;
  copy_folder(folder() / "readmodels", kept / "readmodels");
  std::filesystem::remove_all(folder());
  has_projection("customers", kByCustomer);
  added("order-1", "eve", 9);
  close_daemon();
  copy_folder(kept / "readmodels", folder() / "readmodels");
  settle();
  EXPECT_THAT(rows("customers"), ElementsAre(Pair("eve", R"({"n":1,"sum":9})")));
}

TEST_F(DaemonTest, OnlyOneProcessBuildsTheReadModels) {
  daemon();
  EXPECT_THAT(ProjectionDaemon::open(store(), shapes(), folder(), daemon_options()),
              fails_with(Errc::kFailedPrecondition));
}

TEST_F(DaemonTest, RowsArePagedByPrefix) {
  has_projection("customers", kByCustomer);
  for (const char* customer : {"a", "ab", "abc", "b", "ba"}) added("order-1", customer, 1);
  settle();
  RowsQuery query;
  query.prefix = "ab";
  const auto page = value_of(daemon().rows("customers", query));
  ASSERT_EQ(page.rows.size(), 2u);
  EXPECT_EQ(page.rows[0].key, "ab");
  EXPECT_EQ(page.rows[1].key, "abc");
  EXPECT_FALSE(page.next.has_value());
  EXPECT_EQ(page.position.value, head());
}

TEST_F(DaemonTest, AWaiterIsCalledWhenThePositionIsReached) {
  has_projection("customers", kByCustomer);
  settle();
  added("order-1", "ada", 5);
  std::optional<bool> heard;
  daemon().wait_for("customers", {head()}, std::chrono::hours(1), [&](bool reached) { heard = reached; });
  EXPECT_FALSE(heard.has_value());
  settle();
  EXPECT_EQ(heard, true);
  daemon().wait_for("customers", {head()}, std::chrono::hours(1), [&](bool reached) { heard = reached; });
  EXPECT_EQ(heard, true);
}

TEST_F(DaemonTest, AWaiterIsCalledWithFalseAfterItsTimeout) {
  has_projection("customers", kByCustomer);
  std::promise<bool> answer;
  daemon().wait_for("customers", {1'000}, std::chrono::milliseconds(1),
                    [&](bool reached) { answer.set_value(reached); });
  EXPECT_FALSE(answer.get_future().get());
}

TEST_F(DaemonTest, EventsAreUpcastToTheirNewestVersion) {
  registered("Order", kEuros);
  append_as("order-1", "Order", 1, R"({"total":1.5})");
  registered("Order", kCents);
  deployed(kEurosToCents);
  append_as("order-1", "Order", 2, R"({"cents":50})");
  has_projection("orders",
                 projection("Order = function(row, event) row.sum = (row.sum or 0) + event.data.cents end"));
  settle();
  EXPECT_EQ(row("orders", "order-1"), R"({"sum":200})");
}

TEST_F(DaemonTest, AProjectionThatIsBehindAndDoesNotMoveIsStalled) {
  has_projection("customers", kByCustomer);
  settle();
  clock().advance(ManualClock::kHour);
  added("order-1", "ada", 1);
  EXPECT_EQ(state("customers"), "running") << "the event has just come";
  clock().advance(31 * ManualClock::kSecond);
  EXPECT_EQ(state("customers"), "stalled");
  EXPECT_EQ(status("customers").lag_events, 1u);
  EXPECT_GE(status("customers").lag_seconds, 31);
  settle();
  EXPECT_EQ(state("customers"), "running");
}

TEST_F(DaemonTest, FiftyProjectionsRunAtOnce) {
  for (int i = 0; i < 50; ++i) {
    has_projection("p" + std::to_string(i), projection("Added = function(row, event) row.n = (row.n or " +
                                                       std::to_string(i) + ") + 1 end"));
  }
  daemon().start();
  for (int i = 0; i < 200; ++i) added("order-" + std::to_string(i % 10), "ada", i);
  for (int i = 0; i < 50; ++i) {
    std::promise<bool> answer;
    daemon().wait_for("p" + std::to_string(i), {head()}, std::chrono::minutes(1),
                      [&](bool reached) { answer.set_value(reached); });
    ASSERT_TRUE(answer.get_future().get()) << i;
    EXPECT_EQ(row("p" + std::to_string(i), "order-3"), "{\"n\":" + std::to_string(20 + i) + "}");
  }
}

// Another version of the program deployed a script that this one does not load.
TEST_F(DaemonTest, AReadModelWhoseScriptDoesNotLoadIsKept) {
  has_projection("customers", kByCustomer);
  added("order-1", "ada", 5);
  settle();
  close_daemon();
  ProjectionDefinition unknown;
  unknown.name = "customers";
  unknown.source = "return something_new {}";
  unknown.fingerprint = projection_fingerprint(unknown.name, unknown.source);
  unknown.revision = 2;
  write_definition(to_new_event(unknown));
  daemon().start();
  close_daemon();
  EXPECT_TRUE(std::filesystem::exists(folder() / "readmodels" / "customers" / "1"));
  EXPECT_THAT(said(), ::testing::Contains(HasSubstr("something_new")));
  // With the script of before it goes on with its rows.
  EXPECT_EQ(deploy_projection("customers", kByCustomer), "deployed 3");
  EXPECT_EQ(row("customers", "ada"), R"({"n":1,"sum":5})");
  EXPECT_EQ(status("customers").generation, 1u);
}

// A store in which a projection was named like a file of ours, by an earlier version.
TEST_F(DaemonTest, ADefinitionWithTheNameOfTheLockTouchesNoFile) {
  ProjectionDefinition lock;
  lock.name = "lock";
  lock.source = kByCustomer;
  lock.fingerprint = projection_fingerprint(lock.name, lock.source);
  write_definition(to_new_event(lock));
  const std::filesystem::path file = folder() / "readmodels" / "lock";
  settle();
  EXPECT_THAT(said(), ::testing::Contains(HasSubstr("Projection lock is not built")));
  EXPECT_FALSE(daemon().status("lock").has_value());
  EXPECT_THAT(daemon().remove("lock"), succeeds());
  EXPECT_TRUE(std::filesystem::is_regular_file(file));
  EXPECT_THAT(deploy_projection("lock", kByCustomer), HasSubstr("cannot be the name of a projection"));
  EXPECT_TRUE(std::filesystem::is_regular_file(file));
}

}  // namespace
}  // namespace cairn::test
