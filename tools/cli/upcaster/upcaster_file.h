#pragma once

#include <cstdint>
#include <string>
#include <variant>

#include "eventstore/base/result.h"
#include "tools/cli/server/script_file.h"
#include "upcasters/lua/script_error.h"
#include "upcasters/model/upcaster.h"

namespace cairn::cli {

// An upcaster's script.
struct UpcasterFile : ScriptFile {
  std::uint32_t from = 0;  // of 1-2.lua; 0 = its name says nothing
  std::uint32_t to = 0;
};

// As read_script_file().
Result<UpcasterFile> read_upcaster_file(const std::string& path);

// Runs the script once, in the sandbox that the server has too, to learn what it says of itself. The error
// has its file and, where there is one, its line.
std::variant<UpcasterHeader, ScriptError> load_upcaster(const UpcasterFile& file);

// The same for a script that stands beside a schema of `type`: what it says must be what its place and its
// name say.
std::variant<UpcasterHeader, ScriptError> load_upcaster_for(const std::string& type,
                                                            const UpcasterFile& file);

}  // namespace cairn::cli
