#include "upcasters/script/upcaster_runner.h"

#include <fmt/format.h>

#include <lua.hpp>
#include <utility>

#include "upcasters/definitions/produced_types.h"
#include "upcasters/lua/lua_values.h"
#include "upcasters/lua/shown_text.h"
#include "upcasters/script/definition_members.h"
#include "upcasters/values/lua_json.h"
#include "upcasters/values/lua_members.h"

namespace cairn {

namespace {

// The limit of events that a script may make of one.
constexpr lua_Unsigned kPartsMax = 1'000;

// The limit of their bytes.
constexpr std::size_t kWrittenMax = 32u << 20;

// Indexes on the stack of a call.
constexpr int kEventData = kDefinition + 1;
constexpr int kReturned = kDefinition + 2;

constexpr std::string_view kReturns = "the data, a list of {type = …, data = …}, or {} to drop the event";

lua_Unsigned entries_in(lua_State* state, int table) {
  lua_Unsigned entries = 0;
  lua_pushnil(state);
  while (lua_next(state, table) != 0) {
    lua_pop(state, 1);
    ++entries;
  }
  return entries;
}

// Limits the length of a message.
void cut_short(std::string& text) {
  constexpr std::size_t kBytesMax = 1'000;
  if (text.size() <= kBytesMax) return;
  std::size_t end = kBytesMax;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;
  text.resize(end);
  text += "…";
}

std::string without_numbers(std::string_view path) {
  std::string text;
  bool in_number = false;
  for (const char c : path) {
    const bool digit = c >= '0' && c <= '9';
    if (digit && (in_number || (!text.empty() && text.back() == '/'))) {
      if (!in_number) text += '*';
      in_number = true;
      continue;
    }
    in_number = false;
    text += c;
  }
  return text;
}

}  // namespace

UpcasterRunner::UpcasterRunner(const ChainStep& step, UpcasterScript script, FindTarget find_target)
    : step_(step),
      script_(std::move(script)),
      find_target_(std::move(find_target)),
      reader_(script_.host(), step.plan),
      event_(script_.host()) {}

ScriptResult<std::unique_ptr<UpcasterRunner>> UpcasterRunner::make(const ChainStep& step,
                                                                   FindTarget find_target, LuaHost::Log log) {
  const Upcaster& upcaster = *step.upcaster;
  CAIRN_TRY(UpcasterScript script, UpcasterScript::load(upcaster.source, upcaster.file(), std::move(log)));
  std::unique_ptr<UpcasterRunner> runner(new UpcasterRunner(step, std::move(script), std::move(find_target)));
  auto writer = LuaWriter::make(runner->script_.host(), step.schema->schema);
  if (!writer) return ScriptError{ScriptFault::kError, writer.error().message, upcaster.file(), 0};
  Target own;
  own.type = upcaster.header.type;
  own.version = step.version;
  own.schema = step.schema;
  own.writer = *std::move(writer);
  runner->own_ = &runner->targets_.emplace(upcaster.header.type, std::move(own)).first->second;
  return runner;
}

ShapeResult<void> UpcasterRunner::run(const EventView& event, std::string_view data, PartBuffers& buffers,
                                      std::vector<ScriptPart>& parts) {
  const std::size_t parts_before = parts.size();
  attempt(event, data, buffers, parts);
  // The script made an event of a type that it made none of before. The writer of that type cannot be made
  // during a call, so the call is repeated, which gives the same result.
  while (!missing_type_.empty()) {
    parts.resize(parts_before);
    if (!add_target(missing_type_)) break;
    attempt(event, data, buffers, parts);
  }
  if (fault_) return *std::move(fault_);
  return {};
}

void UpcasterRunner::attempt(const EventView& event, std::string_view data, PartBuffers& buffers,
                             std::vector<ScriptPart>& parts) {
  fault_.reset();
  missing_type_.clear();
  written_ = 0;
  const auto ran = script_.host().run([&](lua_State* state) {
    if (const Status status = reader_.push(data); !status) {
      return fail(ShapeFault::Kind::kCorruption, status.error().message);
    }
    call(state, event);
    take_result(state, buffers, parts);
  });
  event_.forget();
  if (ran) return;
  const ScriptError& error = ran.error();
  const bool limit = error.fault == ScriptFault::kSteps || error.fault == ScriptFault::kMemory ||
                     error.fault == ScriptFault::kTime;
  spent_ = limit;
  fail(limit ? ShapeFault::Kind::kLimit : ShapeFault::Kind::kScript, error.text());
  fault_->line = error.line;
}

void UpcasterRunner::call(lua_State* state, const EventView& event) {
  script_.push_function();
  lua_pushvalue(state, kEventData);
  int arguments = 1;
  if (script_.takes_event()) {
    event_.push(event, step_.upcaster->header.type, kEventData);
    arguments = 2;
  }
  lua_call(state, arguments, 1);
}

// A table with a first element is a list of parts, and an empty table drops the event. The data table that
// was passed in is data, whatever it contains.
void UpcasterRunner::take_result(lua_State* state, PartBuffers& buffers, std::vector<ScriptPart>& parts) {
  const bool is_given = lua_rawequal(state, kEventData, kReturned) != 0;
  const bool is_table = lua_istable(state, kReturned);
  const bool is_record = step_.schema->schema.root().kind == SchemaKind::kRecord;
  if (is_given || (!is_table && !is_record && !lua_isnil(state, kReturned))) {
    return write(state, kReturned, *own_, 0, buffers, parts);
  }
  if (!is_table) {
    return fail(ShapeFault::Kind::kScript,
                "returned " + value_text(state, kReturned) + " instead of " + std::string(kReturns));
  }
  lua_pushnil(state);
  if (lua_next(state, kReturned) == 0) return;  // dropped
  lua_pop(state, 2);
  lua_rawgeti(state, kReturned, 1);
  const bool is_list = !lua_isnil(state, -1);
  lua_pop(state, 1);
  if (!is_list) return write(state, kReturned, *own_, 0, buffers, parts);

  const lua_Unsigned count = lua_rawlen(state, kReturned);
  if (count > kPartsMax) {
    return fail(ShapeFault::Kind::kScript,
                fmt::format("returned {} parts; an event may become {}", count, kPartsMax));
  }
  if (entries_in(state, kReturned) != count) {
    return fail(ShapeFault::Kind::kScript,
                "returned a list with holes or with names in it; a list of parts has 1 to n only");
  }
  for (lua_Unsigned i = 1; i <= count && !fault_ && missing_type_.empty(); ++i) {
    lua_rawgeti(state, kReturned, static_cast<lua_Integer>(i));
    take_part(state, static_cast<int>(i), buffers, parts);
    lua_settop(state, kReturned);
  }
}

// The part is on top of the stack.
void UpcasterRunner::take_part(lua_State* state, int place, PartBuffers& buffers,
                               std::vector<ScriptPart>& parts) {
  const int part = lua_gettop(state);
  const auto complain = [&](std::string_view what) {
    fail(ShapeFault::Kind::kScript,
         fmt::format("part {} {}; a list holds {{type = …, data = …}}", place, what));
  };
  if (!lua_istable(state, part)) return complain("is " + value_text(state, part));
  std::vector<std::string_view> names;
  if (!member_names(state, part, names)) return complain("has the member '[…]'");
  for (const std::string_view name : names) {
    if (name != "type" && name != "data")
      return complain("has the member '" + shown_text(name, kShownNameBytesMax) + "'");
  }
  Target* target = own_;
  lua_pushliteral(state, "type");
  if (lua_rawget(state, part) != LUA_TNIL) {
    std::size_t size = 0;
    const char* type = lua_type(state, -1) == LUA_TSTRING ? lua_tolstring(state, -1, &size) : nullptr;
    if (!can_be_type_name({type, size})) return complain("has a type that is no name");
    const auto known = targets_.find(std::string_view(type, size));
    if (known == targets_.end()) {
      missing_type_.assign(type, size);
      return;
    }
    target = &known->second;
  }
  lua_pushliteral(state, "data");
  if (lua_rawget(state, part) == LUA_TNIL) return complain("has no data");
  write(state, lua_gettop(state), *target, place, buffers, parts);
}

void UpcasterRunner::write(lua_State*, int index, Target& target, int place, PartBuffers& buffers,
                           std::vector<ScriptPart>& parts) {
  std::string& bytes = buffers.take();
  const std::vector<DataFault> faults = target.writer->write(index, bytes);
  if (faults.empty()) {
    written_ += bytes.size();
    if (written_ > kWrittenMax) {
      return fail(ShapeFault::Kind::kScript,
                  "makes more than " + std::to_string(kWrittenMax >> 20) + " MiB of one event");
    }
    parts.push_back({&target, bytes});
    return;
  }
  const DataFault& first = faults.front();
  const std::string where =
      fmt::format("{} does not fit version {} of {}: at \"",
                  place == 0 ? "the result" : fmt::format("part {}", place), target.version, target.type);
  std::string message = where + first.path + "\" " + first.expected + " was expected, not " + first.found;
  if (faults.size() > 1) message += " (and " + std::to_string(faults.size() - 1) + " more)";
  fail(ShapeFault::Kind::kResult, std::move(message),
       where + without_numbers(first.path) + "\" " + first.expected + " was expected");
}

// Filters select stored events by the types that scripts may produce, so these must be known without running
// scripts.
bool UpcasterRunner::add_target(const std::string& type) {
  const auto refuse = [&](const std::string& why) {
    fail(ShapeFault::Kind::kScript, "makes an event of another type: " + why);
    return false;
  };
  if (!may_produce(*step_.upcaster, type)) {
    return refuse("'" + type + "' stands neither in the script nor in its `produces`");
  }
  auto found = find_target_(type, step_.upcaster->registry_changes);
  if (!found) return refuse(found.error().message);
  auto writer = LuaWriter::make(script_.host(), found->schema->schema);
  if (!writer) return refuse(writer.error().message);
  Target target;
  target.type = type;
  target.version = found->version;
  target.schema = found->schema;
  target.writer = *std::move(writer);
  targets_.emplace(type, std::move(target));
  return true;
}

void UpcasterRunner::fail(ShapeFault::Kind kind, std::string message, std::string group) {
  const std::string file = step_.upcaster->file();
  ShapeFault fault;
  fault.kind = kind;
  fault.group = group.empty() ? message : std::move(group);
  for (std::string* text : {&message, &fault.group}) {
    if (!text->starts_with(file)) *text = file + ": " + *text;
    cut_short(*text);
  }
  fault.message = std::move(message);
  fault_ = std::move(fault);
}

}  // namespace cairn
