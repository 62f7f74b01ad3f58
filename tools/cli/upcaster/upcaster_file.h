#pragma once

#include <cstdint>
#include <string>
#include <variant>

#include "eventstore/base/result.h"
#include "upcasters/lua/script_error.h"
#include "upcasters/upcaster.h"

namespace cairn::cli {

// An upcaster's script as it is written, run by nobody yet.
struct UpcasterFile {
  std::string path;  // as messages show it
  std::string source;
  std::uint32_t from = 0;  // of 1-2.lua; 0 = its name says nothing
  std::uint32_t to = 0;

  std::string name() const;  // the last part of the path: "1-2.lua"
};

// Reads a file, or stdin for "-". kInvalidArgument when it cannot be read, is too large for a script, or
// is not UTF-8.
Result<UpcasterFile> read_upcaster_file(const std::string& path);

// Runs the script once, in the sandbox that the server has too, to learn what it says of itself. The error
// has its file and, where there is one, its line.
std::variant<UpcasterHeader, ScriptError> load_upcaster(const UpcasterFile& file);

// The same for a script that stands beside a schema of `type`: what it says must be what its place and its
// name say.
std::variant<UpcasterHeader, ScriptError> load_upcaster_for(const std::string& type,
                                                            const UpcasterFile& file);

}  // namespace cairn::cli
