#include "tools/cli/number_text.h"

#include <gtest/gtest.h>

#include "tools/cli/progress_bar.h"

namespace cairn::cli {
namespace {

TEST(NumberTextTest, ThousandsAreGrouped) {
  EXPECT_EQ(grouped(0), "0");
  EXPECT_EQ(grouped(999), "999");
  EXPECT_EQ(grouped(1'000), "1,000");
  EXPECT_EQ(grouped(18'446'744'073'709'551'615u), "18,446,744,073,709,551,615");
}

TEST(NumberTextTest, BytesHaveAReadableUnit) {
  EXPECT_EQ(byte_size(0), "0 B");
  EXPECT_EQ(byte_size(1'023), "1023 B");
  EXPECT_EQ(byte_size(1'024), "1.0 KiB");
  EXPECT_EQ(byte_size(1'610'612'736), "1.5 GiB");
}

TEST(ProgressBarTest, BarNeverLeavesItsFrame) {
  EXPECT_EQ(bar_text("log", 0, 10), "log  [..............................]  0 %  0 of 10");
  EXPECT_EQ(bar_text("log", 5, 10), "log  [###############...............]  50 %  5 of 10");
  EXPECT_EQ(bar_text("log", 12, 10), "log  [##############################]  100 %  12 of 10");
  EXPECT_EQ(bar_text("index", 0, 0), "index  [##############################]  100 %  0 of 0");
}

}  // namespace
}  // namespace cairn::cli
