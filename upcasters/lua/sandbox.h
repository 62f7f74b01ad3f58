#pragma once

#include <cstdint>
#include <string_view>

#include "upcasters/lua/lua_account.h"

struct lua_State;

// The library that scripts can use. Private to the host; the functions below run inside protected calls.
namespace cairn::sandbox {

// Opens the library in a new state.
void open(lua_State* state);

// Pushes the table that scripts have as _ENV and _G. It is empty and forwards all access to another table by
// its metatable, so that assignments can be intercepted.
void push_environment(lua_State* state);
void push_globals(lua_State* state);  // the other table

// Makes global variables read-only from now on.
void lock_globals(lua_State* state);

// Each adds its functions to the table on top of the stack.
void add_base(lua_State* state);
void add_pairs(lua_State* state);
void add_definitions(lua_State* state);

// Each pushes a new table. REQUIRES: Lua's own library of that name is on top of the stack.
void push_table_library(lua_State* state);
void push_string_library(lua_State* state);
void push_utf8_library(lua_State* state);

// Adds find, match, gmatch and gsub to the table on top of the stack.
void add_matching(lua_State* state);

// Pushes the text of a value, as tostring() has it: without addresses, which differ from run to run.
void push_text(lua_State* state, int index);

// The constant DELETE.
void push_delete(lua_State* state);
bool is_delete(lua_State* state, int index);

// The name of the value's type in messages: as type() has it, but "DELETE" for DELETE.
const char* type_of(lua_State* state, int index);

// Whether the value is the table that scripts have as _G.
bool is_environment(lua_State* state, int index);

// Calls Lua's own function, which is the first upvalue of ours, in our place.
int call_original(lua_State* state);

inline void charge(lua_State* state, std::uint64_t steps) { LuaAccount::of(state).charge(steps); }

}  // namespace cairn::sandbox
