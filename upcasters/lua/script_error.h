#pragma once

#include <concepts>
#include <cstdint>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>

#include "eventstore/base/result.h"

namespace cairn {

// Why a script was stopped.
enum class ScriptFault : std::uint8_t {
  kSyntax,  // it is not valid Lua
  kError,   // it raised an error, or called a function that the sandbox does not have
  kSteps,   // it exceeded LuaLimits::steps_max
  kMemory,  // it exceeded a limit of memory
  kTime,    // it exceeded LuaLimits::cpu_time_max
};

// What is wrong with a script, and where.
struct ScriptError {
  ScriptFault fault = ScriptFault::kError;
  // Without file and line: "attempt to index a nil value (field 'total')". Valid UTF-8 and at most about
  // 2,000 bytes, whatever the script raised.
  std::string message;
  std::string file;
  int line = 0;  // 0 = unknown

  // "1-2.lua:7: attempt to index a nil value (field 'total')"
  std::string text() const;
};

// An error of several kinds, as in std::variant<ScriptError, Error>, is made from each of them.
template <typename... Kinds, typename Other>
requires(std::same_as<std::remove_cvref_t<Other>, Kinds> ||
         ...) std::variant<Kinds...> convert_error(ErrorKind<std::variant<Kinds...>>, Other&& other) {
  return std::forward<Other>(other);
}

// A value, or what is wrong with the script that was to give it.
template <typename T>
using ScriptResult = Result<T, ScriptError>;

}  // namespace cairn
