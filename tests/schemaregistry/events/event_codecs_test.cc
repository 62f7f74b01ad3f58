#include "schemaregistry/events/event_codecs.h"

#include <gtest/gtest.h>

#include <thread>

#include "schemaregistry/codec/json_sink.h"
#include "tests/schemaregistry/registry/registry_fixture.h"
#include "tests/support/matchers.h"

namespace cairn::test {
namespace {

class EventCodecsTest : public RegistryTest {};

TEST_F(EventCodecsTest, ATypeHasItsNewestSchemaOrTheVersionAsked) {
  EventCodecs codecs(registry());
  EXPECT_EQ(*codecs.for_type("Order", 0), nullptr);
  ASSERT_THAT(submit_schema("Order", order()), is_taken());
  ASSERT_THAT(submit_schema("Order", order({"a"})), is_taken());
  EXPECT_EQ((*codecs.for_type("Order", 0))->schema().id, SchemaId{2});
  EXPECT_EQ((*codecs.for_type("Order", 1))->schema().id, SchemaId{1});
  EXPECT_EQ(*codecs.for_type("Order", 3), nullptr);
  EXPECT_EQ(codecs.version_of("Order", SchemaId{2}), 2u);
  EXPECT_EQ(codecs.version_of("Other", SchemaId{2}), 0u);
}

TEST_F(EventCodecsTest, CodecsAndReadersAreCached) {
  ASSERT_THAT(submit_schema("Order", order()), is_taken());
  ASSERT_THAT(submit_schema("Order", order({"a"})), is_taken());
  EventCodecs codecs(registry());
  std::vector<std::shared_ptr<const EventCodec>> codec(8);
  std::vector<std::shared_ptr<const EventReader>> reader(8);
  {
    std::vector<std::jthread> threads;
    for (std::size_t i = 0; i < codec.size(); ++i) {
      threads.emplace_back([&, i] {
        codec[i] = *codecs.by_id(SchemaId{1});
        reader[i] = *codecs.reader(SchemaId{1}, SchemaId{2});
      });
    }
  }
  for (std::size_t i = 1; i < codec.size(); ++i) {
    EXPECT_EQ(codec[i], codec[0]);
    EXPECT_EQ(reader[i], reader[0]);
  }
  EXPECT_EQ(*codecs.reader(SchemaId{1}, SchemaId{9}), nullptr);
}

TEST_F(EventCodecsTest, AReaderGivesOldEventsTheirNewShape) {
  ASSERT_THAT(submit_schema("Order", order()), is_taken());
  ASSERT_THAT(submit_schema("Order", order({"a"})), is_taken());
  EventCodecs codecs(registry());
  std::string avro;
  ASSERT_TRUE((*codecs.for_type("Order", 1))->encoder().encode(R"({"id":7})", avro).empty());
  std::string json;
  ASSERT_THAT(append_avro_as_json((*codecs.reader(SchemaId{1}, SchemaId{2}))->plan(), avro, json),
              succeeds());
  EXPECT_EQ(json, R"({"id":7,"a":0})");
}

}  // namespace
}  // namespace cairn::test
