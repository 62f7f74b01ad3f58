#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "eventstore/base/result.h"
#include "tools/cli/upcaster/upcaster_file.h"

namespace cairn::cli {

// "The type `name` is the one of this version of this subject."
struct SchemaReference {
  static constexpr int kLatest = -1;

  std::string name;
  std::string subject;
  int version = kLatest;

  friend bool operator==(const SchemaReference&, const SchemaReference&) = default;
};

// A schema as it is written, checked by nobody yet.
struct SchemaFile {
  std::string subject;
  int number = 0;    // of Subject/2.avsc; 0 = the subject has one file and no numbers
  std::string path;  // as messages show it
  std::string text;
  std::vector<SchemaReference> references;
  std::optional<UpcasterFile> upcaster = {};  // that leads to it, as 1-2.lua leads to 2.avsc
};

// Reads Subject.avsc, and the schemas it refers to from Subject.refs.json beside it, if there is one:
// [{"name": "shop.Money", "subject": "Money", "version": 1}]; without a version it is the latest one.
// kInvalidArgument when a file cannot be read or the references make no sense.
Result<SchemaFile> read_schema_file(const std::string& subject, int number,
                                    const std::filesystem::path& path);

}  // namespace cairn::cli
