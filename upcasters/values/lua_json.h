#pragma once

#include <string>
#include <string_view>

#include "eventstore/base/result.h"

struct lua_State;

namespace cairn {

// Pushes a JSON value. Whole numbers of 64 bits become integers, other numbers floats.
// REQUIRES: check_json() found no fault in `json`; inside LuaHost::run().
void push_json(lua_State* state, std::string_view json);

// Appends the value at `index` as JSON on one line, members in the order of their names' bytes, so that the
// same value always gives the same text. An empty table is {} unless it is marked as an array; a float always
// has a point or an exponent. Fails with kInvalidArgument and the place (a JSON pointer) for what JSON cannot
// hold: functions, tables with other keys than strings or 1..n, tables inside themselves or too deep, text
// that is not UTF-8, NaN and infinities; and for more than limits::kEventBytesMax bytes, which a small table
// can stand for. `to` is then as it was. REQUIRES: inside LuaHost::run().
Status append_as_json(lua_State* state, int index, std::string& to);

// The value for people, cut short: 3, "abc", {…}, nil.
std::string value_text(lua_State* state, int index);

}  // namespace cairn
