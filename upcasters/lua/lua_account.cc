#include "upcasters/lua/lua_account.h"

#include <time.h>

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <lua.hpp>
#include <utility>

#include "upcasters/lua/shown_text.h"

namespace cairn {

namespace {

constexpr std::size_t kBytesMadePerStep = 64;  // about what copying and clearing them costs, in instructions
constexpr int kInstructionsPerHook = 1'000;
constexpr std::int64_t kStepsPerLook = 1'000;

// With so many instructions between two hooks, the hooks cost little. In a state that keeps much memory, a
// full collection costs more than frequent hooks until the next regular one: Lua's string table alone becomes
// large between two collections.
constexpr int kInstructionsBearable = 64;

// One instruction may touch a whole string (a == b, a < b, a + 1) or walk a whole table (an insertion that
// makes it grow), and is still one step. So from this size on hooks come more often: at most so many bytes
// are touched between two of them. Comparing strings by order is the slowest, up to 20 ns for a byte.
constexpr std::size_t kLargeBlockBytes = 256u << 10;
constexpr std::size_t kStringBytesPerHook = 32u << 20;
constexpr std::size_t kTableBytesPerHook = 256u << 20;

// Lua's own limit is a million stack slots, which do not fit into the memory of a script: endless recursion
// would be reported as lack of memory, and a script could not catch it.
constexpr int kCallDepthMax = 10'000;

// A collection runs before a call once the garbage exceeds what so many calls may allocate.
constexpr std::size_t kGarbageCallsMax = 2;

// The limit of the pool's chunks: with fragmentation they take more than the blocks in use.
constexpr std::size_t kPoolShare = 2;
constexpr std::size_t kPoolFloorBytes = 4u << 20;

constexpr int kLogLinesMax = 100;
constexpr std::size_t kLogBytesMax = 1'000;

std::int64_t read_clock_ns(clockid_t clock) {
  timespec now{};
  clock_gettime(clock, &now);
  return std::int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

}  // namespace

LuaAccount::LuaAccount(const LuaLimits& limits, LuaHost::Log log)
    : limits_(limits),
      log_(std::move(log)),
      pool_(kPoolShare * limits.memory_bytes_max + kPoolFloorBytes),
      memory_limit_(limits.memory_bytes_max),
      hook_base_(kInstructionsPerHook) {
  set_memory_bounds();
  // The capacity is fixed: the allocator must not allocate for itself.
  large_blocks_.reserve(limits.memory_bytes_max / kLargeBlockBytes + 1);
}

LuaAccount& LuaAccount::of(lua_State* state) { return **static_cast<LuaAccount**>(lua_getextraspace(state)); }

void LuaAccount::attach(lua_State* state) {
  state_ = state;
  *static_cast<LuaAccount**>(lua_getextraspace(state)) = this;
}

void LuaAccount::begin_call(LuaCall& call) {
  call_ = &call;
  steps_left_ = static_cast<std::int64_t>(std::min(limits_.steps_max, kStepsMax));
  look_at_ = std::max<std::int64_t>(steps_left_ - kStepsPerLook, 0);
  depth_check_in_ = kInstructionsPerHook;
  clock_started_ = false;
  fatal_ = false;
  fault_line_ = 0;
  memory_line_ = 0;
  refused_bytes_ = 0;
  was_refused_ = false;
  log_lines_ = 0;
  memory_limit_ = std::min(limits_.memory_bytes_max, memory_used_ + limits_.call_bytes_max);
  // Set again for each call, so that its instructions are counted from zero: the same call takes the same
  // steps.
  set_hook(hook_base_);
}

void LuaAccount::end_call() {
  call_ = nullptr;
  fatal_ = false;
  steps_left_ = kStepsMax;
  look_at_ = 0;
  memory_limit_ = limits_.memory_bytes_max;
}

// REQUIRES: there is no garbage.
void LuaAccount::set_memory_bounds() {
  memory_kept_ = memory_used_;
  memory_limit_ = std::min(limits_.memory_bytes_max, memory_used_ + limits_.call_bytes_max);
  // In a state that keeps much memory, a collection must not run in every call.
  const std::size_t left = limits_.memory_bytes_max - std::min(memory_used_, limits_.memory_bytes_max);
  collect_above_ = memory_used_ + std::min(left / 2, kGarbageCallsMax * limits_.call_bytes_max);
}

void LuaAccount::collect() {
  lua_gc(state_, LUA_GCCOLLECT);
  set_memory_bounds();
  // The memory in use now is what the script keeps.
  large_made_ = false;
  hook_base_ = kInstructionsPerHook;
  for (const LargeBlock& large : large_blocks_) hook_base_ = std::min(hook_base_, large.instructions);
  set_hook(hook_base_);
}

// A collection takes long, so the clock is checked next.
void LuaAccount::collect_for_room() {
  lua_gc(state_, LUA_GCCOLLECT);
  look();
}

void* LuaAccount::allocate(void* account_pointer, void* block, std::size_t old_bytes, std::size_t new_bytes) {
  auto& account = *static_cast<LuaAccount*>(account_pointer);
  const bool is_string = block == nullptr && old_bytes == LUA_TSTRING;
  if (block == nullptr) old_bytes = 0;  // Lua passes the kind of object in it then
  if (new_bytes == 0) {
    account.memory_used_ -= old_bytes;
    if (old_bytes >= kLargeBlockBytes) [[unlikely]]
      account.forget_large_block(reinterpret_cast<std::uintptr_t>(block));
    account.pool_.free(block, old_bytes);
    return nullptr;
  }
  if (new_bytes > old_bytes) {
    const std::size_t growth = new_bytes - old_bytes;
    if (growth > account.memory_limit_ - std::min(account.memory_used_, account.memory_limit_)) {
      return account.refuse(growth);
    }
    if (account.refused_bytes_ != 0 && growth >= account.refused_bytes_) [[unlikely]]
      account.refused_bytes_ = 0;
    account.steps_left_ -= static_cast<std::int64_t>(growth / kBytesMadePerStep + 1);
    if (account.steps_left_ < 0 && account.call_ != nullptr && account.hook_set_ != 1) account.set_hook(1);
  }
  const auto address = reinterpret_cast<std::uintptr_t>(block);
  void* const resized = account.pool_.resize(block, old_bytes, new_bytes);
  if (resized == nullptr) return new_bytes > old_bytes ? account.refuse(new_bytes - old_bytes) : block;
  account.memory_used_ += new_bytes - old_bytes;
  if (std::max(old_bytes, new_bytes) >= kLargeBlockBytes) [[unlikely]] {
    if (old_bytes >= kLargeBlockBytes) account.forget_large_block(address);
    if (new_bytes >= kLargeBlockBytes) account.note_large_block(resized, new_bytes, is_string);
  }
  return resized;
}

// Lua now runs a full collection and asks once more; if that is refused too, it raises an error. A script
// just below its limit can cause this at each allocation, so the clock is checked here. The hook is not
// changed: setting it would lose the count of instructions, and how often this happens depends on garbage.
void* LuaAccount::refuse(std::size_t growth) {
  if (call_ == nullptr) return nullptr;
  was_refused_ = true;
  refused_bytes_ = growth;
  memory_line_ = current_line();
  look_at_ = std::numeric_limits<std::int64_t>::max();
  if (!fatal_ && is_time_over()) set_fatal(ScriptFault::kTime);
  return nullptr;
}

void* LuaAccount::resize(void* block, std::size_t old_bytes, std::size_t new_bytes) {
  void* resized = allocate(this, block, old_bytes, new_bytes);
  if (resized != nullptr) [[likely]]
    return resized;
  collect_for_room();
  resized = allocate(this, block, old_bytes, new_bytes);
  if (resized == nullptr) raise_fatal(ScriptFault::kMemory);
  return resized;
}

bool LuaAccount::is_for_memory(int status) const {
  switch (status) {
    case LUA_ERRMEM:
      return was_refused_;
    case LUA_ERRRUN:
    case LUA_ERRERR:
      return refused_bytes_ > 0;
    default:
      return true;  // an exception that is no error of Lua; only memory runs out in our own functions
  }
}

// Hooks become less frequent again with the next call, after garbage was collected. Setting the hook restarts
// its count, so all instructions that may have been counted are charged.
void LuaAccount::note_large_block(const void* block, std::size_t bytes, bool is_string) {
  const std::size_t at_most = (is_string ? kStringBytesPerHook : kTableBytesPerHook) / bytes;
  const int instructions = std::clamp(static_cast<int>(at_most), 1, kInstructionsPerHook);
  large_blocks_.push_back({reinterpret_cast<std::uintptr_t>(block), instructions});
  if (keeps_much() && instructions >= kInstructionsBearable) {
    hook_base_ = std::min(hook_base_, instructions);
  } else {
    large_made_ = true;
  }
  if (call_ == nullptr || hook_set_ <= instructions) return;
  steps_left_ -= hook_set_;
  depth_check_in_ -= hook_set_;
  set_hook(instructions);
}

void LuaAccount::forget_large_block(std::uintptr_t address) {
  const auto found = std::find_if(large_blocks_.begin(), large_blocks_.end(),
                                  [&](const LargeBlock& large) { return large.address == address; });
  if (found == large_blocks_.end()) return;
  *found = large_blocks_.back();
  large_blocks_.pop_back();
}

void LuaAccount::set_hook(int instructions) {
  hook_set_ = instructions;
  lua_sethook(state_, hook, LUA_MASKCOUNT, instructions);
}

void LuaAccount::hook(lua_State* state, lua_Debug*) { of(state).on_hook(); }

void LuaAccount::on_hook() {
  steps_left_ -= hook_set_;
  depth_check_in_ -= hook_set_;
  look();
  if (depth_check_in_ <= 0) check_depth();
}

void LuaAccount::look() {
  raise_if_fatal();
  if (steps_left_ < 0) raise_fatal(ScriptFault::kSteps);
  look_at_ = std::max<std::int64_t>(steps_left_ - kStepsPerLook, 0);
  if (call_ != nullptr && is_time_over()) raise_fatal(ScriptFault::kTime);
}

// Reading the CPU time of a thread is a system call, reading the coarse clock costs nearly nothing; while the
// coarse clock has not advanced, the CPU time cannot have advanced much.
bool LuaAccount::is_time_over() {
  const std::int64_t coarse_ns = read_clock_ns(CLOCK_MONOTONIC_COARSE);
  if (clock_started_ && coarse_ns == coarse_seen_ns_) return false;
  const std::int64_t cpu_ns = read_clock_ns(CLOCK_THREAD_CPUTIME_ID);
  if (!clock_started_) cpu_start_ns_ = cpu_ns;
  clock_started_ = true;
  coarse_seen_ns_ = coarse_ns;
  return std::chrono::nanoseconds(cpu_ns - cpu_start_ns_) > limits_.cpu_time_max;
}

void LuaAccount::check_depth() {
  depth_check_in_ = kInstructionsPerHook;
  lua_Debug activation;
  if (lua_getstack(state_, kCallDepthMax, &activation) == 0) return;
  luaL_where(state_, 0);
  lua_pushfstring(state_, "stack overflow: more than %d calls inside one another", kCallDepthMax);
  lua_concat(state_, 2);
  lua_error(state_);
}

void LuaAccount::set_fatal(ScriptFault fault) {
  if (!fatal_) {
    fatal_ = true;
    fault_ = fault;
    fault_line_ = fault == ScriptFault::kMemory && memory_line_ != 0 ? memory_line_ : current_line();
  }
  look_at_ = std::numeric_limits<std::int64_t>::max();
  if (hook_set_ != 1) set_hook(1);
}

void LuaAccount::raise_fatal(ScriptFault fault) {
  set_fatal(fault);
  // The value does not matter, and a string would need memory.
  lua_checkstack(state_, 1);
  lua_pushnil(state_);
  lua_error(state_);
  std::abort();  // lua_error does not return, but does not say so
}

int LuaAccount::current_line() const {
  lua_Debug activation;
  for (int level = 0; lua_getstack(state_, level, &activation) != 0; ++level) {
    lua_getinfo(state_, "l", &activation);
    if (activation.currentline > 0) return activation.currentline;
  }
  return 0;
}

std::string LuaAccount::limit_text(ScriptFault fault) const {
  switch (fault) {
    case ScriptFault::kSteps:
      return "took more than " + std::to_string(limits_.steps_max) + " steps: does it loop for ever?";
    case ScriptFault::kMemory: {
      const bool of_call = memory_limit_ < limits_.memory_bytes_max;
      const std::size_t bytes = of_call ? limits_.call_bytes_max : limits_.memory_bytes_max;
      const bool whole_mib = bytes % (1u << 20) == 0;
      return "wanted more than " + std::to_string(bytes >> (whole_mib ? 20 : 10)) +
             (whole_mib ? " MiB of memory" : " KiB of memory");
    }
    case ScriptFault::kTime:
      return "took more than " + std::to_string(limits_.cpu_time_max.count()) + " ms";
    case ScriptFault::kSyntax:
    case ScriptFault::kError:
      break;
  }
  return "";
}

void LuaAccount::log(std::string_view text) {
  if (log_lines_ == kLogLinesMax || !log_) return;
  ++log_lines_;
  std::string line = shown_text(text, kLogBytesMax);
  for (char& c : line) {
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = ' ';
  }
  log_(line);
}

}  // namespace cairn
