#include <lua.hpp>
#include <string_view>

#include "upcasters/lua/lua_values.h"
#include "upcasters/lua/sandbox.h"

namespace cairn::sandbox {

namespace {

int type_name(lua_State* state) {
  luaL_checkany(state, 1);
  lua_pushstring(state, is_null(state, 1) ? "null" : luaL_typename(state, 1));
  return 1;
}

int to_string(lua_State* state) {
  luaL_checkany(state, 1);
  push_text(state, 1);
  return 1;
}

// What raising and catching an error costs: it is an exception.
constexpr std::uint64_t kStepsPerError = 300;

// Ends a protected call of a script that failed: the error is on top of the stack. A fatal error is passed
// on, and so is lack of memory: a script that catches it could try again forever.
void pass_on_fatal(lua_State* state, int status) {
  LuaAccount& account = LuaAccount::of(state);
  account.raise_if_fatal();
  if (account.is_for_memory(status)) account.raise_fatal(ScriptFault::kMemory);
  account.charge(kStepsPerError);
}

int protected_call(lua_State* state) {
  luaL_checkany(state, 1);
  lua_pushboolean(state, 1);
  lua_insert(state, 1);
  const int status = lua_pcall(state, lua_gettop(state) - 2, LUA_MULTRET, 0);
  if (status == LUA_OK) return lua_gettop(state);
  pass_on_fatal(state, status);
  lua_pushboolean(state, 0);
  lua_insert(state, -2);
  return 2;
}

// Calls the handler when the error has been caught, rather than where it was raised, as Lua does: without the
// library `debug` a script cannot see the difference. There it could run inside our hook, where no
// instructions are counted, or in the last of the stack.
int protected_call_handled(lua_State* state) {
  luaL_checktype(state, 2, LUA_TFUNCTION);
  lua_pushboolean(state, 1);
  lua_pushvalue(state, 1);
  lua_rotate(state, 3, 2);  // f, handler, true, f, arguments…
  int status = lua_pcall(state, lua_gettop(state) - 4, LUA_MULTRET, 0);
  if (status == LUA_OK) return lua_gettop(state) - 2;
  pass_on_fatal(state, status);
  lua_pushboolean(state, 0);
  lua_pushvalue(state, 2);
  lua_rotate(state, -3, 2);  // false, handler, error
  status = lua_pcall(state, 1, 1, 0);
  if (status != LUA_OK) pass_on_fatal(state, status);
  return 2;
}

// The table behind _G takes part where Lua would look into the empty one before it.
int raw_get(lua_State* state) {
  luaL_checktype(state, 1, LUA_TTABLE);
  luaL_checkany(state, 2);
  lua_settop(state, 2);
  if (is_environment(state, 1)) {
    push_globals(state);
    lua_replace(state, 1);
  }
  lua_rawget(state, 1);
  return 1;
}

int raw_set(lua_State* state) {
  luaL_checktype(state, 1, LUA_TTABLE);
  luaL_checkany(state, 2);
  luaL_checkany(state, 3);
  lua_settop(state, 3);
  if (is_environment(state, 1)) {
    lua_settable(state, 1);
  } else {
    lua_rawset(state, 1);
  }
  lua_settop(state, 1);
  return 1;
}

int log_text(lua_State* state) {
  luaL_checkany(state, 1);
  push_text(state, 1);
  std::size_t size = 0;
  const char* const text = lua_tolstring(state, -1, &size);
  charge(state, 100);
  LuaAccount::of(state).log({text, size});
  return 0;
}

constexpr luaL_Reg kOwn[] = {
    {"type", type_name},       {"tostring", to_string},
    {"pcall", protected_call}, {"xpcall", protected_call_handled},
    {"rawget", raw_get},       {"rawset", raw_set},
    {"log", log_text},         {nullptr, nullptr},
};

// Lua's own, which do little whatever they are given.
constexpr const char* kTaken[] = {"assert", "error", "ipairs", "rawequal", "rawlen", "select", "tonumber"};

}  // namespace

void push_text(lua_State* state, int index) {
  index = lua_absindex(state, index);
  switch (lua_type(state, index)) {
    case LUA_TLIGHTUSERDATA:
    case LUA_TTABLE:
    case LUA_TUSERDATA:
    case LUA_TFUNCTION:
    case LUA_TTHREAD:
      lua_pushstring(state, type_of(state, index));
      return;
    default:
      luaL_tolstring(state, index, nullptr);
  }
}

void add_base(lua_State* state) {
  luaL_setfuncs(state, kOwn, 0);
  // Lua puts its own functions into the registry's table of globals, which scripts cannot reach and which is
  // emptied again.
  lua_pushcfunction(state, luaopen_base);
  lua_call(state, 0, 1);
  for (const char* name : kTaken) {
    lua_getfield(state, -1, name);
    lua_setfield(state, -3, name);
  }
  lua_pop(state, 1);
  lua_newtable(state);
  lua_rawseti(state, LUA_REGISTRYINDEX, LUA_RIDX_GLOBALS);
}

}  // namespace cairn::sandbox
