#include "upcasters/values/lua_members.h"

#include <algorithm>
#include <bit>

#include <lua.hpp>

#include "upcasters/lua/lua_host.h"

namespace cairn {

namespace {

// Visits the entries of the table, with key and value at -2 and -1. With many colliding keys each step is
// slow, so steps are charged during the loop and not only at its end.
template <typename Visit>
void for_each_entry(lua_State* state, int index, Visit&& visit) {
  constexpr std::size_t kEntriesPerCharge = 16;
  std::size_t entries = 0;
  for (lua_pushnil(state); lua_next(state, index) != 0; lua_pop(state, 1)) {
    if (++entries % kEntriesPerCharge == 0) LuaHost::charge(state, kEntriesPerCharge);
    visit();
  }
  LuaHost::charge(state, entries % kEntriesPerCharge + 1);
}

}  // namespace

std::size_t count_entries(lua_State* state, int index) {
  std::size_t count = 0;
  for_each_entry(state, index, [&] { ++count; });
  return count;
}

bool member_names(lua_State* state, int index, std::vector<std::string_view>& names) {
  bool only_members = true;
  std::size_t bytes = 0;
  for_each_entry(state, index, [&] {
    if (lua_type(state, -2) != LUA_TSTRING) {
      only_members = false;
      return;
    }
    std::size_t size = 0;
    const char* name = lua_tolstring(state, -2, &size);
    names.emplace_back(name, size);
    bytes += size;
  });
  // Names can be long, and sorting compares them several times.
  LuaHost::charge(state, bytes / LuaHost::kBytesPerStep * std::bit_width(names.size()));
  std::sort(names.begin(), names.end());
  return only_members;
}

void push_member(lua_State* state, int index, std::string_view name) {
  lua_pushlstring(state, name.data(), name.size());
  lua_rawget(state, index);
}

}  // namespace cairn
