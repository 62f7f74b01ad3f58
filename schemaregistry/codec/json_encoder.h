#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "eventstore/base/result.h"
#include "schemaregistry/model/schema.h"

namespace cairn {

// Where a value is not what the schema wants.
struct DataFault {
  std::string path;      // a JSON pointer into the data
  std::string expected;  // "long", "a symbol of Color: RED, GREEN"
  std::string found;     // the JSON, cut short; "nothing" where a field is missing
};

// Writes JSON values as Avro, by one schema.
//
// Unions take the plain value and Avro's tagged form; bytes and fixed are strings of characters up to U+00FF; a missing
// field gets its default; NaN and the infinities are the strings "NaN", "Infinity" and "-Infinity". Whole numbers are
// taken with every digit. Any number of threads may use one encoder at once.
class JsonEncoder {
 public:
  // REQUIRES: the schema outlives the encoder. Fails with kInvalidArgument when a default cannot be written.
  static Result<JsonEncoder> make(const Schema& schema);
  JsonEncoder(JsonEncoder&&) noexcept;
  JsonEncoder& operator=(JsonEncoder&&) noexcept;
  ~JsonEncoder();

  // Appends the value to `to`. When it does not fit, says everywhere it does not (at most kFaultsMax places), and
  // leaves `to` as it was. REQUIRES: check_json() found no fault in `json`.
  std::vector<DataFault> encode(std::string_view json, std::string& to) const;

  static constexpr std::size_t kFaultsMax = 100;

 private:
  struct Program;
  explicit JsonEncoder(std::unique_ptr<Program> program);
  std::unique_ptr<Program> program_;
};

// The Avro bytes of a field's default. REQUIRES: it has one.
Result<std::string> encode_default(const SchemaField& field);

}  // namespace cairn
