#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <lua.hpp>
#include <memory>
#include <optional>
#include <ostream>
#include <string>

#include "tests/support/cpu_time.h"
#include "tests/support/scale.h"
#include "upcasters/lua/lua_host.h"

// Malicious scripts. Whatever they do, the host stops them within its limits and stays usable.
namespace cairn {
namespace {

using ::testing::AnyOf;
using ::testing::HasSubstr;

constexpr const char* kSteps = "steps";
constexpr const char* kMemory = "wanted more than 32 MiB of memory";
constexpr const char* kTime = "took more than 500 ms";
constexpr const char* kStopped = "";  // at whichever limit comes first

struct Script {
  const char* name;
  const char* body;      // of a function that the script returns, and which is then called
  const char* expected;  // a part of the message, or one of the above, or nullptr if it ends well
};

void PrintTo(const Script& script, std::ostream* out) { *out << script.body; }

constexpr Script kScripts[] = {
    // Loops.
    {"endless_loop", "while true do end", kSteps},
    {"endless_goto", "::again:: goto again", kSteps},
    {"endless_for", "for i = 1, math.huge do end", kSteps},
    {"endless_repeat", "repeat local x = 1 until false", kSteps},
    {"tail_calls", "local function f() return f() end return f()", kSteps},

    // Catching what stops them.
    {"pcall_around_a_loop", "while true do pcall(function() while true do end end) end", kSteps},
    {"loop_after_pcall", "pcall(function() while true do end end) return 'went on'", kSteps},
    {"pcall_in_pcall", "pcall(pcall, pcall, function() while true do end end) return 'went on'", kSteps},
    {"xpcall_with_a_looping_handler",
     "xpcall(function() while true do end end, function() while true do end end) return 'went on'", kSteps},
    {"xpcall_handler_loops_for_a_plain_error", "xpcall(error, function() while true do end end)", kSteps},
    {"xpcall_handler_raises", "while true do xpcall(error, function() error('again') end) end", kSteps},
    {"xpcall_handler_calls_itself", "local function h() xpcall(error, h) end while true do h() end", kSteps},
    {"pcall_of_memory", "while true do pcall(string.rep, 'x', 3e7) end", kMemory},
    {"pcall_of_growth", "while true do pcall(function() local s = 'x' while true do s = s .. s end end) end",
     kMemory},
    {"error_again_and_again", "while true do pcall(error, {}) end", kSteps},
    {"sort_that_catches", "pcall(table.sort, {3, 2, 1}, function() while true do end end) return 'went on'",
     kSteps},
    {"gsub_that_catches", "pcall(string.gsub, 'x', 'x', function() while true do end end) return 'went on'",
     kSteps},

    // Memory.
    {"string_growth", "local s = 'x' while true do s = s .. s end", kMemory},
    {"string_garbage", "local s = ('x'):rep(1000) while true do local t = s .. 'y' end", kSteps},
    {"table_growth", "local t = {} while true do t[#t + 1] = {} end", kMemory},
    {"table_of_numbers", "local t = {} local i = 0 while true do i = i + 1 t[i] = i end", kMemory},
    {"keys_far_apart", "local t = {} local i = 0 while true do i = i + 1 t[i * 7919] = i end", kMemory},
    {"long_string_keys",
     "local t = {} local s = ('k'):rep(1000) local i = 0 "
     "while true do i = i + 1 t[s .. i] = i end",
     kMemory},
    {"closures", "local t = {} while true do local x = #t t[#t + 1] = function() return x end end", kMemory},
    {"garbage_just_below_the_limit",
     "local kept = {} for i = 1, 30 do kept[i] = ('x'):rep(1e6) .. i end "
     "while true do local t = {} for i = 1, 1000 do t[i] = i end end",
     kStopped},
    {"rep_of_much", "return ('x'):rep(1e9)", kMemory},
    {"rep_of_more", "return ('x'):rep(math.maxinteger)", kMemory},
    {"rep_of_separators", "return (''):rep(1e18, 'x')", kMemory},
    {"rep_of_nothing", "return (''):rep(1e18)", nullptr},
    {"rep_of_nothing_for_ever", "while true do (''):rep(1e18) end", kSteps},
    {"many_small_reps", "while true do local s = ('x'):rep(1e5) end", kSteps},
    {"pack_of_much", "return string.pack('c2000000000', 'x')", kMemory},
    {"pack_of_much_for_ever", "while true do string.pack('c1000000', 'x') end", kStopped},
    {"format_for_ever", "while true do string.format('%99.99f', 1e300) end", kSteps},
    {"format_width", "return string.format('%1000d', 1)", "invalid conversion"},
    {"concat_of_much", "local t = {} for i = 1, 1000 do t[i] = ('x'):rep(1e5) end return table.concat(t)",
     kMemory},
    {"gsub_to_much", "return (('x'):rep(1e5):gsub('x', ('y'):rep(1e4)))", kMemory},
    {"char_of_much", "return string.char(table.unpack({}, 1, 1e5))", "number expected"},

    // Recursion.
    {"deep_recursion", "local function f() return 1 + f() end return f()", "stack overflow"},
    {"deep_recursion_with_much_stack",
     "local function f(...) return 1 + f(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, ...) end return f()",
     "stack overflow"},
    {"recursion_in_pcall", "local function f() pcall(f) pcall(f) end f()", kSteps},
    {"recursion_in_pcall_for_ever", "local function f() return 1 + f() end while true do pcall(f) end",
     kStopped},
    {"recursion_in_sort", "local function f() table.sort({2, 1}, f) end f()", "stack overflow"},
    {"recursion_in_gsub", "local function f() return (('x'):gsub('x', f)) end return f()", "stack overflow"},
    {"recursion_in_tostring_of_errors", "local function f() error(f()) end f()", "stack overflow"},

    // Errors.
    {"error_table", "error({})", "an error that is a table"},
    {"error_function", "error(error)", "an error that is function"},
    {"error_nil", "error(nil)", "an error that is nil"},
    {"error_of_much", "error(('x'):rep(1e7))", "xxx"},

    // Work within one function.
    {"find_that_backtracks", "return ('a'):rep(40):find(('a*'):rep(20) .. 'b')", kSteps},
    {"match_that_backtracks", "return ('a'):rep(40):match(('a-'):rep(20) .. 'b')", kSteps},
    {"gmatch_that_backtracks", "for x in ('a'):rep(40):gmatch(('a?'):rep(30) .. 'b') do end", kSteps},
    {"gsub_that_backtracks", "return ('a'):rep(40):gsub(('.-'):rep(20) .. 'b', '')", kSteps},
    {"find_of_much", "return ('a'):rep(1e6):find('.-b')", kSteps},
    {"find_plain_nearly_everywhere",
     "local s = ('a'):rep(5e6) local w = ('a'):rep(2e6) .. 'b' while true do s:find(w, 1, true) end",
     kStopped},
    {"find_balanced", "return ('('):rep(1e6):find('%b()')", kSteps},
    {"find_references", "return ('a'):rep(1e5):find('(a*)%1b')", kSteps},
    {"move_of_nothing", "table.move({}, 1, 1e18, 2)", kSteps},
    {"move_backwards", "table.move({}, math.mininteger, -2, 1)", kSteps},
    {"concat_of_nothing", "return table.concat({}, '', 1, 1e15)", "invalid value (at index 1)"},
    {"concat_for_ever", "local t = {} for i = 1, 1e5 do t[i] = '' end while true do table.concat(t) end",
     kSteps},
    {"unpack_of_nothing", "return table.unpack({}, 1, 1e7)", "too many results to unpack"},
    {"unpack_for_ever", "while true do table.unpack({}, 1, 1e5) end", kSteps},
    {"insert_in_front", "local t = {} for i = 1, 1e6 do table.insert(t, 1, i) end", kSteps},
    {"remove_in_front",
     "local t = {} for i = 1, 1e5 do t[i] = i end while true do table.remove(t, 1) t[#t + 1] = 1 end",
     kSteps},
    {"sort_of_much",
     "local t = {} for i = 1, 2e5 do t[i] = i * 7919 % 10007 end while true do table.sort(t) end", kSteps},
    {"sort_with_a_looping_order", "table.sort({3, 2, 1}, function() while true do end end)", kSteps},
    {"sort_with_a_failing_order", "table.sort({3, 2, 1}, function() error('no order') end)", "no order"},
    {"sort_with_no_order_at_all",
     "local t = {} for i = 1, 1e4 do t[i] = i end while true do table.sort(t, function() return true end) "
     "end",
     kSteps},
    {"sort_of_long_strings",
     "local s = ('\\0'):rep(1e6) local t = {} for i = 1, 1000 do t[i] = s end table.sort(t)", kSteps},
    {"pairs_for_ever", "local t = {} for i = 1, 1e4 do t['k' .. i] = i end while true do pairs(t) end",
     kSteps},
    {"next_for_ever", "local t = {} for i = 1, 1e4 do t['k' .. i] = i end while true do next(t) end", kSteps},
    {"pairs_of_long_keys",
     "local s, t = ('k'):rep(1e7), {} t[s .. 'a'] = 1 t[s .. 'b'] = 2 while true do pairs(t) end", kSteps},
    {"next_of_long_keys",
     "local s, t = ('k'):rep(1e7), {} t[s .. 'a'] = 1 t[s .. 'b'] = 2 while true do next(t) end", kSteps},
    {"keys_that_collide",
     "local t = {} local i = 0 while true do i = i + 1 t[i * 0x7fffffff] = i if i % 5000 == 0 then pairs(t) "
     "end end",
     kStopped},
    {"utf8_of_much", "local s = ('ä'):rep(5e5) while true do utf8.len(s) end", kSteps},
    {"utf8_codes", "local s = ('ä'):rep(5e5) while true do for p, c in utf8.codes(s) do end end", kSteps},
    {"utf8_offset", "local s = ('ä'):rep(5e5) while true do utf8.offset(s, -1e5) end", kSteps},
    {"reverse_for_ever", "local s = ('x'):rep(1e6) while true do s:reverse() end", kSteps},
    {"byte_for_ever", "local s = ('x'):rep(1e5) while true do s:byte(1, -1) end", kSteps},
    {"log_flood", "while true do log('flood') end", kSteps},

    // Long strings in single instructions.
    {"equality_of_long_strings",
     "local a, b = ('x'):rep(5e6) .. 'y', ('x'):rep(5e6) .. 'y' while a == b do end", kTime},
    {"order_of_long_strings", "local a = ('\\0'):rep(6e6) while a <= a do end", kTime},
    {"arithmetic_on_long_strings", "local a = (' '):rep(6e6) .. '1' while a + 1 == 2 do end", kTime},
    {"tonumber_of_long_strings", "local a = ('1'):rep(6e6) while tonumber(a, 10) do end", kTime},
    {"hashes_of_long_strings", "local t, a = {}, ('x'):rep(6e6) while true do local x = t[a .. #t] end",
     kStopped},

    // Names that the sandbox does not have.
    {"os", "os.execute('true')", "'os' is not there for scripts"},
    {"io", "return io.open('/etc/passwd')", "'io' is not there for scripts"},
    {"require", "require 'os'", "'require' is not there for scripts"},
    {"load", "load('return 1')()", "'load' is not there for scripts"},
    {"dofile", "dofile('/etc/passwd')", "'dofile' is not there for scripts"},
    {"debug", "debug.getregistry()", "'debug' is not there for scripts"},
    {"coroutine", "coroutine.wrap(function() while true do end end)()",
     "'coroutine' is not there for scripts"},
    {"setmetatable", "setmetatable({}, {__gc = function() while true do end end})",
     "'setmetatable' is not there"},
    {"getmetatable", "getmetatable('').__index = nil", "'getmetatable' is not there for scripts"},
    {"withheld_through_G", "return _G['o' .. 's']", "'os' is not there for scripts"},
    {"string_methods", "('').upper = nil", "attempt to index a string value"},
    {"address", "return ('%p'):format({})", "'%p' is not there"},
    {"to_be_closed", "local x <close> = {}", "non-closable value"},
};

// Far above the limits, and more so under a sanitizer; a script that is not stopped takes longer.
constexpr double kSecondsMax = 2.0 * test::kSanitizerDivisor;

class HostileScriptTest : public ::testing::TestWithParam<Script> {
 protected:
  // On a slow machine the time limit must not stop a script before the limit of steps or memory does.
  void make_host(std::uint64_t steps_max) {
    if (is_expected(kSteps) || is_expected(kMemory)) limits_.cpu_time_max = std::chrono::minutes(1);
    limits_.steps_max = steps_max;
    host_ = LuaHost::make(limits_);
  }

