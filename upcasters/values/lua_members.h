#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

struct lua_State;

namespace cairn {

// The entries of a table, for encoders. Metatables are ignored. An `index` counts from the bottom of the
// stack.

// How many entries the table at `index` has, of any kind. Charges a step for each.
std::size_t count_entries(lua_State* state, int index);

// The names of its members, sorted by their bytes. False when it has keys that are not strings. The names are
// valid as long as the table has them. Charges a step for each name, and for its bytes.
bool member_names(lua_State* state, int index, std::vector<std::string_view>& names);

// Pushes the member of that name. REQUIRES: the stack has room for it.
void push_member(lua_State* state, int index, std::string_view name);

}  // namespace cairn
