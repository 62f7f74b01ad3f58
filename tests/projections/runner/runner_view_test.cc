// The status of a projection is a pure function of what its builder publishes and what is on disk.

#include "projections/runner/runner_view.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace cairn::test {
namespace {

using ::testing::HasSubstr;

constexpr std::chrono::milliseconds kStalledAfter{30'000};

Timestamp at(std::int64_t seconds) { return {seconds * 1'000'000}; }

class RunnerViewTest : public ::testing::Test {
 protected:
  // The rows are at `position`, and the log ends at `head`; the first missing event is `age` seconds old.
  void live_at(std::uint64_t position, std::uint64_t head, std::int64_t age = 0) {
    facts_.live = ReadModelFacts{};
    facts_.live->generation = 1;
    facts_.live->position = {position};
    facts_.head = {head};
    if (head > position) facts_.next_event_at = at(kNow - age);
  }
  void building_at(std::uint64_t position) {
    facts_.building = ReadModelFacts{};
    facts_.building->generation = 2;
    facts_.building->position = {position};
  }
  void moved(std::int64_t seconds_ago) { view_.moved_at = at(kNow - seconds_ago); }

  ProjectionStatus status() const { return status_of(view_, facts_, at(kNow), kStalledAfter); }
  std::string state() const {
    const ProjectionStatus now = status();
    return std::string(to_string(now.state)) + ": " + now.reason;
  }

  static constexpr std::int64_t kNow = 1'000;
  RunnerView view_;
  StatusFacts facts_;
};

TEST_F(RunnerViewTest, RowsAtTheHeadHaveNoLag) {
  live_at(7, 7);
  EXPECT_EQ(state(), "running: ");
  EXPECT_EQ(status().lag_events, 0u);
  EXPECT_EQ(status().lag_seconds, 0);
  EXPECT_EQ(status().generation, 1u);
}

TEST_F(RunnerViewTest, LagIsTheAgeOfTheFirstMissingEvent) {
  live_at(3, 7, 12);
  EXPECT_EQ(status().lag_events, 4u);
  EXPECT_EQ(status().lag_seconds, 12);
}

TEST_F(RunnerViewTest, AnIdleProjectionIsNotStalledByAnEventThatHasJustArrived) {
  live_at(6, 7, 1);
  moved(900);
  EXPECT_EQ(state(), "running: ");
  live_at(6, 7, 31);
  EXPECT_EQ(state(), "stalled: it is behind and has not moved for 31 s");
}

TEST_F(RunnerViewTest, AFailureThatIsRetriedIsTheReason) {
  live_at(6, 7, 5);
  view_.retrying = "the disk is full";
  EXPECT_EQ(state(), "running: the disk is full");
  live_at(6, 7, 31);
  moved(31);
  EXPECT_EQ(state(), "stalled: the disk is full");
}

TEST_F(RunnerViewTest, AFaultComesBeforeAPauseAndAPauseBeforeAll) {
  live_at(6, 7, 100);
  moved(100);
  view_.paused = "on request";
  EXPECT_EQ(state(), "paused: on request");
  view_.fault = "the log is damaged";
  EXPECT_EQ(state(), "faulted: the log is damaged");
}

TEST_F(RunnerViewTest, ARebuildTellsHowFarItIsAndWhyItHolds) {
  live_at(7, 7);
  building_at(3);
  moved(1);
  EXPECT_EQ(state(), "rebuilding: ");
  ASSERT_TRUE(status().rebuild);
  EXPECT_EQ(status().rebuild->position.value, 3u);
  EXPECT_EQ(status().rebuild->target.value, 7u);
  EXPECT_EQ(status().rebuild->eta_seconds, std::nullopt) << "its rate is not known yet";
  building_at(7);
  view_.holds = "2 keys are parked";
  EXPECT_EQ(state(), "rebuilding: 2 keys are parked");
  EXPECT_EQ(status().rebuild->holds, "2 keys are parked");
}

TEST_F(RunnerViewTest, ARebuildThatDoesNotMoveIsStalled) {
  live_at(7, 7);
  building_at(3);
  moved(31);
  EXPECT_EQ(state(), "stalled: it is behind and has not moved for 31 s");
}

TEST_F(RunnerViewTest, OnlyLiveCommitsOfAnotherProcessCountAsProgress) {
  view_.builder = Builder::kAnotherProcess;
  moved(31);
  facts_.head = {7};
  facts_.next_event_at = at(kNow - 500);
  building_at(3);
  EXPECT_EQ(state(), "rebuilding: another process builds it");
  live_at(6, 7, 31);
  facts_.building.reset();
  EXPECT_THAT(state(), HasSubstr("stalled: it is behind and has not moved for 31 s; the log of the process"));
}

TEST_F(RunnerViewTest, WithoutAProcessThatBuildsAnyLagIsAStall) {
  view_.builder = Builder::kNone;
  live_at(7, 7);
  EXPECT_THAT(state(), HasSubstr("running: no process builds it"));
  live_at(6, 7, 0);
  EXPECT_THAT(state(), HasSubstr("stalled: no process builds it"));
}

TEST_F(RunnerViewTest, ADefinitionThatTheBuilderHasNotSeenYetCountsAsARebuild) {
  view_.builder = Builder::kAnotherProcess;
  live_at(7, 7);
  view_.definition_pending = true;
  EXPECT_EQ(state(), "rebuilding: another process builds it");
  view_.builder = Builder::kNone;
  EXPECT_THAT(state(), HasSubstr("stalled: no process builds it"));
}

}  // namespace
}  // namespace cairn::test
