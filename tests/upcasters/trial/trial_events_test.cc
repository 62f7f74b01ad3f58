// Events that a caller gives for a trial.

#include "upcasters/trial/trial_events.h"

#include <gmock/gmock.h>

#include <string>
#include <vector>

#include "eventstore/base/uuid.h"
#include "eventstore/json/json_cursor.h"
#include "tests/support/matchers.h"

namespace cairn::test {
namespace {

using ::testing::HasSubstr;

std::string fault_in(const std::string& event) {
  GivenEvents given;
  JsonCursor cursor(event);
  const Status taken = given.take(cursor);
  return taken ? "" : taken.error().message;
}

TEST(TrialEventsTest, WhatIsMissingIsFilledIn) {
  GivenEvents given;
  const std::vector<std::string> lines = {
      R"({"stream":"order-1","type":"A","data":{"n": 1}})",
      R"({"stream":"order-2","type":"A","position":40,"version":7,"recordedAt":"1970-01-01T00:00:01Z",
          "id":"01a1f500-f9cb-77ba-8ec2-5c2c3ff98884","tags":["t"],"metadata":{"user": "ann"},"schemaId":3})",
      R"({"stream":"order-2","type":"A","schemaVersion":2})", R"({"stream":"order-1","type":"A"})"};
  for (const std::string& line : lines) {
    JsonCursor cursor(line);
    ASSERT_TRUE(given.take(cursor));
  }
  const TrialEvents taken = given.finish();
  ASSERT_EQ(taken.events.size(), 4u);
  EXPECT_EQ(taken.events[0].position.value, 1u);
  EXPECT_EQ(taken.events[0].data, R"({"n":1})") << "on one line";
  EXPECT_EQ(taken.events[1].position.value, 40u);
  EXPECT_EQ(taken.events[1].version.value, 7u);
  EXPECT_EQ(taken.events[1].recorded_at.micros, 1'000'000);
  EXPECT_EQ(taken.events[1].metadata, R"({"user":"ann"})");
  ASSERT_EQ(taken.events[1].tags.size(), 1u);
  EXPECT_EQ(taken.events[2].position.value, 41u);
  EXPECT_EQ(taken.events[2].version.value, 8u);
  EXPECT_EQ(taken.events[2].data, "null");
  EXPECT_EQ(taken.events[3].version.value, 2u);
  EXPECT_FALSE(taken.has_position(0));
  EXPECT_TRUE(taken.has_position(1));
  EXPECT_EQ(taken.given[2].schema_version, 2u);
}

TEST(TrialEventsTest, OpaqueDataIsDecoded) {
  GivenEvents given;
  const std::string event = R"({"stream":"a-1","type":"A","contentType":"image/png","data":"AQI="})";
  JsonCursor cursor(event);
  ASSERT_TRUE(given.take(cursor));
  EXPECT_EQ(given.finish().events[0].data, std::string("\1\2"));
}

TEST(TrialEventsTest, AFaultNamesTheField) {
  EXPECT_THAT(fault_in("7"), HasSubstr("events[0] must be an object"));
  EXPECT_THAT(fault_in(R"({"type":"A"})"), HasSubstr("events[0].stream is missing"));
  EXPECT_THAT(fault_in(R"({"stream":"a-1"})"), HasSubstr("events[0].type is missing"));
  EXPECT_THAT(fault_in(R"({"stream":"a-1","type":7})"), HasSubstr("events[0].type must be a text"));
  EXPECT_THAT(fault_in(R"({"stream":"a-1","type":"A","position":0})"),
              HasSubstr("events[0].position must be"));
  EXPECT_THAT(fault_in(R"({"stream":"a-1","type":"A","id":"x"})"), HasSubstr("events[0].id must be a UUID"));
  EXPECT_THAT(fault_in(R"({"stream":"a-1","type":"A","recordedAt":"today"})"),
              HasSubstr("events[0].recordedAt"));
  EXPECT_THAT(fault_in(R"({"stream":"a-1","type":"A","tags":[1]})"), HasSubstr("events[0].tags"));
  EXPECT_THAT(fault_in(R"({"stream":"a-1","type":"A","metadata":[]})"), HasSubstr("events[0].metadata"));
  EXPECT_THAT(fault_in(R"({"stream":"a-1","type":"A","dat":1})"), HasSubstr("events[0].dat is not a member"));
  EXPECT_THAT(fault_in(R"({"stream":"a-1","type":"A","contentType":"x/y","data":{}})"), HasSubstr("base64"));
}

TEST(TrialEventsTest, ThereAreAtMost10000) {
  GivenEvents given;
  const std::string event = R"({"stream":"a-1","type":"A"})";
  for (std::size_t i = 0; i < kTrialEventsMax; ++i) {
    JsonCursor cursor(event);
    ASSERT_TRUE(given.take(cursor));
  }
  JsonCursor cursor(event);
  const Status taken = given.take(cursor);
  ASSERT_FALSE(taken);
  EXPECT_EQ(taken.error().code, Errc::kTooLarge);
}

}  // namespace
}  // namespace cairn::test
