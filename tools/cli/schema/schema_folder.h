#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "eventstore/base/result.h"
#include "tools/cli/schema/schema_file.h"

namespace cairn::cli {

// What a folder of schemas holds.
struct SchemaFolder {
  std::vector<SchemaFile> files;   // by subject, and the files of one subject by number
  std::vector<std::string> notes;  // what somebody might not expect: a missing number, a file left alone
};

// Reads Subject.avsc files, and Subject/1.avsc, Subject/2.avsc, … with the upcasters between them,
// Subject/1-2.lua. Hidden files, and files and folders of other kinds, are passed over.
//
// kInvalidArgument when the folder is not there or holds no schema at all (which a check would otherwise call
// good for ever), when a schema or an upcaster would be passed over by mistake, when a subject has two files
// for one version or two upcasters that lead to it, and when a file cannot be read.
Result<SchemaFolder> read_schema_folder(const std::filesystem::path& folder);

}  // namespace cairn::cli
