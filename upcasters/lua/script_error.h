#pragma once

#include <cstdint>
#include <string>

namespace cairn {

// Why a script was stopped.
enum class ScriptFault : std::uint8_t {
  kSyntax,  // it is no Lua
  kError,   // it raised an error, or called what it may not
  kSteps,   // it took more steps than one call may take
  kMemory,  // it wanted more memory than it may have
  kTime,    // it took longer than one call may take
};

// What is wrong with a script, and where.
struct ScriptError {
  ScriptFault fault = ScriptFault::kError;
  // Without the place: "attempt to index a nil value (field 'total')". UTF-8 and about 2,000 bytes at most,
  // whatever the script says.
  std::string message;
  std::string file;
  int line = 0;  // 0 where there is none

  // "1-2.lua:7: attempt to index a nil value (field 'total')"
  std::string text() const;
};

}  // namespace cairn
