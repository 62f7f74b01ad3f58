#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "eventstore/base/result.h"
#include "tools/cli/schema/schema_file.h"

namespace cairn::cli {

// The content of a folder of schemas.
struct SchemaFolder {
  std::vector<SchemaFile> files;   // by subject, and the files of one subject by number
  std::vector<std::string> notes;  // possible mistakes: a missing number, an ignored file
};

// Reads Subject.avsc files, and Subject/1.avsc, Subject/2.avsc, … with the upcasters between them,
// Subject/1-2.lua. Hidden files, and files and folders of other kinds, are ignored.
//
// kInvalidArgument when the folder does not exist or has no schema (a check with a wrong path would otherwise
// always succeed), when a schema or an upcaster would be ignored by mistake, when a subject has two files for
// one version or two upcasters to it, and when a file cannot be read.
Result<SchemaFolder> read_schema_folder(const std::filesystem::path& folder);

}  // namespace cairn::cli
