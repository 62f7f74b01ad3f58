#pragma once

#include <string>
#include <vector>

#include "tools/cli/schema/schema_checker.h"

namespace cairn::cli {

// How the verdicts of a check are printed; each is the whole output.
struct CheckOutput {
  std::vector<CheckedSchema> schemas;
  std::vector<std::string> notes;

  std::size_t refused() const;
};

// For people: a table, then the reasons, then the sum.
std::string as_table(const CheckOutput& output, bool colour);

// For programs: {"schemas":[{"subject","file","verdict","version","level","reasons":[{"kind","path",
// "message"}]}],"notes":[…],"refused":N}; version and level may be null.
std::string as_json(const CheckOutput& output);

// For a workflow of GitHub Actions: an error that is shown at the file for each refused schema, a warning for
// each note, and a plain line for all others.
std::string as_github(const CheckOutput& output);

}  // namespace cairn::cli
