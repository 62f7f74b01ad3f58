// A process killed at any moment, also between any two writes of a rebuild, leaves read models that become
// the fold of the log when they catch up. So does one whose disk loses its power.

#include <cerrno>
#include <csignal>
#include <cstring>
#include <limits>

#include "tests/projections/daemon/daemon_fixture.h"
#include "tests/projections/daemon/killed_projection.h"
#include "tests/support/child_process.h"
#include "tests/support/random.h"
#include "tests/support/scale.h"
#include "tests/support/small_disk.h"

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

class ProjectionPowerCutTest : public ProjectionKillTest {
 protected:
  void SetUp() override {
    if (!disk_.missing().empty()) GTEST_SKIP() << disk_.missing();
  }

  std::filesystem::path data() const { return disk_.path() / "data"; }

  // Runs the process until it has said `lines` lines, or has reached the point that is among the arguments,
  // and cuts the power.
  void run_and_cut(const std::vector<std::string>& more, std::uint64_t lines) {
    std::vector<std::string> arguments = {test_program("projection_child").string(), data().string()};
    arguments.insert(arguments.end(), more.begin(), more.end());
    ChildProcess process({arguments, {}});
    std::optional<std::string> said;
    for (std::uint64_t line = 0; line < lines && said != "reached"; ++line) {
      said = process.read_line();
      ASSERT_TRUE(said.has_value()) << describe(process.wait());
      ASSERT_FALSE(said->starts_with("failed")) << *said;
      hear(*said);
    }
    ASSERT_TRUE(disk_.cut_power()) << std::strerror(errno);
    process.kill(SIGKILL);
    while ((said = process.read_line())) hear(*said);
    process.wait();
    ASSERT_TRUE(disk_.restore_power());
  }

  void hear(const std::string& line) {
    constexpr std::string_view kAppended = "appended ";
    if (line.starts_with(kAppended)) acknowledged_ = std::stoull(line.substr(kAppended.size()));
  }

  // Everything acknowledged is there, and the rows are the fold of the log.
  void expect_recovered() {
    if (!std::filesystem::exists(data() / "cairn.json")) {
      ASSERT_EQ(acknowledged_, 0u) << "the store is gone";
      return;
    }
    copy_folder(data(), folder());
    EXPECT_GE(store().head().value, acknowledged_);
    expect_rows_are_the_fold();
  }

  SmallDisk disk_{SmallDisk::Kind::kExt4Journal, SmallDisk::kXfsBytesMin};
  std::uint64_t acknowledged_ = 0;  // the last position
};

TEST_F(ProjectionPowerCutTest, CutAtRandomTimesEachEventIsAppliedOnce) {
  Random random("ProjectionPowerCutTest");
  const std::size_t cycles = rounds(4, 60);
  for (std::size_t cycle = 0; cycle < cycles; ++cycle) {
    SCOPED_TRACE("cycle " + std::to_string(cycle) + " of seed " + std::to_string(random.seed()));
    run_and_cut({std::to_string(random.below(1'000'000))}, random.one_in(8) ? 0 : random.between(1, 200));
    if (HasFatalFailure()) return;
    expect_recovered();
    if (HasFailure()) return;
  }
}

// Between any two writes of a commit, of a rebuild that takes over, and of a rollback.
TEST_F(ProjectionPowerCutTest, CutAtEachPointEachEventIsAppliedOnce) {
  Random random("ProjectionPowerCutTest");
  for (std::size_t round = 0; round < rounds(1, 5); ++round) {
    for (const std::string& point : kPoints) {
      SCOPED_TRACE(point + " in round " + std::to_string(round));
      run_and_cut(
          {std::to_string(random.below(1'000'000)), point, std::to_string(random.between(1, 2)), "wait"},
          std::numeric_limits<std::uint64_t>::max());
      if (HasFatalFailure()) return;
      expect_recovered();
      if (HasFailure()) return;
    }
  }
}

}  // namespace
}  // namespace cairn::test
