#include "upcasters/lua/shown_text.h"

#include <gtest/gtest.h>

#include "eventstore/base/names.h"

namespace cairn {
namespace {

TEST(ShownTextTest, TextStaysAsItIs) {
  EXPECT_EQ(shown_text("", 0), "");
  EXPECT_EQ(shown_text("abc", 3), "abc");
  EXPECT_EQ(shown_text("aä€😀", 10), "aä€😀");
}

TEST(ShownTextTest, TextIsCutBetweenCharacters) {
  EXPECT_EQ(shown_text("abcd", 3), "abc…");
  EXPECT_EQ(shown_text("a", 0), "…");
  for (std::size_t bytes = 0; bytes < 10; ++bytes) {
    const std::string shown = shown_text("aä€😀", bytes);
    EXPECT_TRUE(is_utf8(shown)) << bytes;
    EXPECT_LE(shown.size(), bytes + 3);
  }
  EXPECT_EQ(shown_text("aä€😀", 9), "aä€…");
}

TEST(ShownTextTest, BytesThatAreNoCharacterAreReplaced) {
  EXPECT_EQ(shown_text("a\xff"
                       "b",
                       100),
            "a\uFFFDb");
  EXPECT_EQ(shown_text("\xe2\x82", 100), "\uFFFD\uFFFD") << "the beginning of a character";
  EXPECT_EQ(shown_text("\xed\xa0\x80", 100), "\uFFFD\uFFFD\uFFFD") << "a surrogate";
  EXPECT_EQ(shown_text(std::string(100, '\xff'), 10), "\uFFFD\uFFFD\uFFFD…");
}

}  // namespace
}  // namespace cairn
