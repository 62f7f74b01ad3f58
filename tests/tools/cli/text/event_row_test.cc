#include "tools/cli/text/event_row.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tools/cli/text/cell_text.h"

namespace cairn::cli {
namespace {

using ::testing::EndsWith;
using ::testing::StartsWith;

const std::string kEvent =
    R"({"position":17,"stream":"order-1","version":3,"id":"i","type":"Placed","data":{"total":99.90,"note":"\u001b"},)"
    R"("metadata":{},"tags":[],"recordedAt":"2026-11-16T20:55:35.123456Z"})";

TEST(EventRowTest, ColumnsAreBelowTheirHeadings) {
  EXPECT_EQ(event_heading(120),
            " POSITION  VERSION  TIME (UTC)               STREAM                TYPE                  DATA");
  EXPECT_EQ(event_row(kEvent, 120),
            "       17        3  2026-11-16 20:55:35.123  order-1               Placed                "
            R"({"total":99.90,"note":"\u001b"})");
}

TEST(EventRowTest, PartsOfAnEventHaveTheirNumber) {
  const std::string part = R"("part":2,"data")";
  std::string event = kEvent;
  event.replace(event.find(R"("data")"), 6, part);
  EXPECT_THAT(event_row(event, 120), StartsWith("       17      3.2  2026-11-16 20:55:35.123  "));
  event.replace(event.find(part), part.size(), R"("part":null,"data")");
  EXPECT_THAT(event_row(event, 120), StartsWith("       17        3  2026-11-16 20:55:35.123  "));
}

TEST(EventRowTest, ARowFitsTheTerminal) {
  for (const std::size_t width : {80u, 90u, 100u, 110u}) {
    EXPECT_EQ(text_width(event_row(kEvent, width)), width);
    EXPECT_THAT(event_row(kEvent, width), EndsWith("…"));
  }
  EXPECT_EQ(event_row(kEvent, 80),
            "       17        3  2026-11-16 20:55:35  order-1        Placed         {\"total\"…");
}

TEST(EventRowTest, ATextThatIsNotAnEventIsShownUnchanged) {
  EXPECT_EQ(event_row("nonsense\n", 80), "nonsense?");
  EXPECT_EQ(event_row("[1]", 80), "[1]");
}

TEST(EventRowTest, EscapeCodesAreRemoved) {
  EXPECT_EQ(event_row(R"({"stream":"a\u001b[2J"})", 100).find('\033'), std::string::npos);
}

}  // namespace
}  // namespace cairn::cli
