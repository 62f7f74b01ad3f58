#include "upcasters/values/lua_data.h"

#include <lua.hpp>

#include "upcasters/values/lua_json.h"

namespace cairn {

void LuaData::prepare(const ShapedEvent& part) {
  part_ = &part;
  if (part.plan == nullptr || part.plan == last_plan_) return;
  std::unique_ptr<LuaReader>& reader = readers_[part.plan];
  if (reader == nullptr) reader = std::make_unique<LuaReader>(host_, *part.plan);
  last_plan_ = part.plan;
  last_reader_ = reader.get();
}

Status LuaData::push(lua_State* state) const {
  if (part_->plan != nullptr) return last_reader_->push(part_->data);
  if (part_->content_type.empty()) {
    push_json(state, part_->data);
  } else {
    lua_pushnil(state);
  }
  return {};
}

void LuaData::forget_plans() {
  readers_.clear();
  last_plan_ = nullptr;
}

}  // namespace cairn
