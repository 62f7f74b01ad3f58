#include "projections/script/projection_script.h"

#include <algorithm>
#include <initializer_list>
#include <lua.hpp>

#include "projections/script/category_name.h"
#include "upcasters/lua/shown_text.h"
#include "upcasters/script/definition_members.h"
#include "upcasters/script/upcaster_script.h"
#include "upcasters/values/field_recorder.h"
#include "upcasters/values/lua_json.h"
#include "upcasters/values/lua_members.h"

namespace cairn {

namespace {

constexpr lua_Unsigned kNamesMax = 1'000;  // of categories or types

// Rows stay in the Lua state between calls. A single call may use as much memory as an upcaster; the rest is
// for rows, ten times what they are meant to take, so that a batch that makes its rows grow does not fail
// because of the size of other rows.
constexpr LuaLimits kLimits{.memory_bytes_max = 640u << 20};

// The string at `index`; "" for any other value.
std::string text_at(lua_State* state, int index) {
  if (lua_type(state, index) != LUA_TSTRING) return "";
  std::size_t size = 0;
  const char* const text = lua_tolstring(state, index, &size);
  return {text, size};
}

std::string shown(std::string_view name) { return shown_text(name, kShownNameBytesMax); }

bool has(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

// Reads the members of the definition one by one, and keeps the first error.
class ProjectionReader {
 public:
  explicit ProjectionReader(lua_State* state) : state_(state) {}

  ProjectionHeader header() {
    ProjectionHeader header;
    header.types = handled_types();
    read_from(header);
    header.has_key = has_key();
    check_names(kDefinition, "a projection", {"from", "key", "on"}, "from, key and on");
    return header;
  }

  const std::string& complaint() const { return complaint_; }
  int line() const { return line_; }  // 0: unknown

 private:
  void complain(std::string complaint, int line = 0) {
    if (!complaint_.empty()) return;
    complaint_ = std::move(complaint);
    line_ = line;
  }

  std::vector<std::string> handled_types() {
    std::vector<std::string> types;
    push_member(state_, kDefinition, "on");
    const int on = lua_gettop(state_);
    if (!lua_istable(state_, on)) {
      complain("'on' must be a table, as in on = { OrderPlaced = function(row, event) … end }");
    } else {
      for (lua_pushnil(state_); lua_next(state_, on) != 0; lua_pop(state_, 1)) {
        types.push_back(handled_type());
      }
      if (types.empty()) complain("'on' must have a function for at least one type of event");
    }
    lua_settop(state_, on - 1);
    std::sort(types.begin(), types.end());
    return types;
  }

  // Checks the handler on top of the stack, whose key is below it, and returns the key.
  std::string handled_type() {
    std::string type = text_at(state_, -2);
    if (lua_type(state_, -2) != LUA_TSTRING) {
      complain("'on' must be a table by the names of event types; it has the key " + value_text(state_, -2));
    } else if (!can_be_type_name(type)) {
      complain("'on' has " + value_text(state_, -2) + ", which cannot be the name of an event type",
               line_of_top());
    } else if (!is_script_function(state_, -1)) {
      const std::string name = shown(type);
      complain("'on." + name + "' must be a function, as in " + name + " = function(row, event) … end");
    }
    return type;
  }

  void read_from(ProjectionHeader& header) {
    push_member(state_, kDefinition, "from");
    const int from = lua_gettop(state_);
    if (lua_istable(state_, from)) {
      header.categories = categories(from);
      compare_types(from, header.types);
      check_names(from, "'from'", {"categories", "types"}, "categories and types");
    } else if (!lua_isnil(state_, from) && text_at(state_, from) != "all") {
      complain("'from' must be \"all\" or a table, as in from = { categories = { \"order\" } }");
    }
    lua_settop(state_, from - 1);
  }

  std::vector<std::string> categories(int from) {
    constexpr const char* kWanted =
        "'from.categories' must be a list of names of categories: what stands before the first '-' of the "
        "names of streams";
    std::vector<std::string> found;
    for (std::string& name : names(from, "categories", kWanted)) {
      if (!is_category_name(name)) complain(std::string(kWanted) + "; it has '" + shown(name) + "'");
      if (!has(found, name)) found.push_back(std::move(name));
    }
    return found;
  }

  // A type without a handler, and a handler that no event reaches, are mistakes in the script.
  void compare_types(int from, const std::vector<std::string>& handled) {
    push_member(state_, from, "types");
    const bool given = !lua_isnil(state_, -1);
    lua_pop(state_, 1);
    if (!given) return;
    const auto wanted = names(from, "types", "'from.types' must be a list of names of event types");
    for (const std::string& type : wanted) {
      if (!has(handled, type)) {
        complain("'from.types' has '" + shown(type) + "', for which there is no function in 'on'");
      }
    }
    for (const std::string& type : handled) {
      if (!has(wanted, type)) {
        complain("'on." + shown(type) + "' is never called: 'from.types' does not have '" + shown(type) + "'",
                 line_of_handler(type));
      }
    }
  }

  // The strings of a member, which must be a non-empty list; {} when the member is missing.
  std::vector<std::string> names(int table, const char* member, const char* wanted) {
    std::vector<std::string> values;
    push_member(state_, table, member);
    if (!lua_isnil(state_, -1)) {
      const lua_Unsigned count = lua_istable(state_, -1) ? lua_rawlen(state_, -1) : 0;
      if (count == 0 || count > kNamesMax || count_entries(state_, lua_gettop(state_)) != count) {
        complain(std::string(wanted) + ", 1 to " + std::to_string(kNamesMax) + " of them");
      }
      for (lua_Unsigned i = 1; i <= count && complaint_.empty(); ++i) {
        lua_rawgeti(state_, -1, static_cast<lua_Integer>(i));
        if (lua_type(state_, -1) != LUA_TSTRING) {
          complain(std::string(wanted) + "; it has " + value_text(state_, -1));
        }
        values.push_back(text_at(state_, -1));
        lua_pop(state_, 1);
      }
    }
    lua_pop(state_, 1);
    return values;
  }

  bool has_key() {
    push_member(state_, kDefinition, "key");
    const bool given = !lua_isnil(state_, -1);
    if (given && !is_script_function(state_, -1)) {
      complain("'key' must be a function, as in key = function(event) return event.data.customer_id end");
    }
    lua_pop(state_, 1);
    return given;
  }

  // Unknown members are errors: they are usually misspelled.
  void check_names(int table, std::string_view whose, std::initializer_list<std::string_view> known,
                   std::string_view members) {
    std::vector<std::string_view> names;
    const bool only_names = member_names(state_, table, names);
    const auto of = " is no member of " + std::string(whose) + ", which has " + std::string(members);
    for (const std::string_view name : names) {
      if (std::find(known.begin(), known.end(), name) == known.end()) complain("'" + shown(name) + "'" + of);
    }
    if (!only_names) complain("'[…]'" + of);
  }

  int line_of_top() {
    if (!lua_isfunction(state_, -1)) return 0;
    lua_pushvalue(state_, -1);
    lua_Debug info{};
    lua_getinfo(state_, ">S", &info);
    return std::max(info.linedefined, 0);
  }

  int line_of_handler(const std::string& type) {
    push_member(state_, kDefinition, "on");
    push_member(state_, lua_gettop(state_), type);
    const int line = line_of_top();
    lua_pop(state_, 2);
    return line;
  }

  lua_State* state_;
  std::string complaint_;
  int line_ = 0;
};

}  // namespace

ScriptResult<ProjectionScript> ProjectionScript::load(std::string_view source, const std::string& file,
                                                      LuaHost::Log log, FieldRecorder* recorder) {
  auto host = LuaHost::make(kLimits, std::move(log));
  if (recorder != nullptr) recorder->attach(*host);
  CAIRN_CHECK(host->load(source, file));
  ProjectionHeader header;
  std::string complaint;
  int line = 0;
  CAIRN_CHECK(host->run([&](lua_State* state) {
    const std::string_view kind = definition_kind(state, kDefinition);
    if (kind != "projection") {
      complaint = kind.empty() ? "it does not end with: return projection { … }"
                               : "it returns " + std::string(kind) + " { … }, not projection { … }";
      return;
    }
    ProjectionReader reader(state);
    header = reader.header();
    complaint = reader.complaint();
    line = reader.line();
  }));
  if (!complaint.empty()) return ScriptError{ScriptFault::kError, complaint, file, line};
  return ProjectionScript(std::move(host), std::move(header), file);
}

void ProjectionScript::push_key() const { push_member(host_->state(), kDefinition, "key"); }
void ProjectionScript::push_handlers() const { push_member(host_->state(), kDefinition, "on"); }

}  // namespace cairn
