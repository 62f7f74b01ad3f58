#include "upcasters/values/lua_writer.h"

#include <unordered_set>

#include <lua.hpp>

#include "upcasters/values/lua_write_run.h"

namespace cairn {

// Types can be recursive and deep, so the nodes still to visit are kept in a list and not on the C++ stack.
void LuaWriter::Names::gather(lua_State* state, const EncodeNode& root) {
  luaL_checkstack(state, 4, "too many values");
  lua_newtable(state);
  int size = 0;
  std::unordered_set<const EncodeNode*> seen{&root};
  std::vector<const EncodeNode*> todo{&root};
  const auto visit = [&](const EncodeNode* node) {
    if (node != nullptr && seen.insert(node).second) todo.push_back(node);
  };
  while (!todo.empty()) {
    const EncodeNode& node = *todo.back();
    todo.pop_back();
    visit(node.element);
    for (const EncodeNode* branch : node.branches) visit(branch);
    first[&node] = size + 1;
    for (const EncodeField& field : node.fields) {
      lua_pushlstring(state, field.name.data(), field.name.size());
      lua_rawseti(state, -2, ++size);
      visit(field.type);
    }
  }
  reference = luaL_ref(state, LUA_REGISTRYINDEX);
}

LuaWriter::LuaWriter(LuaHost& host, EncodeProgram program)
    : host_(host), program_(std::move(program)), names_(std::make_unique<Names>()) {}

LuaWriter::~LuaWriter() {
  if (names_->reference != 0) luaL_unref(host_.state(), LUA_REGISTRYINDEX, names_->reference);
}

Result<std::unique_ptr<LuaWriter>> LuaWriter::make(LuaHost& host, const Schema& schema) {
  CAIRN_TRY(EncodeProgram program, EncodeProgram::compile(schema.root()));
  std::unique_ptr<LuaWriter> writer(new LuaWriter(host, std::move(program)));
  const auto gathered =
      host.run([&](lua_State* state) { writer->names_->gather(state, writer->program_.root()); });
  if (!gathered) {
    return make_error(Errc::kTooLarge, "the schema's names do not fit a script: " + gathered.error().message);
  }
  return writer;
}

std::vector<DataFault> LuaWriter::write(int index, std::string& to) {
  lua_State* state = host_.state();
  luaL_checkstack(state, 6, "too many values");
  index = lua_absindex(state, index);
  const int top = lua_gettop(state);
  lua_rawgeti(state, LUA_REGISTRYINDEX, names_->reference);
  lua_pushvalue(state, index);
  auto faults = LuaWriteRun(state, *names_, top + 1, to).write(program_.root());
  lua_settop(state, top);
  return faults;
}

}  // namespace cairn
