#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include "eventstore/base/result.h"
#include "schemaregistry/model/schema.h"

namespace cairn {

// Whether this build supports .avro files. If not, opening a writer or a reader fails with
// kFailedPrecondition.
bool has_avro_files();

// Writes an Avro data file, compressed with deflate, that any Avro tool reads. The file has the suffix
// ".part" until it is complete and durable. Not thread-safe.
//
// The header has the schema in canonical form: names, types and their order, which suffices for reading. Doc
// strings, defaults, aliases and logical types are not in it.
class AvroFileWriter {
 public:
  // kInvalidArgument when Avro cannot use the schema, kIo when the file cannot be written. An existing file
  // of that name is replaced by finish().
  static Result<AvroFileWriter> create(const std::filesystem::path& path, const Schema& schema);
  AvroFileWriter(AvroFileWriter&&) noexcept;
  AvroFileWriter& operator=(AvroFileWriter&&) noexcept;

  // Without finish() the file is removed.
  ~AvroFileWriter();

  // Adds a record. REQUIRES: `avro` is one value of the schema in Avro's binary encoding.
  Status write(std::string_view avro);

  // Nothing is written after this.
  Status finish();

 private:
  class Impl;
  explicit AvroFileWriter(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace cairn
