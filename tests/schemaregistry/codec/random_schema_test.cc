// For random schemas: encoded values can be decoded, and the plan reads what the checker calls compatible.

#include <gtest/gtest.h>

#include "schemaregistry/codec/avro_sink.h"
#include "schemaregistry/codec/check_sink.h"
#include "schemaregistry/compatibility/compatibility.h"
#include "schemaregistry/model/canonical_form.h"
#include "schemaregistry/model/schema_text.h"
#include "tests/schemaregistry/codec/codec_fixture.h"
#include "tests/schemaregistry/support/random_schema.h"
#include "tests/support/scale.h"

namespace cairn::test {
namespace {

constexpr int kSchemas = 2'000;

TEST(RandomSchemaTest, TheTextOfASchemaParsesToTheSameSchema) {
  Random random("texts");
  for (int i = 0; i < kSchemas; ++i) {
    const Schema schema = schema_of(random_schema(random));
    const std::string text = schema_text(schema);
    const Schema again = schema_of(text);
    ASSERT_EQ(schema_text(again), text);
    ASSERT_EQ(canonical_form(again), canonical_form(schema));
    const std::string normalized = normalized_schema_text(schema);
    ASSERT_EQ(normalized_schema_text(schema_of(normalized)), normalized);
  }
}

TEST(RandomSchemaTest, ValuesSurviveARoundTrip) {
  Random random("round trips");
  for (int i = 0; i < kSchemas; ++i) {
    const Codec codec(random_schema(random));
    SCOPED_TRACE(schema_text(codec.schema()));
    const auto encoder = JsonEncoder::make(codec.schema());
    const auto plan = DecodePlan::compile(codec.schema(), codec.schema());
    ASSERT_THAT(plan, succeeds());
    for (int k = 0; k < 5; ++k) {
      const std::string json = random_value(random, codec.schema().root());
      std::string bytes;
      const auto faults = encoder->encode(json, bytes);
      ASSERT_TRUE(faults.empty()) << json << " at " << faults.front().path << ": " << faults.front().expected;
      ASSERT_THAT(check_avro(*plan, bytes), succeeds()) << json;
      std::string shown;
      ASSERT_THAT(append_avro_as_json(*plan, bytes, shown), succeeds()) << json;
      ASSERT_FALSE(check_json(shown).has_value()) << shown;
      std::string again;
      ASSERT_TRUE(encoder->encode(shown, again).empty()) << shown;
      ASSERT_EQ(to_hex(again), to_hex(bytes)) << json << " was shown as " << shown;
    }
  }
}

TEST(RandomSchemaTest, ThePlanReadsWhatTheCheckerCallsCompatible) {
  Random random("pairs");
  int compatible = 0;
  int refused = 0;
  for (int i = 0; i < kSchemas; ++i) {
    const Codec writer(random_schema(random));
    const auto changed = parse_schema(changed_schema(random, writer.schema()));
    if (!changed) continue;  // some changes make an invalid schema
    const bool can_read = find_incompatibilities(*changed, writer.schema()).empty();
    (can_read ? compatible : refused)++;
    const auto plan = DecodePlan::compile(writer.schema(), *changed);
    ASSERT_THAT(plan, succeeds());
    const auto reader_encoder = JsonEncoder::make(*changed);
    for (int k = 0; k < 5; ++k) {
      const std::string json = random_value(random, writer.schema().root());
      const std::string bytes = writer.encode(json);
      std::string shown;
      const Status status = append_avro_as_json(*plan, bytes, shown);
      if (!can_read) continue;  // It may fail, but only with an error.
      // Any bytes can be promoted to a string, but not all of them are text.
      if (!status && status.error().message.find("no text in UTF-8") != std::string::npos) continue;
      ASSERT_THAT(status, succeeds())
          << schema_text(writer.schema()) << "\n as " << schema_text(*changed) << "\n"
          << json;
      std::string as_reader;
      const auto faults = reader_encoder->encode(shown, as_reader);
      ASSERT_TRUE(faults.empty()) << "what was read is no value of the reader's schema: " << shown << " at "
                                  << faults.front().path;
      std::string rewritten_bytes;
      ASSERT_THAT(append_avro_as_avro(*plan, bytes, rewritten_bytes), succeeds());
      ASSERT_EQ(to_hex(rewritten_bytes), to_hex(as_reader)) << shown;
    }
  }
  EXPECT_GT(compatible, kSchemas / 10) << "too few pairs to prove anything";
  EXPECT_GT(refused, kSchemas / 20);
}

TEST(RandomSchemaTest, DamagedBytesAreReadOrRefused) {
  Random random("damage");
  for (int i = 0; i < kSchemas; ++i) {
    const Codec codec(random_schema(random));
    const auto plan = DecodePlan::compile(codec.schema(), codec.schema());
    std::string bytes = codec.encode(random_value(random, codec.schema().root()));
    for (int k = 0; k < 10; ++k) {
      if (bytes.empty()) break;
      bytes[random.below(bytes.size())] = static_cast<char>(random.next());
      if (random.one_in(4)) bytes.resize(random.below(bytes.size()));
      std::string shown;
      const Status status = append_avro_as_json(*plan, bytes, shown);
      if (!status) {
        ASSERT_EQ(status.error().code, Errc::kCorruption);
        ASSERT_EQ(shown, "");
      }
    }
  }
}

}  // namespace
}  // namespace cairn::test
