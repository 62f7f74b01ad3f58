#include "upcasters/script/json_upcast.h"

#include <fmt/format.h>

#include <lua.hpp>

#include "upcasters/script/definition_members.h"
#include "upcasters/values/field_recorder.h"
#include "upcasters/values/lua_json.h"
#include "upcasters/values/lua_members.h"

namespace cairn {

namespace {

constexpr lua_Unsigned kJsonPartsMax = 1'000;
constexpr std::size_t kJsonBytesMax = 32u << 20;

// Indexes on the stack of a call.
constexpr int kGivenData = kDefinition + 1;
constexpr int kMadeData = kDefinition + 2;

using Parts = std::vector<std::pair<std::string, std::string>>;

// Reads what a script returned. Keeps the first fault.
class MadeParts {
 public:
  MadeParts(lua_State* state, std::string own_type) : state_(state), own_type_(std::move(own_type)) {}

  void take() {
    if (lua_rawequal(state_, kGivenData, kMadeData) != 0) return write(kMadeData, own_type_, 0);
    if (!lua_istable(state_, kMadeData)) {
      if (lua_isnil(state_, kMadeData))
        return fail("returned nil instead of the data, a list of parts, or {}");
      return write(kMadeData, own_type_, 0);
    }
    const std::size_t entries = count_entries(state_, kMadeData);
    if (entries == 0) return;  // dropped
    lua_rawgeti(state_, kMadeData, 1);
    const bool is_list = !lua_isnil(state_, -1);
    lua_pop(state_, 1);
    if (!is_list) return write(kMadeData, own_type_, 0);
    const lua_Unsigned count = lua_rawlen(state_, kMadeData);
    if (count > kJsonPartsMax) {
      return fail(fmt::format("returned {} parts; an event may become {}", count, kJsonPartsMax));
    }
    if (entries != count) {
      return fail("returned a list with holes or with names in it; a list of parts has 1 to n only");
    }
    for (lua_Unsigned i = 1; i <= count && fault_.empty(); ++i) {
      lua_rawgeti(state_, kMadeData, static_cast<lua_Integer>(i));
      take_part(static_cast<int>(i));
      lua_settop(state_, kMadeData);
    }
  }

  const std::string& fault() const { return fault_; }
  Parts& parts() { return parts_; }

 private:
  // The part is on top of the stack.
  void take_part(int place) {
    const int part = lua_gettop(state_);
    const auto complain = [&](std::string_view what) {
      fail(fmt::format("part {} {}; a list holds {{type = …, data = …}}", place, what));
    };
    if (!lua_istable(state_, part)) return complain("is " + value_text(state_, part));
    std::vector<std::string_view> names;
    if (!member_names(state_, part, names)) return complain("has the member '[…]'");
    for (const std::string_view name : names) {
      if (name != "type" && name != "data") return complain("has another member");
    }
    std::string type = own_type_;
    push_member(state_, part, "type");
    if (!lua_isnil(state_, -1)) {
      std::size_t size = 0;
      const char* const text = lua_type(state_, -1) == LUA_TSTRING ? lua_tolstring(state_, -1, &size) : "";
      if (!can_be_type_name({text, size})) return complain("has a type that is no name");
      type.assign(text, size);
    }
    push_member(state_, part, "data");
    if (lua_isnil(state_, -1)) return complain("has no data");
    write(lua_gettop(state_), type, place);
  }

  void write(int index, const std::string& type, int place) {
    std::string json;
    if (const Status status = append_as_json(state_, index, json); !status) {
      return fail(fmt::format("{} cannot be data: {}",
                              place == 0 ? "the result" : fmt::format("part {}", place),
                              status.error().message));
    }
    bytes_ += json.size();
    if (bytes_ > kJsonBytesMax) return fail("makes more than 32 MiB of one event");
    parts_.emplace_back(type, std::move(json));
  }

  void fail(std::string fault) {
    if (fault_.empty()) fault_ = std::move(fault);
  }

  lua_State* state_;
  const std::string own_type_;
  std::string fault_;
  Parts parts_;
  std::size_t bytes_ = 0;
};

}  // namespace

ScriptResult<std::unique_ptr<JsonUpcast>> JsonUpcast::make(std::string_view source, const std::string& file,
                                                           FieldRecorder* recorder) {
  CAIRN_TRY(UpcasterScript script, UpcasterScript::load(source, file, {}, recorder));
  return std::unique_ptr<JsonUpcast>(new JsonUpcast(std::move(script), file, recorder));
}

ScriptResult<Parts> JsonUpcast::run(const EventView& event, std::string_view json) {
  if (recorder_ != nullptr) recorder_->begin(header().type);
  std::string fault;
  Parts parts;
  auto ran = script_.host().run([&](lua_State* state) {
    push_json(state, json);
    if (recorder_ != nullptr) recorder_->wrap_data(state);
    script_.push_function();
    lua_pushvalue(state, kGivenData);
    int arguments = 1;
    if (script_.takes_event()) {
      event_.push(event, header().type, kGivenData);
      if (recorder_ != nullptr) recorder_->wrap_event(state);
      arguments = 2;
    }
    lua_call(state, arguments, 1);
    MadeParts made(state, header().type);
    made.take();
    fault = made.fault();
    parts = std::move(made.parts());
  });
  event_.forget();
  CAIRN_CHECK(std::move(ran));
  if (!fault.empty()) return ScriptError{ScriptFault::kError, std::move(fault), file_, 0};
  return parts;
}

}  // namespace cairn
