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

// One call into a state: what is called, and how it ended where that did not go well.
struct LuaCall {
  void (*body)(lua_State* state, void* what) = nullptr;
  void* what = nullptr;

  bool is_syntax = false;     // the error is what Lua's compiler said
  std::string message;        // as Lua has it, with the place in front
  int line = 0;               // of the script where the error was raised, 0 if none
  std::exception_ptr thrown;  // what is no error of Lua
};

// What a host's state has used, and what the present call may still use. The allocator, the hook and the
// library functions of the sandbox meet here; it is private to them. Belongs to its host's thread.
//
// What holds:
//  1. A call that went beyond a limit is fatal: every further instruction raises again, and what catches
//     errors for scripts passes them on (raise_if_fatal). It stays so until the call ends.
//  2. Between two looks at the clock lies a bounded amount of work: the longer the strings a script has made,
//     the fewer instructions run between two looks.
//  3. What calls before have left as garbage changes nothing: a call begins as in a new state, and memory is
//     refused only when all garbage is gone. Where a state may have more memory than a call
//     (call_bytes_max), a call may come to have as much more as there was garbage when it began.
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

  // Collects all garbage if calls before have left much, or any large block. At the beginning of a call this
  // finds all of it; in the middle of one Lua also keeps what unused slots of its stack still hold from
  // earlier calls, and a script could be refused memory for what it never had. REQUIRES: the call has run
  // nothing yet.
  void collect_if_due() {
    if (memory_used_ > collect_above_ || large_made_) [[unlikely]]
      collect();
  }

  // For library functions, whose buffers come from the allocator without Lua's help: Lua itself collects all
  // garbage before it takes no for an answer. Collects it if there is no room for so many bytes.
  void make_room(std::size_t bytes) {
    if (memory_used_ + bytes > memory_limit_) [[unlikely]]
      collect_for_room();
  }
  // Allocates as a library function wants it; `block` is nullptr and `old_bytes` 0 for a new one. Raises the
  // fatal error when there is no room even without garbage. REQUIRES: new_bytes > 0.
  void* resize(void* block, std::size_t old_bytes, std::size_t new_bytes);
  void free(void* block, std::size_t bytes) { allocate(this, block, bytes, 0); }
  LuaCall* call() const { return call_; }  // nullptr outside of calls

  // Takes steps for what a library function does. Raises the fatal error when there are none left.
  void charge(std::uint64_t steps) {
    steps_left_ -= static_cast<std::int64_t>(steps < kStepsMax ? steps : kStepsMax);
    if (steps_left_ < look_at_) [[unlikely]]
      look();
  }

  [[noreturn]] void raise_fatal(ScriptFault fault);
  void raise_if_fatal() {
    if (fatal_) raise_fatal(fault_);
  }

  // At the end of a call: what was allocated last is noticed at the next instruction, and there may be none.
  void settle() {
    raise_if_fatal();
    if (steps_left_ < 0) raise_fatal(ScriptFault::kSteps);
  }

  // Whether an error of Lua, or what a protected call returned for it, comes from a want of memory. Some
  // functions make another error of it (a stack that does not grow is "too many results"), and scripts can
  // raise the same text.
  bool is_for_memory(int status) const;

  bool is_fatal() const { return fatal_; }
  ScriptFault fault() const { return fault_; }
  int fault_line() const { return fault_line_; }
  int memory_line() const { return memory_line_; }  // where memory was refused last

  std::size_t memory_used() const { return memory_used_; }
  // No call ever has more.
  std::size_t memory_bytes_max() const { return std::min(limits_.memory_bytes_max, limits_.call_bytes_max); }
  std::size_t memory_kept() const { return std::min(memory_kept_, memory_used_); }
  void set_memory_kept(std::size_t bytes) { memory_kept_ = bytes; }
  void add_memory_kept(std::size_t bytes) { memory_kept_ += bytes; }

  // "took more than 500 ms"
  std::string limit_text(ScriptFault fault) const;

  // Passes on one line of what a script says; after the first kLogLinesMax lines of a call, nothing.
  void log(std::string_view text);

  // The line that runs now in the nearest function of the script, or 0. Allocates nothing.
  int current_line() const;

 private:
  static constexpr std::uint64_t kStepsMax = std::uint64_t{1} << 60;  // no sum of a few of them overflows

  // What one instruction may have to walk through.
  struct LargeBlock {
    std::uintptr_t address;
    int instructions;  // that may run between two hooks while it is there
  };

  // Whether a state is meant to keep more than a call may take.
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
  std::int64_t look_at_ = 0;    // when fewer steps are left it is time to look at the limits
  int hook_base_ = 0;           // instructions between two hooks at the beginning of a call
  int hook_set_ = 0;            // what they are now
  int depth_check_in_ = 0;      // instructions until the depth is looked at again
  bool clock_started_ = false;  // the clocks below were read in this call
  std::int64_t coarse_seen_ns_ = 0;
  std::int64_t cpu_start_ns_ = 0;

  bool fatal_ = false;
  ScriptFault fault_ = ScriptFault::kError;
  int fault_line_ = 0;
  int memory_line_ = 0;
  std::size_t refused_bytes_ = 0;  // since then no request for as much was granted
  bool was_refused_ = false;       // in this call
  int log_lines_ = 0;

  std::vector<LargeBlock> large_blocks_;  // those there are
  bool large_made_ = false;               // one of them after the last collection
};

}  // namespace cairn
