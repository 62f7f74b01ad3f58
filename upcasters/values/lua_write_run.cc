#include "upcasters/values/lua_write_run.h"

#include <cmath>
#include <limits>
#include <utility>

#include <lua.hpp>

#include "eventstore/base/limits.h"
#include "eventstore/base/names.h"
#include "schemaregistry/codec/avro_bytes.h"
#include "schemaregistry/codec/data_limits.h"
#include "schemaregistry/codec/wanted_value.h"
#include "upcasters/lua/lua_host.h"
#include "upcasters/lua/lua_values.h"
#include "upcasters/values/lua_json.h"

namespace cairn {

namespace {

bool has_parts_of_its_own(SchemaKind kind) {
  return kind == SchemaKind::kRecord || kind == SchemaKind::kArray || kind == SchemaKind::kMap;
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
  if (lua_type(state_, -1) != LUA_TNUMBER) return std::nullopt;  // Lua would also take "12".
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

}  // namespace cairn
