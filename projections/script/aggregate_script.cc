#include "projections/script/aggregate_script.h"

#include <lua.hpp>

#include "projections/script/category_name.h"
#include "upcasters/script/definition_members.h"
#include "upcasters/values/field_recorder.h"
#include "upcasters/values/lua_json.h"
#include "upcasters/values/lua_members.h"

namespace cairn {

namespace {

constexpr std::string_view kAggregateMembers = "category, snapshot_every, initial and on";

// Reads the members of the definition one by one, and keeps the first error.
class AggregateReader {
 public:
  explicit AggregateReader(lua_State* state) : state_(state) {}

  AggregateHeader header() {
    AggregateHeader header;
    header.category = category();
    header.snapshot_every = snapshot_every();
    check_initial();
    check_handlers();
    check_names();
    return header;
  }

  const std::string& complaint() const { return complaint_; }

 private:
  void complain(std::string_view name, std::string_view wanted) {
    if (complaint_.empty()) complaint_ = "'" + std::string(name) + "' must be " + std::string(wanted);
  }

  std::string category() {
    push_member(state_, kDefinition, "category");
    std::string value;
    if (lua_type(state_, -1) == LUA_TSTRING) {
      std::size_t size = 0;
      const char* bytes = lua_tolstring(state_, -1, &size);
      value.assign(bytes, size);
    }
    lua_pop(state_, 1);
    if (!is_category_name(value)) {
      complain("category", "the name of a category: what stands before the first '-' of its streams' names");
    }
    return value;
  }

  std::uint64_t snapshot_every() {
    push_member(state_, kDefinition, "snapshot_every");
    const bool is_number = lua_isinteger(state_, -1) != 0;
    const lua_Integer value = is_number ? lua_tointeger(state_, -1) : 0;
    const bool missing = lua_isnil(state_, -1);
    const bool never = lua_isboolean(state_, -1) && lua_toboolean(state_, -1) == 0;
    lua_pop(state_, 1);
    if (missing) return kSnapshotEveryDefault;
    if (never) return 0;
    if (!is_number || value < 0 || static_cast<std::uint64_t>(value) > kSnapshotEveryMax) {
      complain("snapshot_every",
               "a number of events, 1 to " + std::to_string(kSnapshotEveryMax) + ", or false for never");
      return 0;
    }
    return static_cast<std::uint64_t>(value);
  }

  void check_initial() {
    push_member(state_, kDefinition, "initial");
    if (!lua_isnil(state_, -1) && !is_script_function(state_, -1)) {
      complain("initial", "a function, as in initial = function() return { … } end");
    }
    lua_pop(state_, 1);
  }

  void check_handlers() {
    push_member(state_, kDefinition, "on");
    const int on = lua_gettop(state_);
    if (!lua_istable(state_, on)) {
      complain("on", "a table, as in on = { OrderPlaced = function(state, event) … end }");
    } else {
      lua_pushnil(state_);
      while (lua_next(state_, on) != 0) {
        const bool is_name = lua_type(state_, -2) == LUA_TSTRING;
        const std::string name = is_name ? lua_tostring(state_, -2) : value_text(state_, -2);
        if (!is_name) complain("on", "a table by the names of event types; it has the key " + name);
        if (!is_script_function(state_, -1)) {
          complain("on." + name, "a function, as in " + name + " = function(state, event) … end");
        }
        lua_pop(state_, 1);
      }
    }
    lua_settop(state_, on - 1);
  }

  // Unknown members are errors: they are usually misspelled.
  void check_names() {
    lua_pushnil(state_);
    while (lua_next(state_, kDefinition) != 0) {
      lua_pop(state_, 1);
      const std::string name = lua_type(state_, -1) == LUA_TSTRING ? lua_tostring(state_, -1) : "[…]";
      const bool known = name == "category" || name == "snapshot_every" || name == "initial" || name == "on";
      if (!known && complaint_.empty()) {
        complaint_ =
            "'" + name + "' is no member of an aggregate, which has " + std::string(kAggregateMembers);
      }
    }
  }

  lua_State* state_;
  std::string complaint_;
};

}  // namespace

ScriptResult<AggregateScript> AggregateScript::load(std::string_view source, const std::string& file,
                                                    LuaHost::Log log, FieldRecorder* recorder) {
  auto host = LuaHost::make({}, std::move(log));
  if (recorder != nullptr) recorder->attach(*host);
  CAIRN_CHECK(host->load(source, file));
  AggregateHeader header;
  std::string complaint;
  CAIRN_CHECK(host->run([&](lua_State* state) {
    const std::string_view kind = definition_kind(state, kDefinition);
    if (kind != "aggregate") {
      complaint = kind.empty() ? "it does not end with: return aggregate { … }"
                               : "it returns " + std::string(kind) + " { … }, not aggregate { … }";
      return;
    }
    AggregateReader reader(state);
    header = reader.header();
    complaint = reader.complaint();
  }));
  if (!complaint.empty()) return ScriptError{ScriptFault::kError, complaint, file, 0};
  return AggregateScript(std::move(host), std::move(header), file);
}

void AggregateScript::push_initial() const { push_member(host_->state(), kDefinition, "initial"); }
void AggregateScript::push_handlers() const { push_member(host_->state(), kDefinition, "on"); }

}  // namespace cairn
