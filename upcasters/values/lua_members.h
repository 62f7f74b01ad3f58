#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

struct lua_State;

namespace cairn {

// What is in a table, as those see it who write it down. Metatables are not asked. An `index` counts from the
// stack's bottom.

// How many entries the table at `index` has, of any kind. Charges a step for each.
std::size_t count_entries(lua_State* state, int index);

// The names of its members in the order of their bytes. False when it has entries that are no members: keys
// that are not strings. The names live as long as the table has them. Charges a step for each, and for their
// bytes.
bool member_names(lua_State* state, int index, std::vector<std::string_view>& names);

// Pushes the member of that name. REQUIRES: the stack has room for it.
void push_member(lua_State* state, int index, std::string_view name);

}  // namespace cairn
