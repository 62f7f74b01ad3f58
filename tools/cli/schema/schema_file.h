#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "eventstore/base/result.h"
#include "tools/cli/upcaster/upcaster_file.h"

namespace cairn::cli {

// A reference: the type `name` is defined by this version of this subject.
struct SchemaReference {
  static constexpr int kLatest = -1;

  std::string name;
  std::string subject;
  int version = kLatest;

  friend bool operator==(const SchemaReference&, const SchemaReference&) = default;
};

// A schema file, not yet checked.
struct SchemaFile {
  std::string subject;
  int number = 0;    // of Subject/2.avsc; 0 = the subject has one file and no numbers
  std::string path;  // as messages show it
  std::string text;
  std::vector<SchemaReference> references;
  std::optional<UpcasterFile> upcaster = {};  // that leads to it, as 1-2.lua leads to 2.avsc
};

// Reads Subject.avsc, and its references from Subject.refs.json in the same folder, if that exists:
// [{"name": "shop.Money", "subject": "Money", "version": 1}]; without a version the latest one is meant.
// kInvalidArgument when a file cannot be read or the references are malformed.
Result<SchemaFile> read_schema_file(const std::string& subject, int number,
                                    const std::filesystem::path& path);

}  // namespace cairn::cli
