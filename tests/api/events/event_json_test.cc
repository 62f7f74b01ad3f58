#include "api/events/event_json.h"

#include <gtest/gtest.h>

#include <array>
#include <string>
#include <string_view>

namespace cairn::api {
namespace {

TEST(EventJsonTest, EventHasAllItsMembers) {
  const std::array<std::string_view, 2> tags = {"x", "\""};
  EventView event;
  event.position = {9};
  event.version = {2};
  event.stream = "order-1";
  event.type = "Stored";
  event.id = *Uuid::parse("018f3c9e-7f4a-7c30-9a1b-3f6e5d4c2b1a");
  event.recorded_at = Timestamp{1};
  event.metadata = R"({"by":"me"})";
  event.tags = tags;
  ShapedEvent part;
  part.type = "Shaped";
  part.schema_version = 3;
  part.stored_schema_version = 1;
  part.part = 2;
  part.data = R"({"price":1.50})";
  std::string text = "data: ";
  ASSERT_TRUE(append_event_json(text, event, part).ok());
  EXPECT_EQ(text, R"(data: {"position":9,"stream":"order-1","version":2,)"
                  R"("id":"018f3c9e-7f4a-7c30-9a1b-3f6e5d4c2b1a","type":"Shaped","schemaId":null,)"
                  R"("schemaVersion":3,"storedSchemaVersion":1,"part":2,"data":{"price":1.50},)"
                  R"("metadata":{"by":"me"},"tags":["x","\""],"recordedAt":"1970-01-01T00:00:00.000001Z"})");
}

TEST(EventJsonTest, MissingDataIsNullAndMissingMetadataIsEmpty) {
  EventView event;
  event.position = {1};
  event.version = {1};
  event.stream = "order-1";
  ShapedEvent part;
  part.type = "T";
  std::string text;
  ASSERT_TRUE(append_event_json(text, event, part).ok());
  EXPECT_EQ(text, R"({"position":1,"stream":"order-1","version":1,)"
                  R"("id":"00000000-0000-0000-0000-000000000000","type":"T","schemaId":null,)"
                  R"("schemaVersion":null,"storedSchemaVersion":null,"part":null,"data":null,"metadata":{},)"
                  R"("tags":[],"recordedAt":"1970-01-01T00:00:00.000000Z"})");
}

TEST(EventJsonTest, AppendedStreamHasItsNumbers) {
  std::string text;
  append_result_json(text, {"order-1", {1}, {2}, {8}, {9}}, false);
  EXPECT_EQ(text,
            R"({"stream":"order-1","firstVersion":1,"lastVersion":2,"firstPosition":8,"lastPosition":9,)"
            R"("alreadyApplied":false})");
}

TEST(EventJsonTest, StreamWithoutNewEventsHasNoFirstNumbers) {
  std::string text;
  append_result_json(text, {"order-1", {}, {2}, {}, {}}, true);
  EXPECT_EQ(text, R"({"stream":"order-1","firstVersion":null,"lastVersion":2,"firstPosition":null,)"
                  R"("lastPosition":null,"alreadyApplied":true})");
}

TEST(EventJsonTest, StreamNamesItsCategory) {
  std::string text;
  append_stream_json(text, {"order-1", {2}, {8}, {9}, Timestamp{0}, Timestamp{1}});
  EXPECT_EQ(text, R"({"stream":"order-1","category":"order","version":2,"firstPosition":8,"lastPosition":9,)"
                  R"("createdAt":"1970-01-01T00:00:00.000000Z","updatedAt":"1970-01-01T00:00:00.000001Z"})");
}

}  // namespace
}  // namespace cairn::api
