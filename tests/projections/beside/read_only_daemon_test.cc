// Answers from read models that another process builds.

#include "projections/beside/read_only_daemon.h"

#include <algorithm>
#include <condition_variable>
#include <csignal>
#include <mutex>

#include "tests/projections/daemon/daemon_fixture.h"
#include "tests/support/child_process.h"

namespace cairn::test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// ReadModels that only read, and a child process that builds.
class ReadOnlyDaemonTest : public UpcastersTest {
 protected:
  ~ReadOnlyDaemonTest() override {
    builder_.reset();
    daemon_.reset();
  }

  ReadModels& daemon() {
    if (daemon_ == nullptr) {
      DaemonOptions options;
      options.on_log = [this](const LogEvent& event) {
        const std::lock_guard lock(lines_mutex_);
        lines_.push_back(event);
        logged_.notify_all();
      };
      options.clock = clock().function();
      auto opened = open_read_only_daemon(store(), shapes(), folder(), options);
      EXPECT_THAT(opened, succeeds());
      daemon_ = *std::move(opened);
    }
    return *daemon_;
  }

  void start_builder() {
    store();
    builder_ = std::make_unique<ChildProcess>(
        ChildProcess::Command{{test_program("building_child").string(), folder().string()}, {}});
    builder_says("building");
  }
  // Reads on until it has said this.
  void builder_says(const std::string& text) {
    while (const auto line = builder_->read_line()) {
      if (line->find(text) != std::string::npos) return;
      ASSERT_FALSE(line->starts_with("failed")) << *line;
    }
    ADD_FAILURE() << "it ended without: " << text;
  }
  void tell_builder(const std::string& command) {
    builder_->write_line(command);
    builder_says("done");
  }
  void kill_builder() {
    builder_->kill(SIGKILL);
    builder_->wait();
  }

  void has(const std::string& name, const std::string& source) {
    const auto outcome = daemon().deploy({name, source, name + ".lua"});
    ASSERT_TRUE(outcome);
  }

  std::uint64_t added(const std::string& customer, std::int64_t cents) {
    append("order-1",
           {event("Added", R"({"customer":")" + customer + R"(","cents":)" + std::to_string(cents) + "}")});
    return store().head().value;
  }

  // Waits until so many lines with this code were logged.
  bool logs(std::string_view code, std::size_t count) {
    std::unique_lock lock(lines_mutex_);
    return logged_.wait_for(lock, std::chrono::seconds(60), [&] {
      return static_cast<std::size_t>(std::count_if(lines_.begin(), lines_.end(), [&](const LogEvent& line) {
               return line.code == code;
             })) >= count;
    });
  }
  std::size_t count_of(std::string_view code) {
    const std::lock_guard lock(lines_mutex_);
    return static_cast<std::size_t>(
        std::count_if(lines_.begin(), lines_.end(), [&](const LogEvent& line) { return line.code == code; }));
  }

  bool reaches(const std::string& name, std::uint64_t position,
               std::chrono::milliseconds patience = std::chrono::seconds(60)) {
    std::promise<bool> promise;
    daemon().wait_for(name, {position}, patience, [&](bool reached) { promise.set_value(reached); });
    return promise.get_future().get();
  }
  void settle(const std::string& name) { ASSERT_TRUE(reaches(name, store().head().value)); }

  Rows rows(const std::string& name) {
    Rows found;
    const auto answer = daemon().rows(name, {});
    EXPECT_THAT(answer, succeeds());
    if (!answer) return found;
    for (const auto& row : answer->rows) found.emplace(row.key, row.json);
    return found;
  }

  ProjectionStatus status(const std::string& name) {
    const auto found = daemon().status(name);
    EXPECT_TRUE(found.has_value());
    return found.value_or(ProjectionStatus{});
  }
  std::string state(const std::string& name) {
    const ProjectionStatus now = status(name);
    return std::string(to_string(now.state)) + ": " + now.reason;
  }

  std::mutex lines_mutex_;
  std::condition_variable logged_;
  std::vector<LogEvent> lines_;

 private:
  std::unique_ptr<ReadModels> daemon_;
  std::unique_ptr<ChildProcess> builder_;
};

const std::string kWithMark = projection("    Added = function(row, event) row.mark = event.data.cents end,",
                                         " key = function(event) return event.data.customer end,");

