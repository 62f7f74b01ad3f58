#include <algorithm>
#include <bit>
#include <cstdint>
#include <lua.hpp>
#include <string_view>

#include "upcasters/lua/sandbox.h"
#include "upcasters/lua/text_buffer.h"

// The library `table`. Lua's own functions process any number of elements within one instruction; here each
// element is charged, before or during the work.
namespace cairn::sandbox {

namespace {

// How many integers lie in [first, last].
std::uint64_t count_between(lua_Integer first, lua_Integer last) {
  if (first > last) return 0;
  const std::uint64_t beyond_first = static_cast<std::uint64_t>(last) - static_cast<std::uint64_t>(first);
  return std::max(beyond_first, beyond_first + 1);
}

lua_Integer length_of(lua_State* state, int index) {
  luaL_checktype(state, index, LUA_TTABLE);
  return static_cast<lua_Integer>(lua_rawlen(state, index));
}

int insert(lua_State* state) {
  const lua_Integer length = length_of(state, 1);
  if (lua_gettop(state) == 3)
    charge(state, count_between(std::max<lua_Integer>(luaL_checkinteger(state, 2), 1), length));
  return call_original(state);
}

int remove(lua_State* state) {
  const lua_Integer length = length_of(state, 1);
  charge(state, count_between(std::max<lua_Integer>(luaL_optinteger(state, 2, length), 1), length));
  return call_original(state);
}

int unpack(lua_State* state) {
  const lua_Integer first = luaL_optinteger(state, 2, 1);
  const lua_Integer last = luaL_opt(state, luaL_checkinteger, 3, luaL_len(state, 1));
  charge(state,
         std::min<std::uint64_t>(count_between(first, last), LUAI_MAXSTACK));  // more is an error anyway
  return call_original(state);
}

int move(lua_State* state) {
  charge(state, count_between(luaL_checkinteger(state, 2), luaL_checkinteger(state, 3)));
  return call_original(state);
}

int concat(lua_State* state) {
  const lua_Integer length = length_of(state, 1);
  std::size_t separator_size = 0;
  const char* const separator = luaL_optlstring(state, 2, "", &separator_size);
  const lua_Integer first = luaL_optinteger(state, 3, 1);
  const lua_Integer last = luaL_optinteger(state, 4, length);
  lua_settop(state, 2);
  TextBuffer buffer(state);
  for (lua_Integer i = first; i <= last; ++i) {
    charge(state, 1);
    lua_geti(state, 1, i);
    if (lua_isstring(state, -1) == 0) {
      return luaL_error(state, "invalid value (at index %I) in table for 'concat'",
                        static_cast<LUAI_UACINT>(i));
    }
    buffer.add_value();
    if (i == last) break;  // before ++i overflows
    buffer.add({separator, separator_size});
  }
  buffer.push();
  return 1;
}

// Whether the value at `left` goes before the one at `right`. REQUIRES: the order function, or nil, is at 2.
bool goes_before(lua_State* state, int left, int right) {
  if (!lua_isnil(state, 2)) {
    lua_pushvalue(state, 2);
    lua_pushvalue(state, left);
    lua_pushvalue(state, right);
    lua_call(state, 2, 1);
    const bool before = lua_toboolean(state, -1) != 0;
    lua_pop(state, 1);
    return before;
  }
  if (lua_type(state, left) == LUA_TSTRING && lua_type(state, right) == LUA_TSTRING) {
    std::size_t left_size = 0;
    std::size_t right_size = 0;
    const char* const left_text = lua_tolstring(state, left, &left_size);
    const char* const right_text = lua_tolstring(state, right, &right_size);
    charge(state, std::min(left_size, right_size) / 64);
    return std::string_view(left_text, left_size) < std::string_view(right_text, right_size);
  }
  return lua_compare(state, left, right, LUA_OPLT) != 0;
}

// Merges the sorted runs [begin, middle) and [middle, end) of the list at `from` into the list at `to`.
void merge(lua_State* state, int from, int to, lua_Integer begin, lua_Integer middle, lua_Integer end) {
  lua_Integer left = begin;
  lua_Integer right = middle;
  for (lua_Integer place = begin; place < end; ++place) {
    bool take_right = left == middle;
    if (left < middle && right < end) {
      lua_rawgeti(state, from, left);
      lua_rawgeti(state, from, right);
      take_right = goes_before(state, lua_gettop(state), lua_gettop(state) - 1);
      lua_pop(state, 2);
    }
    lua_rawgeti(state, from, take_right ? right++ : left++);
    lua_rawseti(state, to, place);
  }
}

// A stable merge sort. Lua's own sort chooses pivots by the clock, so that equal elements come out in a
// different order each time, and a bad order function makes it quadratic. This one changes the table only
// when all is sorted.
int sort(lua_State* state) {
  const lua_Integer length = length_of(state, 1);
  if (!lua_isnoneornil(state, 2)) luaL_checktype(state, 2, LUA_TFUNCTION);
  lua_settop(state, 2);
  if (length < 2) return 0;
  charge(state, static_cast<std::uint64_t>(length) * std::bit_width(static_cast<std::uint64_t>(length)));
  luaL_argcheck(state, length < (lua_Integer{1} << 30), 1, "array too big");
  lua_createtable(state, static_cast<int>(length), 0);
  lua_createtable(state, static_cast<int>(length), 0);
  int from = 3;
  int to = 4;
  for (lua_Integer i = 1; i <= length; ++i) {
    lua_geti(state, 1, i);
    lua_rawseti(state, from, i);
  }
  for (lua_Integer width = 1; width < length; width *= 2) {
    for (lua_Integer begin = 1; begin <= length; begin += 2 * width) {
      merge(state, from, to, begin, std::min(begin + width, length + 1),
            std::min(begin + 2 * width, length + 1));
    }
    std::swap(from, to);
  }
  for (lua_Integer i = 1; i <= length; ++i) {
    lua_rawgeti(state, from, i);
    lua_seti(state, 1, i);
  }
  return 0;
}

constexpr luaL_Reg kOwnTable[] = {{"concat", concat}, {"sort", sort}, {nullptr, nullptr}};
constexpr luaL_Reg kCharged[] = {
    {"insert", insert}, {"remove", remove}, {"unpack", unpack}, {"move", move}, {nullptr, nullptr}};

}  // namespace

void push_table_library(lua_State* state) {
  const int original = lua_gettop(state);
  lua_newtable(state);
  luaL_setfuncs(state, kOwnTable, 0);
  lua_getfield(state, original, "pack");  // what it makes pays for itself when it is allocated
  lua_setfield(state, -2, "pack");
  for (const luaL_Reg* charged = kCharged; charged->name != nullptr; ++charged) {
    lua_getfield(state, original, charged->name);
    lua_pushcclosure(state, charged->func, 1);
    lua_setfield(state, -2, charged->name);
  }
}

}  // namespace cairn::sandbox
