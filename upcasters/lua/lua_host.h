#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>

#include "upcasters/lua/script_error.h"

struct lua_State;

namespace cairn {

class LuaAccount;
struct LuaCall;

// What one call of a script may cost. Steps are instructions of the virtual machine, and what library
// functions and allocations cost in the same coin, so they do not depend on the machine: the same script with
// the same input always ends the same way. The time is a backstop for what steps cannot see.
struct LuaLimits {
  std::size_t memory_bytes_max = 32u << 20;  // of the state
  std::size_t call_bytes_max = 32u << 20;    // beyond what there was when the call began
  std::uint64_t steps_max = 10'000'000;
  std::chrono::milliseconds cpu_time_max{500};  // of the thread
};

// A Lua state for one script: text only, no I/O, no clock, no randomness, no way out, and the same result for
// the same input on every run. docs/lua.md says what scripts find there. Belongs to one thread at a time.
//
// What holds:
//  1. Whatever a script does, load() and run() return within the limits, and the process goes on.
//  2. The error that stops a script at a limit cannot be caught by the script.
//  3. Nothing a script does reaches another host.
class LuaHost {
 public:
  using Log = std::function<void(std::string_view text)>;  // what scripts say with log(text)

  // REQUIRES: the memory suffices for an empty sandbox; 256 KiB do.
  static std::unique_ptr<LuaHost> make(const LuaLimits& limits = {}, Log log = {});
  ~LuaHost();
  LuaHost(const LuaHost&) = delete;
  LuaHost& operator=(const LuaHost&) = delete;

  // Runs a script, once, and leaves the one value it returned on the stack (at index 1). `file` is how errors
  // call it. Afterwards its global variables cannot be set any more: what a call leaves behind the next could
  // see. REQUIRES: nothing was loaded before.
  std::optional<ScriptError> load(std::string_view source, const std::string& file);

  // Calls `body(L)` protected and within the limits, and puts the stack back to where it was. Inside, Lua's
  // own functions may be used as they are (lua_call and so on): errors they raise, and those of scripts, end
  // the body and come back. They travel as C++ exceptions, so destructors run; the body must not catch them.
  // The body has a stack of its own, with what load() returned (or nil) at index 1. A std::exception of the
  // body leaves run() as it is, with the stack put back too. REQUIRES: not inside another body of this host.
  template <typename Body>
  std::optional<ScriptError> run(Body&& body) {
    return run_erased(
        [](lua_State* state, void* what) { (*static_cast<std::remove_reference_t<Body>*>(what))(state); },
        const_cast<void*>(static_cast<const void*>(std::addressof(body))));
  }

  lua_State* state() const { return state_; }
  std::size_t memory_used() const;

  // What is used and no garbage, roughly: what the last collection left, or was said to be left, and what was
  // added since.
  std::size_t memory_kept() const;
  void set_memory_kept(std::size_t bytes);
  void add_memory_kept(std::size_t bytes);

  // Inside a body or a library function: takes `steps` from what the call may still take, and raises the
  // error that cannot be caught when there are none left.
  static void charge(lua_State* state, std::uint64_t steps);
  static constexpr std::size_t kBytesPerStep = 64;  // of a string that is looked at

 private:
  explicit LuaHost(std::unique_ptr<LuaAccount> account);

  std::optional<ScriptError> run_erased(void (*body)(lua_State* state, void* what), void* what);
  std::optional<ScriptError> call_protected(LuaCall& call, int (*function)(lua_State* state), int results);
  ScriptError error_of(LuaCall& call, int status) const;

  std::unique_ptr<LuaAccount>
      account_;  // what was used and what is left; the allocator and the hook look at it
  lua_State* state_ = nullptr;
  std::string file_;   // as errors call the script
  std::string chunk_;  // as Lua calls it, which has little room for a name
};

// A script says what it is by what it returns: upcaster {…}, projection {…}, aggregate {…}. The name it used
// for the table at `index`, or "" for any other value.
std::string_view definition_kind(lua_State* state, int index);

}  // namespace cairn
