#pragma once

#include <string_view>

struct lua_State;

namespace cairn {

// How a table remembers which type of a union it was read as, so that writing it picks the same one again: by
// a metatable that stands for the type's name. It has no members, so scripts see no difference.

// Pushes the metatable of a type; the same one for the same name, as long as the state lives.
void push_type_mark(lua_State* state, std::string_view type);

// The type the table at `index` was read as, or "" where there is none. Lives as long as the state.
std::string_view remembered_type(lua_State* state, int index);

}  // namespace cairn
