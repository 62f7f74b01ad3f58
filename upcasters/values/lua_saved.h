#pragma once

#include <string>
#include <string_view>

#include "eventstore/base/result.h"

struct lua_State;

namespace cairn {

// A Lua value written down so that going on with what is read back is going on with the value itself. That is
// its JSON, and what JSON does not tell: which arrays carry the mark of arrays (lua_values.h), for one
// without it is {} once it is empty.
//
//   varint length of the JSON, the JSON (lua_json.h), then one bit for each array that is not empty, in the
//   order of the text, lowest bits first: 1 = it has no mark. Without the bytes at the end that are 0.

// Appends the value at `index`. Fails with kInvalidArgument, and `to` as it was, for what would not come back
// the same: what JSON cannot hold, a table that is in two places, an event. REQUIRES: inside LuaHost::run().
Status append_saved(lua_State* state, int index, std::string& to);

// Pushes the value. False, and the stack as it was, when the bytes are no saved value.
// REQUIRES: inside LuaHost::run().
bool push_saved(lua_State* state, std::string_view saved);

// The JSON in a saved value; empty when there is none.
std::string_view saved_json(std::string_view saved);

}  // namespace cairn
