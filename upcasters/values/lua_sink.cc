#include "upcasters/values/lua_sink.h"

#include <utility>

#include <lua.hpp>

#include "upcasters/lua/lua_values.h"

namespace cairn {

UnionMark union_mark(const UnionForm& form, std::uint32_t branch, const PlanNode& node) {
  if (form.needs[branch] == TagNeed::kNever) return UnionMark::kNone;
  switch (node.op) {
    case PlanOp::kBytes:
    case PlanOp::kFixed:
    case PlanOp::kEnum:
      return UnionMark::kName;
    case PlanOp::kRecord:
    case PlanOp::kMap:
      return UnionMark::kType;
    default:
      return UnionMark::kNone;
  }
}

void LuaSink::placed() {
  switch (frame_->around) {
    case Around::kNothing:
      return;
    case Around::kMembers:
      return lua_rawset(state_, -3);
    case Around::kItems:
      return lua_rawseti(state_, -2, ++frame_->items);
  }
}

void LuaSink::null() {
  push_null(state_);
  placed();
}

void LuaSink::boolean(bool value) {
  lua_pushboolean(state_, value ? 1 : 0);
  placed();
}

void LuaSink::integer(std::int64_t value) {
  lua_pushinteger(state_, value);
  placed();
}

void LuaSink::decimal(double value) {
  lua_pushnumber(state_, value);
  placed();
}

void LuaSink::bytes(std::string_view bytes) {
  if (mark_ == 0) {
    lua_pushlstring(state_, bytes.data(), bytes.size());
  } else {
    lua_createtable(state_, 0, 1);
    lua_rawgeti(state_, names_index_, std::exchange(mark_, 0));
    lua_pushlstring(state_, bytes.data(), bytes.size());
    lua_rawset(state_, -3);
  }
  placed();
}

void LuaSink::begin_table(Around around, int members) {
  luaL_checkstack(state_, 6, "an event is nested too deep");
  lua_createtable(state_, 0, members);
  if (mark_ != 0) {
    lua_rawgeti(state_, names_index_, std::exchange(mark_, 0));
    lua_setmetatable(state_, -2);
  }
  ++frame_;
  frame_->around = around;
}

void LuaSink::begin_record(const PlanNode& node) {
  const LuaReader::Names::Record& record = names_.records.find(&node)->second;
  begin_table(Around::kMembers, record.fields);
  frame_->first_name = record.first;
  frame_->first_field = node.fields.data();
}

void LuaSink::field(const PlanField& field) {
  lua_rawgeti(state_, names_index_, frame_->first_name + (&field - frame_->first_field));
}

void LuaSink::begin_array() {
  begin_table(Around::kItems, 0);
  frame_->items = 0;
}

void LuaSink::end_array() {
  mark_array(state_);
  end_table();
}

void LuaSink::begin_map() { begin_table(Around::kMembers, 0); }

void LuaSink::key(std::string_view key) { lua_pushlstring(state_, key.data(), key.size()); }

bool LuaSink::begin_union(const UnionForm& form, std::uint32_t branch, const PlanNode& node, AvroBytes) {
  if (union_mark(form, branch, node) != UnionMark::kNone) {
    mark_ = names_.unions.find(&form)->second + static_cast<int>(branch);
  }
  return false;
}

}  // namespace cairn
