#include "upcasters/values/lua_reader.h"

#include <lua.hpp>
#include <unordered_set>
#include <vector>

#include "upcasters/values/lua_sink.h"
#include "upcasters/values/lua_types.h"

namespace cairn {

namespace {

// Fills the table of LuaReader::Names, which is on top of the stack.
class NamesGatherer {
 public:
  NamesGatherer(lua_State* state, LuaReader::Names& names) : state_(state), names_(names) {}

  // Plans can be recursive and deep, so the nodes still to visit are kept in a list and not on the C++ stack.
  void all(const PlanNode& root) {
    visit(&root);
    while (!todo_.empty()) {
      const PlanNode& node = *todo_.back();
      todo_.pop_back();
      visit(node.element);
      for (const PlanNode* branch : node.branches) visit(branch);
      if (node.op == PlanOp::kRecord) record(node);
      if (node.op == PlanOp::kInUnion) in_union(node);
    }
  }

 private:
  void visit(const PlanNode* node) {
    if (node != nullptr && seen_.insert(node).second) todo_.push_back(node);
  }

  void record(const PlanNode& node) {
    LuaReader::Names::Record& record = names_.records[&node];
    record.first = size_ + 1;
    for (const PlanField& field : node.fields) {
      lua_pushlstring(state_, field.name.data(), field.name.size());
      lua_rawseti(state_, -2, ++size_);
      if (field.source == PlanField::Source::kSkip) continue;
      ++record.fields;
      visit(field.node);
    }
  }

  void in_union(const PlanNode& node) {
    const UnionForm& form = *node.form;
    const auto [known, is_new] = names_.unions.try_emplace(&form, size_ + 1);
    for (std::size_t i = 0; is_new && i < form.tags.size(); ++i) {
      lua_pushboolean(state_, 0);
      lua_rawseti(state_, -2, ++size_);
    }
    const std::string& tag = form.tags[node.branch];
    switch (union_mark(form, node.branch, *node.element)) {
      case UnionMark::kNone:
        return;
      case UnionMark::kName:
        lua_pushlstring(state_, tag.data(), tag.size());
        break;
      case UnionMark::kType:
        push_type_mark(state_, tag);
        break;
    }
    lua_rawseti(state_, -2, known->second + static_cast<int>(node.branch));
  }

  lua_State* state_;
  LuaReader::Names& names_;
  int size_ = 0;  // of the table
  std::unordered_set<const PlanNode*> seen_;
  std::vector<const PlanNode*> todo_;
};

}  // namespace

void LuaReader::Names::gather(lua_State* state, const PlanNode& root) {
  luaL_checkstack(state, 8, "too many values");
  lua_newtable(state);
  NamesGatherer(state, *this).all(root);
  reference = luaL_ref(state, LUA_REGISTRYINDEX);
}

LuaReader::LuaReader(LuaHost& host, const DecodePlan& plan)
    : host_(host), plan_(plan), names_(std::make_unique<Names>()) {
  const auto gathered = host_.run([this](lua_State* state) { names_->gather(state, plan_.root()); });
  if (!gathered) names_->failure = gathered.error().message;
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
