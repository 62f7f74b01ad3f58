#include "upcasters/lua/lua_members.h"

#include <algorithm>

#include <lua.hpp>

#include "upcasters/lua/lua_host.h"

namespace cairn {

std::size_t count_entries(lua_State* state, int index) {
  std::size_t count = 0;
  for (lua_pushnil(state); lua_next(state, index) != 0; lua_pop(state, 1)) ++count;
  LuaHost::charge(state, count + 1);
  return count;
}

bool member_names(lua_State* state, int index, std::vector<std::string_view>& names) {
  std::size_t others = 0;
  for (lua_pushnil(state); lua_next(state, index) != 0; lua_pop(state, 1)) {
    if (lua_type(state, -2) != LUA_TSTRING) {
      ++others;
      continue;
    }
    std::size_t size = 0;
    const char* name = lua_tolstring(state, -2, &size);
    names.emplace_back(name, size);
  }
  LuaHost::charge(state, names.size() + others + 1);
  std::sort(names.begin(), names.end());
  return others == 0;
}

void push_member(lua_State* state, int index, std::string_view name) {
  lua_pushlstring(state, name.data(), name.size());
  lua_rawget(state, index);
}

}  // namespace cairn
