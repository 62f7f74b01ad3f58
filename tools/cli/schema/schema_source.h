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

// Which schemas a command is about: one, or all of a folder.
struct SchemaSource {
  std::string subject;
  std::string file;
  std::string folder;
  std::string upcaster;  // with a file
};

// Adds SUBJECT, FILE, --upcaster and --dir. REQUIRES: `source` outlives the parsing.
void add_schema_source(CLI::App& command, SchemaSource& source);

// The schemas in the order to register them. kInvalidArgument when the options make no sense together or the
// files cannot be used.
Result<SchemaFolder> read_schema_source(const SchemaSource& source);

}  // namespace cairn::cli
