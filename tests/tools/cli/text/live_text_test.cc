#include "tools/cli/text/live_text.h"

#include <gtest/gtest.h>

#include "tools/cli/text/cell_text.h"
#include "tools/cli/text/terminal.h"

namespace cairn::cli {
namespace {

TEST(LiveTextTest, LinesAreCutByVisibleWidth) {
  EXPECT_EQ(cut_line("abc", 3), "abc");
  EXPECT_EQ(cut_line("abcd", 3), "abc");
  EXPECT_EQ(cut_line("äöü", 2), "äö");
  EXPECT_EQ(cut_line("", 0), "");
  const std::string green = coloured("abcd", Colour::kGreen, true);
  EXPECT_EQ(cut_line(green, 4), green);
  EXPECT_EQ(cut_line("x" + green, 3), "x" + coloured("ab", Colour::kGreen, true));
}

TEST(LiveTextTest, ColourDoesNotChangeTheWidthOfATable) {
  const std::vector<std::vector<std::string>> rows = {{"A", "B", "C"}, {"one", "two", "three"}};
  const auto paint = [](std::size_t row, std::size_t column, const std::string& text) {
    return row == 1 && column == 1 ? "<" + text + ">" : text;
  };
  EXPECT_EQ(table_text(rows), "A    B    C\none  two  three\n");
  EXPECT_EQ(table_text(rows, paint), "A    B    C\none  <two  >three\n");
}

}  // namespace
}  // namespace cairn::cli
