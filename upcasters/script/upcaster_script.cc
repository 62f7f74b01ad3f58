#include "upcasters/script/upcaster_script.h"

#include <limits>
#include <lua.hpp>
#include <optional>
#include <utility>

#include "eventstore/base/limits.h"
#include "eventstore/base/names.h"
#include "upcasters/lua/shown_text.h"
#include "upcasters/script/definition_members.h"
#include "upcasters/values/field_recorder.h"
#include "upcasters/values/lua_members.h"

namespace cairn {

namespace {

constexpr std::string_view kUpcasterMembers = "type, from, to, produces and upcast";

// Reads the members of the definition one by one, and keeps the first complaint.
class UpcasterReader {
 public:
  explicit UpcasterReader(lua_State* state) : state_(state) {}

  UpcasterHeader header() {
    UpcasterHeader header;
    header.type = text("type");
    header.from = version("from");
    header.to = version("to");
    header.produces = texts("produces");
    get("upcast");
    if (!is_script_function(state_, -1)) {
      complain("upcast", "a function, as in upcast = function(data, event) … end");
    }
    lua_pop(state_, 1);
    check_names();
    return header;
  }

  bool takes_event() {
    get("upcast");
    lua_Debug info{};
    lua_getinfo(state_, ">u", &info);
    return info.nparams >= 2 || info.isvararg != 0;
  }

  const std::string& complaint() const { return complaint_; }

 private:
  void get(const char* name) { push_member(state_, kDefinition, name); }

  void complain(std::string_view name, std::string_view wanted) {
    if (complaint_.empty()) complaint_ = "'" + std::string(name) + "' must be " + std::string(wanted);
  }

  // The string on top of the stack; "" for any other value.
  std::string top_text() const {
    if (lua_type(state_, -1) != LUA_TSTRING) return "";
    std::size_t size = 0;
    const char* const text = lua_tolstring(state_, -1, &size);
    return {text, size};
  }

  std::string text(const char* name) {
    get(name);
    const std::string value = top_text();
    if (!can_be_type_name(value)) complain(name, "the name of an event type");
    lua_pop(state_, 1);
    return value;
  }

  std::uint32_t version(const char* name) {
    get(name);
    const lua_Integer value = lua_isinteger(state_, -1) != 0 ? lua_tointeger(state_, -1) : 0;
    lua_pop(state_, 1);
    if (value < 1 || value > std::numeric_limits<std::int32_t>::max()) {
      complain(name, "the number of a version, from 1");
      return 0;
    }
    return static_cast<std::uint32_t>(value);
  }

  std::vector<std::string> texts(const char* name) {
    std::vector<std::string> values;
    get(name);
    if (!lua_isnil(state_, -1)) {
      const lua_Unsigned count = lua_istable(state_, -1) ? lua_rawlen(state_, -1) : 0;
      if (count == 0 || count > 100) complain(name, "a list of 1 to 100 names of event types");
      for (lua_Unsigned i = 1; i <= count && complaint_.empty(); ++i) {
        lua_rawgeti(state_, -1, static_cast<lua_Integer>(i));
        values.push_back(top_text());
        if (!can_be_type_name(values.back())) complain(name, "a list of names of event types");
        lua_pop(state_, 1);
      }
    }
    lua_pop(state_, 1);
    return values;
  }

  // Refuses unknown members: they are mostly misspelt.
  void check_names() {
    std::vector<std::string_view> names;
    if (!member_names(state_, kDefinition, names)) return complain_of_member("[…]");
    for (const std::string_view name : names) {
      const bool known =
          name == "type" || name == "from" || name == "to" || name == "produces" || name == "upcast";
      if (!known) complain_of_member(shown_text(name, kShownNameBytesMax));
    }
  }

  void complain_of_member(const std::string& name) {
    if (!complaint_.empty()) return;
    complaint_ = "'" + name + "' is no member of an upcaster, which has " + std::string(kUpcasterMembers);
  }

  lua_State* state_;
  std::string complaint_;
};

}  // namespace

bool can_be_type_name(std::string_view name) {
  return !name.empty() && name.size() <= limits::kTypeNameBytesMax && is_printable_name(name);
}

ScriptResult<UpcasterScript> UpcasterScript::load(std::string_view source, const std::string& file,
                                                  LuaHost::Log log, FieldRecorder* recorder) {
  auto host = LuaHost::make({}, std::move(log));
  if (recorder != nullptr) recorder->attach(*host);
  CAIRN_CHECK(host->load(source, file));
  UpcasterHeader header;
  std::string complaint;
  bool takes_event = false;
  CAIRN_CHECK(host->run([&](lua_State* state) {
    const std::string_view kind = definition_kind(state, kDefinition);
    if (kind != "upcaster") {
      complaint = kind.empty() ? "it does not end with: return upcaster { … }"
                               : "it returns " + std::string(kind) + " { … }, not upcaster { … }";
      return;
    }
    UpcasterReader reader(state);
    header = reader.header();
    complaint = reader.complaint();
    if (complaint.empty()) takes_event = reader.takes_event();
  }));
  if (!complaint.empty()) return ScriptError{ScriptFault::kError, complaint, file, 0};
  return UpcasterScript(std::move(host), std::move(header), takes_event);
}

void UpcasterScript::push_function() const {
  lua_State* state = host_->state();
  lua_pushstring(state, "upcast");
  lua_rawget(state, kDefinition);
}

}  // namespace cairn
