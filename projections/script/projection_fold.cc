#include "projections/script/projection_fold.h"

#include <fmt/format.h>

#include <algorithm>
#include <lua.hpp>

#include "eventstore/base/names.h"
#include "projections/readmodel/read_model.h"
#include "upcasters/lua/sandbox.h"
#include "upcasters/values/field_recorder.h"
#include "upcasters/values/lua_json.h"
#include "upcasters/values/lua_saved.h"

namespace cairn {

namespace {

// Rows are in tables of this size and not in one: with a large allocation every call would check its limits
// more often, and every further one would trigger a full garbage collection (lua_account.h).
constexpr std::uint32_t kChunkRows = 1'024;

// Estimated memory of a row: a table, and for each saved byte a share of names, values and nested tables.
constexpr std::size_t kRowBytes = 128;
constexpr std::size_t kRowBytesPerSavedByte = 4;

// Indexes on the stack of a call, above the definition.
constexpr int kKeyData = 2;
constexpr int kChunk = 2;
constexpr int kRow = 3;
constexpr int kData = 4;
constexpr int kResult = 5;

lua_Integer place_in_chunk(std::uint32_t slot) { return static_cast<lua_Integer>(slot % kChunkRows) + 1; }

bool is_empty(lua_State* state, int index) {
  lua_pushnil(state);
  if (lua_next(state, index) == 0) return true;
  lua_pop(state, 2);
  return false;
}

// An empty row is not saved and is loaded as {}. So before it is saved it must not be anything else, such as
// an empty array.
bool is_marked_and_empty(lua_State* state, int index) {
  if (lua_getmetatable(state, index) == 0) [[likely]]
    return false;
  lua_pop(state, 1);
  return is_empty(state, index);
}

int line_of(lua_State* state, int index) {
  lua_pushvalue(state, index);
  lua_Debug info{};
  lua_getinfo(state, ">S", &info);
  return std::max(info.linedefined, 0);
}

}  // namespace

ScriptResult<std::unique_ptr<ProjectionFold>> ProjectionFold::make(std::string_view source,
                                                                   const std::string& file, LuaHost::Log log,
                                                                   FieldRecorder* recorder) {
  CAIRN_TRY(ProjectionScript script, ProjectionScript::load(source, file, std::move(log), recorder));
  std::unique_ptr<ProjectionFold> fold(new ProjectionFold(std::move(script)));
  fold->recorder_ = recorder;
  CAIRN_CHECK(fold->prepare_script());
  return fold;
}

ScriptResult<void> ProjectionFold::prepare_script() {
  auto prepared = script_.host().run([&](lua_State* state) {
    script_.push_handlers();
    const int on = lua_gettop(state);
    lua_pushnil(state);
    while (lua_next(state, on) != 0) {
      std::size_t size = 0;
      const char* type = lua_tolstring(state, -2, &size);
      const int line = line_of(state, -1);
      handlers_.emplace(std::string(type, size), Handler{luaL_ref(state, LUA_REGISTRYINDEX), line});
    }
    script_.push_key();
    if (!lua_isnil(state, -1)) {
      key_.line = line_of(state, -1);
      key_.function = luaL_ref(state, LUA_REGISTRYINDEX);
    }
  });
  bytes_without_rows_ = memory_used();
  script_.host().set_memory_kept(bytes_without_rows_);
  return prepared;
}

std::optional<ProjectionFold::Fault> ProjectionFold::key_of(const EventView& event, const ShapedEvent& part,
                                                            std::string& key) {
  if (key_.function == 0) {
    key.assign(event.stream);
    return std::nullopt;
  }
  key.clear();
  if (handler_of(part.type) == nullptr) return std::nullopt;
  data_.prepare(part);
  if (recorder_ != nullptr) recorder_->begin(part.type);
  std::string wrong;
  Status read;
  auto ran = script_.host().run([&](lua_State* state) {
    if (read = data_.push(state); !read) return;
    lua_rawgeti(state, LUA_REGISTRYINDEX, key_.function);
    event_.push(event, part.type, kKeyData);
    if (recorder_ != nullptr) recorder_->wrap_event(state);
    lua_call(state, 1, 1);
    wrong = take_key(state, key);
  });
  event_.forget();
  if (!ran) return std::move(ran).error();
  if (!wrong.empty()) return complaint(std::move(wrong), key_.line);
  if (!read) return read.error();
  return std::nullopt;
}

// Takes the key from the top of the stack. Returns "" or what is wrong with it.
std::string ProjectionFold::take_key(lua_State* state, std::string& key) const {
  if (lua_isnil(state, -1)) return {};
  if (lua_isinteger(state, -1) != 0) {
    key = std::to_string(lua_tointeger(state, -1));
    return {};
  }
  if (lua_type(state, -1) != LUA_TSTRING) {
    return "key returned " + value_text(state, -1) + " instead of text, an integer or nil";
  }
  std::size_t size = 0;
  const char* const bytes = lua_tolstring(state, -1, &size);
  if (size == 0 || size > kRowKeyBytesMax || !is_printable_name({bytes, size})) {
    return fmt::format(
        "key returned {}, but a key has 1 to {} bytes of UTF-8 without control characters, and this one {}",
        value_text(state, -1), kRowKeyBytesMax, size);
  }
  key.assign(bytes, size);
  return {};
}

bool ProjectionFold::load(std::uint32_t slot, std::string_view saved) {
  if (!unloaded_.empty()) unloaded_.erase(slot);
  LuaHost& host = script_.host();
  bool is_row = true;
  auto loaded = host.run([&](lua_State* state) {
    push_chunk(state, slot);
    if (saved.empty()) {
      lua_pushnil(state);
    } else if (!push_saved(state, saved) || !lua_istable(state, -1)) {
      is_row = false;
      return;
    }
    lua_rawseti(state, kChunk, place_in_chunk(slot));
  });
  if (!is_row) return false;
  if (!loaded) unloaded_.insert_or_assign(slot, std::move(loaded).error());
  host.add_memory_kept(kRowBytes + kRowBytesPerSavedByte * saved.size());
  return true;
}

std::optional<ProjectionFold::Fault> ProjectionFold::apply(std::uint32_t slot, const EventView& event,
                                                           const ShapedEvent& part) {
  const auto* const handler = handler_of(part.type);
  if (handler == nullptr) return std::nullopt;
  if (!unloaded_.empty()) {
    if (const auto found = unloaded_.find(slot); found != unloaded_.end()) return found->second;
  }
  data_.prepare(part);
  if (recorder_ != nullptr) recorder_->begin(part.type);
  std::string wrong;
  Status read;
  auto ran = script_.host().run([&](lua_State* state) {
    push_chunk(state, slot);
    if (lua_rawgeti(state, kChunk, place_in_chunk(slot)) != LUA_TTABLE) {
      lua_pop(state, 1);
      lua_newtable(state);
      lua_pushvalue(state, kRow);
      lua_rawseti(state, kChunk, place_in_chunk(slot));
    }
    if (read = data_.push(state); !read) return;
    lua_rawgeti(state, LUA_REGISTRYINDEX, handler->second.function);
    lua_pushvalue(state, kRow);
    event_.push(event, part.type, kData);
    if (recorder_ != nullptr) recorder_->wrap_event(state);
    lua_call(state, 2, 1);
    wrong = take_row(state, slot, part.type);
  });
  event_.forget();
  if (!ran) return std::move(ran).error();
  if (!wrong.empty()) return complaint(std::move(wrong), handler->second.line);
  if (!read) return read.error();
  return std::nullopt;
}

// Stores the result of a handler as the row. Returns "" or what is wrong with it.
std::string ProjectionFold::take_row(lua_State* state, std::uint32_t slot, std::string_view type) {
  int row = kRow;
  if (!lua_isnil(state, kResult)) {
    if (lua_istable(state, kResult)) {
      row = kResult;
    } else if (sandbox::is_delete(state, kResult)) {
      lua_pushnil(state);
      lua_rawseti(state, kChunk, place_in_chunk(slot));
      return {};
    } else {
      return "on." + std::string(type) + " returned " + value_text(state, kResult) +
             " instead of another row, which is a table, DELETE or nothing";
    }
  }
  if (is_marked_and_empty(state, row)) {
    lua_newtable(state);
    lua_rawseti(state, kChunk, place_in_chunk(slot));
  } else if (row == kResult) {
    lua_pushvalue(state, kResult);
    lua_rawseti(state, kChunk, place_in_chunk(slot));
  }
  return {};
}

std::optional<ProjectionFold::Fault> ProjectionFold::save(std::uint32_t slot, std::string& to) {
  if (!unloaded_.empty()) {
    if (const auto found = unloaded_.find(slot); found != unloaded_.end()) return found->second;
  }
  const std::size_t start = to.size();
  std::string wrong;
  auto saved = script_.host().run([&](lua_State* state) {
    push_chunk(state, slot);
    if (lua_rawgeti(state, kChunk, place_in_chunk(slot)) != LUA_TTABLE || is_empty(state, kRow)) return;
    if (const Status status = append_saved(state, kRow, to); !status) {
      wrong = "the row cannot be kept: " + status.error().message;
    }
  });
  if (!saved) {
    to.resize(start);
    return std::move(saved).error();
  }
  if (const std::size_t bytes = to.size() - start; bytes > kRowBytesMax) {
    to.resize(start);
    wrong = fmt::format("the row cannot be kept: it has {} bytes, and may have {}", bytes, kRowBytesMax);
  }
  if (!wrong.empty()) return complaint(std::move(wrong));
  return std::nullopt;
}

void ProjectionFold::clear() {
  for (const int chunk : chunks_) {
    if (chunk != 0) luaL_unref(script_.host().state(), LUA_REGISTRYINDEX, chunk);
  }
  chunks_.clear();
  unloaded_.clear();
  // Otherwise the rows stay as garbage until the memory in use has grown tenfold (lua_host.cc).
  lua_gc(script_.host().state(), LUA_GCCOLLECT);
  script_.host().set_memory_kept(bytes_without_rows_);
}

std::size_t ProjectionFold::rows_bytes() const {
  const std::size_t kept = script_.host().memory_kept();
  return kept - std::min(kept, bytes_without_rows_);
}

void ProjectionFold::push_chunk(lua_State* state, std::uint32_t slot) {
  const std::size_t index = slot / kChunkRows;
  if (index >= chunks_.size()) [[unlikely]]
    chunks_.resize(index + 1);
  int& chunk = chunks_[index];
  if (chunk == 0) [[unlikely]] {
    lua_createtable(state, kChunkRows, 0);
    chunk = luaL_ref(state, LUA_REGISTRYINDEX);
  }
  lua_rawgeti(state, LUA_REGISTRYINDEX, chunk);
}

const ProjectionFold::Handlers::value_type* ProjectionFold::handler_of(std::string_view type) {
  if (last_handler_ != nullptr && last_handler_->first == type) return last_handler_;
  const auto found = handlers_.find(type);
  if (found == handlers_.end()) return nullptr;
  last_handler_ = &*found;
  return last_handler_;
}

ScriptError ProjectionFold::complaint(std::string message, int line) const {
  return {ScriptFault::kError, std::move(message), script_.file(), line};
}

}  // namespace cairn
