#include "upcasters/values/lua_types.h"

#include <lua.hpp>

namespace cairn {

namespace {

// Its address is the key of a table in the state's registry: metatables by name, and names by metatable.
const char kTypes = 0;

void push_types(lua_State* state) {
  if (lua_rawgetp(state, LUA_REGISTRYINDEX, &kTypes) == LUA_TTABLE) return;
  lua_pop(state, 1);
  lua_newtable(state);
  lua_pushvalue(state, -1);
  lua_rawsetp(state, LUA_REGISTRYINDEX, &kTypes);
}

}  // namespace

void push_type_mark(lua_State* state, std::string_view type) {
  luaL_checkstack(state, 5, "too many values");
  push_types(state);
  lua_pushlstring(state, type.data(), type.size());
  lua_pushvalue(state, -1);
  if (lua_rawget(state, -3) == LUA_TNIL) {  // types, name, nil
    lua_pop(state, 1);
    lua_newtable(state);
    lua_pushvalue(state, -2);
    lua_pushvalue(state, -2);
    lua_rawset(state, -5);  // types[name] = mark
    lua_pushvalue(state, -1);
    lua_pushvalue(state, -3);
    lua_rawset(state, -5);  // types[mark] = name
  }
  lua_replace(state, -3);
  lua_pop(state, 1);
}

std::string_view remembered_type(lua_State* state, int index) {
  if (lua_getmetatable(state, index) == 0) return {};
  push_types(state);
  lua_insert(state, -2);
  std::size_t size = 0;
  const char* name = lua_rawget(state, -2) == LUA_TSTRING ? lua_tolstring(state, -1, &size) : "";
  lua_pop(state, 2);
  return {name, size};
}

}  // namespace cairn
