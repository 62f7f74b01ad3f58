#pragma once

struct lua_State;

namespace cairn {

// Values that Lua itself does not have. `null` is a constant, because nil means that a member is absent. A
// sequence that is an array even when it is empty carries a mark (a metatable), which `array {…}` sets too.

// Makes the mark of arrays in a new state. Called once, before the functions below.
void open_values(lua_State* state);

void push_null(lua_State* state);
bool is_null(lua_State* state, int index);

// Marks the table on top of the stack.
void mark_array(lua_State* state);
bool is_marked_array(lua_State* state, int index);

}  // namespace cairn
