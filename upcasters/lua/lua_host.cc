#include "upcasters/lua/lua_host.h"

#include <algorithm>
#include <charconv>
#include <lua.hpp>
#include <new>
#include <utility>

#include "eventstore/base/assert.h"
#include "upcasters/lua/chunk_source.h"
#include "upcasters/lua/lua_account.h"
#include "upcasters/lua/sandbox.h"
#include "upcasters/lua/shown_text.h"

namespace cairn {

namespace {

constexpr std::size_t kMessageBytesMax = 2'000;

// The length of a chunk's name that Lua shows in messages.
constexpr std::size_t kChunkNameBytesMax = LUA_IDSIZE - 4;

// Long names are cut at the front: the end of a path says more.
std::string chunk_name(const std::string& file) {
  const std::string name = file.substr(0, file.find('\0'));
  if (name.size() <= kChunkNameBytesMax) return name;
  return "..." + name.substr(name.size() - (kChunkNameBytesMax - 3));
}

// Removes "chunk:7: " from the front of a message and returns the line, or 0 if there is none.
int take_place(std::string& message, std::string_view chunk) {
  const std::string_view text = message;
  if (!text.starts_with(chunk) || text.size() == chunk.size() || text[chunk.size()] != ':') return 0;
  int line = 0;
  const auto [end, fault] = std::from_chars(text.data() + chunk.size() + 1, text.data() + text.size(), line);
  if (fault != std::errc() || line <= 0) return 0;
  const auto length = static_cast<std::size_t>(end - text.data());
  if (!text.substr(length).starts_with(": ")) return 0;
  message.erase(0, length + 2);
  return line;
}

// Lua calls `null` userdata in its messages; the other userdata, DELETE, has a name. Only the part before the
// name of a variable is replaced: a variable may be called anything.
void name_null(std::string& message) {
  constexpr std::string_view kLuaSays = "userdata";
  std::size_t end = 0;
  if (message.starts_with("attempt to ")) end = message.find(" (");
  if (message.starts_with("bad 'for' ")) end = message.size();
  end = std::min(end, message.size());
  for (std::size_t at = message.find(kLuaSays); at < end; at = message.find(kLuaSays, at)) {
    message.replace(at, kLuaSays.size(), "null");
    end -= kLuaSays.size() - 4;
  }
}

// The message handler: runs where an error is raised, while the call stack still exists. Allocates nothing in
// the state, since that could raise another error.
int on_error(lua_State* state) {
  LuaAccount& account = LuaAccount::of(state);
  LuaCall& call = *account.call();
  if (account.is_fatal()) return 1;
  call.line = account.current_line();
  if (lua_type(state, 1) == LUA_TSTRING) {
    std::size_t size = 0;
    const char* const text = lua_tolstring(state, 1, &size);
    call.message.assign(text, std::min(size, 2 * kMessageBytesMax));
  } else if (lua_type(state, 1) == LUA_TNUMBER) {
    call.message = lua_isinteger(state, 1) != 0 ? std::to_string(lua_tointeger(state, 1))
                                                : std::to_string(lua_tonumber(state, 1));
  } else {
    call.message =
        std::string("an error that is ") + (lua_istable(state, 1) ? "a " : "") + sandbox::type_of(state, 1);
  }
  return 1;
}

int call_body(lua_State* state) {
  LuaAccount& account = LuaAccount::of(state);
  LuaCall& call = *account.call();
  account.collect_if_due();
  try {
    call.body(state, call.what);
  } catch (const std::exception&) {
    // Lua's own errors are of another type. Lua ends the call for any exception, but does not keep it.
    call.thrown = std::current_exception();
    throw;
  }
  account.settle();
  return 0;
}

// A state keeps little memory and makes much garbage. A collection traverses what is kept, so it runs only
// when the memory has grown tenfold; where that exceeds the limit, the allocator makes Lua collect earlier.
constexpr int kCollectAtPercent = 1'000;

int open_sandbox(lua_State* state) {
  lua_gc(state, LUA_GCINC, kCollectAtPercent, 0, 0);
  sandbox::open(state);
  return 0;
}

// Compiles and runs a chunk. Leaves the one value it returns.
int load_chunk(lua_State* state) {
  LuaAccount& account = LuaAccount::of(state);
  LuaCall& call = *account.call();
  auto& source = *static_cast<ChunkSource*>(call.what);
  const int status = lua_load(state, ChunkSource::read, &source, source.name(), "t");
  if (status != LUA_OK) {
    account.raise_if_fatal();
    if (status == LUA_ERRMEM) account.raise_fatal(ScriptFault::kMemory);
    call.is_syntax = true;
    return lua_error(state);
  }
  sandbox::push_environment(state);
  lua_setupvalue(state, -2, 1);
  const int below = lua_gettop(state) - 1;
  lua_call(state, 0, LUA_MULTRET);
  const int values = lua_gettop(state) - below;
  if (values == 0 || (values == 1 && lua_isnil(state, -1))) {
    return luaL_error(state,
                      "the script returns nothing: end it with 'return upcaster {…}', or what else it is");
  }
  if (values > 1) {
    lua_settop(state, below);  // the values may fill the stack
    return luaL_error(state, "the script returns %d values: return one", values);
  }
  sandbox::lock_globals(state);
  account.settle();
  return 1;
}

}  // namespace

LuaHost::LuaHost(std::unique_ptr<LuaAccount> account) : account_(std::move(account)) {
  state_ = lua_newstate(LuaAccount::allocate, account_.get());
  if (state_ == nullptr) throw std::bad_alloc();
  account_->attach(state_);
}

LuaHost::~LuaHost() { lua_close(state_); }

std::unique_ptr<LuaHost> LuaHost::make(const LuaLimits& limits, Log log) {
  std::unique_ptr<LuaHost> host(new LuaHost(std::make_unique<LuaAccount>(limits, std::move(log))));
  lua_pushcfunction(host->state_, open_sandbox);
  const int status = lua_pcall(host->state_, 0, 0, 0);
  CAIRN_ASSERT(status == LUA_OK, status, limits.memory_bytes_max);
  return host;
}

ScriptResult<void> LuaHost::load(std::string_view source, const std::string& file) {
  CAIRN_ASSERT(lua_gettop(state_) == 0, file, file_);
  file_ = file;
  chunk_ = chunk_name(file);
  if (std::string fault = ChunkSource::fault_in(source); !fault.empty()) {
    return ScriptError{.fault = ScriptFault::kSyntax, .message = std::move(fault), .file = file_};
  }
  ChunkSource chunk(source, "=" + chunk_);
  LuaCall call{.what = &chunk};
  return call_protected(call, load_chunk, 1);
}

ScriptResult<void> LuaHost::run_erased(void (*body)(lua_State* state, void* what), void* what) {
  LuaCall call{.body = body, .what = what};
  return call_protected(call, call_body, 0);
}

ScriptResult<void> LuaHost::call_protected(LuaCall& call, lua_CFunction function, int results) {
  CAIRN_ASSERT(account_->call() == nullptr);
  const int top = lua_gettop(state_);
  account_->begin_call(call);
  // None of these allocates, so none can raise an error outside the protected call.
  lua_pushcfunction(state_, on_error);
  lua_pushcfunction(state_, function);
  if (top > 0) {
    lua_pushvalue(state_, 1);
  } else {
    lua_pushnil(state_);
  }
  const int status = lua_pcall(state_, 1, results, top + 1);
  if (status == LUA_OK) [[likely]] {
    account_->end_call();
    lua_remove(state_, top + 1);
    return {};
  }
  lua_settop(state_, top);
  if (call.thrown != nullptr) {
    account_->end_call();
    std::rethrow_exception(call.thrown);
  }
  ScriptError error = error_of(call, status);
  account_->end_call();
  return error;
}

ScriptError LuaHost::error_of(LuaCall& call, int status) const {
  ScriptError error{
      .fault = ScriptFault::kError, .message = std::move(call.message), .file = file_, .line = call.line};
  if (account_->is_fatal() || account_->is_for_memory(status)) {
    const bool fatal = account_->is_fatal();
    error.fault = fatal ? account_->fault() : ScriptFault::kMemory;
    error.line = fatal ? account_->fault_line() : account_->memory_line();
    error.message = account_->limit_text(error.fault);
    return error;
  }
  if (status == LUA_ERRERR && error.message.empty()) error.message = "stack overflow";
  if (status == LUA_ERRMEM) error.message = "not enough memory";  // the script raised this text itself
  if (call.is_syntax) error.fault = ScriptFault::kSyntax;
  if (const int line = take_place(error.message, chunk_); line > 0) error.line = line;
  name_null(error.message);
  error.message = shown_text(error.message, kMessageBytesMax);
  return error;
}

std::size_t LuaHost::memory_used() const { return account_->memory_used(); }
std::size_t LuaHost::memory_kept() const { return account_->memory_kept(); }
void LuaHost::set_memory_kept(std::size_t bytes) { account_->set_memory_kept(bytes); }
void LuaHost::add_memory_kept(std::size_t bytes) { account_->add_memory_kept(bytes); }

void LuaHost::charge(lua_State* state, std::uint64_t steps) { LuaAccount::of(state).charge(steps); }

}  // namespace cairn
