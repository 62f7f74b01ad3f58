#include "tools/cli/text/cell_text.h"

#include <gtest/gtest.h>

namespace cairn::cli {
namespace {

TEST(CellTextTest, WidthIsCountedInCharacters) {
  EXPECT_EQ(text_width(""), 0u);
  EXPECT_EQ(text_width("grün"), 4u);
  EXPECT_EQ(text_width("…"), 1u);
}

TEST(CellTextTest, CellsHaveTheRequestedWidth) {
  EXPECT_EQ(cell("ab", 4), "ab  ");
  EXPECT_EQ(cell("abcd", 4), "abcd");
  EXPECT_EQ(cell("abcde", 4), "abc…");
  EXPECT_EQ(cell("äöüßa", 4), "äöü…");
  EXPECT_EQ(cell("abc", 1), "…");
  EXPECT_EQ(cell("abc", 0), "");
  EXPECT_EQ(shortened(std::string(1'000'000, 'x'), 3), "xx…");
}

TEST(CellTextTest, ControlCharactersAreReplaced) {
  EXPECT_EQ(on_one_line("a\nb\033[2Jc\x7f"), "a?b?[2Jc?");
  EXPECT_EQ(on_one_line("a\xC2\x9B"
                        "2J\xC2\xA0"),
            "a?2J\xC2\xA0");
}

TEST(CellTextTest, ColumnsAreAligned) {
  EXPECT_EQ(table_text({{"A", "B"}, {"long", "x"}}), "A     B\nlong  x\n");
}

}  // namespace
}  // namespace cairn::cli
