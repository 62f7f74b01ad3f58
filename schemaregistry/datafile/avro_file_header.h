#pragma once

#include <filesystem>
#include <string>

#include "eventstore/base/result.h"

namespace cairn {

// What stands before the records of an .avro file.
struct AvroFileHeader {
  std::string schema;  // as its writer wrote it
  std::string codec;   // "null", "deflate", …
};

// Reads the beginning of a file. kInvalidArgument when it cannot be read or is no .avro file.
Result<AvroFileHeader> read_avro_file_header(const std::filesystem::path& path);

}  // namespace cairn
