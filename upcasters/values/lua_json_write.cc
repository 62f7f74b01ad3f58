// Writes Lua values as JSON.

#include <cmath>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <lua.hpp>

#include "eventstore/base/limits.h"
#include "eventstore/base/names.h"
#include "eventstore/json/json_check.h"
#include "eventstore/json/json_text.h"
#include "upcasters/lua/lua_host.h"
#include "upcasters/lua/lua_values.h"
#include "upcasters/values/lua_json.h"
#include "upcasters/values/lua_members.h"
#include "upcasters/values/lua_number.h"
#include "upcasters/values/lua_path.h"

namespace cairn {

namespace {

class JsonWriteRun {
 public:
  JsonWriteRun(lua_State* state, std::string& to) : state_(state), to_(to), start_(to.size()) {}

  // Each writes the value on top of the stack, and leaves the stack as it is.
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

  // What is inside itself ends here too.
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
