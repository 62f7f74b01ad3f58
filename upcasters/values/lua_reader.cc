#include "upcasters/values/lua_reader.h"

#include <lua.hpp>

#include "upcasters/values/lua_sink.h"

namespace cairn {

LuaReader::LuaReader(LuaHost& host, const DecodePlan& plan)
    : host_(host), plan_(plan), names_(std::make_unique<Names>()) {
  const auto error = host_.run([this](lua_State* state) { names_->gather(state, plan_.root()); });
  if (error) names_->failure = error->message;
}

LuaReader::~LuaReader() {
  if (names_->failure.empty()) luaL_unref(host_.state(), LUA_REGISTRYINDEX, names_->reference);
}

Status LuaReader::push(std::string_view avro) {
  lua_State* state = host_.state();
  if (!names_->failure.empty()) luaL_error(state, "%s", names_->failure.c_str());
  luaL_checkstack(state, 6, "too many values");
  const int top = lua_gettop(state);
  lua_rawgeti(state, LUA_REGISTRYINDEX, names_->reference);
  LuaSink sink(state, *names_, top + 1);
  Status status = PlanRun(sink).run(plan_.root(), avro);
  if (status) {
    lua_replace(state, top + 1);
  } else {
    lua_settop(state, top);
  }
  return status;
}

}  // namespace cairn
