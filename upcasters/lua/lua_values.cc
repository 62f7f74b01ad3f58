#include "upcasters/lua/lua_values.h"

#include <lua.hpp>

namespace cairn {

namespace {

// Its address is the key of the mark, a metatable without a member, in the state's registry.
const char kArrayMark = 0;

}  // namespace

void open_values(lua_State* state) {
  lua_newtable(state);
  lua_rawsetp(state, LUA_REGISTRYINDEX, &kArrayMark);
}

void push_null(lua_State* state) { lua_pushlightuserdata(state, nullptr); }

bool is_null(lua_State* state, int index) {
  return lua_islightuserdata(state, index) && lua_touserdata(state, index) == nullptr;
}

void mark_array(lua_State* state) {
  lua_rawgetp(state, LUA_REGISTRYINDEX, &kArrayMark);
  lua_setmetatable(state, -2);
}

bool is_marked_array(lua_State* state, int index) {
  if (!lua_istable(state, index) || lua_getmetatable(state, index) == 0) return false;
  lua_rawgetp(state, LUA_REGISTRYINDEX, &kArrayMark);
  const bool marked = lua_rawequal(state, -1, -2) != 0;
  lua_pop(state, 2);
  return marked;
}

}  // namespace cairn
