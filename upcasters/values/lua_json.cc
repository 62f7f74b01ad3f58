#include "upcasters/values/lua_json.h"

#include <charconv>
#include <cstdint>
#include <cstdlib>
#include <system_error>

#include <lua.hpp>

#include "eventstore/json/json_cursor.h"
#include "eventstore/json/json_text.h"
#include "upcasters/lua/lua_values.h"
#include "upcasters/lua/sandbox.h"
#include "upcasters/lua/shown_text.h"
#include "upcasters/values/lua_number.h"

namespace cairn {

namespace {

constexpr std::size_t kShownBytesMax = 60;

void push_number(lua_State* state, std::string_view raw) {
  const char* end = raw.data() + raw.size();
  std::int64_t whole = 0;
  if (const auto read = std::from_chars(raw.data(), end, whole); read.ec == std::errc() && read.ptr == end) {
    return lua_pushinteger(state, whole);
  }
  double number = 0;
  if (std::from_chars(raw.data(), end, number).ec == std::errc::result_out_of_range) {
    number = std::strtod(std::string(raw).c_str(), nullptr);  // It tells 0 from infinity.
  }
  lua_pushnumber(state, number);
}

void push_string(lua_State* state, std::string_view raw) {
  const std::string_view inside = raw.substr(1, raw.size() - 2);
  if (inside.find('\\') == std::string_view::npos) {
    lua_pushlstring(state, inside.data(), inside.size());
  } else {
    const std::string text = json_unescaped(inside);
    lua_pushlstring(state, text.data(), text.size());
  }
}

void push_value(lua_State* state, JsonCursor& json) {
  switch (json.kind()) {
    case JsonKind::kNull:
      json.take_raw();
      return push_null(state);
    case JsonKind::kBool:
      return lua_pushboolean(state, json.take_raw().front() == 't' ? 1 : 0);
    case JsonKind::kNumber:
      return push_number(state, json.take_raw());
    case JsonKind::kString:
      return push_string(state, json.take_raw());
    case JsonKind::kArray: {
      luaL_checkstack(state, 4, "JSON is nested too deep");
      lua_newtable(state);
      json.enter_array();
      for (lua_Integer at = 1; json.next_element(); ++at) {
        push_value(state, json);
        lua_rawseti(state, -2, at);
      }
      return mark_array(state);
    }
    case JsonKind::kObject:
      luaL_checkstack(state, 4, "JSON is nested too deep");
      lua_newtable(state);
      json.enter_object();
      while (const auto name = json.next_name()) {
        lua_pushlstring(state, name->data(), name->size());
        push_value(state, json);
        lua_rawset(state, -3);
      }
  }
}

std::string string_text(lua_State* state, int index) {
  std::size_t size = 0;
  const char* bytes = lua_tolstring(state, index, &size);
  const std::size_t shown = std::min(size, kShownBytesMax + 4);  // A character more, so none is cut here.
  std::string text;
  append_json_string(text, {bytes, shown});
  return shown_text(text, kShownBytesMax);
}

std::string number_text(lua_State* state, int index) {
  if (lua_isinteger(state, index) != 0) return std::to_string(lua_tointeger(state, index));
  const double number = lua_tonumber(state, index);
  if (std::isnan(number)) return "nan";
  if (std::isinf(number)) return number > 0 ? "inf" : "-inf";
  std::string text;
  append_decimal(text, number);
  return text;
}

std::string table_text(lua_State* state, int index) {
  index = lua_absindex(state, index);
  luaL_checkstack(state, 2, "too many values");
  lua_pushnil(state);
  if (lua_next(state, index) == 0) return "{}";
  lua_pop(state, 2);
  return "{…}";
}

}  // namespace

void push_json(lua_State* state, std::string_view json) {
  luaL_checkstack(state, 4, "too many values");
  JsonCursor cursor(json);
  push_value(state, cursor);
}

std::string value_text(lua_State* state, int index) {
  if (is_null(state, index)) return "null";
  switch (lua_type(state, index)) {
    case LUA_TBOOLEAN:
      return lua_toboolean(state, index) != 0 ? "true" : "false";
    case LUA_TNUMBER:
      return number_text(state, index);
    case LUA_TSTRING:
      return string_text(state, index);
    case LUA_TTABLE:
      return table_text(state, index);
    case LUA_TNIL:
    case LUA_TNONE:
      return "nil";
    default:
      if (sandbox::is_delete(state, index)) return "DELETE";
      return "a " + std::string(luaL_typename(state, index));
  }
}

}  // namespace cairn
