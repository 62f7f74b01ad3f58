#pragma once

#include <filesystem>
#include <string>

#include "eventstore/base/result.h"

namespace cairn {

// The header of an .avro file.
struct AvroFileHeader {
  std::string schema;  // as its writer wrote it
  std::string codec;   // "null", "deflate", …
};

// Reads the header of a file. kInvalidArgument when it cannot be read or is not an .avro file.
Result<AvroFileHeader> read_avro_file_header(const std::filesystem::path& path);

}  // namespace cairn
