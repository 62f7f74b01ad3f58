#include "eventstore/base/time_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

namespace cairn {
namespace {

std::int64_t micros(std::string_view text) {
  const auto time = parse_time(text);
  EXPECT_TRUE(time) << text;
  return time ? time->micros : -1;
}

TEST(TimeTextTest, ParsesWhatItPrints) {
  const unsigned seed = std::random_device()();
  SCOPED_TRACE(seed);
  std::mt19937_64 random(seed);
  std::uniform_int_distribution<std::int64_t> any(-62'167'219'200'000'000, 253'402'300'799'999'999);
  for (int i = 0; i < 10'000; ++i) {
    const Timestamp time{any(random)};
    const auto text = time_text(time);
    ASSERT_EQ(micros({text.data(), text.size()}), time.micros);
  }
}

TEST(TimeTextTest, ParsesFractionsOfAnyLength) {
  EXPECT_EQ(micros("1970-01-01T00:00:00Z"), 0);
  EXPECT_EQ(micros("1970-01-01T00:00:01.5Z"), 1'500'000);
  EXPECT_EQ(micros("1970-01-01T00:00:00.000001Z"), 1);
  EXPECT_EQ(micros("1970-01-01T00:00:00.000001999999Z"), 1) << "what is smaller is cut off";
  EXPECT_EQ(micros("1970-01-01t00:00:00z"), 0);
}

TEST(TimeTextTest, ConvertsOffsetsToUtc) {
  EXPECT_EQ(micros("2026-11-16T21:55:35.123456+01:00"), micros("2026-11-16T20:55:35.123456Z"));
  EXPECT_EQ(micros("2026-11-16T15:25:35.123456-05:30"), micros("2026-11-16T20:55:35.123456Z"));
  EXPECT_EQ(micros("2027-01-01T00:30:00+01:00"), micros("2026-12-31T23:30:00Z"));
}

TEST(TimeTextTest, ParsesLeapDaysAndLeapSeconds) {
  EXPECT_EQ(micros("2024-02-29T00:00:00Z") + 86'400'000'000, micros("2024-03-01T00:00:00Z"));
  EXPECT_EQ(micros("2016-12-31T23:59:60Z"), micros("2017-01-01T00:00:00Z"));
}

TEST(TimeTextTest, RefusesEverythingElse) {
  for (const char* text : {"",
                           "now",
                           "2026-11-16",
                           "2026-11-16T20:55Z",
                           "2026-11-16T20:55:35",
                           "2026-11-16 20:55:35Z",
                           "2026-13-01T00:00:00Z",
                           "2026-00-01T00:00:00Z",
                           "2026-02-29T00:00:00Z",
                           "2026-04-31T00:00:00Z",
                           "2026-11-16T24:00:00Z",
                           "2026-11-16T20:60:00Z",
                           "2026-11-16T20:00:61Z",
                           "2026-11-16T20:00:00.Z",
                           "2026-11-16T20:00:00+0100",
                           "2026-11-16T20:00:00+24:00",
                           "2026-11-16T20:00:00Zulu",
                           "-026-11-16T20:00:00Z",
                           "2026-11-16T20:00:00 01:00",
                           "2026-11-16T20:00:00+"}) {
    EXPECT_FALSE(parse_time(text)) << text;
  }
}

}  // namespace
}  // namespace cairn
