#include "upcasters/values/lua_write_run.h"

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <limits>
#include <lua.hpp>
#include <utility>
#include <vector>

#include "eventstore/base/limits.h"
#include "eventstore/base/names.h"
#include "schemaregistry/codec/avro_bytes.h"
#include "schemaregistry/codec/data_limits.h"
#include "schemaregistry/codec/union_form.h"
#include "schemaregistry/codec/wanted_value.h"
#include "upcasters/lua/lua_host.h"
#include "upcasters/lua/lua_values.h"
#include "upcasters/values/lua_json.h"
#include "upcasters/values/lua_members.h"
#include "upcasters/values/lua_types.h"

namespace cairn {

namespace {

bool has_parts_of_its_own(SchemaKind kind) {
  return kind == SchemaKind::kRecord || kind == SchemaKind::kArray || kind == SchemaKind::kMap;
}

// The index of the union's type of that kind, or -1. A union has at most one type of a kind without a name.
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

// The index of the only type of that sort, or -1. Whether the value fits is not checked here: the fault of
// the type says more than that of the union.
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

std::vector<DataFault> LuaWriteRun::write(const EncodeNode& root) {
  value(root, LuaPath{});
  if (empty_values_ > kEmptyValuesMax + (out_.size() - start_) && !is_over()) {
    fault(LuaPath{}, "at most " + std::to_string(kEmptyValuesMax) + " values that take no bytes", "more");
  }
  if (!faults_.empty()) out_.resize(start_);
  return std::move(faults_);
}

void LuaWriteRun::value(const EncodeNode& node, const LuaPath& path) {
  if (is_over()) return;
  const SchemaKind kind = node.type->kind;
  if (kind == SchemaKind::kUnion) return one_of(node, path);
  if (has_parts_of_its_own(kind)) {
    if (!lua_istable(state_, -1)) return misfit(node, path);
    if (path.depth >= kDataDepthMax) {
      return fault(path, "at most " + std::to_string(kDataDepthMax) + " levels", value_text(state_, -1));
    }
    luaL_checkstack(state_, 8, "tables are nested too deep");
    if (kind == SchemaKind::kRecord) return record(node, path);
    return kind == SchemaKind::kArray ? array(node, path) : map(node, path);
  }
  if (!scalar(node)) return misfit(node, path);
  if (kind == SchemaKind::kNull || (kind == SchemaKind::kFixed && node.type->size == 0)) ++empty_values_;
  check_size(path);
}

bool LuaWriteRun::scalar(const EncodeNode& node) {
  const int type = lua_type(state_, -1);
  switch (node.type->kind) {
    case SchemaKind::kNull:
      return is_null(state_, -1);
    case SchemaKind::kBoolean:
      if (type != LUA_TBOOLEAN) return false;
      out_ += lua_toboolean(state_, -1) != 0 ? '\1' : '\0';
      return true;
    case SchemaKind::kInt: {
      const auto number = whole_number();
      if (!number || *number != static_cast<std::int32_t>(*number)) return false;
      append_avro_long(out_, *number);
      return true;
    }
    case SchemaKind::kLong: {
      const auto number = whole_number();
      if (!number) return false;
      append_avro_long(out_, *number);
      return true;
    }
    case SchemaKind::kFloat: {
      if (type != LUA_TNUMBER) return false;
      const double number = lua_tonumber(state_, -1);
      const auto narrow = static_cast<float>(number);
      if (std::isinf(narrow) && !std::isinf(number)) return false;
      append_avro_float(out_, narrow);
      return true;
    }
    case SchemaKind::kDouble:
      if (type != LUA_TNUMBER) return false;
      append_avro_float(out_, static_cast<double>(lua_tonumber(state_, -1)));
      return true;
    default:
      return type == LUA_TSTRING && string(node);
  }
}

bool LuaWriteRun::string(const EncodeNode& node) {
  const std::string_view text = string_at(-1);
  if (text.size() >= LuaHost::kBytesPerStep) LuaHost::charge(state_, text.size() / LuaHost::kBytesPerStep);
  switch (node.type->kind) {
    case SchemaKind::kString:
      if (!is_utf8(text)) return false;
      append_avro_bytes(out_, text);
      return true;
    case SchemaKind::kBytes:
      append_avro_bytes(out_, text);
      return true;
    case SchemaKind::kFixed:
      if (text.size() != node.type->size) return false;
      out_ += text;
      return true;
    case SchemaKind::kEnum: {
      const int symbol = node.place_of(text);
      if (symbol >= 0) append_avro_long(out_, symbol);
      return symbol >= 0;
    }
    default:
      return false;
  }
}

std::optional<std::int64_t> LuaWriteRun::whole_number() const {
  if (lua_type(state_, -1) != LUA_TNUMBER) return std::nullopt;  // Lua would also convert "12"
  int is_whole = 0;
  const lua_Integer number = lua_tointegerx(state_, -1, &is_whole);
  if (is_whole == 0) return std::nullopt;
  return number;
}

std::string_view LuaWriteRun::string_at(int index) const {
  std::size_t size = 0;
  const char* bytes = lua_tolstring(state_, index, &size);
  return {bytes, size};
}

void LuaWriteRun::check_size(const LuaPath& path) {
  const bool too_large = out_.size() - start_ > limits::kEventBytesMax ||
                         empty_values_ > kEmptyValuesMax + limits::kEventBytesMax;
  if (!too_large || stopped_) return;
  stopped_ = true;
  fault(path, "at most " + std::to_string(limits::kEventBytesMax) + " bytes of Avro in all", "more");
}

void LuaWriteRun::misfit(const EncodeNode& node, const LuaPath& path) {
  if (in_trial()) {
    trial_failed_ = true;
    return;
  }
  fault(path, wanted_value(*node.type), value_text(state_, -1));
}

void LuaWriteRun::fault(const LuaPath& path, std::string expected, std::string found) {
  if (in_trial() && !stopped_) {
    trial_failed_ = true;
    return;
  }
  if (faults_.size() >= kDataFaultsMax) return;
  faults_.push_back({.path = path.text(), .expected = std::move(expected), .found = std::move(found)});
}

// --- Tables: records, arrays and maps ---------------------------------------------------------------------

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

// The default was encoded at depth 0; here it is nested, so the depth is checked again.
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

// Sorted by name, because Lua's order of keys differs from run to run.
void LuaWriteRun::unknown_members(const EncodeNode& node, int table, const LuaPath& path) {
  if (in_trial()) return misfit(node, path);  // the names are not reported
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

// If only items are missing, reports the first missing one.
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

// Sorted by key, so that equal maps give equal bytes.
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

// --- Unions: which type of a union a value is meant for ---------------------------------------------------

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

// An integer prefers integer types and a float floating point types, wherever they stand in the union; then
// the wider type of the other sort.
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

// A value under its type's name, as in JSON. False when the table is not such a value.
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
    // The fault of the type says more than that of the union.
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
  if (!trial_failed_ || stopped_) return true;  // a value that is too large is too large for every type
  trial_failed_ = false;
  out_.resize(start);
  empty_values_ = empty_values;
  return false;
}

}  // namespace cairn
