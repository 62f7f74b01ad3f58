// A process killed at any moment, also between any two writes of a rebuild, leaves read models that become
// the fold of the log when they catch up.

#include <csignal>

#include "tests/projections/daemon/daemon_fixture.h"
#include "tests/projections/daemon/killed_projection.h"
#include "tests/support/child_process.h"
#include "tests/support/random.h"
#include "tests/support/scale.h"

#include <nlohmann/json.hpp>

namespace cairn::test {
namespace {

class ProjectionKillTest : public DaemonTest {
 protected:
  ProjectionKillTest() {
    daemon_options().batch_positions_max = 500;
    daemon_options().commit_events_max = 2'000;
  }

  ChildProcess::Command child(std::uint64_t seed) const {
    return {{test_program("projection_child").string(), folder().string(), std::to_string(seed)}, {}};
  }

  // Which script has made the rows that are queried.
  std::size_t live_variant() {
    const std::string fingerprint = status(kKilledProjection).fingerprint;
    for (std::size_t variant = 0; variant < kKilledVariants; ++variant) {
      if (projection_fingerprint(kKilledProjection, killed_source(variant)) == fingerprint) return variant;
    }
    ADD_FAILURE() << "rows of an unknown script: " << fingerprint;
    return 0;
  }

  // What the rows must be: counted here, from the events as they stand in the log.
  Rows fold_of_the_log(std::size_t variant) {
    struct Sum {
      std::int64_t n = 0, sum = 0;
    };
    std::map<std::string, Sum> sums;
    const auto visit = [&](const EventView& event) {
      const auto data = nlohmann::json::parse(event.data);
      Sum& sum = sums[data["customer"].get<std::string>()];
      ++sum.n;
      sum.sum += data["cents"].get<std::int64_t>();
      return true;
    };
    EXPECT_THAT(store().scan({.filter = {{}, {"Added"}}}, visit), succeeds());
    Rows expected;
    for (const auto& [customer, sum] : sums) {
      expected[customer] = "{\"n\":" + std::to_string(sum.n) + ",\"sum\":" + std::to_string(sum.sum) +
                           ",\"variant\":" + std::to_string(variant) + "}";
    }
    return expected;
  }

  void expect_rows_are_the_fold() {
    if (daemon().status(kKilledProjection)) compare_rows();  // It may have been killed before there was one.
    close_daemon();
    close_all();
  }

 private:
  void compare_rows() {
    settle();
    const ProjectionStatus now = status(kKilledProjection);
    EXPECT_EQ(to_string(now.state), "running") << now.reason;
    EXPECT_EQ(now.parked_keys, 0u);
    EXPECT_EQ(rows(kKilledProjection, false, 1'000), fold_of_the_log(live_variant()));
    ASSERT_THAT(daemon().verify(kKilledProjection), succeeds());
    settle();
    const auto report = daemon().verify_report(kKilledProjection);
    EXPECT_TRUE(report && report->is_equal()) << report->error << " " << report->different;
  }
};

TEST_F(ProjectionKillTest, KilledAtRandomTimesEachEventIsAppliedOnce) {
  Random random("ProjectionKillTest");
  const std::size_t cycles = rounds(20, 200);
  for (std::size_t cycle = 0; cycle < cycles; ++cycle) {
    SCOPED_TRACE("cycle " + std::to_string(cycle) + " of seed " + std::to_string(random.seed()));
    {
      ChildProcess process(child(random.below(1'000'000)));
      const std::uint64_t lines = random.one_in(8) ? 0 : random.between(1, 150);
      for (std::uint64_t line = 0; line < lines; ++line) {
        const auto said = process.read_line();
        ASSERT_TRUE(said.has_value()) << describe(process.wait());
        ASSERT_FALSE(said->starts_with("failed")) << *said;
      }
      process.kill(SIGKILL);
      process.wait();
    }
    expect_rows_are_the_fold();
    if (HasFailure()) return;
  }
}

class ProjectionPointTest : public ProjectionKillTest, public ::testing::WithParamInterface<std::string> {};

TEST_P(ProjectionPointTest, KilledAtThisPointEachEventIsAppliedOnce) {
  Random random("ProjectionPointTest");
  for (int times = 1; times <= 3; ++times) {
    auto command = child(random.below(1'000'000));
    command.arguments.push_back(GetParam());
    command.arguments.push_back(std::to_string(times));
    {
      ChildProcess process(command);
      while (const auto said = process.read_line()) {
        ASSERT_FALSE(said->starts_with("failed")) << *said;
      }
      ASSERT_EQ(process.wait().signal, SIGKILL) << "it never came to " << GetParam();
    }
    expect_rows_are_the_fold();
    if (HasFailure()) return;
  }
}

INSTANTIATE_TEST_SUITE_P(Points, ProjectionPointTest, ::testing::ValuesIn(kPoints), [](const auto& point) {
  std::string name = point.param;
  std::replace(name.begin(), name.end(), '.', '_');
  return name;
});

}  // namespace
}  // namespace cairn::test
