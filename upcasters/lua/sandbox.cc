#include "upcasters/lua/sandbox.h"

#include <lua.hpp>

#include "upcasters/lua/lua_values.h"

namespace cairn::sandbox {

namespace {

// Their addresses are keys in the state's registry.
const char kEnvironment = 0;
const char kGlobals = 0;
const char kLocked = 0;
const char kDelete = 0;

struct Withheld {
  std::string_view name;
  const char* reason;
};

constexpr const char* kSameEveryTime = "a script gives the same result on every run";
constexpr const char* kNoWayOut = "a script reaches nothing outside of itself";
constexpr const char* kOneFile = "a script is one file of text";
constexpr const char* kPlainTables = "tables are plain data here";
constexpr const char* kOneGo = "a call runs to its end in one go";
constexpr const char* kSayLog = "use log(text)";

constexpr Withheld kWithheldGlobals[] = {
    {"os", kSameEveryTime},
    {"io", kNoWayOut},
    {"require", kOneFile},
    {"load", kOneFile},
    {"loadstring", kOneFile},
    {"loadfile", kOneFile},
    {"dofile", kOneFile},
    {"package", kOneFile},
    {"debug", kNoWayOut},
    {"coroutine", kOneGo},
    {"print", kSayLog},
    {"warn", kSayLog},
    {"setmetatable", kPlainTables},
    {"getmetatable", kPlainTables},
    {"collectgarbage", kSameEveryTime},
};
constexpr Withheld kWithheldOfMath[] = {{"random", kSameEveryTime}, {"randomseed", kSameEveryTime}};
constexpr Withheld kWithheldOfString[] = {{"dump", kOneFile}};

// What the manual of Lua 5.4 has; some builds of Lua have more, from older versions.
constexpr const char* kMath[] = {"abs",        "acos",  "asin",      "atan", "ceil", "cos",  "deg",
                                 "exp",        "floor", "fmod",      "huge", "log",  "max",  "min",
                                 "maxinteger", "modf",  "pi",        "rad",  "sin",  "sqrt", "tan",
                                 "mininteger", "type",  "tointeger", "ult"};

// Called for an absent key. Unknown names are nil, as in any Lua; but a name of Lua's standard library that
// the sandbox does not have raises an error that says why.
template <const auto& kWithheld>
int missing(lua_State* state) {
  if (lua_type(state, 2) != LUA_TSTRING) return 0;
  std::size_t size = 0;
  const char* const text = lua_tolstring(state, 2, &size);
  for (const Withheld& withheld : kWithheld) {
    if (withheld.name == std::string_view(text, size)) {
      const char* const folder = lua_tostring(state, lua_upvalueindex(1));
      return luaL_error(state, "'%s%s' is not there for scripts: %s", folder, text, withheld.reason);
    }
  }
  return 0;
}

// Makes `missing` answer for the table on top of the stack.
void watch_reads(lua_State* state, const char* folder, lua_CFunction missing) {
  lua_createtable(state, 0, 1);
  lua_pushstring(state, folder);
  lua_pushcclosure(state, missing, 1);
  lua_setfield(state, -2, "__index");
  lua_setmetatable(state, -2);
}

int set_global(lua_State* state) {
  if (lua_rawgetp(state, LUA_REGISTRYINDEX, &kLocked) != LUA_TNIL) {
    push_text(state, 2);
    return luaL_error(
        state,
        "the global variable '%s' cannot be set: what one call leaves behind another could see; "
        "use local",
        lua_tostring(state, -1));
  }
  lua_settop(state, 3);
  push_globals(state);
  lua_replace(state, 1);
  lua_rawset(state, 1);
  return 0;
}

// Pushes Lua's own library; the state does not keep it.
void push_library(lua_State* state, lua_CFunction open_library) {
  lua_pushcfunction(state, open_library);
  lua_call(state, 0, 1);
}

void add_math(lua_State* state) {
  push_library(state, luaopen_math);
  lua_newtable(state);
  for (const char* const name : kMath) {
    lua_getfield(state, -2, name);
    lua_setfield(state, -2, name);
  }
  watch_reads(state, "math.", missing<kWithheldOfMath>);
  lua_setfield(state, -3, "math");
  lua_pop(state, 1);
}

void add_table(lua_State* state) {
  push_library(state, luaopen_table);
  push_table_library(state);
  lua_setfield(state, -3, "table");
  lua_pop(state, 1);
}

void add_utf8(lua_State* state) {
  push_library(state, luaopen_utf8);
  push_utf8_library(state);
  lua_setfield(state, -3, "utf8");
  lua_pop(state, 1);
}

// The methods of strings come from a table of their own, so what scripts do to `string` does not change them.
void add_string(lua_State* state) {
  push_library(state, luaopen_string);  // also gives strings a metatable, which adds "1" to 2
  push_string_library(state);
  watch_reads(state, "string.", missing<kWithheldOfString>);
  lua_setfield(state, -3, "string");
  lua_pushliteral(state, "");
  lua_getmetatable(state, -1);
  lua_remove(state, -2);
  lua_pushvalue(state, -2);
  push_string_library(state);
  lua_remove(state, -2);
  lua_setfield(state, -2, "__index");
  lua_pop(state, 2);
}

// Makes Lua's messages say "got name" for the value on top of the stack.
void name_type(lua_State* state, const char* name) {
  lua_createtable(state, 0, 1);
  lua_pushstring(state, name);
  lua_setfield(state, -2, "__name");
  lua_setmetatable(state, -2);
}

// Strings take part in arithmetic, and their functions for that have no name for DELETE.
int no_arithmetic(lua_State* state) {
  return luaL_error(state, "attempt to perform arithmetic on a DELETE value");
}

void add_constants(lua_State* state) {
  lua_pushliteral(state, LUA_VERSION);
  lua_setfield(state, -2, "_VERSION");
  push_null(state);
  name_type(state, "null");
  lua_setfield(state, -2, "null");
  // All light userdata share one metatable, so DELETE is of the other kind: it has a name of its own.
  lua_newuserdatauv(state, 1, 0);
  name_type(state, "DELETE");
  lua_getmetatable(state, -1);
  for (const char* const event : {"__add", "__sub", "__mul", "__div", "__mod", "__pow", "__idiv"}) {
    lua_pushcfunction(state, no_arithmetic);
    lua_setfield(state, -2, event);
  }
  lua_pop(state, 1);
  lua_pushvalue(state, -1);
  lua_rawsetp(state, LUA_REGISTRYINDEX, &kDelete);
  lua_setfield(state, -2, "DELETE");
}

// Puts an empty table before the globals, which is on top of the stack.
void add_environment(lua_State* state) {
  lua_newtable(state);
  lua_createtable(state, 0, 2);
  lua_pushvalue(state, -3);
  lua_setfield(state, -2, "__index");
  lua_pushcfunction(state, set_global);
  lua_setfield(state, -2, "__newindex");
  lua_setmetatable(state, -2);
  lua_pushvalue(state, -1);
  lua_setfield(state, -3, "_G");
  lua_rawsetp(state, LUA_REGISTRYINDEX, &kEnvironment);
}

}  // namespace

void open(lua_State* state) {
  open_values(state);
  lua_newtable(state);
  lua_pushvalue(state, -1);
  lua_rawsetp(state, LUA_REGISTRYINDEX, &kGlobals);
  add_base(state);
  add_pairs(state);
  add_definitions(state);
  add_math(state);
  add_table(state);
  add_string(state);
  add_utf8(state);
  add_constants(state);
  add_environment(state);
  watch_reads(state, "", missing<kWithheldGlobals>);
  lua_pop(state, 1);
}

void push_environment(lua_State* state) { lua_rawgetp(state, LUA_REGISTRYINDEX, &kEnvironment); }

void push_globals(lua_State* state) { lua_rawgetp(state, LUA_REGISTRYINDEX, &kGlobals); }

void lock_globals(lua_State* state) {
  lua_pushboolean(state, 1);
  lua_rawsetp(state, LUA_REGISTRYINDEX, &kLocked);
}

bool is_environment(lua_State* state, int index) {
  if (!lua_istable(state, index)) return false;
  const void* const table = lua_topointer(state, index);
  push_environment(state);
  const bool same = lua_topointer(state, -1) == table;
  lua_pop(state, 1);
  return same;
}

void push_delete(lua_State* state) { lua_rawgetp(state, LUA_REGISTRYINDEX, &kDelete); }

bool is_delete(lua_State* state, int index) {
  if (lua_type(state, index) != LUA_TUSERDATA) return false;
  const void* const userdata = lua_touserdata(state, index);
  push_delete(state);
  const bool same = lua_touserdata(state, -1) == userdata;
  lua_pop(state, 1);
  return same;
}

const char* type_of(lua_State* state, int index) {
  if (is_null(state, index)) return "null";
  return is_delete(state, index) ? "DELETE" : luaL_typename(state, index);
}

int call_original(lua_State* state) { return lua_tocfunction(state, lua_upvalueindex(1))(state); }

}  // namespace cairn::sandbox
