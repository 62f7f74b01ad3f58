#include "upcasters/values/lua_json.h"

#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <lua.hpp>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "eventstore/base/limits.h"
#include "eventstore/base/names.h"
#include "eventstore/json/json_check.h"
#include "eventstore/json/json_cursor.h"
#include "eventstore/json/json_text.h"
#include "upcasters/lua/lua_host.h"
#include "upcasters/lua/lua_values.h"
#include "upcasters/lua/sandbox.h"
#include "upcasters/lua/shown_text.h"
#include "upcasters/values/lua_members.h"
#include "upcasters/values/lua_path.h"

namespace cairn {

namespace {

constexpr std::size_t kShownBytesMax = 60;

// Appends a finite number with the fewest digits that parse to the same double, and always with a point or an
// exponent, so that it does not read as an integer.
void append_decimal(std::string& to, double value) {
  char digits[32];
  const auto end = std::to_chars(digits, digits + sizeof digits, value).ptr;
  const std::string_view written(digits, static_cast<std::size_t>(end - digits));
  to += written;
  if (written.find_first_of(".e") == std::string_view::npos) to += ".0";
}

void push_number(lua_State* state, std::string_view raw) {
  const char* end = raw.data() + raw.size();
  std::int64_t whole = 0;
  if (const auto read = std::from_chars(raw.data(), end, whole); read.ec == std::errc() && read.ptr == end) {
    return lua_pushinteger(state, whole);
  }
  double number = 0;
  if (std::from_chars(raw.data(), end, number).ec == std::errc::result_out_of_range) {
    number = std::strtod(std::string(raw).c_str(), nullptr);  // distinguishes underflow from overflow
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
  const std::size_t shown = std::min(size, kShownBytesMax + 4);  // one more character, so that none is split
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

class JsonWriteRun {
 public:
  JsonWriteRun(lua_State* state, std::string& to) : state_(state), to_(to), start_(to.size()) {}

  // Each writes the value on top of the stack, and leaves the stack unchanged.
  Status value(const LuaPath& path) {
    if (to_.size() - start_ > limits::kEventBytesMax) {
      return fault(path, "there are more than " + std::to_string(limits::kEventBytesMax) + " bytes of JSON");
    }
    if (is_null(state_, -1)) {
      to_ += "null";
      return {};
    }
    switch (lua_type(state_, -1)) {
      case LUA_TBOOLEAN:
        to_ += lua_toboolean(state_, -1) != 0 ? "true" : "false";
        return {};
      case LUA_TNUMBER:
        return number(path);
      case LUA_TSTRING:
        return string(path);
      case LUA_TTABLE:
        return table(path);
      default:
        return fault(path, "JSON has no value for " + value_text(state_, -1));
    }
  }

 private:
  Status number(const LuaPath& path) {
    if (lua_isinteger(state_, -1) != 0) {
      to_ += std::to_string(lua_tointeger(state_, -1));
      return {};
    }
    const double number = lua_tonumber(state_, -1);
    if (!std::isfinite(number)) return fault(path, "JSON has no number " + value_text(state_, -1));
    append_decimal(to_, number);
    return {};
  }

  Status string(const LuaPath& path) {
    std::size_t size = 0;
    const char* bytes = lua_tolstring(state_, -1, &size);
    LuaHost::charge(state_, size / LuaHost::kBytesPerStep);
    if (!is_utf8({bytes, size})) return fault(path, "the text is not UTF-8: " + value_text(state_, -1));
    append_json_string(to_, {bytes, size});
    return {};
  }

  // The depth limit also ends tables that contain themselves.
  Status table(const LuaPath& path) {
    if (path.depth >= kJsonDepthMax) {
      return fault(path, "there are more than " + std::to_string(kJsonDepthMax) + " tables in each other");
    }
    luaL_checkstack(state_, 4, "tables are nested too deep");
    const int index = lua_gettop(state_);
    const auto items = static_cast<std::size_t>(lua_rawlen(state_, index));
    return items > 0 || is_marked_array(state_, index) ? array(path, index, items) : object(path, index);
  }

  Status array(const LuaPath& path, int index, std::size_t items) {
    if (count_entries(state_, index) != items) {
      return fault(path, "the keys of the table are neither all strings nor 1 to the number of its entries");
    }
    to_ += '[';
    for (std::size_t i = 0; i < items; ++i) {
      if (i > 0) to_ += ',';
      lua_rawgeti(state_, index, static_cast<lua_Integer>(i + 1));
      CAIRN_CHECK(value(path.element(i)));
      lua_pop(state_, 1);
    }
    to_ += ']';
    return {};
  }

  Status object(const LuaPath& path, int index) {
    std::vector<std::string_view> names;
    if (!member_names(state_, index, names)) {
      return fault(path, "the keys of the table are neither all strings nor 1 to the number of its entries");
    }
    to_ += '{';
    for (std::size_t i = 0; i < names.size(); ++i) {
      if (!is_utf8(names[i])) return fault(path.member(names[i]), "the name of the member is not UTF-8");
      if (i > 0) to_ += ',';
      append_json_string(to_, names[i]);
      to_ += ':';
      push_member(state_, index, names[i]);
      CAIRN_CHECK(value(path.member(names[i])));
      lua_pop(state_, 1);
    }
    to_ += '}';
    return {};
  }

  Error fault(const LuaPath& path, const std::string& why) {
    return make_error(Errc::kInvalidArgument, "at \"" + path.text() + "\": " + why);
  }

  lua_State* state_;
  std::string& to_;
  std::size_t start_;
};

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

Status append_as_json(lua_State* state, int index, std::string& to) {
  luaL_checkstack(state, 4, "too many values");
  const int top = lua_gettop(state);
  const std::size_t start = to.size();
  lua_pushvalue(state, index);
  Status status = JsonWriteRun(state, to).value(LuaPath{});
  lua_settop(state, top);
  if (!status) to.resize(start);
  return status;
}

}  // namespace cairn
