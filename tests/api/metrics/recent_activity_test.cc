#include "api/metrics/recent_activity.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>

namespace cairn::api {
namespace {

using namespace std::chrono_literals;
using ::testing::Eq;

class RecentActivityTest : public ::testing::Test {
 protected:
  static constexpr RecentActivity::Time kStart{1'000'000s};

  RecentActivity recent_{kStart};
};

TEST_F(RecentActivityTest, WithoutCommitsThereAreNoTimes) {
  const auto summary = recent_.last(60, kStart + 90s);
  EXPECT_EQ(summary.commits, 0u);
  EXPECT_EQ(summary.events_per_second, 0);
  EXPECT_THAT(summary.commit_mean_seconds, Eq(std::nullopt));
  EXPECT_THAT(summary.commit_p99_seconds, Eq(std::nullopt));
}

TEST_F(RecentActivityTest, RatesAreMeansOfTheWindow) {
  for (int i = 0; i < 60; ++i) recent_.committed(kStart + std::chrono::seconds(i), 20, 10, 1ms);
  EXPECT_DOUBLE_EQ(recent_.last(60, kStart + 59s).events_per_second, 20);
  EXPECT_DOUBLE_EQ(recent_.last(10, kStart + 59s).appends_per_second, 10);
  // Five seconds without commits.
  EXPECT_DOUBLE_EQ(recent_.last(10, kStart + 64s).appends_per_second, 5);
  EXPECT_EQ(recent_.last(10, kStart + 64s).commits, 5u);
}

TEST_F(RecentActivityTest, AYoungServerHasAShorterWindow) {
  recent_.committed(kStart + 1s, 30, 3, 1ms);
  EXPECT_DOUBLE_EQ(recent_.last(60, kStart + 2s).events_per_second, 10);
}

TEST_F(RecentActivityTest, WhatIsOlderThanAMinuteIsForgotten) {
  recent_.committed(kStart, 30, 3, 1ms);
  EXPECT_EQ(recent_.last(60, kStart + 59s).commits, 1u);
  EXPECT_EQ(recent_.last(60, kStart + 60s).commits, 0u);
  recent_.committed(kStart + 600s, 1, 1, 1ms);  // in the place of the first
  EXPECT_EQ(recent_.last(60, kStart + 600s).commits, 1u);
}

TEST_F(RecentActivityTest, ThePercentileIsAnUpperBoundThatIsNear) {
  for (int i = 0; i < 99; ++i) recent_.committed(kStart, 1, 1, 1ms);
  recent_.committed(kStart, 1, 1, 500ms);
  auto summary = recent_.last(1, kStart);
  EXPECT_GE(*summary.commit_p99_seconds, 0.001);
  EXPECT_LE(*summary.commit_p99_seconds, 0.0012);
  EXPECT_NEAR(*summary.commit_mean_seconds, 0.00599, 1e-6);
  recent_.committed(kStart, 1, 1, 500ms);
  summary = recent_.last(1, kStart);
  EXPECT_GE(*summary.commit_p99_seconds, 0.5) << "2 of 101 took so long";
  EXPECT_LE(*summary.commit_p99_seconds, 0.6);
}

TEST_F(RecentActivityTest, ExtremeTimesHaveABucket) {
  recent_.committed(kStart, 1, 1, 0ns);
  EXPECT_LE(*recent_.last(1, kStart).commit_p99_seconds, 1e-6);
  for (int i = 0; i < 10; ++i) recent_.committed(kStart, 1, 1, 1h);
  EXPECT_GT(*recent_.last(1, kStart).commit_p99_seconds, 100);
}

}  // namespace
}  // namespace cairn::api