  ScriptResult<void> load(const std::string& source) {
    const double start = test::cpu_seconds();
    auto loaded = host_->load(source, "hostile.lua");
    EXPECT_LT(test::cpu_seconds() - start, kSecondsMax);
    EXPECT_LE(host_->memory_used(), limits_.memory_bytes_max);
    return loaded;
  }

  // Calls a member of what the script returned.
  ScriptResult<void> call(const char* member) {
    const double start = test::cpu_seconds();
    auto called = host_->run([&](lua_State* state) {
      lua_getfield(state, 1, member);
      lua_call(state, 0, 1);
    });
    EXPECT_LT(test::cpu_seconds() - start, kSecondsMax);
    EXPECT_LE(host_->memory_used(), limits_.memory_bytes_max);
    return called;
  }

  bool is_expected(std::string_view what) const {
    return GetParam().expected != nullptr && GetParam().expected == what;
  }

  void expect_stopped(const ScriptResult<void>& ended) {
    if (GetParam().expected == nullptr) {
      EXPECT_TRUE(ended) << ended.error().text();
      return;
    }
    ASSERT_FALSE(ended) << "it ended well";
    const ScriptError& error = ended.error();
    EXPECT_EQ(error.file, "hostile.lua");
    EXPECT_EQ(error.line, 2) << error.text();
    if (is_expected(kStopped)) {
      EXPECT_THAT(error.fault, AnyOf(ScriptFault::kSteps, ScriptFault::kMemory, ScriptFault::kTime));
    } else if (is_expected(kSteps)) {
      EXPECT_EQ(error.fault, ScriptFault::kSteps);
      EXPECT_EQ(error.message,
                "took more than " + std::to_string(limits_.steps_max) + " steps: does it loop for ever?");
    } else {
      EXPECT_THAT(error.message, HasSubstr(GetParam().expected));
      EXPECT_EQ(error.fault, is_expected(kMemory) ? ScriptFault::kMemory
                             : is_expected(kTime) ? ScriptFault::kTime
                                                  : ScriptFault::kError);
    }
  }