TEST_F(ReadOnlyDaemonTest, RowsAreThoseThatAnotherProcessBuilds) {
  start_builder();
  has("sums", kByCustomer);
  added("ann", 5);
  added("bob", 7);
  ASSERT_TRUE(reaches("sums", added("ann", 3)));
  EXPECT_EQ(rows("sums"), (Rows{{"ann", R"({"n":2,"sum":8})"}, {"bob", R"({"n":1,"sum":7})"}}));
  const auto row = value_of(daemon().row("sums", "bob", false));
  EXPECT_EQ(row.json, R"({"n":1,"sum":7})");
  EXPECT_EQ(row.position, store().head());
  EXPECT_EQ(row.generation, 1u);

  const ProjectionStatus now = status("sums");
  EXPECT_EQ(state("sums"), "running: another process builds it");
  EXPECT_EQ(now.position, store().head());
  EXPECT_EQ(now.lag_events, 0u);
  EXPECT_EQ(now.rows, 2u);
  EXPECT_EQ(now.revision, 1u);
  EXPECT_FALSE(now.outdated);
  EXPECT_EQ(now.fingerprint, projection_fingerprint("sums", kByCustomer));
}

TEST_F(ReadOnlyDaemonTest, APositionThatChangesNoRowIsReachedToo) {
  start_builder();
  has("sums", kByCustomer);
  settle("sums");
  for (int i = 0; i < 3; ++i) {
    append("other-1", {event("Unrelated", "{}")});
    ASSERT_TRUE(reaches("sums", store().head().value)) << i;
  }
}

TEST_F(ReadOnlyDaemonTest, AChangedDefinitionIsBuiltAndTakesOver) {
  start_builder();
  has("sums", kByCustomer);
  ASSERT_TRUE(reaches("sums", added("ann", 5)));
  has("sums", kWithMark);
  builder_says("generation 2 answers from now on");
  // Only the new one gets there.
  ASSERT_TRUE(reaches("sums", added("bob", 9)));
  EXPECT_EQ(rows("sums"), (Rows{{"ann", R"({"mark":5})"}, {"bob", R"({"mark":9})"}}));
  EXPECT_EQ(status("sums").generation, 2u);
  EXPECT_EQ(status("sums").previous_generation, 1u);

  tell_builder("rollback sums");
  ASSERT_TRUE(reaches("sums", added("bob", 1)));
  EXPECT_EQ(status("sums").generation, 1u);
  EXPECT_EQ(rows("sums")["bob"], R"({"n":2,"sum":10})");
}

TEST_F(ReadOnlyDaemonTest, AProjectionThatWasRemovedAndDeployedAgainStartsEmpty) {
  start_builder();
  has("sums", kByCustomer);
  ASSERT_TRUE(reaches("sums", added("ann", 5)));
  EXPECT_EQ(rows("sums").size(), 1u);
  ASSERT_THAT(daemon().remove("sums"), succeeds());
  EXPECT_EQ(daemon().status("sums"), std::nullopt);
  EXPECT_THAT(daemon().row("sums", "ann", false), fails_with(Errc::kNotFound));
  EXPECT_THAT(daemon().remove("sums"), fails_with(Errc::kNotFound));
  // The next one is deployed when the other process has removed the first: another one lives on meanwhile.
  has("marks", kWithMark);
  settle("marks");
  has("sums", kWithMark);
  ASSERT_TRUE(reaches("sums", added("ann", 6)));
  EXPECT_EQ(rows("sums"), (Rows{{"ann", R"({"mark":6})"}}));
}

TEST_F(ReadOnlyDaemonTest, AProjectionThatNobodyBuildsIsLoggedOnceAndItsRecoveryToo) {
  has("sums", kByCustomer);
  added("ann", 5);
  daemon().start();
  ASSERT_TRUE(logs("projection-stalled", 1));
  start_builder();
  settle("sums");
  ASSERT_TRUE(logs("projection-recovered", 1));
  EXPECT_EQ(count_of("projection-stalled"), 1u);
  const std::lock_guard lock(lines_mutex_);
  EXPECT_THAT(lines_.front().message, HasSubstr("Projection sums is stalled at position 0"));
  EXPECT_THAT(lines_.front().message, HasSubstr("no process builds it: start `cairn project`"));
}

