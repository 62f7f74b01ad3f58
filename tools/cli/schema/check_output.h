#pragma once

#include <string>
#include <vector>

#include "tools/cli/schema/schema_checker.h"
#include "tools/cli/schema/schema_folder.h"

namespace cairn::cli {

// The verdicts of a check. Each function below formats all of them.
struct CheckOutput {
  std::vector<CheckedSchema> schemas;
  std::vector<std::string> notes;

  std::size_t refused() const;
};

// Checks all files of a folder in their order. Fails when the history cannot be read.
Result<CheckOutput> check_all(const SchemaFolder& folder, SchemaHistory& history);

// For a terminal: a table, then the reasons, then the totals.
std::string as_table(const CheckOutput& output, bool colour);

// For programs: {"schemas":[{"subject","file","verdict","version","level","reasons":[{"kind","path",
// "message"}],"upcaster":{"file","error":{"line","message"}}}],"notes":[…],"refused":N}; version, level,
// upcaster and its error may be null.
std::string as_json(const CheckOutput& output);

// For a workflow of GitHub Actions: an error that is shown at the file for each refused schema, and at the
// line of each upcaster that cannot be used; a warning for each note, and a plain line for all others.
std::string as_github(const CheckOutput& output);

}  // namespace cairn::cli
