#pragma once

struct lua_State;

namespace cairn {

// How values look in Lua beyond what Lua has: `null` is a constant of its own, since nil means that nothing
// is there; and a sequence that is an array even when it is empty carries a mark, which `array {…}` gives it
// too.

// Gives a new state the mark of arrays. Called once, before anything below.
void open_values(lua_State* state);

void push_null(lua_State* state);
bool is_null(lua_State* state, int index);

// Marks the table on top of the stack.
void mark_array(lua_State* state);
bool is_marked_array(lua_State* state, int index);

}  // namespace cairn
