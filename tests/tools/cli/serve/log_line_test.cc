#include "tools/cli/serve/log_line.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>

namespace cairn::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr Timestamp kTime{1'795'111'174'123'456};  // 2026-11-19T17:59:34.123456Z

std::string text_line(const std::string& message) {
  return log_line(LogEvent(LogLevel::kWarning, "test", message), kTime, LogFormat::kText);
}

TEST(LogLineTest, ATextLineIsTimeLevelAndSentence) {
  EXPECT_EQ(text_line("A commit took 120 ms"), "2026-11-19T17:59:34.123Z warning A commit took 120 ms\n");
}

TEST(LogLineTest, AJsonLineHasAllFields) {
  EXPECT_EQ(log_line(LogEvent(LogLevel::kError, "disk-full", "Full")
                         .with("freeBytes", 12u)
                         .with("folder", "/data")
                         .with("lagSeconds", 1.5),
                     kTime, LogFormat::kJson),
            "{\"time\":\"2026-11-19T17:59:34.123Z\",\"level\":\"error\",\"code\":\"disk-full\","
            "\"message\":\"Full\",\"freeBytes\":12,\"folder\":\"/data\",\"lagSeconds\":1.5}\n");
}

TEST(LogLineTest, ControlCharactersAreEscaped) {
  EXPECT_THAT(text_line("a\nb\x1b[31m\x7f\xc2\x9b"), HasSubstr("a\\x0ab\\x1b[31m\\x7f\\xc2\\x9b\n"));
  const std::string json =
      log_line(LogEvent(LogLevel::kInfo, "test", "a\n\"\xff").with("key", "\x01"), kTime, LogFormat::kJson);
  EXPECT_EQ(std::count(json.begin(), json.end(), '\n'), 1);
  EXPECT_EQ(nlohmann::json::parse(json)["message"], "a\n\"\xef\xbf\xbd");
  EXPECT_EQ(nlohmann::json::parse(json)["key"], "\x01");
}

TEST(LogLineTest, LongTextsAreCutBetweenCharacters) {
  std::string text;
  while (text.size() < 2 * kLogTextBytesMax) text += "\xe2\x82\xac";  // €
  for (const LogFormat format : {LogFormat::kText, LogFormat::kJson}) {
    const std::string line =
        log_line(LogEvent(LogLevel::kInfo, "test", text).with("key", text), kTime, format);
    EXPECT_LT(line.size(), 2 * kLogTextBytesMax + 200);
    EXPECT_THAT(line, HasSubstr("\xe2\x82\xac..."));
    EXPECT_THAT(line, Not(HasSubstr("\xef\xbf\xbd")));
  }
}

TEST(LogLineTest, AnAccessLineIsTheCommonLogFormat) {
  const api::AccessRecord record{.remote = "::1",
                                 .token = "my token",
                                 .method = "GET",
                                 .target = "/a\"b",
                                 .request_id = "r-1",
                                 .status = 200,
                                 .bytes = 42,
                                 .took = std::chrono::microseconds(1'500)};
  EXPECT_EQ(
      access_line(record, kTime, LogFormat::kText),
      "::1 - my_token [19/Nov/2026:17:59:34 +0000] \"GET /a\\x22b HTTP/1.1\" 200 42 0.001500 \"r-1\"\n");
  const auto json = nlohmann::json::parse(access_line(record, kTime, LogFormat::kJson));
  EXPECT_EQ(json["durationMs"], 1.5);
  EXPECT_EQ(json["path"], "/a\"b");
  EXPECT_EQ(access_line({.status = 400}, kTime, LogFormat::kText),
            "- - - [19/Nov/2026:17:59:34 +0000] \"- - HTTP/1.1\" 400 0 0.000000 \"-\"\n");
}

}  // namespace
}  // namespace cairn::cli
