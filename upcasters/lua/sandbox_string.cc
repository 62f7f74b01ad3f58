#include <algorithm>
#include <cstdint>
#include <cstring>
#include <lua.hpp>
#include <string_view>

#include "upcasters/lua/sandbox.h"
#include "upcasters/lua/text_buffer.h"

// The libraries `string` and `utf8`, without patterns. A function that makes a string is charged by the
// allocator; one that only reads a string is charged for its bytes here.
namespace cairn::sandbox {

namespace {

constexpr std::uint64_t kBytesReadPerStep = 16;

// A float is written with up to 300 digits before the point, and as many behind it as wanted.
constexpr std::uint64_t kStepsPerFloat = 100;
constexpr std::uint64_t kStepsPerFraction = 500;
constexpr std::size_t kFormattedBytesMax = 512;  // of what is no string

constexpr std::size_t kCharacterBytesMax = 8;      // of UTF-8 as Lua has it
constexpr std::size_t kPackedBytesEach = 32;       // of a number or a size, aligned
constexpr std::size_t kPackedBytesMax = 1u << 30;  // more than any script may have

// Makes room for a text of at most so many bytes that Lua's own function makes: in a buffer, which grows by
// halves, and then as a string.
void make_room_for(lua_State* state, std::size_t bytes) { LuaAccount::of(state).make_room(3 * bytes); }

// How many bytes the arguments have that are strings.
std::size_t bytes_of_strings(lua_State* state) {
  std::size_t bytes = 0;
  for (int i = 1; i <= lua_gettop(state); ++i) {
    if (lua_type(state, i) == LUA_TSTRING) bytes += lua_rawlen(state, i);
  }
  return bytes;
}

// Takes steps for the string that is the first argument, which becomes another of the same size.
int convert(lua_State* state) {
  std::size_t size = 0;
  luaL_checklstring(state, 1, &size);
  charge(state, size / kBytesReadPerStep);
  make_room_for(state, size);
  return call_original(state);
}

// Each argument becomes a character.
int from_characters(lua_State* state) {
  make_room_for(state, static_cast<std::size_t>(lua_gettop(state)) * kCharacterBytesMax);
  return call_original(state);
}

// The numbers in a format are sizes: of what stands before them, and of alignment.
int pack(lua_State* state) {
  std::size_t size = 0;
  const char* const text = luaL_checklstring(state, 1, &size);
  charge(state, size / kBytesReadPerStep);
  std::size_t bytes = bytes_of_strings(state);
  std::size_t number = 0;
  for (const char c : std::string_view(text, size)) {
    const bool is_digit = c >= '0' && c <= '9';
    number = is_digit ? std::min(10 * number + static_cast<std::size_t>(c - '0'), kPackedBytesMax) : 0;
    bytes = std::min(bytes + kPackedBytesEach + number, kPackedBytesMax);
  }
  make_room_for(state, bytes);
  return call_original(state);
}

// Takes steps for the string that is the first argument.
int charge_first(lua_State* state) {
  std::size_t size = 0;
  luaL_checklstring(state, 1, &size);
  charge(state, size / kBytesReadPerStep);
  return call_original(state);
}

// Takes steps for the bytes between the second and the third argument of a string, where Lua looks at each.
int charge_range(lua_State* state) {
  std::size_t size = 0;
  luaL_checklstring(state, 1, &size);
  const auto length = static_cast<lua_Integer>(size);
  const auto from_start = [&](lua_Integer place) {
    return std::clamp<lua_Integer>(place >= 0 ? place : place + length + 1, 0, length);
  };
  const lua_Integer first = from_start(luaL_optinteger(state, 2, 1));
  const lua_Integer last = from_start(luaL_optinteger(state, 3, first));
  charge(state, first <= last ? static_cast<std::uint64_t>(last - first) / 4 : 0);
  return call_original(state);
}

// utf8.len(s, i, j) ends at the end of the string unless j is given.
int charge_rest(lua_State* state) {
  if (lua_isnoneornil(state, 3) && lua_isnoneornil(state, 2)) return charge_first(state);
  std::size_t size = 0;
  luaL_checklstring(state, 1, &size);
  const auto length = static_cast<lua_Integer>(size);
  lua_Integer first = luaL_optinteger(state, 2, 1);
  lua_Integer last = luaL_optinteger(state, 3, -1);
  if (first < 0) first = std::max<lua_Integer>(first + length + 1, 0);
  if (last < 0) last = std::max<lua_Integer>(last + length + 1, 0);
  last = std::min(last, length);
  if (first <= last) charge(state, static_cast<std::uint64_t>(last - first) / kBytesReadPerStep);
  return call_original(state);
}

// utf8.offset(s, n, i) passes n characters, of four bytes at most (or any number of bytes that are none).
int charge_offset(lua_State* state) {
  std::size_t size = 0;
  luaL_checklstring(state, 1, &size);
  const lua_Integer characters = luaL_checkinteger(state, 2);
  const auto passed = static_cast<std::uint64_t>(characters < 0 ? -(characters + 1) : characters);
  charge(state, std::min<std::uint64_t>(size, passed < size ? 4 * passed : size) / kBytesReadPerStep);
  return call_original(state);
}

// Lua's own goes round n times even where nothing comes of it.
int repeat(lua_State* state) {
  std::size_t size = 0;
  std::size_t separator_size = 0;
  const char* const text = luaL_checklstring(state, 1, &size);
  const lua_Integer times = luaL_checkinteger(state, 2);
  const char* const separator = luaL_optlstring(state, 3, "", &separator_size);
  if (times <= 0 || size + separator_size == 0) {
    lua_pushliteral(state, "");
    return 1;
  }
  LuaAccount& account = LuaAccount::of(state);
  const std::size_t bytes_max = account.memory_bytes_max();
  if (static_cast<std::uint64_t>(times) > bytes_max / (size + separator_size) + 1)
    account.raise_fatal(ScriptFault::kMemory);
  const std::size_t total = static_cast<std::size_t>(times) * (size + separator_size) - separator_size;
  if (total > bytes_max) account.raise_fatal(ScriptFault::kMemory);
  account.charge(total / 64);
  TextBuffer buffer(state);
  char* const to = buffer.extend(total);
  // Once and with its separator, and then what is there already, again and again.
  std::size_t filled = std::min(size + separator_size, total);
  std::memcpy(to, text, size);
  std::memcpy(to + size, separator, filled - size);
  while (filled < total) {
    const std::size_t more = std::min(filled, total - filled);
    std::memcpy(to + filled, to, more);
    filled += more;
  }
  buffer.push();
  return 1;
}

std::uint64_t steps_of(char conversion, std::string_view options) {
  if (std::string_view("aAeEfFgG").find(conversion) == std::string_view::npos) return 1;
  const std::size_t point = options.find('.');
  const bool is_long = point != std::string_view::npos && options.size() - point > 2;
  return is_long ? kStepsPerFloat + kStepsPerFraction : kStepsPerFloat;
}

// Replaces the arguments of %s by their texts, since Lua's own would show addresses, and refuses %p.
int format(lua_State* state) {
  std::size_t size = 0;
  const char* const format_text = luaL_checklstring(state, 1, &size);
  charge(state, size / 4);
  const std::string_view format(format_text, size);
  const int arguments = lua_gettop(state);
  int argument = 1;
  for (std::size_t at = format.find('%'); at != std::string_view::npos; at = format.find('%', at + 1)) {
    const std::size_t options = at + 1;
    at = format.find_first_not_of("-+ #0123456789.", options);
    if (at == std::string_view::npos) break;
    if (format[at] == '%') continue;
    ++argument;
    charge(state, steps_of(format[at], format.substr(options, at - options)));
    if (format[at] == 'p') {
      return luaL_error(state, "'%%p' is not there for scripts: addresses are others on every run");
    }
    if (format[at] == 's' && argument <= arguments) {
      push_text(state, argument);
      lua_replace(state, argument);
    }
  }
  // %q writes up to four bytes for one.
  make_room_for(state,
                size + 4 * bytes_of_strings(state) + static_cast<std::size_t>(argument) * kFormattedBytesMax);
  return call_original(state);
}

struct Taken {
  const char* name;
  lua_CFunction function;  // in front of Lua's own, or nullptr to take it as it is
};

constexpr Taken kString[] = {
    {"byte", charge_range}, {"char", from_characters}, {"format", format},         {"len", nullptr},
    {"lower", convert},     {"upper", convert},        {"reverse", convert},       {"sub", nullptr},
    {"pack", pack},         {"unpack", charge_first},  {"packsize", charge_first},
};

constexpr Taken kUtf8[] = {
    {"char", from_characters},   {"charpattern", nullptr}, {"codes", nullptr},
    {"codepoint", charge_range}, {"len", charge_rest},     {"offset", charge_offset},
};

// Pushes a new table with what is taken from the one on top of the stack.
template <std::size_t kCount>
void push_taken(lua_State* state, const Taken (&taken)[kCount]) {
  const int original = lua_gettop(state);
  lua_newtable(state);
  for (const Taken& one : taken) {
    lua_getfield(state, original, one.name);
    if (one.function != nullptr) lua_pushcclosure(state, one.function, 1);
    lua_setfield(state, -2, one.name);
  }
}

}  // namespace

void push_string_library(lua_State* state) {
  push_taken(state, kString);
  lua_pushcfunction(state, repeat);
  lua_setfield(state, -2, "rep");
  add_matching(state);
}

void push_utf8_library(lua_State* state) { push_taken(state, kUtf8); }

}  // namespace cairn::sandbox
