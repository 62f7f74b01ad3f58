#include "api/events/append_body.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

namespace cairn::api {
namespace {

using ::testing::ElementsAre;

AppendBody accepted(std::string_view body) {
  auto parsed = parse_stream_append("order-1", body);
  if (!parsed) {
    ADD_FAILURE() << parsed.error().to_json();
    return {};
  }
  return *std::move(parsed);
}

// The field that the problem names; empty when the body is accepted.
std::string refused_field(const Answered<AppendBody>& parsed) {
  if (parsed) return "";
  const std::string json = parsed.error().to_json();
  EXPECT_EQ(parsed.error().status(), 400) << json;
  return nlohmann::json::parse(json).value("field", "none");
}
std::string one(std::string_view body) { return refused_field(parse_stream_append("order-1", body)); }
std::string several(std::string_view body) { return refused_field(parse_append(body)); }

TEST(AppendBodyTest, MembersAreKeptAsWritten) {
  const AppendBody body = accepted(R"({"expectedVersion": 18446744073709551615, "events": [
      {"id": "018F3C9E-7f4a-7c30-9a1b-3f6e5d4c2b1a", "type": "Pl\u00e4ced", "schemaVersion": 2,
       "data": {"big": 9007199254740993, "price": 1.50, "text": "a \" b"},
       "metadata": { "correlationId": "c" }, "tags": ["x", "y"]},
      {"type": "T", "data": null}]})");
  ASSERT_EQ(body.request.streams.size(), 1u);
  const StreamAppend& append = body.request.streams[0];
  EXPECT_EQ(append.stream, "order-1");
  EXPECT_EQ(append.expected.exact(), 18446744073709551615ull);
  ASSERT_EQ(append.events.size(), 2u);
  EXPECT_EQ(append.events[0].type,
            "Pl\xC3\xA4"
            "ced");
  EXPECT_EQ(append.events[0].data, R"({"big":9007199254740993,"price":1.50,"text":"a \" b"})");
  EXPECT_EQ(append.events[0].metadata, R"({"correlationId":"c"})");
  EXPECT_THAT(append.events[0].tags, ElementsAre("x", "y"));
  EXPECT_EQ(append.events[0].id->to_string(), "018f3c9e-7f4a-7c30-9a1b-3f6e5d4c2b1a");
  EXPECT_EQ(append.events[1].data, "null");
  EXPECT_FALSE(append.events[1].id);
  EXPECT_THAT(body.schema_versions, ElementsAre(2, 0));
}

TEST(AppendBodyTest, ExpectedVersionIsANumberOrAWord) {
  const auto expected = [](const std::string& text) {
    return accepted(R"({"expectedVersion":)" + text + R"(,"events":[{"type":"T","data":1}]})")
        .request.streams[0]
        .expected;
  };
  EXPECT_EQ(expected("0"), ExpectedVersion::no_stream());
  EXPECT_EQ(expected(R"("any")"), ExpectedVersion::any());
  EXPECT_EQ(expected(R"("exists")"), ExpectedVersion::exists());
  EXPECT_EQ(accepted(R"({"events":[{"type":"T","data":1}]})").request.streams[0].expected,
            ExpectedVersion::any());
  for (const char* bad :
       {"-1", "1.0", "1e3", "18446744073709551616", R"("3")", "null", "true", R"("Any")", "[]"}) {
    EXPECT_EQ(one(R"({"expectedVersion":)" + std::string(bad) + R"(,"events":[{"type":"T","data":1}]})"),
              "expectedVersion")
        << bad;
  }
}