  LuaLimits limits_;
  std::unique_ptr<LuaHost> host_;
};

TEST_P(HostileScriptTest, IsStoppedAndTheHostStaysUsable) {
  make_host(LuaLimits{}.steps_max);
  ASSERT_TRUE(load("return { hostile = function()\n" + std::string(GetParam().body) +
                   "\nend, good = function() local t = {} for i = 1, 100 do t[i] = 'k' .. i end "
                   "assert(table.concat(t):find('k99k100$')) end }"));
  expect_stopped(call("hostile"));
  const auto good = call("good");
  EXPECT_TRUE(good) << good.error().text();
}

TEST_P(HostileScriptTest, IsStoppedWhileLoading) {
  make_host(is_expected(kSteps) ? 1'000'000 : LuaLimits{}.steps_max);
  expect_stopped(load("local function body()\n" + std::string(GetParam().body) + "\nend\nbody() return 1"));
}

INSTANTIATE_TEST_SUITE_P(Scripts, HostileScriptTest, ::testing::ValuesIn(kScripts),
                         [](const auto& test) { return std::string(test.param.name); });

// Sources that are expensive to compile; the compiler runs no instructions that could be counted.
class HostileSourceTest : public ::testing::Test {
 protected:
  ScriptError load(const std::string& source) {
    const double start = test::cpu_seconds();
    auto host = LuaHost::make();
    const auto loaded = host->load(source, "hostile.lua");
    EXPECT_LT(test::cpu_seconds() - start, kSecondsMax);
    return loaded ? ScriptError{.message = "went well"} : loaded.error();
  }

