#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <lua.hpp>
#include <memory_resource>
#include <string_view>
#include <vector>

#include "upcasters/lua/lua_values.h"
#include "upcasters/lua/sandbox.h"

// Lua keeps the strings of a table in an order that differs from run to run. So that results do not, pairs()
// and next() go by keys instead: numbers, strings by their bytes, false and true, null and DELETE, and at
// last the one table or function there may be.
namespace cairn::sandbox {

namespace {

constexpr std::uint64_t kStepsPerKey = 2;
constexpr std::size_t kKeysOften = 32;

// A key of a table, as far as its place in the order goes. Views what the table holds. Small, since a million
// of them are not counted as the script's memory.
struct Key {
  enum Rank : std::uint8_t { kNumber, kString, kFalse, kTrue, kNull, kDelete, kOther };

  Rank rank = kOther;
  bool is_integer = false;
  std::uint32_t found_as = 0;  // its number in the order of the table itself
  union {
    lua_Integer integer = 0;
    lua_Number number;
    const char* text;
  };
  std::size_t size = 0;  // of the text

  std::string_view string() const { return {text, size}; }
};

Key key_at(lua_State* state, int index) {
  Key key;
  switch (lua_type(state, index)) {
    case LUA_TNUMBER:
      key.rank = Key::kNumber;
      key.is_integer = lua_isinteger(state, index) != 0;
      if (key.is_integer) {
        key.integer = lua_tointeger(state, index);
      } else {
        key.number = lua_tonumber(state, index);
      }
      break;
    case LUA_TSTRING:
      key.rank = Key::kString;
      key.text = lua_tolstring(state, index, &key.size);
      break;
    case LUA_TBOOLEAN:
      key.rank = lua_toboolean(state, index) != 0 ? Key::kTrue : Key::kFalse;
      break;
    default:
      if (is_null(state, index)) key.rank = Key::kNull;
      if (is_delete(state, index)) key.rank = Key::kDelete;
  }
  return key;
}

// A float that is a key has a fraction or lies beyond all integers: other floats became integers.
// REQUIRES: `right` is a number at all.
bool is_below(lua_Integer left, lua_Number right) {
  constexpr lua_Number kBeyond = 9223372036854775808.0;
  if (right >= kBeyond) return true;
  if (right < -kBeyond) return false;
  return left <= static_cast<lua_Integer>(std::floor(right));
}

bool operator<(const Key& left, const Key& right) {
  if (left.rank != right.rank) return left.rank < right.rank;
  if (left.rank == Key::kString) return left.string() < right.string();
  if (left.rank != Key::kNumber) return false;
  if (left.is_integer && right.is_integer) return left.integer < right.integer;
  if (left.is_integer) return is_below(left.integer, right.number);
  if (right.is_integer) return !is_below(right.integer, left.number);
  return left.number < right.number;
}

[[noreturn]] void raise_unordered(lua_State* state) {
  luaL_error(state,
             "pairs cannot order the keys of this table: more than one is a table, a function or the like");
  std::abort();
}

// Visits the keys in the table's own order. With many colliding keys each step is slow, so steps are charged
// during the loop and not only at its end.
template <typename Visit>
void for_each_key(lua_State* state, int table, Visit&& visit) {
  lua_pushnil(state);
  while (lua_next(state, table) != 0) {
    charge(state, kStepsPerKey);
    lua_pop(state, 1);
    visit();
  }
}

// How long the table's sequence is, if the table has its keys 1 to n in this order and no other; -1
// otherwise.
lua_Integer sequence_length(lua_State* state, int table) {
  lua_Integer length = 0;
  lua_pushnil(state);
  while (lua_next(state, table) != 0) {
    lua_pop(state, 1);
    if (lua_isinteger(state, -1) == 0 || lua_tointeger(state, -1) != length + 1) {
      lua_pop(state, 1);
      return -1;
    }
    charge(state, 1);
    ++length;
  }
  return length;
}

// Pushes a list of the table's keys in their sorted order. Visits the keys twice: once to compute their
// ranks, and once to store them.
void push_keys(lua_State* state, int table) {
  std::array<std::byte, 1'024> first_memory;  // enough for most tables
  std::pmr::monotonic_buffer_resource memory(first_memory.data(), first_memory.size());
  std::pmr::vector<Key> keys(&memory);
  keys.reserve(kKeysOften);
  std::size_t bytes = 0;
  for_each_key(state, table, [&] {
    Key& key = keys.emplace_back(key_at(state, -1));
    key.found_as = static_cast<std::uint32_t>(keys.size() - 1);
    bytes += key.size;
  });
  charge(state, (keys.size() + bytes / LuaHost::kBytesPerStep) * std::bit_width(keys.size()));
  std::sort(keys.begin(), keys.end());
  if (keys.size() > 1 && keys[keys.size() - 2].rank == Key::kOther) raise_unordered(state);

  std::pmr::vector<std::uint32_t> places(keys.size(), &memory);
  for (std::uint32_t i = 0; i < keys.size(); ++i) places[keys[i].found_as] = i + 1;
  lua_createtable(state, static_cast<int>(keys.size()), 0);
  const int list = lua_gettop(state);
  std::size_t found = 0;
  for_each_key(state, table, [&] {
    lua_pushvalue(state, -1);
    lua_rawseti(state, list, places[found++]);
  });
}

// The iterators below have the table as an upvalue and ignore their arguments: scripts can call them with
// any, and must not get the table behind _G.

// The iterator over a sequence. Upvalues: the table, its length, and the place of the last key returned.
int next_of_sequence(lua_State* state) {
  const lua_Integer length = lua_tointeger(state, lua_upvalueindex(2));
  lua_Integer place = lua_tointeger(state, lua_upvalueindex(3));
  while (place < length) {
    ++place;
    if (lua_rawgeti(state, lua_upvalueindex(1), place) != LUA_TNIL) {
      lua_pushinteger(state, place);
      lua_copy(state, -1, lua_upvalueindex(3));
      lua_insert(state, -2);
      return 2;
    }
    lua_pop(state, 1);
    charge(state, 1);
  }
  lua_pushnil(state);
  return 1;
}

// The iterator over a list of keys. Upvalues: the table, the list, and the place of the last key returned.
int next_of_keys(lua_State* state) {
  lua_Integer place = lua_tointeger(state, lua_upvalueindex(3));
  while (lua_rawgeti(state, lua_upvalueindex(2), ++place) != LUA_TNIL) {
    lua_pushvalue(state, -1);
    if (lua_rawget(state, lua_upvalueindex(1)) != LUA_TNIL) {
      lua_pushinteger(state, place);
      lua_replace(state, lua_upvalueindex(3));
      return 2;
    }
    lua_pop(state, 2);
    charge(state, 1);
  }
  return 1;
}

// The keys are those the table has now. What the loop adds is not visited, what it takes away is passed over.
int pairs(lua_State* state) {
  luaL_checkany(state, 1);
  if (luaL_getmetafield(state, 1, "__pairs") != LUA_TNIL) {
    lua_pushvalue(state, 1);
    lua_call(state, 1, 3);
    return 3;
  }
  luaL_checktype(state, 1, LUA_TTABLE);
  lua_settop(state, 1);
  if (is_environment(state, 1)) {
    push_globals(state);
  } else {
    lua_pushvalue(state, 1);
  }
  const lua_Integer length = sequence_length(state, 2);
  if (length >= 0) {
    lua_pushinteger(state, length);
    lua_pushinteger(state, 0);
    lua_pushcclosure(state, next_of_sequence, 3);
  } else {
    push_keys(state, 2);
    lua_pushinteger(state, 0);
    lua_pushcclosure(state, next_of_keys, 3);
  }
  lua_pushvalue(state, 1);
  lua_pushnil(state);
  return 3;
}

// The key after the given one, or the first one for nil. Keeps nothing between calls, so each looks at all
// keys: enough to see whether a table is empty, while pairs() is for loops.
int next(lua_State* state) {
  luaL_checktype(state, 1, LUA_TTABLE);
  lua_settop(state, 2);
  if (is_environment(state, 1)) {
    push_globals(state);
    lua_replace(state, 1);
  }
  const bool first = lua_isnil(state, 2);
  const Key after = key_at(state, 2);
  if (after.rank == Key::kNumber && !after.is_integer && std::isnan(after.number)) {
    return luaL_error(state, "invalid key to 'next': nan is none");
  }
  Key best;
  bool found = false;
  int others = 0;
  lua_pushnil(state);  // the best key so far, at 3
  for_each_key(state, 1, [&] {
    const Key key = key_at(state, -1);
    if (key.rank == Key::kOther && ++others > 1) raise_unordered(state);
    if (key.size >= LuaHost::kBytesPerStep) charge(state, key.size / LuaHost::kBytesPerStep);
    if ((first || after < key) && (!found || key < best)) {
      found = true;
      best = key;
      lua_copy(state, -1, 3);
    }
  });
  if (!found) {
    lua_pushnil(state);
    return 1;
  }
  lua_pushvalue(state, 3);
  lua_rawget(state, 1);
  return 2;
}

}  // namespace

void add_pairs(lua_State* state) {
  lua_pushcfunction(state, pairs);
  lua_setfield(state, -2, "pairs");
  lua_pushcfunction(state, next);
  lua_setfield(state, -2, "next");
}

}  // namespace cairn::sandbox
