#include "upcasters/values/lua_event.h"

#include <algorithm>
#include <array>

#include <lua.hpp>

#include "upcasters/lua/lua_values.h"
#include "upcasters/values/lua_json.h"

namespace cairn {

namespace {

// In the order in which pairs() gives them. `data` is there from the beginning.
constexpr std::array<const char*, 12> kMembers = {"bytes",  "category", "content_type", "data",
                                                  "id",     "metadata", "position",     "recorded_at",
                                                  "stream", "tags",     "type",         "version"};

void push_text(lua_State* state, std::string_view text) { lua_pushlstring(state, text.data(), text.size()); }

void push_tags(lua_State* state, std::span<const std::string_view> tags) {
  lua_createtable(state, static_cast<int>(tags.size()), 0);
  for (std::size_t i = 0; i < tags.size(); ++i) {
    push_text(state, tags[i]);
    lua_rawseti(state, -2, static_cast<lua_Integer>(i + 1));
  }
  mark_array(state);
}

// Pushes a member that is made when it is asked for; nil for every other name.
void push_made(lua_State* state, const EventView& event, std::string_view type, std::string_view name) {
  if (name == "type") return push_text(state, type);
  if (name == "stream") return push_text(state, event.stream);
  if (name == "category") return push_text(state, category_of(event.stream));
  if (event.position.value == 0) {  // not stored yet
    if (name == "position" || name == "version" || name == "recorded_at") return lua_pushnil(state);
    if (name == "id" && event.id == Uuid()) return lua_pushnil(state);
  }
  if (name == "position") return lua_pushinteger(state, static_cast<lua_Integer>(event.position.value));
  if (name == "version") return lua_pushinteger(state, static_cast<lua_Integer>(event.version.value));
  if (name == "recorded_at") return lua_pushinteger(state, event.recorded_at.micros);
  if (name == "id") return push_text(state, event.id.to_string());
  if (name == "tags") return push_tags(state, event.tags);
  if (event.is_opaque() && name == "bytes") return push_text(state, event.data);
  if (event.is_opaque() && name == "content_type") return push_text(state, event.content_type);
  if (name == "metadata") return push_json(state, event.metadata.empty() ? "{}" : event.metadata);
  lua_pushnil(state);
}

// Iterates over the members that exist. The event's table is an upvalue: a script could pass any value as
// argument.
int next_member(lua_State* state) {
  std::size_t at = 0;
  if (lua_type(state, 2) == LUA_TSTRING) {
    const std::string_view before = lua_tostring(state, 2);
    const auto found = std::find(kMembers.begin(), kMembers.end(), before);
    at = static_cast<std::size_t>(found - kMembers.begin()) + 1;
  }
  for (; at < kMembers.size(); ++at) {
    lua_pushstring(state, kMembers[at]);
    lua_pushvalue(state, -1);
    if (lua_rawget(state, lua_upvalueindex(1)) != LUA_TNIL) return 2;
    lua_pop(state, 2);
  }
  lua_pushnil(state);
  return 1;
}

}  // namespace

// A script may keep an event's table, and with it this metatable, longer than the LuaEvent lives. So its
// functions find the LuaEvent through a userdata, which the destructor clears.
LuaEvent::LuaEvent(LuaHost& host) : host_(host) {
  // Without memory for it box_ stays null, and push() raises the error.
  (void)host_.run([this](lua_State* state) {
    auto* box = static_cast<LuaEvent**>(lua_newuserdatauv(state, sizeof(LuaEvent*), 0));
    *box = this;
    lua_createtable(state, 0, 2);
    lua_pushvalue(state, -2);
    lua_pushcclosure(state, index, 1);
    lua_setfield(state, -2, "__index");
    lua_pushvalue(state, -2);
    lua_pushcclosure(state, pairs, 1);
    lua_setfield(state, -2, "__pairs");
    metatable_ = luaL_ref(state, LUA_REGISTRYINDEX);
    box_ = box;
  });
}

LuaEvent::~LuaEvent() {
  if (box_ == nullptr) return;
  *box_ = nullptr;
  luaL_unref(host_.state(), LUA_REGISTRYINDEX, metatable_);
}

void LuaEvent::push(const EventView& event, std::string_view type, int data_index) {
  lua_State* state = host_.state();
  if (box_ == nullptr) luaL_error(state, "not enough memory");
  luaL_checkstack(state, 4, "too many values");
  data_index = lua_absindex(state, data_index);
  lua_createtable(state, 0, 4);
  lua_pushstring(state, "data");
  lua_pushvalue(state, data_index);
  lua_rawset(state, -3);
  lua_rawgeti(state, LUA_REGISTRYINDEX, metatable_);
  lua_setmetatable(state, -2);
  event_ = &event;
  type_ = type;
  table_ = lua_topointer(state, -1);
}

LuaEvent& LuaEvent::asked(lua_State* state) {
  LuaEvent* event = *static_cast<LuaEvent**>(lua_touserdata(state, lua_upvalueindex(1)));
  if (event == nullptr || event->event_ == nullptr || lua_topointer(state, 1) != event->table_) {
    luaL_error(state, "an event can only be asked during the call it was given to");
  }
  return *event;
}

int LuaEvent::index(lua_State* state) {
  const LuaEvent& self = asked(state);
  if (lua_type(state, 2) != LUA_TSTRING) return 0;
  luaL_checkstack(state, 8, "too many values");
  std::size_t size = 0;
  const char* name = lua_tolstring(state, 2, &size);
  push_made(state, *self.event_, self.type_, {name, size});
  if (lua_isnil(state, -1)) return 1;
  lua_pushvalue(state, 2);
  lua_pushvalue(state, -2);
  lua_rawset(state, 1);
  return 1;
}

int LuaEvent::pairs(lua_State* state) {
  const LuaEvent& self = asked(state);
  luaL_checkstack(state, 8, "too many values");
  for (const char* name : kMembers) {
    lua_pushstring(state, name);
    lua_pushvalue(state, -1);
    const bool is_there = lua_rawget(state, 1) != LUA_TNIL;
    lua_pop(state, 1);
    if (is_there) {
      lua_pop(state, 1);
      continue;
    }
    push_made(state, *self.event_, self.type_, name);
    lua_rawset(state, 1);
  }
  lua_pushvalue(state, 1);
  lua_pushcclosure(state, next_member, 1);
  lua_pushvalue(state, 1);
  lua_pushnil(state);
  return 3;
}

}  // namespace cairn