TEST(AppendBodyTest, TheCauseIsAPositionOfTheWholeRequest) {
  EXPECT_FALSE(accepted(R"({"events":[{"type":"T","data":1}]})").caused_by);
  EXPECT_EQ(accepted(R"({"causedBy":18446744073709551615,"events":[{"type":"T","data":1}]})").caused_by,
            GlobalPosition{18446744073709551615ull});
  const auto several_caused = parse_append(R"({"appends":[{"stream":"a-1"}],"causedBy":7})");
  ASSERT_TRUE(several_caused.ok());
  EXPECT_EQ(several_caused->caused_by, GlobalPosition{7});
  for (const std::string bad : {"0", "-1", "1.0", R"("1")", "null", "18446744073709551616"}) {
    EXPECT_EQ(one(R"({"causedBy":)" + bad + R"(,"events":[{"type":"T","data":1}]})"), "causedBy") << bad;
    EXPECT_EQ(several(R"({"causedBy":)" + bad + R"(,"appends":[{"stream":"a"}]})"), "causedBy") << bad;
  }
  EXPECT_EQ(several(R"({"appends":[{"stream":"a","causedBy":1}]})"), "appends[0].causedBy");
}

TEST(AppendBodyTest, ProblemNamesTheWrongField) {
  EXPECT_EQ(one("nonsense"), "body");
  EXPECT_EQ(one("[]"), "body");
  EXPECT_EQ(one("{}"), "events");
  EXPECT_EQ(one(R"({"events":[]})"), "events");
  EXPECT_EQ(one(R"({"events":{}})"), "events");
  EXPECT_EQ(one(R"({"events":[1]})"), "events[0]");
  EXPECT_EQ(one(R"({"event":[]})"), "event");
  EXPECT_EQ(one(R"({"stream":"x","events":[{"type":"T","data":1}]})"), "stream");
  const auto event = [](const std::string& text) {
    return one(R"({"events":[{"type":"T","data":1},)" + text + "]}");
  };
  EXPECT_EQ(event(R"({"data":1})"), "events[1].type");
  EXPECT_EQ(event(R"({"type":"","data":1})"), "events[1].type");
  EXPECT_EQ(event(R"({"type":1,"data":1})"), "events[1].type");
  EXPECT_EQ(event(R"({"type":"T"})"), "events[1].data");
  EXPECT_EQ(event(R"({"type":"T","data":1,"id":"x"})"), "events[1].id");
  EXPECT_EQ(event(R"({"type":"T","data":1,"id":7})"), "events[1].id");
  EXPECT_EQ(event(R"({"type":"T","data":1,"metadata":"x"})"), "events[1].metadata");
  EXPECT_EQ(event(R"({"type":"T","data":1,"tags":"x"})"), "events[1].tags");
  EXPECT_EQ(event(R"({"type":"T","data":1,"tags":["a",2]})"), "events[1].tags[1]");
  EXPECT_EQ(event(R"({"type":"T","data":1,"schemaVersion":0})"), "events[1].schemaVersion");
  EXPECT_EQ(event(R"({"type":"T","data":1,"position":5})"), "events[1].position");
  EXPECT_EQ(event(R"({"type":"T","data":1,"data":1})"), "body") << "a duplicate name";
}

TEST(AppendBodyTest, AppendOfSeveralStreamsNamesEachAndMayHaveNoEvents) {
  auto parsed = parse_append(R"({"appends":[{"stream":"a-1","events":[{"type":"T","data":1}]},
                                            {"stream":"b-1","expectedVersion":7}]})");
  ASSERT_TRUE(parsed.ok());
  const auto& streams = parsed->request.streams;
  ASSERT_EQ(streams.size(), 2u);
  EXPECT_EQ(streams[1].stream, "b-1");
  EXPECT_TRUE(streams[1].events.empty());
  EXPECT_EQ(several("{}"), "appends");
  EXPECT_EQ(several(R"({"appends":[]})"), "appends");
  EXPECT_EQ(several(R"({"appends":[{"events":[]}]})"), "appends[0].stream");
  EXPECT_EQ(several(R"({"appends":[{"stream":"a"},{"stream":5}]})"), "appends[1].stream");
  EXPECT_EQ(several(R"({"appends":[{"stream":"a","events":[{"type":"T"}]}]})"), "appends[0].events[0].data");
  EXPECT_EQ(several(R"({"appends":[3]})"), "appends[0]");
}

}  // namespace
}  // namespace cairn::api
