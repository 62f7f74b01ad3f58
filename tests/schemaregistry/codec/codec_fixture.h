#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "eventstore/json/json_check.h"
#include "schemaregistry/codec/decode_plan.h"
#include "schemaregistry/codec/json_encoder.h"
#include "schemaregistry/codec/json_sink.h"
#include "schemaregistry/model/parse_schema.h"
#include "tests/support/matchers.h"

namespace cairn::test {

inline Schema schema_of(std::string_view text) {
  auto schema = parse_schema(text);
  EXPECT_THAT(schema, succeeds()) << text;
  return *std::move(schema);
}

// "0201ff" as bytes.
inline std::string from_hex(std::string_view hex) {
  std::string bytes;
  for (std::size_t i = 0; i + 1 < hex.size(); i += 2) {
    bytes += static_cast<char>(std::stoi(std::string(hex.substr(i, 2)), nullptr, 16));
  }
  return bytes;
}

inline std::string to_hex(std::string_view bytes) {
  std::string hex;
  for (const char c : bytes) {
    char digits[3];
    std::snprintf(digits, sizeof digits, "%02x", static_cast<unsigned char>(c));
    hex += digits;
  }
  return hex;
}

// Bytes of one schema, resolved to another and encoded with that.
inline std::string rewritten(const Schema& writer, const Schema& reader, std::string_view bytes) {
  const auto plan = DecodePlan::compile(writer, reader);
  EXPECT_THAT(plan, succeeds());
  std::string shown;
  EXPECT_THAT(append_avro_as_json(*plan, bytes, shown), succeeds());
  const auto encoder = JsonEncoder::make(reader);
  EXPECT_THAT(encoder, succeeds());
  std::string again;
  EXPECT_TRUE(encoder->encode(shown, again).empty()) << shown;
  return again;
}

// One schema with its encoder and its plan.
class Codec {
 public:
  explicit Codec(std::string_view text) : schema_(std::make_unique<Schema>(schema_of(text))) {}

  const Schema& schema() const { return *schema_; }

  std::vector<DataFault> faults(std::string_view json) const {
    std::string bytes = "kept";
    EXPECT_FALSE(check_json(json).has_value()) << "the test's own JSON: " << json;
    auto encoder = JsonEncoder::make(*schema_);
    EXPECT_THAT(encoder, succeeds());
    auto faults = encoder->encode(json, bytes);
    EXPECT_TRUE(faults.empty() || bytes == "kept") << "a failure leaves the output alone";
    return faults;
  }

  // "path: expected, found" of each fault.
  std::vector<std::string> complaints(std::string_view json) const {
    std::vector<std::string> texts;
    for (const DataFault& fault : faults(json)) {
      texts.push_back(fault.path + ": " + fault.expected + ", " + fault.found);
    }
    return texts;
  }

  // Empty, and a failure of the test, when it cannot be written.
  std::string encode(std::string_view json) const {
    std::string bytes;
    EXPECT_FALSE(check_json(json).has_value()) << "the test's own JSON: " << json;
    auto encoder = JsonEncoder::make(*schema_);
    EXPECT_THAT(encoder, succeeds());
    for (const DataFault& fault : encoder->encode(json, bytes)) {
      ADD_FAILURE() << json << ": " << fault.path << ": " << fault.expected << ", " << fault.found;
    }
    return bytes;
  }

  std::string hex(std::string_view json) const { return to_hex(encode(json)); }

  Result<std::string> try_decode(std::string_view bytes) const { return try_decode(bytes, *this); }

  // As `reader` has it.
  Result<std::string> try_decode(std::string_view bytes, const Codec& reader) const {
    CAIRN_TRY(const DecodePlan plan, DecodePlan::compile(*schema_, *reader.schema_));
    std::string json;
    CAIRN_CHECK(append_avro_as_json(plan, bytes, json));
    return json;
  }

  std::string decode(std::string_view bytes) const { return decode(bytes, *this); }
  std::string decode(std::string_view bytes, const Codec& reader) const {
    auto json = try_decode(bytes, reader);
    EXPECT_THAT(json, succeeds());
    return json ? *json : "";
  }

  // Written by this schema and read by another.
  std::string read_as(const Codec& reader, std::string_view json) const {
    return decode(encode(json), reader);
  }
  std::string round_trip(std::string_view json) const { return decode(encode(json)); }

 private:
  std::unique_ptr<Schema> schema_;
};

}  // namespace cairn::test
