#pragma once

#include <string>

#include "eventstore/base/result.h"

namespace cairn::cli {

// A script file, not yet run.
struct ScriptFile {
  std::string path = {};  // as messages show it
  std::string source = {};

  std::string name() const;  // the last part of the path: "1-2.lua"
};

// Reads a file, or stdin for "-". kInvalidArgument when it cannot be read, is too large for a script, or
// is not UTF-8.
Result<ScriptFile> read_script_file(const std::string& path);

}  // namespace cairn::cli
