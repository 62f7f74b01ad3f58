#include "upcasters/lua/lua_account.h"

#include <gtest/gtest.h>

#include <chrono>
#include <lua.hpp>
#include <memory>
#include <optional>
#include <string>

#include "tests/support/cpu_time.h"
#include "tests/support/scale.h"
#include "upcasters/lua/lua_host.h"

namespace cairn {
namespace {

// Two functions of one script, `first` and `second`, and how `second` ends.
class LuaAccountTest : public ::testing::Test {
 protected:
  void load(const std::string& source) {
    host_ = LuaHost::make(limits_);
    const auto loaded = host_->load(source, "test.lua");
    ASSERT_TRUE(loaded) << loaded.error().text();
  }

  ScriptResult<void> call(const char* function, lua_Integer argument = 0) {
    return host_->run([&](lua_State* state) {
      lua_getfield(state, 1, function);
      lua_pushinteger(state, argument);
      lua_call(state, 1, 0);
    });
  }

  std::string outcome(lua_Integer argument) {
    const auto called = call("second", argument);
    return called ? "ended well" : called.error().text();
  }

  LuaLimits limits_;
  std::unique_ptr<LuaHost> host_;
};

std::string two_functions(const std::string& first, const std::string& second) {
  return "return { first = function(n) " + first + " end, second = function(n) " + second + " end }";
}

// Leaves a megabyte of garbage, in blocks that are not large.
constexpr const char* kGarbage = "local t = {} for i = 1, 11 do t[i] = ('x'):rep(100000 + i) end";

// A library function allocates its buffer directly; Lua itself would have collected the garbage first.
TEST_F(LuaAccountTest, GarbageOfEarlierCallsIsNoReasonToRefuseMemory) {
  limits_.memory_bytes_max = 2'500'000;
  // Each makes a text of n times 25,000 bytes out of little.
  for (const char* second : {
           "return ('x'):rep(n * 25000)",
           "return ('x'):rep(n, ('y'):rep(24999))",
           "local p, t = ('x'):rep(25000), {} for i = 1, n do t[i] = p end return table.concat(t)",
           "return (('x'):rep(n):gsub('x', ('y'):rep(25000)))",
           "return (('x'):rep(n):gsub('x', function() return ('y'):rep(25000) end))",
           "return (('x'):rep(25000):gsub('.+', ('%0'):rep(n)))",
           "local p, t = ('x'):rep(25000), {} for i = 1, n do t[i] = p end "
           "return (('%s'):rep(n)):format(table.unpack(t))",
           "local p = ('x'):rep(25000) return (('%q'):rep(1)):format(p:rep(n))",
           "return string.pack('c' .. n * 25000, 'x')",
           "local p, t = ('x'):rep(25000), {} for i = 1, n do t[i] = p end "
           "return string.pack(('z'):rep(n), table.unpack(t))",
           "return ('x'):rep(n * 25000):upper()",
           "return ('x'):rep(n * 25000):reverse() .. 'y'",
           "return utf8.char(table.unpack(table.pack(('x'):rep(n * 100):byte(1, -1))))",
       }) {
    int ended_well = 0;
    for (lua_Integer n = 1; n < 60; ++n) {
      load(two_functions(kGarbage, second));
      const std::string fresh = outcome(n);
      load(two_functions(kGarbage, second));
      ASSERT_TRUE(call("first"));
      EXPECT_EQ(outcome(n), fresh) << second << " of " << n;
      load(two_functions(kGarbage, "pcall(function() " + std::string(second) + " end)"));
      ASSERT_TRUE(call("first"));
      EXPECT_EQ(outcome(n), fresh) << "in pcall: " << second << " of " << n;
      EXPECT_TRUE(fresh == "ended well" || fresh == "test.lua:1: wanted more than 2441 KiB of memory")
          << fresh;
      if (fresh == "ended well") ++ended_well;
    }
    EXPECT_GT(ended_well, 0) << second;
  }
}

TEST_F(LuaAccountTest, AStackThatCannotGrowIsLackOfMemory) {
  limits_.memory_bytes_max = 2u << 20;
  load(two_functions("", "pcall(table.unpack, {}, 1, 900000)"));
  EXPECT_EQ(outcome(0), "test.lua:1: wanted more than 2 MiB of memory");
  load(two_functions("", "pcall(table.unpack, {}, 1, 1000) pcall(table.unpack, {}, 1, 1e9)"));
  EXPECT_EQ(outcome(0), "ended well");
}

// Lua recognises a memory error by the text of its message.
TEST_F(LuaAccountTest, AScriptMayRaiseTheTextOfAMemoryError) {
  load(two_functions("error('not enough memory', 0)",
                     "assert(select(2, pcall(error, 'not enough memory', 0)) == 'not enough memory')"));
  const auto called = call("first");
  ASSERT_FALSE(called);
  EXPECT_EQ(called.error().fault, ScriptFault::kError);
  EXPECT_EQ(called.error().message, "not enough memory");
  EXPECT_EQ(outcome(0), "ended well");
}

// Large strings make hooks more frequent; the steps of a call must not depend on strings of earlier calls.
TEST_F(LuaAccountTest, StepsAreCountedAlikeAfterALargeEvent) {
  limits_.steps_max = 1'000'000;
  for (lua_Integer n = 999'000; n < 1'002'000; n += 100) {
    const std::string source = two_functions("local s = ('x'):rep(n)", "for i = 1, n do end");
    load(source);
    const std::string fresh = outcome(n);
    load(source);
    ASSERT_TRUE(call("first", 8'000'000));
    EXPECT_EQ(outcome(n), fresh) << n;
    ASSERT_TRUE(call("first", 300'000));
    EXPECT_EQ(outcome(n), fresh) << n;
  }
}

// A script may keep values that a call made, or that loading made.
TEST_F(LuaAccountTest, TheClockIsCheckedOftenWhileALargeStringExists) {
  for (const char* script : {"local s = ('\\0'):rep(6e6) return { first = function() end, second = "
                             "function() while s <= s do end end }",
                             "local s return { first = function() s = ('\\0'):rep(6e6) end, second = "
                             "function() while s <= s do end end "
                             "}"}) {
    load(script);
    for (int i = 0; i < 3; ++i) ASSERT_TRUE(call("first"));
    const double start = test::cpu_seconds();
    const auto called = call("second");
    EXPECT_LT(test::cpu_seconds() - start, 2.0 * test::kSanitizerDivisor);
    ASSERT_FALSE(called);
    EXPECT_EQ(called.error().fault, ScriptFault::kTime);
  }
}

}  // namespace
}  // namespace cairn