  static std::string repeated(const std::string& text, int times) {
    std::string all;
    for (int i = 0; i < times; ++i) all += text;
    return all;
  }
};

TEST_F(HostileSourceTest, DeepNesting) {
  for (const char* opening : {"(", "{", "function() return ", "not ", "a.b(", "'x' .. "}) {
    const ScriptError error = load("return " + repeated(opening, 50'000));
    EXPECT_EQ(error.fault, ScriptFault::kSyntax);
    EXPECT_THAT(error.message, HasSubstr("overflow")) << opening;
  }
  EXPECT_THAT(load(repeated("do ", 100'000)).message, HasSubstr("overflow"));
}

TEST_F(HostileSourceTest, ManyDeclarations) {
  std::string locals = "local a0 = 0 ";
  for (int i = 1; i < 300; ++i) locals += "local a" + std::to_string(i) + " = 0 ";
  EXPECT_THAT(load(locals).message, HasSubstr("too many local variables"));

  std::string upvalues;
  for (int function = 0; function < 2; ++function) {
    upvalues += "local function f" + std::to_string(function) + "() ";
    for (int i = 0; i < 150; ++i) upvalues += "local a" + std::to_string(function * 1'000 + i) + " ";
  }
  upvalues += "return function() return 0";
  for (int i = 0; i < 150; ++i) upvalues += " + a" + std::to_string(i) + " + a" + std::to_string(1'000 + i);
  EXPECT_THAT(load(upvalues + " end end end").message, HasSubstr("too many upvalues"));

  std::string constants = "return {";
  for (int i = 0; i < 100'000; ++i) constants += "'" + std::to_string(i) + "',";
  EXPECT_EQ(load(constants + "}").message, "went well");
}

// The compiler searches each global name among the local variables of all enclosing functions.
TEST_F(HostileSourceTest, ManyNamesInNestedFunctions) {
  std::string source;
  for (int function = 0; function < 180; ++function) {
    source += "local function f() local a0";
    for (int i = 1; i < 190; ++i) source += ",a" + std::to_string(i);
    source += "\n";
  }
  while (source.size() < 1'000'000) source += "x=x ";
  source += repeated(" end", 180) + " return 1";
  const ScriptError error = load(source);
  EXPECT_EQ(error.fault, ScriptFault::kTime) << error.text();
}

TEST_F(HostileSourceTest, LongTokens) {
  EXPECT_THAT(load("return '" + std::string(1'000'000, 'x')).message, HasSubstr("unfinished string"));
  EXPECT_THAT(load("return [[" + std::string(1'000'000, 'x')).message, HasSubstr("unfinished long string"));
  EXPECT_EQ(load("return " + std::string(1'000'000, '1')).message, "went well");
  EXPECT_EQ(load("return " + std::string(500'000, 'x') + " or 1").message, "went well");
  EXPECT_THAT(load(std::string(1'000'000, '[')).message, HasSubstr("unfinished long string"));
}

TEST(HostileHostTest, OneHostSeesNothingOfAnother) {
  const auto first = LuaHost::make();
  ASSERT_TRUE(
      first->load("string.upper = nil; table.concat = nil; math.pi = 3; pcall = error; type = nil; "
                  "utf8.charpattern = ''; _G.tostring = nil; return 1",
                  "first.lua"));
  const auto second = LuaHost::make();
  const auto loaded = second->load(
      "assert(string.upper('a') == 'A' and table.concat {1, 2} == '12' and math.pi > 3.1 and pcall(type, 1) "
      "and "
      "utf8.charpattern ~= '' and tostring(1) == '1') return 1",
      "second.lua");
  EXPECT_TRUE(loaded) << loaded.error().text();
}

// Lua orders the keys of a table differently in each state; the sandbox's pairs() must not.
TEST(HostileHostTest, TheSameScriptGivesTheSameResultInEachHost) {
  constexpr const char* kScript = R"(
    local t = {}
    for i = 1, 300 do t['key' .. i * 7919 % 1000] = i end
    for i = 1, 50 do t[i * 31 % 97] = i; t[i / 8] = -i end
    t[true], t[false], t[null], t[DELETE], t[{}] = 1, 2, 3, 4, 5
    for i = 1, 300, 7 do t['key' .. i * 7919 % 1000] = nil end
    local seen = {}
    for key, value in pairs(t) do seen[#seen + 1] = tostring(key) .. '=' .. value end
    local key, value = next(t)
    while key ~= nil do
      seen[#seen + 1] = tostring(key) .. ':' .. value
      key, value = next(t, key)
    end
    local items = {}
    for i = 1, 500 do items[i] = { rank = i % 7, name = 'n' .. i } end
    table.sort(items, function(a, b) return a.rank < b.rank end)
    for _, item in ipairs(items) do seen[#seen + 1] = item.name end
    return table.concat(seen, ' ')
  )";
  std::string first;
  for (int i = 0; i < 20; ++i) {
    const auto host = LuaHost::make();
    const auto loaded = host->load(kScript, "same.lua");
    ASSERT_TRUE(loaded) << loaded.error().text();
    const std::string result = lua_tostring(host->state(), 1);
    if (i == 0) first = result;
    EXPECT_EQ(result, first);
  }
}

}  // namespace
}  // namespace cairn