TEST_F(ReadOnlyDaemonTest, WithoutABuilderItIsStalled) {
  has("sums", kByCustomer);
  added("ann", 5);
  EXPECT_THAT(state("sums"), HasSubstr("stalled: no process builds it: start `cairn project`"));
  EXPECT_EQ(status("sums").generation, 0u);
  EXPECT_THAT(daemon().row("sums", "ann", false), fails_with(Errc::kFailedPrecondition));
  EXPECT_FALSE(reaches("sums", 1, std::chrono::milliseconds(10)));

  start_builder();
  settle("sums");
  EXPECT_EQ(rows("sums").size(), 1u);
  kill_builder();
  EXPECT_THAT(state("sums"), HasSubstr("running: no process builds it"));
  added("ann", 6);
  EXPECT_THAT(state("sums"), HasSubstr("stalled: no process builds it"));
  EXPECT_EQ(rows("sums")["ann"], R"({"n":1,"sum":5})") << "what was built can be read";
  start_builder();
  settle("sums");
  EXPECT_EQ(rows("sums")["ann"], R"({"n":2,"sum":11})");
}

TEST_F(ReadOnlyDaemonTest, APauseIsShown) {
  start_builder();
  has("sums", kByCustomer);
  settle("sums");
  tell_builder("pause sums");
  added("ann", 5);
  // The record is read again while a client waits.
  EXPECT_FALSE(reaches("sums", store().head().value, std::chrono::milliseconds(100)));
  EXPECT_EQ(state("sums"), "paused: on request");
}

TEST_F(ReadOnlyDaemonTest, WhatIsParkedIsShown) {
  start_builder();
  has("sums", kByCustomer);
  append("order-1", {event("Added", R"({"customer":"ann","cents":"none"})")});
  const std::uint64_t failed = store().head().value;
  added("ann", 5);
  ASSERT_TRUE(reaches("sums", added("bob", 1)));
  const auto parked = value_of(daemon().parked("sums", "", 10));
  ASSERT_EQ(parked.keys.size(), 1u);
  EXPECT_EQ(parked.keys[0].key, "ann");
  EXPECT_EQ(parked.keys[0].position.value, failed);
  const auto details = value_of(daemon().parked_key("sums", "ann"));
  EXPECT_THAT(details.at(0).positions, ElementsAre(GlobalPosition{failed}, GlobalPosition{failed + 1}));
  EXPECT_EQ(status("sums").parked_keys, 1u);
  EXPECT_EQ(status("sums").parked_events, 2u);
}

TEST_F(ReadOnlyDaemonTest, SchemasAndUpcastersArriveThroughTheLog) {
  start_builder();
  has("orders", projection("    Order = function(row, event) row.cents = (row.cents or 0) + "
                           "event.data.cents end,",
                           " key = function() return 'all' end,"));
  settle("orders");
  registered("Order", kEuros);
  registered("Order", kCents);
  deployed(kEurosToCents);
  append_as("order-1", "Order", 1, R"({"total":1.5})");
  append_as("order-1", "Order", 2, R"({"cents":7})");
  settle("orders");
  EXPECT_EQ(rows("orders"), (Rows{{"all", R"({"cents":157})"}}));
  EXPECT_EQ(status("orders").parked_keys, 0u);
}

// An upcaster may make a projection's events of a type that it did not ask the log for before.
TEST_F(ReadOnlyDaemonTest, AnUpcasterThatProducesWantedTypesIsAppliedInTime) {
  start_builder();
  has("lines", projection("    Line = function(row, event) row.n = (row.n or 0) + 1 end,",
                          " key = function() return 'all' end,"));
  registered("Line", record(R"({"name":"n","type":"long"})", "Line"));
  settle("lines");
  registered("Order", kEuros);
  registered("Order", kCents);
  deployed(upcaster("Order", 1, 2, "return {{ type = 'Line', data = { n = 1 } }}", " produces = {'Line'},"));
  append_as("order-1", "Order", 1, R"({"total":1.5})");
  settle("lines");
  EXPECT_EQ(rows("lines"), (Rows{{"all", R"({"n":1})"}}));
}

TEST_F(ReadOnlyDaemonTest, StopCallsWaitersWithFalse) {
  has("sums", kByCustomer);
  std::promise<bool> promise;
  daemon().wait_for("sums", {1'000}, std::chrono::hours(1),
                    [&](bool reached) { promise.set_value(reached); });
  daemon().stop();
  EXPECT_FALSE(promise.get_future().get());
  EXPECT_FALSE(reaches("others", 1));
}

TEST_F(ReadOnlyDaemonTest, OnlyOneProcessBuilds) {
  start_builder();
  const auto refused = ProjectionDaemon::open(store(), shapes(), folder());
  ASSERT_THAT(refused, fails_with(Errc::kFailedPrecondition));
  EXPECT_THAT(refused.error().message, HasSubstr("start the server with --projections read"));
}

}  // namespace
}  // namespace cairn::test
