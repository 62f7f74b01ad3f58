#include "eventstore/json/json_writer.h"

#include <gtest/gtest.h>

#include <limits>
#include <optional>
#include <string>

namespace cairn {
namespace {

class JsonWriterTest : public ::testing::Test {
 protected:
  std::string text_;
  JsonWriter json_{text_};
};

TEST_F(JsonWriterTest, CommasOnlyBetweenMembersAndElements) {
  json_.begin_object();
  json_.number("a", 1);
  json_.begin_array("b");
  json_.end_array();
  json_.begin_array("c");
  json_.number(1);
  json_.begin_object();
  json_.end_object();
  json_.begin_array();
  json_.text("x");
  json_.text("y");
  json_.end_array();
  json_.raw("{}");
  json_.end_array();
  json_.begin_object("d");
  json_.flag("e", false);
  json_.null("f");
  json_.end_object();
  json_.end_object();
  EXPECT_EQ(text_, R"({"a":1,"b":[],"c":[1,{},["x","y"],{}],"d":{"e":false,"f":null}})");
}

TEST_F(JsonWriterTest, AppendsToExistingText) {
  text_ = "data: ";
  json_.begin_object();
  json_.end_object();
  EXPECT_EQ(text_, "data: {}");
}

TEST_F(JsonWriterTest, NamesOfAnyLengthAreWhole) {
  const std::string brief(60, 'a'), longer(61, 'b'), longest(500, 'c');
  json_.begin_object();
  json_.number(brief, 1);
  json_.number(longer, 2);
  json_.number(longest, 3);
  json_.end_object();
  EXPECT_EQ(text_, "{\"" + brief + "\":1,\"" + longer + "\":2,\"" + longest + "\":3}");
}

TEST_F(JsonWriterTest, TextIsWholeWhereverTheBufferEnds) {
  for (std::size_t size = 0; size < 600; ++size) {
    const std::string padding(size, 'p');
    text_.clear();
    JsonWriter json(text_);
    json.begin_object();
    json.raw(padding, "true");
    json.text("a", "b");
    json.number("c", 12345);
    json.begin_array("d");
    json.text(padding);
    json.text("\"" + padding);
    json.end_array();
    json.end_object();
    ASSERT_EQ(text_, "{\"" + padding + R"(":true,"a":"b","c":12345,"d":[")" + padding + R"(","\")" + padding +
                         R"("]})")
        << size;
  }
}

TEST_F(JsonWriterTest, NestsDeeperThanTheBufferIsLong) {
  const std::size_t depth = 1'000;
  for (std::size_t i = 0; i < depth; ++i) json_.begin_array();
  for (std::size_t i = 0; i < depth; ++i) json_.end_array();
  EXPECT_EQ(text_, std::string(depth, '[') + std::string(depth, ']'));
}

TEST_F(JsonWriterTest, AValueWithoutObjectIsThereAtOnce) {
  json_.text("a");
  EXPECT_EQ(text_, R"("a")");
}

TEST_F(JsonWriterTest, EscapesValues) {
  json_.begin_object();
  json_.text("a", "\"\\\n\x01");
  json_.end_object();
  EXPECT_EQ(text_, R"({"a":"\"\\\n\u0001"})");
}

TEST_F(JsonWriterTest, NumbersKeepEveryDigit) {
  json_.begin_array();
  json_.number(0);
  json_.number(std::numeric_limits<std::uint64_t>::max());
  json_.end_array();
  EXPECT_EQ(text_, "[0,18446744073709551615]");
}

TEST_F(JsonWriterTest, MissingValuesAreNull) {
  json_.begin_object();
  json_.text_or_null("a", std::nullopt);
  json_.text_or_null("b", "");
  json_.number("c", std::nullopt);
  json_.number_or_null("d", 0);
  json_.number_or_null("e", 7);
  json_.measure("f", std::nullopt);
  json_.measure("g", std::numeric_limits<double>::infinity());
  json_.measure("h", 1.23456);
  json_.end_object();
  EXPECT_EQ(text_, R"({"a":null,"b":"","c":null,"d":null,"e":7,"f":null,"g":null,"h":1.235})");
}

TEST_F(JsonWriterTest, ACallerMayAppendTheValueOfAKey) {
  json_.begin_object();
  json_.key("a");
  text_ += "[1]";
  json_.key("b");
  text_ += "2";
  json_.end_object();
  EXPECT_EQ(text_, R"({"a":[1],"b":2})");
}

TEST_F(JsonWriterTest, AnotherWriterMayWriteAnAnnouncedValue) {
  const auto append_pair = [this] {
    JsonWriter inner(text_);
    inner.begin_object();
    inner.number("x", 1);
    inner.number("y", 2);
    inner.end_object();
  };
  json_.begin_object();
  json_.key("a");
  append_pair();
  json_.begin_array("b");
  for (int i = 0; i < 2; ++i) {
    json_.element();
    append_pair();
  }
  json_.end_array();
  json_.null("c");
  json_.end_object();
  EXPECT_EQ(text_, R"({"a":{"x":1,"y":2},"b":[{"x":1,"y":2},{"x":1,"y":2}],"c":null})");
}

TEST_F(JsonWriterTest, PlainTextIsQuotedOnly) {
  json_.begin_array();
  json_.plain_text("FULL");
  json_.begin_object();
  json_.plain_text("mode", "READWRITE");
  json_.end_object();
  json_.end_array();
  EXPECT_EQ(text_, R"(["FULL",{"mode":"READWRITE"}])");
}

TEST(JsonObjectTest, HasTheMembersThatAreWritten) {
  EXPECT_EQ(json_object([](JsonWriter&) {}), "{}");
  EXPECT_EQ(json_object([](JsonWriter& json) {
              json.number("removed", 3);
              json.raw("state", "[1]");
            }),
            R"({"removed":3,"state":[1]})");
}

TEST_F(JsonWriterTest, UuidsAreQuoted) {
  const Uuid id = make_uuid_v7(1'001, 0, 0);
  json_.begin_object();
  json_.uuid("id", id);
  json_.begin_array("ids");
  json_.uuid(id);
  json_.end_array();
  json_.end_object();
  EXPECT_EQ(text_, R"({"id":"00000000-03e9-7000-8000-000000000000",)"
                   R"("ids":["00000000-03e9-7000-8000-000000000000"]})");
}

TEST(PlainJsonTextTest, IsWhatAJsonStringLeavesAsItIs) {
  EXPECT_TRUE(is_plain_json_text(""));
  EXPECT_TRUE(is_plain_json_text("order-1 {}[]/'~"));
  for (int byte = 0; byte < 256; ++byte) {
    const std::string text = std::string("order-1") + static_cast<char>(byte) + "x";
    std::string json;
    append_json_string(json, text);
    EXPECT_EQ(is_plain_json_text(text), byte < 0x80 && json == '"' + text + '"') << byte;
  }
}

TEST_F(JsonWriterTest, TimesAreQuoted) {
  json_.begin_object();
  json_.time("at", Timestamp{0});
  json_.time("then", Timestamp{1});
  json_.end_object();
  EXPECT_EQ(text_, R"({"at":"1970-01-01T00:00:00.000000Z","then":"1970-01-01T00:00:00.000001Z"})");
}

}  // namespace
}  // namespace cairn
