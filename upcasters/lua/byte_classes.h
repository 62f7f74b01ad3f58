#pragma once

#include "upcasters/lua/lua_pattern.h"

namespace cairn {

// The character classes of Lua's patterns, for ASCII whatever the locale of the process.

inline constexpr ByteSet kAllBytes = [] {
  ByteSet all;
  all.complement();
  return all;
}();

// The class of '%' and this letter, or nullptr if the letter stands for itself. An upper-case letter is the
// complement of the class.
const ByteSet* byte_class(char letter);

}  // namespace cairn
