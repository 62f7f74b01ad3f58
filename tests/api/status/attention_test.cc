#include "api/status/attention.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace cairn::api {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class AttentionTest : public ::testing::Test {
 protected:
  AttentionTest() {
    status_.disk = DiskSpace{.total_bytes = 1'000, .free_bytes = 500};
    ProjectionStatus projection;
    projection.name = "orders";
    projection.generation = 1;
    status_.projections = {projection};
  }

  ProjectionStatus& projection() { return status_.projections->front(); }
  std::vector<std::string> kinds() const {
    std::vector<std::string> kinds;
    for (const Attention& attention : attention_of(status_)) kinds.push_back(attention.kind);
    return kinds;
  }
  std::string text() const { return attention_of(status_).at(0).text; }

  ServerStatus status_;
};

TEST_F(AttentionTest, AHealthyServerNeedsNobody) { EXPECT_THAT(kinds(), IsEmpty()); }

TEST_F(AttentionTest, TheDiskIsNearlyFullBelowFifteenPercent) {
  status_.disk->free_bytes = 150;
  EXPECT_THAT(kinds(), IsEmpty());
  status_.disk->free_bytes = 149;
  EXPECT_THAT(kinds(), ElementsAre("disk-nearly-full"));
  EXPECT_THAT(text(), HasSubstr("14.9 % of the disk is free"));
}

TEST_F(AttentionTest, ADiskThatIsFullWithinAWeekIsNamed) {
  status_.growth.days_until_full = 7;
  EXPECT_THAT(kinds(), IsEmpty());
  status_.growth.days_until_full = 6.9;
  EXPECT_THAT(kinds(), ElementsAre("disk-fills"));
  EXPECT_THAT(text(), HasSubstr("full in 6.9 days"));
}

TEST_F(AttentionTest, ADistrustedDiskIsNamedFirst) {
  status_.distrust = {"/srv is mounted with nobarrier"};
  status_.disk->free_bytes = 0;
  EXPECT_THAT(kinds(), ElementsAre("disk-not-trusted", "disk-nearly-full"));
}

TEST_F(AttentionTest, AnIndexThatIsRebuiltIsNamed) {
  status_.index = {{5}, {10}};
  EXPECT_THAT(kinds(), ElementsAre("index-rebuild"));
  EXPECT_THAT(text(), HasSubstr("5 of 10 events"));
}

TEST_F(AttentionTest, StoppedProjectionsAreNamedWithTheirReason) {
  projection().state = ProjectionState::kFaulted;
  projection().reason = "the log is damaged";
  EXPECT_THAT(kinds(), ElementsAre("projection-faulted"));
  EXPECT_THAT(text(), HasSubstr(": the log is damaged."));
  EXPECT_EQ(attention_of(status_).at(0).name, "orders");
  projection().state = ProjectionState::kStalled;
  EXPECT_THAT(kinds(), ElementsAre("projection-stalled"));
}

TEST_F(AttentionTest, APauseMattersOnceItsRowsAreLate) {
  projection().state = ProjectionState::kPaused;
  projection().lag_seconds = 900;
  EXPECT_THAT(kinds(), IsEmpty());
  projection().lag_seconds = 901;
  EXPECT_THAT(kinds(), ElementsAre("projection-paused"));
}

TEST_F(AttentionTest, LateRowsAreNamedUnlessThereAreNoneYet) {
  projection().lag_seconds = 61;
  EXPECT_THAT(kinds(), ElementsAre("projection-behind"));
  projection().generation = 0;
  EXPECT_THAT(kinds(), IsEmpty());
}

TEST_F(AttentionTest, ParkedKeysAndHeldRebuildsAreNamed) {
  projection().parked_keys = 3;
  projection().rebuild = RebuildStatus{};
  projection().rebuild->holds = "it parks more keys";
  EXPECT_THAT(kinds(), ElementsAre("keys-parked", "rebuild-held"));
  EXPECT_THAT(text(), HasSubstr("3 keys wait"));
}

}  // namespace
}  // namespace cairn::api
