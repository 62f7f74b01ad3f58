#pragma once

#include <cstddef>
#include <lua.hpp>

namespace cairn {

// Shared by the readers of definitions: upcaster {…}, aggregate {…}, projection {…}.

constexpr int kDefinition = 1;  // its index on the stack, where LuaHost::load() left it

constexpr std::size_t kShownNameBytesMax = 100;  // of a name in a message

// Whether the value is a Lua function of the script, and not a C function of the library.
inline bool is_script_function(lua_State* state, int index) {
  return lua_isfunction(state, index) && lua_iscfunction(state, index) == 0;
}

}  // namespace cairn
