#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include "eventstore/base/result.h"
#include "schemaregistry/model/schema.h"

namespace cairn {

// A record of an .avro file has at most this many bytes here; an event has far fewer.
inline constexpr std::size_t kAvroRecordBytesMax = 64u << 20;

// Reads the records of an Avro data file, plain or compressed with deflate, whoever wrote it. Whatever is in
// the file, it reads on or fails; it takes memory for one record and one block. Belongs to one thread.
class AvroFileReader {
 public:
  // kInvalidArgument when the file cannot be read, is no .avro file, or has a schema or a compression we do
  // not know.
  static Result<AvroFileReader> open(const std::filesystem::path& path);
  AvroFileReader(AvroFileReader&&) noexcept;
  AvroFileReader& operator=(AvroFileReader&&) noexcept;
  ~AvroFileReader();

  // The schema the records are written with. Lives as long as the reader.
  const Schema& schema() const;

  // Puts the next record into `avro`, in Avro's binary form; false after the last one. kCorruption when the
  // file is damaged; then nothing more can be read.
  Result<bool> next(std::string& avro);

 private:
  class Impl;
  explicit AvroFileReader(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace cairn
