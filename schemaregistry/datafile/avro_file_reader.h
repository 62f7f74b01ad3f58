#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include "eventstore/base/result.h"
#include "schemaregistry/model/schema.h"

namespace cairn {

// The size limit of a record of an .avro file; an event is much smaller.
inline constexpr std::size_t kAvroRecordBytesMax = 64u << 20;

// Reads the records of an Avro data file, uncompressed or compressed with deflate. Safe on any file; needs
// memory for one record and one block. Not thread-safe.
class AvroFileReader {
 public:
  // kInvalidArgument when the file cannot be read, is not an .avro file, or has an unknown schema or
  // compression.
  static Result<AvroFileReader> open(const std::filesystem::path& path);
  AvroFileReader(AvroFileReader&&) noexcept;
  AvroFileReader& operator=(AvroFileReader&&) noexcept;
  ~AvroFileReader();

  // The schema the records are written with. Lives as long as the reader.
  const Schema& schema() const;

  // Sets `avro` to the next record, in Avro's binary encoding; false after the last one. kCorruption when the
  // file is damaged; then no more records can be read.
  Result<bool> next(std::string& avro);

 private:
  class Impl;
  explicit AvroFileReader(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace cairn
