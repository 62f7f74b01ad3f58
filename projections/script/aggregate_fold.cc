#include "projections/script/aggregate_fold.h"

#include <lua.hpp>
#include <utility>

#include "upcasters/values/field_recorder.h"
#include "upcasters/values/lua_json.h"
#include "upcasters/values/lua_saved.h"

namespace cairn {

namespace {

constexpr int kFoldedData = 2;  // index on the stack of a call, above the definition

}  // namespace

ScriptResult<std::unique_ptr<AggregateFold>> AggregateFold::make(std::string_view source,
                                                                 const std::string& file, LuaHost::Log log,
                                                                 FieldRecorder* recorder) {
  CAIRN_TRY(AggregateScript script, AggregateScript::load(source, file, std::move(log), recorder));
  std::unique_ptr<AggregateFold> fold(new AggregateFold(std::move(script)));
  fold->recorder_ = recorder;
  CAIRN_CHECK(fold->prepare());
  return fold;
}

ScriptResult<void> AggregateFold::prepare() {
  std::string wrong;
  CAIRN_CHECK(script_.host().run([&](lua_State* state) {
    script_.push_handlers();
    const int on = lua_gettop(state);
    lua_pushnil(state);
    while (lua_next(state, on) != 0) {
      std::size_t size = 0;
      const char* type = lua_tolstring(state, -2, &size);
      handlers_.emplace(std::string(type, size), luaL_ref(state, LUA_REGISTRYINDEX));
    }
    script_.push_initial();
    if (lua_isnil(state, -1)) {
      lua_newtable(state);
    } else {
      lua_call(state, 0, 1);
    }
    if (!lua_istable(state, -1)) {
      wrong = "initial() returned " + value_text(state, -1) + " instead of a table";
      return;
    }
    if (const Status status = append_saved(state, -1, initial_); !status) {
      wrong = "initial() returned what cannot be a state: " + status.error().message;
      return;
    }
    state_ = luaL_ref(state, LUA_REGISTRYINDEX);
  }));
  if (!wrong.empty()) return complaint(std::move(wrong));
  return {};
}

Result<void, AggregateFold::Fault> AggregateFold::reset() {
  CAIRN_CHECK(script_.host().run([&](lua_State* state) {
    if (push_saved(state, initial_)) lua_rawseti(state, LUA_REGISTRYINDEX, state_);
  }));
  return {};
}

Result<void, AggregateFold::Fault> AggregateFold::apply(const EventView& event, const ShapedEvent& part) {
  const int handler = handler_of(part.type);
  if (handler == 0) return {};
  data_.prepare(part);
  if (recorder_ != nullptr) recorder_->begin(part.type);
  std::string wrong;
  Status read;
  auto ran = script_.host().run([&](lua_State* state) {
    if (read = data_.push(state); !read) return;
    lua_rawgeti(state, LUA_REGISTRYINDEX, handler);
    lua_rawgeti(state, LUA_REGISTRYINDEX, state_);
    event_.push(event, part.type, kFoldedData);
    if (recorder_ != nullptr) recorder_->wrap_event(state);
    lua_call(state, 2, 1);
    if (lua_isnil(state, -1)) return;
    if (lua_istable(state, -1)) {
      lua_rawseti(state, LUA_REGISTRYINDEX, state_);
    } else {
      wrong = "on." + std::string(part.type) + " returned " + value_text(state, -1) +
              " instead of a new state, which is a table, or nothing";
    }
  });
  event_.forget();
  CAIRN_CHECK(std::move(ran));
  if (!wrong.empty()) return complaint(std::move(wrong));
  CAIRN_CHECK(std::move(read));
  return {};
}

Result<void, AggregateFold::Fault> AggregateFold::append_json(std::string& to) {
  std::string wrong;
  CAIRN_CHECK(script_.host().run([&](lua_State* state) {
    lua_rawgeti(state, LUA_REGISTRYINDEX, state_);
    if (const Status status = append_as_json(state, -1, to); !status) {
      wrong = "the state cannot be JSON: " + status.error().message;
    }
  }));
  if (!wrong.empty()) return complaint(std::move(wrong));
  return {};
}

bool AggregateFold::save(std::string& to) {
  bool saved = false;
  const std::size_t start = to.size();
  const auto ran = script_.host().run([&](lua_State* state) {
    lua_rawgeti(state, LUA_REGISTRYINDEX, state_);
    saved = append_saved(state, -1, to).ok();
  });
  if (ran && saved) return true;
  to.resize(start);
  return false;
}

bool AggregateFold::load(std::string_view saved) {
  bool loaded = false;
  const auto ran = script_.host().run([&](lua_State* state) {
    if (!push_saved(state, saved)) return;
    if (!lua_istable(state, -1)) return;
    lua_rawseti(state, LUA_REGISTRYINDEX, state_);
    loaded = true;
  });
  return ran && loaded;
}

int AggregateFold::handler_of(std::string_view type) {
  const auto found = handlers_.find(type);
  return found == handlers_.end() ? 0 : found->second;
}

ScriptError AggregateFold::complaint(std::string message) const {
  return {ScriptFault::kError, std::move(message), script_.file(), 0};
}

}  // namespace cairn
