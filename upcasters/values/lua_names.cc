// Gathers the names and marks that a plan's values need.

#include <unordered_set>
#include <vector>

#include <lua.hpp>

#include "upcasters/values/lua_sink.h"
#include "upcasters/values/lua_types.h"

namespace cairn {

namespace {

// The table is on top of the stack.
class Gathering {
 public:
  Gathering(lua_State* state, LuaReader::Names& names) : state_(state), names_(names) {}

  // Plans lead back to themselves and can be deep, so the way is kept in a list.
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

void LuaReader::Names::gather(lua_State* state, const PlanNode& root) {
  luaL_checkstack(state, 8, "too many values");
  lua_newtable(state);
  Gathering(state, *this).all(root);
  reference = luaL_ref(state, LUA_REGISTRYINDEX);
}

}  // namespace cairn
