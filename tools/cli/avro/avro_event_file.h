#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "eventstore/base/result.h"
#include "schemaregistry/codec/decode_plan.h"
#include "schemaregistry/datafile/avro_file_reader.h"

namespace cairn::cli {

// Whether a file is an .avro file, by its name or by its first bytes.
bool is_avro_file(const std::filesystem::path& path);

// A file of events as `cairn export` writes it, read as lines to import.
class AvroEventFile {
 public:
  // kInvalidArgument when the file cannot be read.
  static Result<AvroEventFile> open(const std::filesystem::path& path);

  // Puts the next event into `line`, as JSON; false after the last one. kInvalidArgument when the record is
  // no event, kCorruption when the file is damaged.
  Result<bool> next(std::string& line);

 private:
  AvroEventFile(std::unique_ptr<AvroFileReader> reader, DecodePlan plan)
      : reader_(std::move(reader)), plan_(std::move(plan)) {}

  std::unique_ptr<AvroFileReader> reader_;
  DecodePlan plan_;  // by the schema the reader holds
  std::string record_;
  std::string json_;
};

}  // namespace cairn::cli
