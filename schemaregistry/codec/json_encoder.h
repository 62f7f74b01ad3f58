#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "eventstore/base/result.h"
#include "schemaregistry/codec/data_fault.h"
#include "schemaregistry/model/schema.h"

namespace cairn {

// Encodes JSON values as Avro with one schema. Immutable; thread-safe.
//
// Unions accept the plain value and Avro's tagged form; bytes and fixed are strings of characters up to
// U+00FF; a missing field gets its default; NaN and the infinities are the strings "NaN", "Infinity" and
// "-Infinity". Integers keep every digit.
class JsonEncoder {
 public:
  // REQUIRES: the schema outlives the encoder. Fails with kInvalidArgument when a default cannot be encoded.
  static Result<JsonEncoder> make(const Schema& schema);
  JsonEncoder(JsonEncoder&&) noexcept;
  JsonEncoder& operator=(JsonEncoder&&) noexcept;
  ~JsonEncoder();

  // Appends the value to `to`. When it does not fit the schema, returns the faults (at most kDataFaultsMax)
  // and leaves `to` unchanged. REQUIRES: check_json() found no fault in `json`.
  std::vector<DataFault> encode(std::string_view json, std::string& to) const;

 private:
  struct Program;
  explicit JsonEncoder(std::unique_ptr<Program> program);
  std::unique_ptr<Program> program_;
};

}  // namespace cairn
