#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <string>
#include <string_view>
#include <vector>

#include "upcasters/lua/block_pool.h"
#include "upcasters/lua/lua_host.h"

struct lua_Debug;

namespace cairn {

// One call into a state: what is called, and how it failed if it did.
struct LuaCall {
  void (*body)(lua_State* state, void* what) = nullptr;
  void* what = nullptr;

  bool is_syntax = false;     // the error comes from Lua's compiler
  std::string message;        // Lua's message, with file and line in front
  int line = 0;               // of the script where the error was raised; 0 = unknown
  std::exception_ptr thrown;  // an exception that is not an error of Lua
};

// Accounts for the memory, steps and time that a state and its current call have used, and enforces the
// limits. Private to the host, its allocator and hook, and the library functions of the sandbox. Not
// thread-safe: used by the thread that uses the host.
//
// Invariants:
//  1. A call that exceeds a limit is fatal: every further instruction raises again, and the functions that
//     catch errors for scripts pass them on (raise_if_fatal). It stays so until the call ends.
//  2. The work between two checks of the clock is bounded: the longer the strings that a script has made, the
//     fewer instructions run between two checks.
//  3. Garbage of earlier calls makes no difference: a call begins as in a new state, and memory is refused
//     only after a full collection. Where a state may have more memory than a call may add (call_bytes_max),
//     a call can get as much more as there was garbage when it began.
class LuaAccount {
 public:
  LuaAccount(const LuaLimits& limits, LuaHost::Log log);
  LuaAccount(const LuaAccount&) = delete;
  LuaAccount& operator=(const LuaAccount&) = delete;

  static LuaAccount& of(lua_State* state);

  // Makes of(state) find this account, which is also to be the `ud` of the state's allocator.
  void attach(lua_State* state);
  static void* allocate(void* account, void* block, std::size_t old_bytes, std::size_t new_bytes);

  void begin_call(LuaCall& call);
  void end_call();

  // Runs a full collection if earlier calls have left much garbage, or any large block. At the beginning of a
  // call it finds all garbage; later, unused slots of Lua's stack still refer to values of earlier calls, and
  // a script could be refused memory because of them. REQUIRES: the call has run nothing yet.
  void collect_if_due() {
    if (memory_used_ > collect_above_ || large_made_) [[unlikely]]
      collect();
  }

  // Runs a full collection if the limit leaves no room for so many bytes. For library functions, which
  // allocate buffers directly; for its own allocations Lua does the same.
  void make_room(std::size_t bytes) {
    if (memory_used_ + bytes > memory_limit_) [[unlikely]]
      collect_for_room();
  }
  // Allocates or resizes a block of a library function; `block` is nullptr and `old_bytes` 0 for a new one.
  // Raises the fatal error when there is no room even after a collection. REQUIRES: new_bytes > 0.
  void* resize(void* block, std::size_t old_bytes, std::size_t new_bytes);
  void free(void* block, std::size_t bytes) { allocate(this, block, bytes, 0); }
  LuaCall* call() const { return call_; }  // nullptr outside of calls

  // Charges steps for the work of a library function. Raises the fatal error when none are left.
  void charge(std::uint64_t steps) {
    steps_left_ -= static_cast<std::int64_t>(steps < kStepsMax ? steps : kStepsMax);
    if (steps_left_ < look_at_) [[unlikely]]
      look();
  }

  [[noreturn]] void raise_fatal(ScriptFault fault);
  void raise_if_fatal() {
    if (fatal_) raise_fatal(fault_);
  }

  // Checks the limits at the end of a call: an excess is otherwise noticed at the next instruction, and there
  // is none.
  void settle() {
    raise_if_fatal();
    if (steps_left_ < 0) raise_fatal(ScriptFault::kSteps);
  }

  // Whether an error of Lua, or the status of a protected call, was caused by refused memory. Some functions
  // turn it into another error (a stack that cannot grow is "too many results"), and scripts can raise the
  // same text.
  bool is_for_memory(int status) const;

  bool is_fatal() const { return fatal_; }
  ScriptFault fault() const { return fault_; }
  int fault_line() const { return fault_line_; }
  int memory_line() const { return memory_line_; }  // of the script where memory was refused last

  std::size_t memory_used() const { return memory_used_; }
  // No call ever has more.
  std::size_t memory_bytes_max() const { return std::min(limits_.memory_bytes_max, limits_.call_bytes_max); }
  std::size_t memory_kept() const { return std::min(memory_kept_, memory_used_); }
  void set_memory_kept(std::size_t bytes) { memory_kept_ = bytes; }
  void add_memory_kept(std::size_t bytes) { memory_kept_ += bytes; }

  // "took more than 500 ms"
  std::string limit_text(ScriptFault fault) const;

  // Logs one line of a script; lines of a call after the first kLogLinesMax are dropped.
  void log(std::string_view text);

  // The current line of the innermost function of the script, or 0. Does not allocate.
  int current_line() const;

 private:
  static constexpr std::uint64_t kStepsMax = std::uint64_t{1} << 60;  // no sum of a few of them overflows

  // A block that a single instruction may have to copy or search.
  struct LargeBlock {
    std::uintptr_t address;
    int instructions;  // that may run between two hooks while it is there
  };

  // Whether the state may keep more memory than one call may add.
  bool keeps_much() const { return limits_.call_bytes_max < limits_.memory_bytes_max; }

  static void hook(lua_State* state, lua_Debug* activation);
  void on_hook();
  void look();
  bool is_time_over();
  void check_depth();
  void set_hook(int instructions);
  void set_fatal(ScriptFault fault);
  void* refuse(std::size_t growth);
  void collect();
  void set_memory_bounds();
  void collect_for_room();
  void note_large_block(const void* block, std::size_t bytes, bool is_string);
  void forget_large_block(std::uintptr_t address);

  const LuaLimits limits_;
  const LuaHost::Log log_;
  lua_State* state_ = nullptr;
  LuaCall* call_ = nullptr;

  BlockPool pool_;
  std::size_t memory_used_ = 0;
  std::size_t memory_limit_ = 0;  // of what is used, in this call
  std::size_t memory_kept_ = 0;   // of what is used, as far as is known
  std::size_t collect_above_ = 0;
  std::int64_t steps_left_ = kStepsMax;
  std::int64_t look_at_ = 0;    // the limits are checked when fewer steps than this are left
  int hook_base_ = 0;           // instructions between two hooks at the beginning of a call
  int hook_set_ = 0;            // instructions between two hooks now
  int depth_check_in_ = 0;      // instructions until the depth of the call stack is checked again
  bool clock_started_ = false;  // the clocks below were read in this call
  std::int64_t coarse_seen_ns_ = 0;
  std::int64_t cpu_start_ns_ = 0;

  bool fatal_ = false;
  ScriptFault fault_ = ScriptFault::kError;
  int fault_line_ = 0;
  int memory_line_ = 0;
  std::size_t refused_bytes_ = 0;  // of the last refused request; no request for as much was granted since
  bool was_refused_ = false;       // in this call
  int log_lines_ = 0;

  std::vector<LargeBlock> large_blocks_;  // all that exist
  bool large_made_ = false;               // one was allocated after the last collection
};

}  // namespace cairn
