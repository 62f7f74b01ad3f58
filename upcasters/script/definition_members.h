#pragma once

#include <cstddef>
#include <lua.hpp>

namespace cairn {

// What the readers of definitions share: upcaster {…}, aggregate {…}, projection {…}.

constexpr int kDefinition = 1;  // where LuaHost::load() left it on the stack

constexpr std::size_t kShownNameBytesMax = 100;  // of a name in a complaint

// A function of the script and not one of the library.
inline bool is_script_function(lua_State* state, int index) {
  return lua_isfunction(state, index) && lua_iscfunction(state, index) == 0;
}

}  // namespace cairn
