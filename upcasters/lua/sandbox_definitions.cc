#include <lua.hpp>
#include <string_view>

#include "upcasters/lua/lua_values.h"
#include "upcasters/lua/sandbox.h"

namespace cairn {

namespace {

// The address of each is the key of its mark, a metatable without a member, in the state's registry.
constexpr const char* kKinds[] = {"upcaster", "projection", "aggregate"};

}  // namespace

namespace sandbox {

namespace {

// A mark is a metatable, and scripts cannot give tables metatables: so what has a mark got it here, and keeps
// it.
void check_unmarked(lua_State* state, bool marked_alike) {
  if (marked_alike || lua_getmetatable(state, 1) == 0) return;
  luaL_argerror(state, 1, "this table already has a meaning of its own");
}

int define(lua_State* state) {
  const char* const kind = lua_tostring(state, lua_upvalueindex(1));
  if (lua_gettop(state) != 1 || !lua_istable(state, 1)) return luaL_error(state, "%s takes one table", kind);
  check_unmarked(state, false);
  lua_pushvalue(state, lua_upvalueindex(2));
  lua_setmetatable(state, 1);
  return 1;
}

int array(lua_State* state) {
  if (lua_isnoneornil(state, 1)) {
    lua_settop(state, 0);
    lua_newtable(state);
  } else {
    luaL_checktype(state, 1, LUA_TTABLE);
    check_unmarked(state, is_marked_array(state, 1));
    lua_settop(state, 1);
  }
  mark_array(state);
  return 1;
}

}  // namespace

void add_definitions(lua_State* state) {
  lua_pushcfunction(state, array);
  lua_setfield(state, -2, "array");
  for (const char* const& kind : kKinds) {
    lua_pushstring(state, kind);
    lua_newtable(state);
    lua_pushvalue(state, -1);
    lua_rawsetp(state, LUA_REGISTRYINDEX, &kind);
    lua_pushcclosure(state, define, 2);
    lua_setfield(state, -2, kind);
  }
}

}  // namespace sandbox

std::string_view definition_kind(lua_State* state, int index) {
  if (!lua_istable(state, index) || lua_getmetatable(state, index) == 0) return "";
  std::string_view found;
  for (const char* const& kind : kKinds) {
    lua_rawgetp(state, LUA_REGISTRYINDEX, &kind);
    if (lua_rawequal(state, -1, -2) != 0) found = kind;
    lua_pop(state, 1);
  }
  lua_pop(state, 1);
  return found;
}

}  // namespace cairn
