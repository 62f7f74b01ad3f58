#include "tools/cli/commands/import_line.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/matchers.h"
#include "tools/cli/commands/import_batch.h"

namespace cairn::cli {
namespace {

using test::is_refused_naming;
using test::succeeds;
using ::testing::ElementsAre;
using ::testing::MatchesRegex;

const std::string kEventId = "0191b2c4-0000-7000-8000-000000000001";

ImportLine line(const std::string& stream, const std::string& data = "1") {
  return {stream, {.id = "i", .type = "T", .data = data}};
}

TEST(ImportLineTest, FieldsKeepTheirText) {
  const auto parsed =
      parse_import_line(R"( {"tags":["a"],"metadata":{"m": 1.0},"data":{"n": 1E400, "s":"\u0041"},"id":")" +
                            kEventId + R"(","type":"Plac\u0065d","stream":"order-1"})",
                        1);
  ASSERT_THAT(parsed, succeeds());
  EXPECT_EQ(parsed->stream, "order-1");
  EXPECT_EQ(parsed->event.type, "Placed");
  EXPECT_EQ(parsed->event.id, kEventId);
  EXPECT_EQ(parsed->event.data, R"({"n": 1E400, "s":"\u0041"})");
  EXPECT_EQ(parsed->event.metadata, R"({"m": 1.0})");
  EXPECT_EQ(parsed->event.tags, R"(["a"])");
}

TEST(ImportLineTest, StoredEventsLoseOnlyTheirPosition) {
  const auto parsed = parse_import_line(
      R"({"position":1,"stream":"s","version":1,"id":")" + kEventId +
          R"(","type":"T","schemaId":null,"schemaVersion":null,"storedSchemaVersion":null,"part":null,"data":0.10,)"
          R"("metadata":{},"tags":[],"recordedAt":"2026-11-16T20:55:35.123456Z"})",
      1);
  ASSERT_THAT(parsed, succeeds());
  std::string json;
  append_event(json, parsed->event);
  EXPECT_EQ(json, R"({"id":")" + kEventId + R"(","type":"T","data":0.10,"metadata":{},"tags":[]})");
}

TEST(ImportLineTest, TheVersionOfTheSchemaIsKept) {
  const auto parsed = parse_import_line(R"({"stream":"s","type":"T","data":1,"id":")" + kEventId +
                                            R"(","schemaVersion":2,"storedSchemaVersion":1})",
                                        1);
  ASSERT_THAT(parsed, succeeds());
  std::string json;
  append_event(json, parsed->event);
  EXPECT_EQ(json, R"({"id":")" + kEventId + R"(","type":"T","data":1,"schemaVersion":2})");
}

TEST(ImportLineTest, TheSameLineAtTheSameNumberHasTheSameId) {
  const std::string text = R"({"stream":"s","type":"T","data":1})";
  const std::string id = parse_import_line(text, 1)->event.id;
  EXPECT_THAT(id, MatchesRegex("........-....-8...-[89ab]...-............"));
  EXPECT_EQ(parse_import_line(text, 1)->event.id, id);
  EXPECT_NE(parse_import_line(text, 2)->event.id, id);
  EXPECT_NE(parse_import_line(text + " ", 1)->event.id, id);
}

TEST(ImportLineTest, WrongLinesSayWhy) {
  const std::pair<std::string, std::string> cases[] = {
      {"{", "not JSON"},
      {"[]", "not a JSON object"},
      {R"({"type":"T","data":1})", "\"stream\""},
      {R"({"stream":"s","data":1})", "\"type\""},
      {R"({"stream":"s","type":"T"})", "\"data\""},
      {R"({"stream":1,"type":"T","data":1})", "\"stream\" must be a text"},
      {R"({"stream":"s","type":"T","data":1,"id":"7"})", "\"id\" must be a UUID"},
      {R"({"stream":"s","type":"T","data":1,"metadata":[]})", "\"metadata\" must be an object"},
      {R"({"stream":"s","type":"T","data":1,"tags":{}})", "\"tags\" must be a list"},
      {R"({"stream":"s","type":"T","data":1,"schemaVersion":0})", "\"schemaVersion\" must be a version"},
      {R"({"stream":"s","type":"T","data":1,"part":2})", "--shape stored"},
      {R"({"stream":"s","type":"T","data":1,"colour":"red"})", "unknown field \"colour\""},
  };
  for (const auto& [text, reason] : cases) {
    EXPECT_THAT(parse_import_line(text, 1), is_refused_naming(reason)) << text;
  }
}

TEST(ImportBatchTest, ARequestHasEachStreamOnce) {
  ImportBatch batch({});
  batch.add(line("a", "1"), 1);
  batch.add(line("b", "2"), 3);
  batch.add(line("a", "3"), 4);
  EXPECT_EQ(batch.body([](const std::string& stream) { return stream == "a" ? "0" : "\"any\""; }),
            R"({"appends":[{"stream":"a","expectedVersion":0,"events":[{"id":"i","type":"T","data":1},)"
            R"({"id":"i","type":"T","data":3}]},)"
            R"({"stream":"b","expectedVersion":"any","events":[{"id":"i","type":"T","data":2}]}]})");
  EXPECT_EQ(batch.first_line(), 1u);
  EXPECT_EQ(batch.last_line(), 4u);
  EXPECT_EQ(batch.line_of(0, 1), 4u);
  EXPECT_EQ(batch.line_of(1, 0), 3u);
  EXPECT_EQ(batch.line_of(1, 1), std::nullopt);
  EXPECT_EQ(batch.line_of(2, 0), std::nullopt);

  std::vector<std::uint64_t> lines;
  for (const ImportBatch& single : batch.single_events()) lines.push_back(single.first_line());
  EXPECT_THAT(lines, ElementsAre(1, 3, 4));
}

TEST(ImportBatchTest, ABatchIsLimitedByCountBytesAndStreams) {
  ImportBatch two({.events_max = 2});
  two.add(line("a"), 1);
  EXPECT_TRUE(two.has_room_for(line("a")));
  two.add(line("a"), 2);
  EXPECT_FALSE(two.has_room_for(line("a")));

  ImportBatch large({});
  const std::string megabytes(5u << 20, '1');
  EXPECT_TRUE(large.has_room_for(line("a", megabytes + megabytes)));
  large.add(line("a", megabytes), 1);
  EXPECT_FALSE(large.has_room_for(line("a", megabytes)));

  ImportBatch wide({.events_max = 10'000});
  for (int i = 0; i < 1'000; ++i) wide.add(line("s" + std::to_string(i)), 1);
  EXPECT_TRUE(wide.has_room_for(line("s7")));
  EXPECT_FALSE(wide.has_room_for(line("another")));
}

TEST(ImportBatchTest, KeepOrderEndsABatchBeforeARepeatedStream) {
  ImportBatch batch({.keep_order = true});
  batch.add(line("a"), 1);
  EXPECT_TRUE(batch.has_room_for(line("a")));
  batch.add(line("b"), 2);
  EXPECT_TRUE(batch.has_room_for(line("b")));
  EXPECT_TRUE(batch.has_room_for(line("c")));
  EXPECT_FALSE(batch.has_room_for(line("a")));
}

}  // namespace
}  // namespace cairn::cli
