// A process killed at any moment of a redrive leaves rows that, once the rest is retried, have each event once.

#include <csignal>
#include <nlohmann/json.hpp>

#include "tests/projections/daemon/daemon_fixture.h"
#include "tests/projections/daemon/redriven_projection.h"
#include "tests/support/child_process.h"
#include "tests/support/random.h"
#include "tests/support/scale.h"

namespace cairn::test {
namespace {

class RedriveKillTest : public DaemonTest {
 protected:
  ChildProcess::Command child(const std::string& point, int times) const {
    return {{test_program("redrive_child").string(), folder().string(), point, std::to_string(times)}, {}};
  }
  // Counted here, from the events as they stand in the log.
  Rows fold_of_the_log() {
    std::map<std::string, std::pair<std::int64_t, std::int64_t>> sums;
    const auto visit = [&](const EventView& event) {
      const auto data = nlohmann::json::parse(event.data);
      auto& [n, sum] = sums[data["customer"].get<std::string>()];
      ++n;
      sum += data["cents"].get<std::int64_t>();
      return true;
    };
    EXPECT_THAT(store().scan({.filter = {{}, {"Added"}}}, visit), succeeds());
    Rows expected;
    for (const auto& [customer, sum] : sums) {
      expected[customer] =
          R"({"n":)" + std::to_string(sum.first) + R"(,"sum":)" + std::to_string(sum.second) + "}";
    }
    return expected;
  }
  void expect_rows_are_the_fold() {
    settle();
    const ProjectionStatus after_kill = status(kRedriven);
    EXPECT_EQ(to_string(after_kill.state), "running") << after_kill.reason;
    const RetryReport rest = value_of(daemon().retry(kRedriven, std::nullopt));
    EXPECT_EQ(rest.released, rest.keys);
    EXPECT_EQ(rest.keys, after_kill.parked_keys);
    EXPECT_EQ(status(kRedriven).parked_events, 0u);
    settle();
    EXPECT_EQ(rows(kRedriven, false, 1'000), fold_of_the_log());
    ASSERT_THAT(daemon().verify(kRedriven), succeeds());
    settle();
    const auto report = daemon().verify_report(kRedriven);
    EXPECT_TRUE(report && report->is_equal()) << report->error << " " << report->different;
    close_daemon();
    close_all();
    std::filesystem::remove_all(folder());
  }
};

TEST_F(RedriveKillTest, KilledBeforeOrAfterAStepEachEventIsAppliedOnce) {
  for (const std::string point : {"redrive.before", "redrive.after"}) {
    for (int times = 1; times <= 4; ++times) {
      SCOPED_TRACE(point + " " + std::to_string(times));
      close_all();
      {
        ChildProcess process(child(point, times));
        while (const auto said = process.read_line()) {
          ASSERT_FALSE(said->starts_with("failed")) << *said;
        }
        ASSERT_EQ(process.wait().signal, SIGKILL) << "it never came there";
      }
      expect_rows_are_the_fold();
      if (HasFailure()) return;
    }
  }
}

TEST_F(RedriveKillTest, KilledAtRandomTimesEachEventIsAppliedOnce) {
  Random random("RedriveKillTest");
  for (std::size_t cycle = 0; cycle < rounds(8, 100); ++cycle) {
    SCOPED_TRACE("cycle " + std::to_string(cycle) + " of seed " + std::to_string(random.seed()));
    close_all();
    {
      ChildProcess process(child("none", 0));
      while (const auto said = process.read_line()) {
        ASSERT_FALSE(said->starts_with("failed")) << *said;
        if (*said == "begun") break;
      }
      for (std::uint64_t line = random.between(0, 60); line > 0; --line) {
        ASSERT_TRUE(process.read_line().has_value()) << describe(process.wait());
      }
      process.kill(SIGKILL);
      process.wait();
    }
    expect_rows_are_the_fold();
    if (HasFailure()) return;
  }
}

}  // namespace
}  // namespace cairn::test
