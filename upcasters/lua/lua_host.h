#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>

#include "upcasters/lua/script_error.h"

struct lua_State;

namespace cairn {

class LuaAccount;
struct LuaCall;

// The limits of one call of a script. Steps count instructions of the virtual machine; library functions and
// allocations are charged as steps too. So they do not depend on the machine: the same script with the same
// input always ends the same way. The time is a backstop for work that is not charged.
struct LuaLimits {
  std::size_t memory_bytes_max = 32u << 20;  // of the state
  std::size_t call_bytes_max = 32u << 20;    // that one call may add
  std::uint64_t steps_max = 10'000'000;
  std::chrono::milliseconds cpu_time_max{500};  // of the thread
};

// A sandboxed Lua state for one script: text only, no I/O, no clock, no randomness, and the same result for
// the same input on every run. docs/lua.md lists what scripts can use. Not thread-safe; may move between
// threads.
//
// Invariants:
//  1. Whatever a script does, load() and run() return within the limits, and the process survives.
//  2. A script cannot catch the error that stops it at a limit.
//  3. Hosts are isolated: a script cannot affect another host.
class LuaHost {
 public:
  using Log = std::function<void(std::string_view text)>;  // receives what scripts pass to log(text)

  // REQUIRES: limits.memory_bytes_max suffices for an empty sandbox; 256 KiB do.
  static std::unique_ptr<LuaHost> make(const LuaLimits& limits = {}, Log log = {});
  ~LuaHost();
  LuaHost(const LuaHost&) = delete;
  LuaHost& operator=(const LuaHost&) = delete;

  // Runs a script once and leaves the one value it returned at index 1 of the stack. `file` is its name in
  // errors. Afterwards its global variables are read-only, so that calls cannot leave state behind for later
  // calls. REQUIRES: nothing was loaded before.
  ScriptResult<void> load(std::string_view source, const std::string& file);

  // Calls `body(state)` in protected mode and within the limits, and restores the stack. The body may use
  // Lua's API as it is (lua_call and so on): an error that it or a script raises ends the body and is
  // returned. Lua raises errors as C++ exceptions, so destructors run; the body must not catch them. The body
  // has its own stack frame, with what load() returned (or nil) at index 1. A std::exception of the body
  // leaves run() unchanged, with the stack restored. REQUIRES: not called from another body of this host.
  template <typename Body>
  ScriptResult<void> run(Body&& body) {
    return run_erased(
        [](lua_State* state, void* what) { (*static_cast<std::remove_reference_t<Body>*>(what))(state); },
        const_cast<void*>(static_cast<const void*>(std::addressof(body))));
  }

  lua_State* state() const { return state_; }
  std::size_t memory_used() const;

  // An estimate of the memory in use without garbage: what the last collection left, or the value set here,
  // and what was added since.
  std::size_t memory_kept() const;
  void set_memory_kept(std::size_t bytes);
  void add_memory_kept(std::size_t bytes);

  // Charges the current call with `steps`, and raises the error that scripts cannot catch when none are left.
  // REQUIRES: inside a body or a library function.
  static void charge(lua_State* state, std::uint64_t steps);
  static constexpr std::size_t kBytesPerStep = 64;  // of a string that is read or copied

 private:
  explicit LuaHost(std::unique_ptr<LuaAccount> account);

  ScriptResult<void> run_erased(void (*body)(lua_State* state, void* what), void* what);
  ScriptResult<void> call_protected(LuaCall& call, int (*function)(lua_State* state), int results);
  ScriptError error_of(LuaCall& call, int status) const;

  std::unique_ptr<LuaAccount> account_;  // the resource accounting, which the allocator and the hook use
  lua_State* state_ = nullptr;
  std::string file_;   // the name of the script in errors
  std::string chunk_;  // the same, cut to the length that Lua can show
};

// A script returns upcaster {…}, projection {…} or aggregate {…}. The name of the constructor that made the
// table at `index`, or "" for any other value.
std::string_view definition_kind(lua_State* state, int index);

}  // namespace cairn
