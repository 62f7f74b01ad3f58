#include "upcasters/values/field_recorder.h"

#include <lua.hpp>

#include "upcasters/lua/lua_host.h"
#include "upcasters/lua/sandbox.h"

namespace cairn {

namespace {

// Their addresses are keys: of the recorder and of the sandbox's own pairs() in the registry; and of the table and
// its path in the metatable of a proxy.
const char kRecorder = 0;
const char kPairs = 0;
const char kProxied = 0;
const char kPath = 0;

constexpr const char* kTakeTables[] = {"next", "rawget", "rawset", "rawlen", "rawequal", "array", nullptr};

// Pushes the table behind a proxy; pushes nothing and returns false for any other value.
bool push_proxied(lua_State* state, int index) {
  if (lua_type(state, index) != LUA_TTABLE || lua_getmetatable(state, index) == 0) return false;
  const bool is_proxy = lua_rawgetp(state, -1, &kProxied) == LUA_TTABLE;
  if (is_proxy) {
    lua_remove(state, -2);
  } else {
    lua_pop(state, 2);
  }
  return is_proxy;
}

std::string_view text_of(lua_State* state, int index) {
  std::size_t size = 0;
  const char* const text = lua_tolstring(state, index, &size);
  return {text, size};
}

}  // namespace

void FieldRecorder::attach(LuaHost& host) {
  // Without memory the script is loaded without proxies, and nothing is recorded.
  (void)host.run([this](lua_State* state) {
    lua_pushlightuserdata(state, this);
    lua_rawsetp(state, LUA_REGISTRYINDEX, &kRecorder);
    sandbox::push_globals(state);
    const int globals = lua_gettop(state);
    lua_pushliteral(state, "pairs");
    lua_rawget(state, globals);
    lua_rawsetp(state, LUA_REGISTRYINDEX, &kPairs);
    for (const char* const* name = kTakeTables; *name != nullptr; ++name) {
      lua_pushstring(state, *name);
      lua_pushvalue(state, -1);
      lua_rawget(state, globals);
      lua_pushcclosure(state, call_with_tables, 1);
      lua_rawset(state, globals);
    }
    lua_pushliteral(state, "table");
    lua_rawget(state, globals);
    const int library = lua_gettop(state);
    lua_newtable(state);  // A table must not be changed while lua_next() walks over it.
    const int wrapped = lua_gettop(state);
    for (lua_pushnil(state); lua_next(state, library) != 0;) {
      lua_pushvalue(state, -2);
      lua_insert(state, -2);
      lua_pushcclosure(state, call_with_tables, 1);
      lua_rawset(state, wrapped);
    }
    for (lua_pushnil(state); lua_next(state, wrapped) != 0;) {
      lua_pushvalue(state, -2);
      lua_insert(state, -2);
      lua_rawset(state, library);
    }
  });
}

std::map<std::string, std::set<std::string>> FieldRecorder::fields() const {
  std::map<std::string, std::set<std::string>> fields;
  for (const auto& [type, paths] : read_) {
    std::set<std::string>& of_type = fields[type];
    for (const auto& [path, found] : paths) {
      const auto reaches_further = [&paths = paths, &path = path](std::string_view separator) {
        const std::string begin = path + std::string(separator);
        const auto behind = paths.lower_bound(begin);
        return behind != paths.end() && behind->first.starts_with(begin);
      };
      if (!reaches_further(".") && !reaches_further("[")) of_type.insert(path);
    }
  }
  return fields;
}

std::map<std::string, std::set<std::string>> FieldRecorder::absent_fields() const {
  std::map<std::string, std::set<std::string>> absent;
  for (const auto& [type, paths] : read_) {
    for (const auto& [path, found] : paths) {
      if (!found && path.starts_with("data.")) absent[type].insert(path);
    }
  }
  return absent;
}

void FieldRecorder::note(std::string_view path, bool found) {
  if (read_.size() >= kTypesMax && !read_.contains(type_)) return;
  Paths& paths = read_[type_];
  const auto known = paths.find(path);
  if (known != paths.end()) {
    known->second = known->second || found;
  } else if (paths.size() < kPathsMax && path.size() <= kPathBytesMax) {
    paths.emplace(path, found);
  }
}

FieldRecorder& FieldRecorder::of(lua_State* state) {
  lua_rawgetp(state, LUA_REGISTRYINDEX, &kRecorder);
  auto* const recorder = static_cast<FieldRecorder*>(lua_touserdata(state, -1));
  lua_pop(state, 1);
  return *recorder;
}

void FieldRecorder::wrap(lua_State* state, std::string_view path) {
  if (lua_type(state, -1) != LUA_TTABLE) return;
  luaL_checkstack(state, 8, "too many values");
  push_proxy(state, lua_gettop(state), path.data(), path.size());
  lua_replace(state, -2);
}

// The functions of the metatable have the table, its path and a table of the proxies of its members as upvalues:
// the same member is the same proxy, so that == holds.
void FieldRecorder::push_proxy(lua_State* state, int table, const char* path, std::size_t size) {
  lua_newtable(state);
  lua_createtable(state, 0, 6);
  const int metatable = lua_gettop(state);
  lua_pushvalue(state, table);
  lua_rawsetp(state, metatable, &kProxied);
  lua_pushlstring(state, path, size);
  lua_rawsetp(state, metatable, &kPath);
  lua_pushvalue(state, table);
  lua_rawgetp(state, metatable, &kPath);
  lua_newtable(state);
  lua_pushcclosure(state, read_member, 3);
  lua_setfield(state, metatable, "__index");
  for (const auto& [name, function] :
       {std::pair("__newindex", &set_member), std::pair("__len", &length), std::pair("__pairs", &pairs)}) {
    lua_pushcfunction(state, function);
    lua_setfield(state, metatable, name);
  }
  lua_setmetatable(state, -2);
}

// Pushes the path of a member, with the path of its table and its key at these indexes.
void FieldRecorder::push_member_path(lua_State* state, int path, int key) {
  path = lua_absindex(state, path);
  key = lua_absindex(state, key);
  const std::string_view above = text_of(state, path);
  if (above.size() > kPathBytesMax) return lua_pushvalue(state, path);
  std::string text(above);
  if (lua_type(state, key) != LUA_TSTRING) {
    text += "[]";
  } else {
    const std::string_view name = text_of(state, key);
    if (!text.empty()) text += '.';
    text += name.size() > kPathBytesMax ? std::string_view("…") : name;
  }
  lua_pushlstring(state, text.data(), text.size());
}

void FieldRecorder::note_member(lua_State* state, int path, int key, bool found) {
  push_member_path(state, path, key);
  of(state).note(text_of(state, -1), found);
  lua_pop(state, 1);
}

int FieldRecorder::read_member(lua_State* state) {
  luaL_checkstack(state, 12, "too many values");
  lua_settop(state, 2);
  lua_pushvalue(state, 2);
  lua_gettable(state, lua_upvalueindex(1));  // the event's own table makes its members here
  note_member(state, lua_upvalueindex(2), 2, !lua_isnil(state, 3));
  if (lua_type(state, 3) != LUA_TTABLE) return 1;
  if (push_proxied(state, 3)) {  // it was stored by the script
    lua_pop(state, 1);
    return 1;
  }
  lua_pushvalue(state, 3);
  if (lua_rawget(state, lua_upvalueindex(3)) == LUA_TTABLE) return 1;
  lua_pop(state, 1);
  push_member_path(state, lua_upvalueindex(2), 2);
  const std::string path(text_of(state, -1));
  push_proxy(state, 3, path.data(), path.size());
  lua_pushvalue(state, 3);
  lua_pushvalue(state, -2);
  lua_rawset(state, lua_upvalueindex(3));
  return 1;
}

int FieldRecorder::set_member(lua_State* state) {
  lua_settop(state, 3);
  if (!push_proxied(state, 1)) return 0;
  lua_replace(state, 1);
  lua_settable(state, 1);
  return 0;
}

int FieldRecorder::length(lua_State* state) {
  if (!push_proxied(state, 1)) return 0;
  lua_len(state, -1);
  return 1;
}

// Iterates over a copy whose tables are proxies.
int FieldRecorder::pairs(lua_State* state) {
  luaL_checkstack(state, 16, "too many values");
  lua_settop(state, 1);
  if (!push_proxied(state, 1)) return 0;
  lua_newtable(state);
  lua_rawgetp(state, LUA_REGISTRYINDEX, &kPairs);
  lua_pushvalue(state, 2);
  lua_call(state, 1, 3);  // 4 the function, 5 the state, 6 the key
  while (true) {
    lua_pushvalue(state, 4);
    lua_pushvalue(state, 5);
    lua_pushvalue(state, 6);
    lua_call(state, 2, 2);
    if (lua_isnil(state, -2)) break;
    lua_pop(state, 1);
    lua_copy(state, -1, 6);
    lua_pushvalue(state, -1);
    lua_gettable(state, 1);  // through the proxy, which notes it
    lua_rawset(state, 3);
  }
  lua_rawgetp(state, LUA_REGISTRYINDEX, &kPairs);
  lua_pushvalue(state, 3);
  lua_call(state, 1, 3);
  return 3;
}

// Calls a function of the library with the tables behind the proxies.
int FieldRecorder::call_with_tables(lua_State* state) {
  const int arguments = lua_gettop(state);
  luaL_checkstack(state, arguments + 12, "too many values");
  for (int i = 1; i <= arguments; ++i) {
    if (!push_proxied(state, i)) continue;
    lua_getmetatable(state, i);
    lua_rawgetp(state, -1, &kPath);
    const int path = lua_gettop(state);
    const int table = path - 2;
    for (lua_pushnil(state); lua_next(state, table) != 0; lua_pop(state, 1)) {
      sandbox::charge(state, 1);
      note_member(state, path, path + 1, true);
    }
    lua_pushvalue(state, table);
    lua_replace(state, i);
    lua_settop(state, arguments);
  }
  lua_pushvalue(state, lua_upvalueindex(1));
  lua_insert(state, 1);
  lua_call(state, arguments, LUA_MULTRET);
  return lua_gettop(state);
}

}  // namespace cairn
