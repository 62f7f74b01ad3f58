#include "eventstore/json/json_place.h"

#include <gtest/gtest.h>

namespace cairn {
namespace {

TEST(JsonPlaceTest, LinesAndColumnsBeginWithOne) {
  EXPECT_EQ(json_place("", 0), "line 1, column 1");
  EXPECT_EQ(json_place("abc", 2), "line 1, column 3");
  EXPECT_EQ(json_place("a\nbc\n\nd", 3), "line 2, column 2");
  EXPECT_EQ(json_place("a\nbc\n\nd", 5), "line 3, column 1");
  EXPECT_EQ(json_place("a\n", 2), "line 2, column 1");
}

TEST(JsonPlaceTest, ColumnsCountCharacters) {
  EXPECT_EQ(json_place("\"\u00e4\u2603\"x", 7), "line 1, column 5");
}

TEST(JsonPlaceTest, BeyondTheEndIsTheEnd) { EXPECT_EQ(json_place("ab", 9), "line 1, column 3"); }

}  // namespace
}  // namespace cairn
