#include "api/client/sse_parser.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

namespace cairn::test {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::vector<std::string> messages(const std::vector<std::string>& lines) {
  api::SseParser parser;
  std::vector<std::string> all;
  for (const std::string& line : lines) {
    if (const auto data = parser.take(line)) all.push_back(parser.last_id() + "=" + *data);
  }
  return all;
}

TEST(SseParserTest, AnEmptyLineEndsAMessage) {
  EXPECT_THAT(messages({"id: 1", "event: A", "data: {\"a\":1}", "", "id:2", "data:x", "", "data: y", ""}),
              ElementsAre("1={\"a\":1}", "2=x", "2=y"));
}

TEST(SseParserTest, CommentsAndUnfinishedMessagesGiveNone) {
  EXPECT_THAT(messages({":", "", ": words", "", "retry: 5", "", "id: 7", "", "data: half"}), IsEmpty());
}

TEST(SseParserTest, ABlockWithoutDataMovesTheResumePointOnceItIsComplete) {
  api::SseParser parser;
  const auto id_after = [&parser](std::string_view line) {
    EXPECT_FALSE(parser.take(line));
    return parser.last_id();
  };
  EXPECT_EQ(id_after("id: 7"), "");
  EXPECT_EQ(id_after(""), "7");
  EXPECT_EQ(id_after("id: 8"), "7");
  EXPECT_EQ(id_after("data: half"), "7");
}

TEST(SseParserTest, DataMayHaveSeveralLines) {
  EXPECT_THAT(messages({"data: a", "data", "data:  b", ""}), ElementsAre("=a\n\n b"));
}

}  // namespace
}  // namespace cairn::test
