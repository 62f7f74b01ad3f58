#pragma once

#include <cstdint>
#include <string>

#include "eventstore/base/result.h"
#include "tools/cli/server/script_file.h"
#include "upcasters/lua/script_error.h"
#include "upcasters/model/upcaster.h"

namespace cairn::cli {

// An upcaster's script.
struct UpcasterFile : ScriptFile {
  std::uint32_t from = 0;  // of 1-2.lua; 0 = unknown
  std::uint32_t to = 0;
};

// As read_script_file().
Result<UpcasterFile> read_upcaster_file(const std::string& path);

// Runs the script once, in the same sandbox as the server, to read its header. The error has the file and, if
// known, the line.
ScriptResult<UpcasterHeader> load_upcaster(const UpcasterFile& file);

// The same for a script in the folder of the schemas of `type`: its header must match its folder and its
// name.
ScriptResult<UpcasterHeader> load_upcaster_for(const std::string& type, const UpcasterFile& file);

}  // namespace cairn::cli
