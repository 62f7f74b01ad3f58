#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include "eventstore/base/result.h"
#include "schemaregistry/model/schema.h"

namespace cairn {

// Whether this build has .avro files at all. Without, making a writer or a reader is kFailedPrecondition.
bool has_avro_files();

// Writes an Avro data file, compressed with deflate, that any Avro tool reads. It gets its name when it is
// complete and on disk; until then it has ".part" behind it. Belongs to one thread.
//
// The file's head holds the schema in canonical form: names, types and their order, which is what reading
// needs. Doc strings, defaults, aliases and logical types are not in it.
class AvroFileWriter {
 public:
  // kInvalidArgument when Avro cannot use the schema, kIo when the file cannot be written. A file of that
  // name stays as it is until finish().
  static Result<AvroFileWriter> create(const std::filesystem::path& path, const Schema& schema);
  AvroFileWriter(AvroFileWriter&&) noexcept;
  AvroFileWriter& operator=(AvroFileWriter&&) noexcept;

  // Without finish() nothing is left of the file.
  ~AvroFileWriter();

  // Adds a record. REQUIRES: `avro` is one value of the schema in Avro's binary form.
  Status write(std::string_view avro);

  // Nothing is written after this.
  Status finish();

 private:
  class Impl;
  explicit AvroFileWriter(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace cairn
