#pragma once

#include <string>
#include <string_view>

#include "eventstore/base/result.h"

struct lua_State;

namespace cairn {

// Pushes a JSON value. Integers of up to 64 bits become Lua integers, other numbers floats.
// REQUIRES: check_json() found no fault in `json`; inside LuaHost::run().
void push_json(lua_State* state, std::string_view json);

// Appends the value at `index` as JSON on one line, with members sorted by the bytes of their names, so that
// equal values give equal text. An empty table is {} unless it is marked as an array; a float always has a
// point or an exponent. Fails with kInvalidArgument and a JSON pointer for what JSON cannot hold: functions,
// tables with keys other than strings or 1..n, tables that contain themselves or nest too deep, text that is
// not UTF-8, NaN and infinities; and for more than limits::kEventBytesMax bytes, which a small table can
// expand to. `to` is then unchanged. REQUIRES: inside LuaHost::run().
Status append_as_json(lua_State* state, int index, std::string& to);

// The value for messages, cut short: 3, "abc", {…}, nil.
std::string value_text(lua_State* state, int index);

}  // namespace cairn
