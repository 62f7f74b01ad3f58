#include "upcasters/values/lua_saved.h"

#include <cstddef>
#include <lua.hpp>
#include <unordered_set>
#include <vector>

#include "eventstore/base/limits.h"
#include "eventstore/base/sealed.h"
#include "eventstore/json/json_check.h"
#include "upcasters/lua/lua_values.h"
#include "upcasters/values/lua_json.h"
#include "upcasters/values/lua_members.h"
#include "upcasters/values/lua_types.h"

namespace cairn {

namespace {

// Visits the arrays of a value that JSON can hold, in the order of its text.
class ArrayWalk {
 public:
  explicit ArrayWalk(lua_State* state) : state_(state) {}
  virtual ~ArrayWalk() = default;

  // Goes through the value on top of the stack; false to stop.
  bool walk() {
    if (lua_type(state_, -1) != LUA_TTABLE) return true;
    luaL_checkstack(state_, 4, "tables are nested too deep");
    const int index = lua_gettop(state_);
    if (!enter(index)) return false;
    const auto items = static_cast<lua_Integer>(lua_rawlen(state_, index));
    if (items == 0) return is_marked_array(state_, index) || walk_members(index);
    if (!visit_array(index)) return false;
    for (lua_Integer i = 1; i <= items; ++i) {
      lua_rawgeti(state_, index, i);
      if (!walk()) return false;
      lua_pop(state_, 1);
    }
    return true;
  }

 protected:
  virtual bool enter(int index) = 0;        // a table
  virtual bool visit_array(int index) = 0;  // one that is an array and not empty

  lua_State* const state_;

 private:
  bool walk_members(int index) {
    if (!holds_tables(index)) return true;
    std::vector<std::string_view> names;
    if (!member_names(state_, index, names)) return false;
    for (const std::string_view name : names) {
      push_member(state_, index, name);
      if (!walk()) return false;
      lua_pop(state_, 1);
    }
    return true;
  }

  // Most tables hold no other tables, and then their members need not be sorted.
  bool holds_tables(int index) {
    for (lua_pushnil(state_); lua_next(state_, index) != 0; lua_pop(state_, 1)) {
      if (lua_type(state_, -1) != LUA_TTABLE) continue;
      lua_pop(state_, 2);
      return true;
    }
    return false;
  }
};

class MarkReader final : public ArrayWalk {
 public:
  using ArrayWalk::ArrayWalk;

  std::string bits() && {
    while (!bits_.empty() && bits_.back() == '\0') bits_.pop_back();
    return std::move(bits_);
  }

  std::string_view fault() const { return fault_; }

 private:
  bool fails(std::string_view why) {
    fault_ = why;
    return false;
  }

  // A table that is referenced twice would load as two tables, and one with a metatable, like an event,
  // without it.
  bool enter(int index) override {
    if (!seen_.insert(lua_topointer(state_, index)).second) return fails("one table is in two places of it");
    if (lua_getmetatable(state_, index) == 0) return true;
    lua_pop(state_, 1);
    if (is_marked_array(state_, index) || !remembered_type(state_, index).empty()) return true;
    return fails("an event, or what else is no plain table, is in it");
  }

  bool visit_array(int index) override {
    if (count_ % 8 == 0) bits_ += '\0';
    if (!is_marked_array(state_, index)) bits_.back() = static_cast<char>(bits_.back() | (1 << (count_ % 8)));
    ++count_;
    return true;
  }

  std::unordered_set<const void*> seen_;
  std::string_view fault_ = "it is not what it was";
  std::string bits_;
  std::size_t count_ = 0;
};

// The inverse: push_json() marks every array.
class MarkTaker final : public ArrayWalk {
 public:
  MarkTaker(lua_State* state, std::string_view bits) : ArrayWalk(state), bits_(bits) {}

 private:
  bool enter(int) override { return true; }

  bool visit_array(int index) override {
    const std::size_t byte = count_ / 8;
    if (byte < bits_.size() && ((static_cast<unsigned char>(bits_[byte]) >> (count_ % 8)) & 1) != 0) {
      lua_pushnil(state_);
      lua_setmetatable(state_, index);
    }
    ++count_;
    return true;
  }

  std::string_view bits_;
  std::size_t count_ = 0;
};

struct SavedParts {
  std::string_view json;
  std::string_view bits;
};

SavedParts parts_of(std::string_view saved) {
  const auto size = record::take_varint(saved);
  if (!size || *size > saved.size()) return {};
  return {saved.substr(0, *size), saved.substr(*size)};
}

}  // namespace

Status append_saved(lua_State* state, int index, std::string& to) {
  luaL_checkstack(state, 4, "too many values");
  std::string json;
  CAIRN_CHECK(append_as_json(state, index, json));
  const int top = lua_gettop(state);
  lua_pushvalue(state, index);
  MarkReader marks(state);
  const bool walked = marks.walk();
  lua_settop(state, top);
  if (!walked) return make_error(Errc::kInvalidArgument, std::string(marks.fault()));
  record::put_varint(to, json.size());
  to += json;
  to += std::move(marks).bits();
  return {};
}

bool push_saved(lua_State* state, std::string_view saved) {
  const auto [json, bits] = parts_of(saved);
  if (json.empty() || check_json(json)) return false;
  push_json(state, json);
  if (bits.empty()) return true;
  const int top = lua_gettop(state);
  MarkTaker(state, bits).walk();
  lua_settop(state, top);
  return true;
}

std::string_view saved_json(std::string_view saved) { return parts_of(saved).json; }

}  // namespace cairn
