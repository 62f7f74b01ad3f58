#include "tools/cli/text/number_text.h"

#include <gtest/gtest.h>

#include <limits>

#include "tools/cli/text/progress_bar.h"

namespace cairn::cli {
namespace {

TEST(NumberTextTest, ThousandsAreGrouped) {
  EXPECT_EQ(grouped(0), "0");
  EXPECT_EQ(grouped(999), "999");
  EXPECT_EQ(grouped(1'000), "1,000");
  EXPECT_EQ(grouped(18'446'744'073'709'551'615u), "18,446,744,073,709,551,615");
}

TEST(NumberTextTest, OneHasNoPlural) {
  EXPECT_EQ(counted(0, "row"), "0 rows");
  EXPECT_EQ(counted(1, "row"), "1 row");
  EXPECT_EQ(counted(1'234, "parked key"), "1,234 parked keys");
}

TEST(NumberTextTest, SmallRatesHaveAFraction) {
  EXPECT_EQ(rate_text(0), "0");
  EXPECT_EQ(rate_text(0.25), "0.2");
  EXPECT_EQ(rate_text(9.5), "9.5");
  EXPECT_EQ(rate_text(1'234.5), "1,234");
  EXPECT_EQ(rate_text(-1), "0");
  EXPECT_EQ(rate_text(std::numeric_limits<double>::quiet_NaN()), "0");
}

TEST(NumberTextTest, DurationsHaveTwoUnits) {
  EXPECT_EQ(duration_text(0), "0.0 s");
  EXPECT_EQ(duration_text(9.44), "9.4 s");
  EXPECT_EQ(duration_text(12.4), "12 s");
  EXPECT_EQ(duration_text(59.6), "1 min");
  EXPECT_EQ(duration_text(200), "3 min 20 s");
  EXPECT_EQ(duration_text(7'500), "2 h 5 min");
  EXPECT_EQ(duration_text(90'000), "1 d 1 h");
  EXPECT_EQ(duration_text(std::numeric_limits<double>::infinity()), "11,574,074,074 d 1 h");
}

TEST(NumberTextTest, BytesHaveAReadableUnit) {
  EXPECT_EQ(byte_size(0), "0 B");
  EXPECT_EQ(byte_size(1'023), "1023 B");
  EXPECT_EQ(byte_size(1'024), "1.0 KiB");
  EXPECT_EQ(byte_size(1'610'612'736), "1.5 GiB");
}

TEST(ProgressBarTest, TheBarStaysWithinItsWidth) {
  EXPECT_EQ(bar_text("log", 0, 10), "log  [..............................]  0 %  0 of 10");
  EXPECT_EQ(bar_text("log", 5, 10), "log  [###############...............]  50 %  5 of 10");
  EXPECT_EQ(bar_text("log", 12, 10), "log  [##############################]  100 %  12 of 10");
  EXPECT_EQ(bar_text("index", 0, 0), "index  [##############################]  100 %  0 of 0");
}

}  // namespace
}  // namespace cairn::cli
