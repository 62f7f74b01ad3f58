#pragma once

#include "upcasters/lua/lua_pattern.h"

namespace cairn {

// The classes of Lua's patterns: those of ASCII, whatever the locale of the process.

inline constexpr ByteSet kAllBytes = [] {
  ByteSet all;
  all.complement();
  return all;
}();

// What '%' and this letter stand for, or nullptr if the letter stands for itself. A capital letter stands for
// all other bytes.
const ByteSet* byte_class(char letter);

}  // namespace cairn
