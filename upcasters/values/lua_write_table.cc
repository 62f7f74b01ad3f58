// Writes Lua's tables: records, arrays and maps.

#include <algorithm>
#include <vector>

#include <lua.hpp>

#include "eventstore/base/names.h"
#include "schemaregistry/codec/avro_bytes.h"
#include "schemaregistry/codec/data_limits.h"
#include "schemaregistry/codec/wanted_value.h"
#include "upcasters/lua/lua_host.h"
#include "upcasters/lua/lua_values.h"
#include "upcasters/values/lua_json.h"
#include "upcasters/values/lua_members.h"
#include "upcasters/values/lua_write_run.h"

namespace cairn {

void LuaWriteRun::record(const EncodeNode& node, const LuaPath& path) {
  const int table = lua_gettop(state_);
  if (lua_rawlen(state_, table) > 0) return misfit(node, path);  // A sequence has no fields at all.
  LuaHost::charge(state_, node.fields.size());
  const int first_name = names_.first.find(&node)->second;
  std::size_t present = 0;
  for (std::size_t i = 0; i < node.fields.size(); ++i) {
    const EncodeField& field = node.fields[i];
    lua_rawgeti(state_, names_index_, first_name + static_cast<lua_Integer>(i));
    if (lua_rawget(state_, table) == LUA_TNIL) {
      missing_field(field, path);
    } else {
      ++present;
      value(*field.type, path.member(field.name));
    }
    lua_pop(state_, 1);
    if (is_over()) return;
  }
  if (node.fields.empty()) ++empty_values_;
  if (count_entries(state_, table) != present) unknown_members(node, table, path);
}

// A default was written for the top; here it stands deeper.
void LuaWriteRun::missing_field(const EncodeField& field, const LuaPath& path) {
  const LuaPath here = path.member(field.name);
  if (!field.default_bytes) {
    return fault(here, in_trial() ? std::string() : wanted_value(*field.type->type), "nothing");
  }
  if (field.default_depth > 0 && here.depth + field.default_depth > kDataDepthMax) {
    return fault(here, "at most " + std::to_string(kDataDepthMax) + " levels", "the default");
  }
  out_ += *field.default_bytes;
  empty_values_ += field.default_empty;
  check_size(here);
}

// In the order of their names, as Lua's own order is another one in every run.
void LuaWriteRun::unknown_members(const EncodeNode& node, int table, const LuaPath& path) {
  if (in_trial()) return misfit(node, path);  // Nobody will read which ones they are.
  std::vector<std::string_view> names;
  if (!member_names(state_, table, names)) misfit(node, path);
  for (const std::string_view name : names) {
    if (node.place_of(name) >= 0) continue;
    push_member(state_, table, name);
    fault(path.member(name), "no such field in " + node.type->name.full(), value_text(state_, -1));
    lua_pop(state_, 1);
    if (is_over()) return;
  }
}

void LuaWriteRun::array(const EncodeNode& node, const LuaPath& path) {
  const int table = lua_gettop(state_);
  const std::size_t items = count_entries(state_, table);
  if (items != lua_rawlen(state_, table)) return no_sequence(node, table, items, path);
  if (items > 0) append_avro_long(out_, static_cast<std::int64_t>(items));
  for (std::size_t i = 0; i < items && !is_over(); ++i) {
    lua_rawgeti(state_, table, static_cast<lua_Integer>(i + 1));
    value(*node.element, path.element(i));
    lua_pop(state_, 1);
  }
  out_ += '\0';
}

// Where only an item is missing, it says which.
void LuaWriteRun::no_sequence(const EncodeNode& node, int table, std::size_t entries, const LuaPath& path) {
  for (lua_pushnil(state_); lua_next(state_, table) != 0; lua_pop(state_, 1)) {
    if (lua_isinteger(state_, -2) != 0 && lua_tointeger(state_, -2) > 0) continue;
    lua_pop(state_, 2);
    return misfit(node, path);
  }
  for (std::size_t i = 0; i <= entries; ++i) {
    const int type = lua_rawgeti(state_, table, static_cast<lua_Integer>(i + 1));
    lua_pop(state_, 1);
    if (type != LUA_TNIL) continue;
    return fault(path.element(i), wanted_value(*node.element->type), "nothing");
  }
}

// In the order of the keys, so that the same map always gives the same bytes.
void LuaWriteRun::map(const EncodeNode& node, const LuaPath& path) {
  const int table = lua_gettop(state_);
  std::vector<std::string_view> keys;
  if (!member_names(state_, table, keys)) return misfit(node, path);
  if (!keys.empty()) append_avro_long(out_, static_cast<std::int64_t>(keys.size()));
  for (const std::string_view key : keys) {
    if (!is_utf8(key)) {
      fault(path.member(key), "a key in UTF-8", "other bytes");
    } else {
      append_avro_bytes(out_, key);
      push_member(state_, table, key);
      value(*node.element, path.member(key));
      lua_pop(state_, 1);
    }
    if (is_over()) return;
  }
  out_ += '\0';
}

}  // namespace cairn
