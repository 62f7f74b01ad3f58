// A script that takes milliseconds for an event, which its limits allow: commands and a stop do not wait until it
// has applied a whole batch.

#include <future>
#include <thread>

#include "tests/projections/daemon/daemon_fixture.h"
#include "tests/support/scale.h"

namespace cairn::test {
namespace {

class SlowProjectionTest : public DaemonTest {
 protected:
  SlowProjectionTest() {
    daemon_options().log = [this](std::string_view) {
      if (!began_) begun_.set_value();
      began_ = true;
    };
  }

  // Logs its first event, and takes milliseconds for each.
  static std::string slow_script() {
    return "local seen = false\n"
           "return projection { key = function(event) return 'all' end, on = { Added = function(row)\n"
           "  if not seen then log('begun') end\n"
           "  seen = true\n"
           "  for i = 1, " +
           std::to_string(500'000 / kSanitizerDivisor) +
           " do end\n"
           "  row.n = (row.n or 0) + 1\n"
           "end } }\n";
  }
  void many_events() {
    std::vector<NewEvent> events(4'000, event("Added", "{}"));
    append("order-1", std::move(events));
  }
  void is_in_a_step() {
    many_events();
    has_projection("slow", slow_script());
    daemon().start();
    begun_.get_future().wait();
  }
  std::uint64_t position() { return status("slow").position.value; }

 private:
  std::promise<void> begun_;
  bool began_ = false;
};

TEST_F(SlowProjectionTest, ACommandDoesNotWaitForTheEndOfABatch) {
  is_in_a_step();
  ASSERT_THAT(daemon().rebuild("slow", std::nullopt), succeeds());
  ASSERT_THAT(daemon().pause("slow"), succeeds());
  EXPECT_LT(status("slow").position.value, head());
  EXPECT_EQ(state("slow"), "paused");
  EXPECT_FALSE(status("slow").last_error) << "an interrupted step is no failure";
}

TEST_F(SlowProjectionTest, AStopDoesNotWaitForTheEndOfABatch) {
  is_in_a_step();
  close_daemon();
  EXPECT_LT(position(), head());
}

// Shorter batches are committed, so that a projection that is stopped again and again gets on.
TEST_F(SlowProjectionTest, AnInterruptedBuildGetsOnInShorterBatches) {
  is_in_a_step();
  ASSERT_THAT(daemon().pause("slow"), succeeds());
  ASSERT_THAT(daemon().resume("slow"), succeeds());
  while (true) {
    const auto partial = daemon().row("slow", "all", true);
    if (partial && partial->json) break;
    std::this_thread::yield();
  }
  EXPECT_FALSE(status("slow").last_error);
}

}  // namespace
}  // namespace cairn::test
