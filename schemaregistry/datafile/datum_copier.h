#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "eventstore/base/result.h"
#include "schemaregistry/model/schema.h"

namespace avro {
class Decoder;
}

namespace cairn {

// Copies values from a decoder of Avro's binary encoding as bytes.
//
// It uses the decoder only for numbers and raw bytes: the decoder's functions for strings, arrays and maps
// trust the lengths and counts in the data, and do not support blocks with a size in front.
class DatumCopier {
 public:
  // Appends a value of the type to `to`. Fails with kCorruption, or throws the exceptions of the decoder;
  // `to` then has a part of the value.
  Status copy(const SchemaNode& type, avro::Decoder& from, std::string& to);

 private:
  Status copy_value(const SchemaNode& type);
  Status copy_raw(std::int64_t size);
  Status copy_items(const SchemaNode& type);
  std::int64_t copy_long();

  avro::Decoder* from_ = nullptr;
  std::string* to_ = nullptr;
  std::size_t depth_ = 0;
  std::size_t empty_items_ = 0;
  std::vector<std::uint8_t> bytes_;
};

}  // namespace cairn
