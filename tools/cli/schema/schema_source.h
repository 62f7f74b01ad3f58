#pragma once

#include <string>
#include <vector>

#include "eventstore/base/result.h"
#include "tools/cli/schema/schema_file.h"
#include "tools/cli/schema/schema_folder.h"

namespace CLI {
class App;
}

namespace cairn::cli {

// The schemas that a command works on: one file, or all files of a folder.
struct SchemaSource {
  std::string subject;
  std::string file;
  std::string folder;
  std::string upcaster;  // with a file
};

// Adds SUBJECT, FILE, --upcaster and --dir. REQUIRES: `source` outlives the parsing.
void add_schema_source(CLI::App& command, SchemaSource& source);

// Reads the schemas, in registration_order(). kInvalidArgument when the options contradict each other or a
// file cannot be used.
Result<SchemaFolder> read_schema_source(const SchemaSource& source);

}  // namespace cairn::cli
