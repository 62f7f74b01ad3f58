#pragma once

#include <string>
#include <string_view>

#include "eventstore/base/result.h"

struct lua_State;

namespace cairn {

// Lua values, serialised so that a loaded value behaves like the original. That is its JSON, and what JSON
// does not hold: which arrays carry the mark of arrays (lua_values.h), since one without it becomes {} when
// it is empty.
//
//   varint length of the JSON, the JSON (lua_json.h), then one bit for each array that is not empty, in the
//   order of the text, lowest bits first: 1 = it has no mark. Without the bytes at the end that are 0.

// Appends the value at `index`. Fails with kInvalidArgument, and leaves `to` unchanged, for values that would
// not load as the same: what JSON cannot hold, a table that is referenced twice, an event. REQUIRES: inside
// LuaHost::run().
Status append_saved(lua_State* state, int index, std::string& to);

// Pushes the value. False, with the stack unchanged, when the bytes are not a saved value.
// REQUIRES: inside LuaHost::run().
bool push_saved(lua_State* state, std::string_view saved);

// The JSON in a saved value; empty when there is none.
std::string_view saved_json(std::string_view saved);

}  // namespace cairn
