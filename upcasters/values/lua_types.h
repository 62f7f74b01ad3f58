#pragma once

#include <string_view>

struct lua_State;

namespace cairn {

// Tags for tables that were decoded as one type of a union, so that encoding them picks the same type: each
// type name has an empty metatable. It has no members, so scripts see no difference.

// Pushes the metatable of a type; the same one for the same name, as long as the state lives.
void push_type_mark(lua_State* state, std::string_view type);

// The type that the table at `index` was decoded as, or "" if it has no tag. Valid as long as the state.
std::string_view remembered_type(lua_State* state, int index);

}  // namespace cairn
