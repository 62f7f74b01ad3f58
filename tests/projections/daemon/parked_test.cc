// Events that cannot be applied: later events of their key wait, other keys advance, and a retry gives what a
// rebuild gives.

#include "tests/projections/daemon/daemon_fixture.h"

namespace cairn::test {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;

// Fails for cents below 0, after it has changed the row already.
const std::string kStrict = projection(
    "    Added = function(row, event)\n"
    "      row.n = (row.n or 0) + 1\n"
    "      if event.data.cents < 0 then error('negative') end\n"
    "      row.sum = (row.sum or 0) + event.data.cents\n"
    "    end,",
    " key = function(event) return event.data.customer end,");
const std::string kLenient = projection(
    "    Added = function(row, event)\n"
    "      row.n = (row.n or 0) + 1\n"
    "      row.sum = (row.sum or 0) + math.max(event.data.cents, 0)\n"
    "    end,",
    " key = function(event) return event.data.customer end,");

class ParkedTest : public DaemonTest {};

TEST_F(ParkedTest, APoisonEventParksItsKeyOnly) {
  has_projection("customers", kStrict);
  added("order-1", "ada", 5);   // 2: after the definition
  added("order-1", "ada", -1);  // 3
  added("order-2", "bob", 7);   // 4
  added("order-1", "ada", 6);   // 5
  settle();
  EXPECT_THAT(rows("customers"),
              ElementsAre(Pair("ada", R"({"n":1,"sum":5})"), Pair("bob", R"({"n":1,"sum":7})")));
  EXPECT_THAT(parked("customers"), ElementsAre("ada@3 +1 script"));
  EXPECT_THAT(waiting("customers", "ada"), ElementsAre(3, 5));
  EXPECT_EQ(state("customers"), "running");
  added("order-3", "ada", 8);
  added("order-3", "bob", 8);
  settle();
  EXPECT_THAT(waiting("customers", "ada"), ElementsAre(3, 5, 6));
  EXPECT_EQ(row("customers", "bob"), R"({"n":2,"sum":15})");
  const ProjectionStatus now = status("customers");
  EXPECT_EQ(now.parked_keys, 1u);
  EXPECT_EQ(now.parked_events, 3u);
  ASSERT_TRUE(now.last_error.has_value());
  EXPECT_THAT(now.last_error->message, HasSubstr("customers.lua:5: negative"));
  EXPECT_EQ(now.last_error->position, GlobalPosition{3});
}

TEST_F(ParkedTest, AFailureInTheMiddleOfABatchLeavesTheRowAsItWas) {
  for (int i = 0; i < 20; ++i) added("order-1", "c" + std::to_string(i % 2), i == 11 ? -1 : 1);
  has_projection("customers", kStrict);
  settle();
  EXPECT_EQ(row("customers", "c0"), R"({"n":10,"sum":10})");
  EXPECT_EQ(row("customers", "c1"), R"({"n":5,"sum":5})");
  EXPECT_THAT(parked("customers"), ElementsAre("c1@12 +4 script"));
}

TEST_F(ParkedTest, ParkedKeysStayParkedAcrossARestart) {
  has_projection("customers", kStrict);
  added("order-1", "ada", -1);
  settle();
  restart_daemon();
  added("order-1", "ada", 1);
  settle();
  EXPECT_THAT(parked("customers"), ElementsAre("ada@2 +1 script"));
  EXPECT_THAT(rows("customers"), IsEmpty());
}

TEST_F(ParkedTest, ARetryThatFailsAgainIsCounted) {
  has_projection("customers", kStrict);
  added("order-1", "ada", -1);
  added("order-1", "ada", 1);
  settle();
  const RetryReport report = value_of(daemon().retry("customers", "ada"));
  EXPECT_EQ(report.keys, 1u);
  EXPECT_EQ(report.released, 0u);
  EXPECT_EQ(report.events, 0u);
  const auto details = value_of(daemon().parked_key("customers", "ada"));
  ASSERT_EQ(details.size(), 1u);
  EXPECT_EQ(details[0].parked.retries, 1u);
  EXPECT_EQ(details[0].parked.events, 2u);
  EXPECT_THAT(daemon().retry("customers", "bob"), fails_with(Errc::kNotFound));
}

TEST_F(ParkedTest, ARetryWithAFixedScriptGivesWhatARebuildGives) {
  has_projection("customers", kStrict);
  for (int i = 0; i < 30; ++i)
    added("order-" + std::to_string(i % 4), "c" + std::to_string(i % 3), i == 7 ? -5 : i);
  settle();
  ASSERT_EQ(parked("customers").size(), 1u);
  EXPECT_EQ(deploy_projection("customers", kLenient, true), "deployed 2");
  settle();
  EXPECT_EQ(status("customers").generation, 1u);
  ASSERT_EQ(parked("customers").size(), 1u) << "no retry was requested yet";
  const RetryReport report = value_of(daemon().retry("customers", std::nullopt));
  EXPECT_EQ(report.released, 1u);
  EXPECT_GT(report.events, 1u);
  EXPECT_THAT(parked("customers"), IsEmpty());
  const Rows retried = rows("customers");
  ASSERT_THAT(daemon().rebuild("customers", std::nullopt), succeeds());
  settle();
  EXPECT_EQ(status("customers").generation, 2u);
  EXPECT_EQ(rows("customers"), retried);
}

TEST_F(ParkedTest, ARebuildWithAFixedScriptLeavesNothingParked) {
  has_projection("customers", kStrict);
  added("order-1", "ada", -1);
  added("order-1", "ada", 4);
  settle();
  has_projection("customers", kLenient);
  settle();
  EXPECT_THAT(parked("customers"), IsEmpty());
  EXPECT_EQ(row("customers", "ada"), R"({"n":2,"sum":4})");
}

TEST_F(ParkedTest, ASkippedEventIsLeftOutOfARebuildToo) {
  has_projection("customers", kStrict);
  added("order-1", "ada", 1);
  added("order-1", "ada", -1);
  added("order-1", "ada", 2);
  settle();
  EXPECT_THAT(daemon().skip("customers", "bob", "why"), fails_with(Errc::kNotFound));
  const RetryReport report = value_of(daemon().skip("customers", "ada", "typed by mistake"));
  EXPECT_EQ(report.released, 1u);
  EXPECT_EQ(report.events, 1u) << "the one after it";
  EXPECT_THAT(parked("customers"), IsEmpty());
  EXPECT_EQ(row("customers", "ada"), R"({"n":2,"sum":3})");
  restart_daemon();
  ASSERT_THAT(daemon().rebuild("customers", std::nullopt), succeeds());
  settle();
  EXPECT_EQ(status("customers").generation, 2u);
  EXPECT_EQ(row("customers", "ada"), R"({"n":2,"sum":3})");
  // It survives the read models themselves.
  close_daemon();
  std::filesystem::remove_all(folder() / "readmodels");
  settle();
  EXPECT_EQ(row("customers", "ada"), R"({"n":2,"sum":3})");
  std::vector<std::string> written;
  for (const Event& event : events_in("$audit")) written.push_back(event.data);
  EXPECT_THAT(written, Contains(HasSubstr("typed by mistake")));
}

// Neither a start nor a skip comes before the build, which would bring it the list of skipped events once more.
TEST_F(ParkedTest, ASkippedEventIsLeftOutOfALaterRebuildAndAVerification) {
  has_projection("customers", kStrict);
  added("order-1", "ada", 1);
  added("order-1", "ada", -1);
  added("order-1", "ada", 2);
  settle();
  ASSERT_THAT(daemon().skip("customers", "ada", "typed by mistake"), succeeds());
  settle();
  ASSERT_THAT(daemon().verify("customers"), succeeds());
  settle();
  const auto report = daemon().verify_report("customers");
  EXPECT_TRUE(report->is_equal()) << report->error << " " << report->different;
  ASSERT_THAT(daemon().rebuild("customers", std::nullopt), succeeds());
  EXPECT_TRUE(daemon().run_once());
  settle();
  EXPECT_EQ(status("customers").generation, 2u);
  EXPECT_THAT(parked("customers"), IsEmpty());
  EXPECT_EQ(row("customers", "ada"), R"({"n":2,"sum":3})");
}

TEST_F(ParkedTest, AnEventSkippedWithItsStreamIsLeftOutOfALaterRebuild) {
  registered("Order", kEuros);
  append_as("order-1", "Order", 1, R"({"total":2})");
  registered("Order", kCents);
  append_as("order-1", "Order", 2, R"({"cents":5})");
  has_projection("orders",
                 projection("Order = function(row, event) row.sum = (row.sum or 0) + event.data.cents end",
                            " key = function(event) return 'of ' .. event.data.cents % 1 end,"));
  settle();
  ASSERT_THAT(parked("orders"), ElementsAre("stream order-1@2 +1 schema"));
  ASSERT_THAT(daemon().skip("orders", "order-1", "too old"), succeeds());
  settle();
  ASSERT_THAT(daemon().rebuild("orders", std::nullopt), succeeds());
  settle();
  EXPECT_EQ(status("orders").generation, 2u);
  EXPECT_THAT(parked("orders"), IsEmpty());
  EXPECT_THAT(rows("orders"), ElementsAre(Pair("of 0", R"({"sum":5})")));
}

// With the first upcaster order-3 fails and order-2 does not, with the second one it is the other way round.
TEST_F(ParkedTest, AnEventThatWasSkippedLaterIsTakenOutOfAGenerationThatIsRolledBackTo) {
  const auto failing = [](int total) {
    return upcaster("Order", 1, 2,
                    "return { cents = data.total == " + std::to_string(total) + " and -1 or 100 }");
  };
  registered("Order", kEuros);
  append_as("order-2", "Order", 1, R"({"total":2})");
  append_as("order-3", "Order", 1, R"({"total":3})");
  registered("Order", kCents);
  append_as("order-2", "Order", 2, R"({"cents":5})");
  deployed(failing(3));
  has_projection("orders", projection("Order = function(row, event)\n"
                                      "  if event.data.cents < 0 then error('negative') end\n"
                                      "  row.sum = (row.sum or 0) + event.data.cents\n"
                                      "end"));
  settle();
  EXPECT_EQ(row("orders", "order-2"), R"({"sum":105})");
  deployed(failing(2));
  ASSERT_THAT(daemon().rebuild("orders", std::nullopt), succeeds());
  settle();
  ASSERT_EQ(status("orders").generation, 2u);
  ASSERT_EQ(parked("orders").size(), 1u);
  ASSERT_THAT(daemon().skip("orders", "order-2", "too old"), succeeds());
  settle();
  EXPECT_EQ(row("orders", "order-2"), R"({"sum":5})");
  ASSERT_THAT(daemon().rollback("orders"), succeeds());
  settle();
  EXPECT_EQ(status("orders").generation, 1u);
  EXPECT_EQ(row("orders", "order-2"), R"({"sum":5})");
}

TEST_F(ParkedTest, ASkipDoesNotApplyToAnotherScript) {
  has_projection("customers", kStrict);
  added("order-1", "ada", -1);
  settle();
  ASSERT_THAT(daemon().skip("customers", "ada", "no"), succeeds());
  has_projection("customers", kLenient);
  settle();
  EXPECT_EQ(row("customers", "ada"), R"({"n":1,"sum":0})");
}

TEST_F(ParkedTest, ARebuildThatParksMoreDoesNotTakeOver) {
  has_projection("customers", kLenient);
  added("order-1", "ada", -1);
  settle();
  has_projection("customers", kStrict);
  settle();
  EXPECT_EQ(status("customers").generation, 1u);
  EXPECT_EQ(state("customers"), "rebuilding");
  EXPECT_THAT(status("customers").reason, HasSubstr("1 key is parked in generation 2"));
  EXPECT_EQ(row("customers", "ada"), R"({"n":1,"sum":0})");
  ASSERT_THAT(daemon().skip("customers", "ada", "it may go"), succeeds());
  settle();
  EXPECT_EQ(status("customers").generation, 2u);
  EXPECT_EQ(row("customers", "ada"), "none");
}

TEST_F(ParkedTest, TooManyParkedKeysPauseTheProjection) {
  daemon_options().parked_keys_max = 3;
  has_projection("customers", kStrict);
  added("order-1", "ada", 1);
  settle();
  for (const char* customer : {"a", "b", "c"}) added("order-1", customer, -1);
  settle();
  EXPECT_EQ(state("customers"), "paused");
  EXPECT_THAT(status("customers").reason, HasSubstr("3 keys are parked"));
  added("order-1", "ada", 1);
  settle();
  EXPECT_EQ(row("customers", "ada"), R"({"n":1,"sum":1})");
  // These keys were accepted by resume, also after a restart.
  ASSERT_THAT(daemon().resume("customers"), succeeds());
  settle();
  restart_daemon();
  added("order-1", "ada", 1);
  settle();
  EXPECT_EQ(state("customers"), "running");
  EXPECT_EQ(row("customers", "ada"), R"({"n":3,"sum":3})");
  added("order-1", "d", -1);
  settle();
  EXPECT_EQ(state("customers"), "paused");
  for (const char* customer : {"a", "b", "c", "d"})
    ASSERT_THAT(daemon().skip("customers", customer, "no"), succeeds());
  ASSERT_THAT(daemon().resume("customers"), succeeds());
  settle();
  EXPECT_EQ(state("customers"), "running");
  EXPECT_THAT(parked("customers"), IsEmpty());
}

TEST_F(ParkedTest, ALiveGenerationStopsExactlyAtTheLimit) {
  daemon_options().parked_keys_max = 3;
  has_projection("customers", kStrict);
  added("order-1", "ada", 1);
  settle();
  for (int i = 0; i < 20; ++i) added("order-1", "c" + std::to_string(i), i % 2 == 0 ? 1 : -1);
  settle();
  EXPECT_EQ(state("customers"), "paused");
  EXPECT_THAT(parked("customers"), ElementsAre("c1@4 +0 script", "c3@6 +0 script", "c5@8 +0 script"));
  EXPECT_EQ(status("customers").position.value, 8u) << "the event that parks the third key is the last";
  EXPECT_EQ(row("customers", "c4"), R"({"n":1,"sum":1})");
  EXPECT_EQ(row("customers", "c6"), "none");
  // Each resume accepts what is parked, and stops at the next one.
  ASSERT_THAT(daemon().resume("customers"), succeeds());
  settle();
  EXPECT_EQ(state("customers"), "paused");
  EXPECT_EQ(status("customers").parked_keys, 4u);
  EXPECT_EQ(status("customers").position.value, 10u);
}

TEST_F(ParkedTest, ABuildStopsExactlyAtTheLimit) {
  daemon_options().parked_keys_max = 3;
  for (int i = 0; i < 20; ++i) added("order-1", "c" + std::to_string(i), i % 2 == 0 ? 1 : -1);
  has_projection("customers", kStrict);
  settle();
  EXPECT_EQ(state("customers"), "paused");
  EXPECT_EQ(status("customers").rebuild->parked_keys, 3u);
  EXPECT_EQ(status("customers").rebuild->position.value, 6u);
  restart_daemon();
  EXPECT_EQ(status("customers").rebuild->parked_keys, 3u);
}

TEST_F(ParkedTest, RowsThatCannotBeSavedCountForTheLimitToo) {
  const std::string unsavable = projection(
      "    Added = function(row, event)\n"
      "      row.n = event.data.cents\n"
      "      if event.data.cents < 0 then row.f = function() end end\n"
      "    end,",
      " key = function(event) return event.data.customer end,");
  daemon_options().parked_keys_max = 3;
  for (int i = 0; i < 20; ++i) added("order-1", "c" + std::to_string(i), i % 2 == 0 ? 1 : -1);
  has_projection("customers", unsavable);
  settle();
  EXPECT_EQ(state("customers"), "paused");
  EXPECT_EQ(status("customers").rebuild->parked_keys, 3u);
  EXPECT_EQ(status("customers").rebuild->position.value, 6u);
}

TEST_F(ParkedTest, AnEventThatParksSeveralKeysIsNotCutAtTheLimit) {
  registered("Order", kEuros);
  append_as("order-1", "Order", 1, R"({"total":2})");
  registered("Order", kCents);
  deployed(
      upcaster("Order", 1, 2,
               "return { { data = { cents = 1 } }, { data = { cents = 2 } }, { data = { cents = 3 } } }"));
  append_as("order-2", "Order", 2, R"({"cents":4})");
  daemon_options().parked_keys_max = 2;
  has_projection("orders", projection("Order = function() error('no') end",
                                      " key = function(event) return 'of ' .. event.data.cents end,"));
  settle();
  EXPECT_EQ(state("orders"), "paused");
  EXPECT_EQ(parked("orders").size(), 3u) << "the keys of the first event, and not the second";
}

TEST_F(ParkedTest, AFixedScriptGetsThroughWithOneResume) {
  daemon_options().parked_keys_max = 3;
  daemon_options().batch_positions_max = 4;
  has_projection("customers", kStrict);
  added("order-1", "ada", 1);
  settle();
  for (int i = 0; i < 40; ++i) added("order-1", "c" + std::to_string(i), -1);
  settle();
  ASSERT_EQ(state("customers"), "paused");
  ASSERT_EQ(status("customers").parked_keys, 3u);
  has_projection("customers", kLenient);
  ASSERT_THAT(daemon().resume("customers"), succeeds());
  while (status("customers").generation == 1 && daemon().run_once()) {
    EXPECT_LE(status("customers").parked_keys, 4u) << "the live generation waits for the one being built";
  }
  settle();
  EXPECT_EQ(state("customers"), "running");
  EXPECT_EQ(status("customers").generation, 2u);
  EXPECT_EQ(status("customers").position.value, head());
  EXPECT_THAT(parked("customers"), IsEmpty());
}

TEST_F(ParkedTest, ACancelledBuildLeavesTheLiveGenerationPausedAtItsLimit) {
  daemon_options().parked_keys_max = 3;
  daemon_options().batch_positions_max = 4;
  has_projection("customers", kStrict);
  settle();
  for (int i = 0; i < 40; ++i) added("order-1", "c" + std::to_string(i), -1);
  settle();
  has_projection("customers", kLenient);
  ASSERT_THAT(daemon().resume("customers"), succeeds());
  daemon().run_once();
  daemon().run_once();
  ASSERT_EQ(state("customers"), "rebuilding");
  ASSERT_THAT(daemon().cancel("customers"), succeeds());
  settle();
  EXPECT_EQ(state("customers"), "paused");
  EXPECT_EQ(status("customers").parked_keys, 4u);
}

// The skip is in the log and the retry is not committed: a crash between the two.
TEST_F(ParkedTest, ASkipThatWasRecordedBeforeACrashHolds) {
  has_projection("customers", kStrict);
  added("order-1", "ada", 1);
  added("order-1", "ada", -1);
  added("order-1", "ada", 2);
  settle();
  const TempFolder before;
  copy_folder(folder() / "readmodels", before / "readmodels");
  ASSERT_THAT(daemon().skip("customers", "ada", "typed by mistake"), succeeds());
  close_daemon();
  std::filesystem::remove_all(folder() / "readmodels");
  copy_folder(before / "readmodels", folder() / "readmodels");
  settle();
  EXPECT_THAT(parked("customers"), IsEmpty());
  EXPECT_EQ(row("customers", "ada"), R"({"n":2,"sum":3})");
}

TEST_F(ParkedTest, AVerificationUnderWayFollowsASkip) {
  daemon_options().batch_positions_max = 2;
  has_projection("customers", kStrict);
  added("order-1", "ada", 1);
  added("order-1", "ada", -1);
  for (int i = 0; i < 20; ++i) added("order-1", "ada", 2);
  settle();
  ASSERT_THAT(daemon().verify("customers"), succeeds());
  for (int i = 0; i < 4; ++i) daemon().run_once();
  ASSERT_EQ(daemon().verify_report("customers")->stage, RowsVerification::Stage::kBuilding);
  ASSERT_GT(daemon().verify_report("customers")->position.value, 3u) << "past the event that fails";
  ASSERT_THAT(daemon().skip("customers", "ada", "typed by mistake"), succeeds());
  settle();
  EXPECT_EQ(row("customers", "ada"), R"({"n":21,"sum":41})");
  const auto report = daemon().verify_report("customers");
  EXPECT_TRUE(report->is_equal()) << report->error << " " << report->different;
}

// The event fails in the live generation and not in the one being built: an upcaster has come in between.
TEST_F(ParkedTest, AnEventThatABuildHasAppliedIsTakenOutWhenItIsSkipped) {
  daemon_options().batch_positions_max = 2;
  registered("Order", kEuros);
  append_as("order-1", "Order", 1, R"({"total":2})");
  registered("Order", kCents);
  append_as("order-1", "Order", 2, R"({"cents":5})");
  has_projection("orders",
                 projection("Order = function(row, event) row.sum = (row.sum or 0) + event.data.cents end"));
  for (int i = 0; i < 20; ++i) append_as("order-2", "Order", 2, R"({"cents":1})");
  settle();
  ASSERT_THAT(parked("orders"), ElementsAre("order-1@2 +1 schema"));
  deployed(kEurosToCents);
  ASSERT_THAT(daemon().rebuild("orders", std::nullopt), succeeds());
  for (int i = 0; i < 4; ++i) daemon().run_once();
  ASSERT_EQ(status("orders").generation, 1u);
  ASSERT_GT(status("orders").rebuild->position.value, 4u);
  ASSERT_THAT(daemon().skip("orders", "order-1", "too old"), succeeds());
  EXPECT_EQ(row("orders", "order-1"), R"({"sum":5})");
  settle();
  EXPECT_EQ(status("orders").generation, 2u);
  EXPECT_EQ(row("orders", "order-1"), R"({"sum":5})");
  EXPECT_EQ(row("orders", "order-2"), R"({"sum":20})");
}

TEST_F(ParkedTest, AnEventWithoutAKnownKeyParksItsStream) {
  has_projection("customers", projection("Added = function(row, event) row.last = event.data.cents end",
                                         " key = function(event) return event.data.customer:upper() end,"));
  added("order-1", "ada", 1);                             // 2
  append("order-1", {event("Added", R"({"cents":2})")});  // 3: no customer
  added("order-1", "ada", 3);                             // 4: waits behind it
  added("order-2", "ada", 4);                             // 5
  settle();
  EXPECT_THAT(parked("customers"), ElementsAre("stream order-1@3 +1 script"));
  EXPECT_EQ(row("customers", "ADA"), R"({"last":4})");
  // With code that knows what to do the row is what a rebuild gives: 4 is the last, although 3 came later.
  deploy_projection(
      "customers",
      projection("Added = function(row, event) row.last = event.data.cents end",
                 " key = function(event) return (event.data.customer or 'nobody'):upper() end,"),
      true);
  const RetryReport report = value_of(daemon().retry("customers", "order-1"));
  EXPECT_EQ(report.released, 1u);
  EXPECT_EQ(report.events, 2u);
  const Rows retried = rows("customers");
  EXPECT_THAT(retried, ElementsAre(Pair("ADA", R"({"last":4})"), Pair("NOBODY", R"({"last":2})")));
  ASSERT_THAT(daemon().rebuild("customers", std::nullopt), succeeds());
  settle();
  EXPECT_EQ(rows("customers"), retried);
}

TEST_F(ParkedTest, AnEventSkippedWithItsStreamStaysSkippedOnceItsKeyIsKnown) {
  registered("Order", kEuros);
  append_as("order-1", "Order", 1, R"({"total":2})");
  registered("Order", kCents);
  append_as("order-1", "Order", 2, R"({"cents":5})");
  has_projection("orders",
                 projection("Order = function(row, event) row.sum = (row.sum or 0) + event.data.cents end",
                            " key = function(event) return 'of ' .. event.data.cents % 1 end,"));
  settle();
  ASSERT_THAT(parked("orders"), ElementsAre("stream order-1@2 +1 schema"));
  ASSERT_THAT(daemon().skip("orders", "order-1", "too old"), succeeds());
  EXPECT_THAT(rows("orders"), ElementsAre(Pair("of 0", R"({"sum":5})")));
  deployed(kEurosToCents);
  ASSERT_THAT(daemon().rebuild("orders", std::nullopt), succeeds());
  settle();
  EXPECT_EQ(status("orders").generation, 2u);
  EXPECT_THAT(rows("orders"), ElementsAre(Pair("of 0", R"({"sum":5})")));
}

// One event becomes two, of which the second fails: the first must not be in the row twice after a retry.
TEST_F(ParkedTest, ASplitEventIsParkedAsAWhole) {
  registered("Order", kEuros);
  append_as("order-1", "Order", 1, R"({"total":2})");
  registered("Order", kCents);
  has_projection("orders", projection("    Order = function(row, event)\n"
                                      "      if event.data.cents == 13 then error('unlucky') end\n"
                                      "      row.sum = (row.sum or 0) + event.data.cents\n"
                                      "    end",
                                      " key = function(event) return 'of ' .. event.data.cents // 100 end,"));
  settle();
  ASSERT_THAT(parked("orders"), ElementsAre("stream order-1@2 +0 schema"));
  deployed(upcaster(
      "Order", 1, 2,
      "return { { type = 'Order', data = { cents = 7 } }, { type = 'Order', data = { cents = 13 } } }"));
  // The stream's row is folded from the log again, and stops before the event.
  ASSERT_THAT(daemon().retry("orders", std::nullopt), succeeds());
  EXPECT_THAT(parked("orders"), ElementsAre("of 0@2 +0 script"));
  EXPECT_THAT(rows("orders"), IsEmpty());
  deploy_projection("orders",
                    projection("Order = function(row, event) row.sum = (row.sum or 0) + event.data.cents end",
                               " key = function(event) return 'of ' .. event.data.cents // 100 end,"),
                    true);
  ASSERT_THAT(daemon().retry("orders", std::nullopt), succeeds());
  EXPECT_THAT(rows("orders"), ElementsAre(Pair("of 0", R"({"sum":20})")));
}

TEST_F(ParkedTest, ARetryUsesNewUpcasters) {
  registered("Order", kEuros);
  append_as("order-1", "Order", 1, R"({"total":2})");
  registered("Order", kCents);
  append_as("order-1", "Order", 2, R"({"cents":5})");
  has_projection("orders",
                 projection("Order = function(row, event) row.sum = (row.sum or 0) + event.data.cents end"));
  settle();
  EXPECT_THAT(parked("orders"), ElementsAre("order-1@2 +1 schema"));
  deployed(kEurosToCents);
  const RetryReport report = value_of(daemon().retry("orders", std::nullopt));
  EXPECT_EQ(report.released, 1u);
  EXPECT_EQ(row("orders", "order-1"), R"({"sum":205})");
}

TEST_F(ParkedTest, HostileHandlersParkOnlyTheirOwnKeys) {
  has_projection(
      "hostile",
      projection(
          "    Added = function(row, event)\n"
          "      local what = event.data.customer\n"
          "      if what == 'loop' then while true do end end\n"
          "      if what == 'memory' then local t = {} while true do t[#t + 1] = ('x'):rep(1000) .. #t end "
          "end\n"
          "      if what == 'function' then row.f = function() end end\n"
          "      if what == 'nan' then row.x = 0 / 0 end\n"
          "      if what == 'cycle' then row.me = row end\n"
          "      if what == 'number' then return 5 end\n"
          "      if what == 'catch' then while true do pcall(function() while true do end end) end end\n"
          "      if what == 'big' then row.x = ('x'):rep(2000000) end\n"
          "      row.n = (row.n or 0) + 1\n"
          "    end",
          " key = function(event) return event.data.customer end,"));
  has_projection("innocent", kByCustomer);
  const std::vector<std::string> evil = {"loop",  "memory", "function", "nan",
                                         "cycle", "number", "catch",    "big"};
  for (const std::string& what : evil) {
    added("order-1", what, 1);
    added("order-1", "good", 1);
    added("order-1", what, 1);
  }
  settle();
  EXPECT_THAT(rows("hostile"), ElementsAre(Pair("good", R"({"n":8})")));
  EXPECT_EQ(parked("hostile").size(), evil.size());
  EXPECT_EQ(status("hostile").parked_events, 2 * evil.size());
  EXPECT_EQ(rows("innocent").size(), evil.size() + 1);
  EXPECT_EQ(state("hostile"), "running");
}

TEST_F(ParkedTest, RowsDoNotDependOnTheNumberOfPartitions) {
  // Far more events than are worth sharing among threads, with failures among them.
  std::vector<NewEvent> events;
  for (int i = 0; i < 4'000; ++i) {
    events.push_back(event("Added", added_json("c" + std::to_string(i * 7 % 97), i % 501 == 500 ? -1 : i)));
  }
  append("order-1", std::move(events));
  std::vector<Rows> seen;
  std::vector<std::vector<std::string>> failures;
  for (const unsigned partitions : {1u, 2u, 5u}) {
    close_daemon();
    std::filesystem::remove_all(folder() / "readmodels");
    daemon_options().partitions = partitions;
    daemon_options().batch_positions_max = partitions == 5 ? 700 : 16'384;
    if (seen.empty()) has_projection("customers", kStrict);
    settle();
    seen.push_back(rows("customers", false, 1'000));
    failures.push_back(parked("customers"));
  }
  EXPECT_EQ(seen[0].size(), 97u);
  EXPECT_EQ(seen[1], seen[0]);
  EXPECT_EQ(seen[2], seen[0]);
  EXPECT_EQ(failures[0].size(), 7u);
  EXPECT_EQ(failures[1], failures[0]);
  EXPECT_EQ(failures[2], failures[0]);
}

}  // namespace
}  // namespace cairn::test
