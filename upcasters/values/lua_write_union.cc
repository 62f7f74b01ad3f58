// Which type of a union a Lua value is meant for.

#include <algorithm>
#include <initializer_list>

#include <lua.hpp>

#include "schemaregistry/codec/avro_bytes.h"
#include "schemaregistry/codec/union_form.h"
#include "upcasters/lua/lua_host.h"
#include "upcasters/lua/lua_values.h"
#include "upcasters/values/lua_members.h"
#include "upcasters/values/lua_types.h"
#include "upcasters/values/lua_write_run.h"

namespace cairn {

namespace {

// The place of the union's type of that kind, or -1. Of kinds without a name there is at most one.
int place_of(const EncodeNode& node, SchemaKind kind) {
  for (std::size_t i = 0; i < node.branches.size(); ++i) {
    if (node.branches[i]->type->kind == kind) return static_cast<int>(i);
  }
  return -1;
}

bool is_number(SchemaKind kind) {
  const JsonGroup group = json_group(kind);
  return group == JsonGroup::kInteger || group == JsonGroup::kDecimal;
}

bool is_table(const EncodeNode& node) {
  return node.type->kind == SchemaKind::kRecord || node.type->kind == SchemaKind::kMap;
}

bool is_text(SchemaKind kind) { return json_group(kind) == JsonGroup::kText; }

// The place of the only type of that sort, or -1. Whether the value fits is not asked: the type's own
// complaint says more than the union's.
int only_one(const EncodeNode& node, bool (*is_sort)(SchemaKind)) {
  int found = -1;
  for (std::size_t i = 0; i < node.branches.size(); ++i) {
    if (!is_sort(node.branches[i]->type->kind)) continue;
    if (found >= 0) return -1;
    found = static_cast<int>(i);
  }
  return found;
}

// Whether the members of a table are those of a record: each a field, and none missing that has no default.
bool has_shape_of(const EncodeNode& node, const std::vector<std::string_view>& names) {
  std::size_t required_there = 0;
  for (const std::string_view name : names) {
    const int at = node.place_of(name);
    if (at < 0) return false;
    if (!node.fields[static_cast<std::size_t>(at)].default_bytes) ++required_there;
  }
  const auto is_required = [](const EncodeField& field) { return !field.default_bytes.has_value(); };
  return required_there ==
         static_cast<std::size_t>(std::count_if(node.fields.begin(), node.fields.end(), is_required));
}

}  // namespace

void LuaWriteRun::one_of(const EncodeNode& node, const LuaPath& path) {
  int index = -1;
  switch (lua_type(state_, -1)) {
    case LUA_TLIGHTUSERDATA:
      if (is_null(state_, -1)) index = place_of(node, SchemaKind::kNull);
      break;
    case LUA_TBOOLEAN:
      index = place_of(node, SchemaKind::kBoolean);
      break;
    case LUA_TNUMBER:
      index = choose_for_number(node);
      break;
    case LUA_TSTRING:
      index = choose_for_string(node);
      break;
    case LUA_TTABLE:
      return one_of_tables(node, path);
    default:
      break;
  }
  if (index < 0) return misfit(node, path);
  branch(node, index, path);
}

// A whole number is meant for a whole number's type and a float for a floating point one, wherever they stand
// in the union; the wider type of the other sort comes next.
int LuaWriteRun::choose_for_number(const EncodeNode& node) {
  if (const int only = only_one(node, is_number); only >= 0) return only;
  using enum SchemaKind;
  static constexpr SchemaKind kForIntegers[] = {kInt, kLong, kDouble, kFloat};
  static constexpr SchemaKind kForFloats[] = {kDouble, kFloat, kLong, kInt};
  for (const SchemaKind kind : lua_isinteger(state_, -1) != 0 ? kForIntegers : kForFloats) {
    const int index = place_of(node, kind);
    if (index >= 0 && fits(*node.branches[static_cast<std::size_t>(index)])) return index;
  }
  return -1;
}

int LuaWriteRun::choose_for_string(const EncodeNode& node) {
  if (const int only = only_one(node, is_text); only >= 0) return only;
  const int index = place_of(node, SchemaKind::kString);
  if (index >= 0 && fits(*node.branches[static_cast<std::size_t>(index)])) return index;
  for (std::size_t i = 0; i < node.branches.size(); ++i) {
    if (is_text(node.branches[i]->type->kind) && fits(*node.branches[i])) return static_cast<int>(i);
  }
  return -1;
}

bool LuaWriteRun::fits(const EncodeNode& node) {
  const std::size_t before = out_.size();
  const bool it_does = scalar(node);
  out_.resize(before);
  return it_does;
}

void LuaWriteRun::one_of_tables(const EncodeNode& node, const LuaPath& path) {
  luaL_checkstack(state_, 8, "tables are nested too deep");
  const int table = lua_gettop(state_);
  if (const std::string_view type = remembered_type(state_, table); !type.empty()) {
    const int index = node.form->branch_of(type);
    if (index >= 0 && is_table(*node.branches[static_cast<std::size_t>(index)]))
      return branch(node, index, path);
  }
  const int array = place_of(node, SchemaKind::kArray);
  if (array >= 0 && (lua_rawlen(state_, table) > 0 || is_marked_array(state_, table))) {
    return branch(node, array, path);
  }
  std::vector<std::string_view> names;
  const bool only_members = member_names(state_, table, names);
  std::vector<int> tables = tables_of(node, names, only_members);
  if (only_members && names.size() == 1 && one_of_tagged(node, names.front(), !tables.empty(), path)) return;
  if (tables.empty() && array >= 0 && names.empty()) return branch(node, array, path);
  if (tables.empty()) return misfit(node, path);
  for (std::size_t i = 0; i + 1 < tables.size(); ++i) {
    if (try_branch(node, tables[i], path)) return;
  }
  branch(node, tables.back(), path);
}

// A value under its type's name, as in JSON. False when it is not to be taken for one.
bool LuaWriteRun::one_of_tagged(const EncodeNode& node, std::string_view tag, bool may_be_other,
                                const LuaPath& path) {
  const int index = node.form->branch_of(tag);
  if (index < 0) return false;
  push_member(state_, lua_gettop(state_), tag);
  const LuaPath here = path.tagged(tag);
  bool taken = true;
  if (may_be_other) {
    taken = try_branch(node, index, here);
  } else {
    branch(node, index, here);
  }
  lua_pop(state_, 1);
  return taken;
}

std::vector<int> LuaWriteRun::tables_of(const EncodeNode& node, const std::vector<std::string_view>& names,
                                        bool only_members) {
  std::vector<int> tables;
  for (std::size_t i = 0; i < node.branches.size(); ++i) {
    if (node.branches[i]->type->kind == SchemaKind::kRecord) tables.push_back(static_cast<int>(i));
  }
  const int map = place_of(node, SchemaKind::kMap);
  if (tables.size() + (map >= 0 ? 1 : 0) == 1) {
    // Its own complaint says more than the union's.
    if (map >= 0) tables.push_back(map);
    return tables;
  }
  LuaHost::charge(state_, tables.size() * names.size());
  std::erase_if(tables, [&](int index) {
    return !only_members || !has_shape_of(*node.branches[static_cast<std::size_t>(index)], names);
  });
  if (map >= 0 && only_members) tables.push_back(map);
  return tables;
}

void LuaWriteRun::branch(const EncodeNode& node, int index, const LuaPath& path) {
  append_avro_long(out_, index);
  value(*node.branches[static_cast<std::size_t>(index)], path);
}

bool LuaWriteRun::try_branch(const EncodeNode& node, int index, const LuaPath& path) {
  const std::size_t start = out_.size();
  const std::size_t empty_values = empty_values_;
  ++trials_;
  branch(node, index, path);
  --trials_;
  if (!trial_failed_ || stopped_) return true;  // What is too large for one type is too large.
  trial_failed_ = false;
  out_.resize(start);
  empty_values_ = empty_values;
  return false;
}

}  // namespace cairn
