#include "upcasters/lua/lua_host.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <lua.hpp>
#include <stdexcept>
#include <string>
#include <vector>

#include "eventstore/base/names.h"
#include "tests/support/scale.h"
#include "upcasters/lua/lua_values.h"

namespace cairn {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;

// A host with a script. Most scripts return a function, which the test then calls.
class LuaHostTest : public ::testing::Test {
 protected:
  ScriptResult<void> load(std::string_view source) {
    host_ = LuaHost::make(limits_, [this](std::string_view text) { logged_.emplace_back(text); });
    return host_->load(source, "test.lua");
  }

  ScriptError load_failing(std::string_view source) {
    const auto loaded = load(source);
    EXPECT_FALSE(loaded) << "went well: " << source;
    return loaded ? ScriptError{} : loaded.error();
  }

  // Calls the function the script returned. What it returns is in `answer_` as text.
  ScriptResult<void> call() {
    answer_.clear();
    return host_->run([&](lua_State* state) {
      lua_pushvalue(state, 1);
      lua_call(state, 0, 1);
      answer_ = text_of(state, -1);
    });
  }

  // What an expression is, or the message of its error. Each in a host of its own.
  std::string value(const std::string& expression) {
    const auto loaded = load("return function() return " + expression + " end");
    return loaded ? called() : loaded.error().text();
  }

  std::string result(const std::string& statements) {
    const auto loaded = load("return function() " + statements + " end");
    return loaded ? called() : loaded.error().text();
  }

  // What call() leaves in `answer_`, or the message of its error.
  std::string called() {
    const auto ran = call();
    return ran ? answer_ : ran.error().message;
  }

  static std::string text_of(lua_State* state, int index) {
    if (is_null(state, index)) return "null";
    std::size_t size = 0;
    const char* const text = luaL_tolstring(state, index, &size);
    std::string copy(text, size);
    lua_pop(state, 1);
    return copy;
  }

  LuaLimits limits_;
  std::unique_ptr<LuaHost> host_;
  std::string answer_;
  std::vector<std::string> logged_;
};

TEST_F(LuaHostTest, WhatAScriptReturnsIsAtTheBottomOfTheStack) {
  EXPECT_TRUE(load("return 41 + 1"));
  EXPECT_EQ(lua_gettop(host_->state()), 1);
  EXPECT_EQ(lua_tointeger(host_->state(), 1), 42);
  EXPECT_TRUE(host_->run([](lua_State* state) {
    EXPECT_EQ(lua_gettop(state), 1);
    EXPECT_EQ(lua_tointeger(state, 1), 42);
    lua_pushliteral(state, "left behind");
  }));
  EXPECT_EQ(lua_gettop(host_->state()), 1);
}

TEST_F(LuaHostTest, AFunctionIsCalledAgainAndAgain) {
  ASSERT_TRUE(load("local n = 0; return function() n = n + 1; return n end"));
  for (int i = 1; i <= 3; ++i) {
    EXPECT_TRUE(call());
    EXPECT_EQ(answer_, std::to_string(i));
  }
}

TEST_F(LuaHostTest, ErrorsHaveFileAndLine) {
  const ScriptError syntax = load_failing("local x\n\nx = = 2");
  EXPECT_EQ(syntax.fault, ScriptFault::kSyntax);
  EXPECT_EQ(syntax.file, "test.lua");
  EXPECT_EQ(syntax.line, 3);
  EXPECT_EQ(syntax.message, "unexpected symbol near '='");

  const ScriptError raised = load_failing("local t = {}\nlocal u = t.total.amount");
  EXPECT_EQ(raised.fault, ScriptFault::kError);
  EXPECT_EQ(raised.text(), "test.lua:2: attempt to index a nil value (field 'total')");
  EXPECT_EQ(load_failing("\nerror('no', 0)").text(), "test.lua:2: no");
  EXPECT_EQ(load_failing("\nstring.rep()").text(),
            "test.lua:2: bad argument #1 to 'rep' (string expected, got no value)");
}

TEST_F(LuaHostTest, AnErrorOfTheCallersLineSaysSo) {
  EXPECT_EQ(load_failing("local function check() error('too small', 2) end\n\ncheck()").text(),
            "test.lua:3: too small");
}

TEST_F(LuaHostTest, ErrorsThatAreNotTextAreDescribed) {
  EXPECT_EQ(load_failing("error({1})").message, "an error that is a table");
  EXPECT_EQ(load_failing("error()").message, "an error that is nil");
  EXPECT_EQ(load_failing("error(12)").message, "12");
  EXPECT_EQ(load_failing("local t = {a = null}; return t.a.b").text(),
            "test.lua:1: attempt to index a null value (field 'a')");
}

TEST_F(LuaHostTest, MessagesSayNullAndDelete) {
  EXPECT_EQ(value("1 < null"), "attempt to compare number with null");
  EXPECT_EQ(value("null < 1"), "attempt to compare null with number");
  EXPECT_EQ(value("null < null"), "attempt to compare two null values");
  EXPECT_EQ(value("null < DELETE"), "attempt to compare null with DELETE");
  EXPECT_EQ(value("DELETE < DELETE"), "attempt to compare two DELETE values");
  EXPECT_EQ(value("null + 1"), "attempt to perform arithmetic on a null value (global 'null')");
  EXPECT_EQ(value("'1' + null"), "attempt to add a 'string' with a 'null'");
  EXPECT_EQ(value("'1' + DELETE"), "attempt to perform arithmetic on a DELETE value");
  EXPECT_EQ(value("DELETE // 2"), "attempt to perform arithmetic on a DELETE value");
  EXPECT_EQ(value("DELETE .. 'x'"), "attempt to concatenate a DELETE value (global 'DELETE')");
  EXPECT_EQ(value("DELETE.x"), "attempt to index a DELETE value (global 'DELETE')");
  EXPECT_EQ(value("#null"), "attempt to get length of a null value (global 'null')");
  EXPECT_EQ(result("local userdata = {} userdata.userdata.x = 1"),
            "attempt to index a nil value (field 'userdata')");
  EXPECT_EQ(result("for i = 1, null do end"), "bad 'for' limit (number expected, got null)");
  EXPECT_EQ(value("math.floor(DELETE)"), "bad argument #1 to 'floor' (number expected, got DELETE)");
  EXPECT_EQ(value("('x'):gsub('x', function() return null end)"), "invalid replacement value (a null)");
  EXPECT_EQ(value("('x'):gsub('x', function() return DELETE end)"), "invalid replacement value (a DELETE)");
  EXPECT_EQ(result("error(null)"), "an error that is null");
  EXPECT_EQ(result("error(DELETE)"), "an error that is DELETE");
  EXPECT_EQ(result("error('no userdata', 0)"), "no userdata");
  EXPECT_EQ(value("tostring(DELETE == DELETE and DELETE ~= null) .. tostring(({[DELETE] = 1})[DELETE])"),
            "true1");
}

TEST_F(LuaHostTest, ALongMessageIsCutAndALongFileNameIsNot) {
  const ScriptError error = load_failing("error(('x'):rep(1e6))");
  EXPECT_LT(error.message.size(), 2'100u);

  host_ = LuaHost::make();
  const std::string file = std::string(100, 'd') + "/" + std::string(100, 'n') + ".lua";
  const auto with_file = host_->load("\nlocal x = nil + 1", file);
  ASSERT_FALSE(with_file);
  EXPECT_EQ(with_file.error().text(), file + ":2: attempt to perform arithmetic on a nil value");
  host_ = LuaHost::make();
  const auto syntax = host_->load("\n=", file);
  ASSERT_FALSE(syntax);
  EXPECT_EQ(syntax.error().text(), file + ":2: unexpected symbol near '='");
}

TEST_F(LuaHostTest, AMessageIsUtf8WhateverTheScriptSays) {
  EXPECT_EQ(load_failing("error('a\\xffb', 0)").message, "a\uFFFDb");
  EXPECT_EQ(load_failing("local t = {} return t['\\xff'].x").message,
            "attempt to index a nil value (field '\uFFFD')");
  for (const char* part : {"\\xff", "ä", "€", "😀", "\\xe2\\x82"}) {
    for (const char* before : {"", "x", "xy", "xyz"}) {
      const std::string message =
          load_failing("error('" + std::string(before) + "' .. ('" + part + "'):rep(3000), 0)").message;
      EXPECT_TRUE(is_utf8(message)) << part;
      EXPECT_LT(message.size(), 2'100u);
    }
  }
}

TEST_F(LuaHostTest, AScriptReturnsOneValue) {
  EXPECT_THAT(load_failing("local x = 1").message, HasSubstr("returns nothing: end it with"));
  EXPECT_THAT(load_failing("return nil").message, HasSubstr("returns nothing"));
  EXPECT_THAT(load_failing("return 1, 2").message, HasSubstr("returns 2 values"));
  EXPECT_THAT(load_failing("return table.unpack({}, 1, 900000)").message, HasSubstr("returns 900000 values"));
  EXPECT_EQ(lua_gettop(host_->state()), 0);
}

TEST_F(LuaHostTest, OnlyTextIsAccepted) {
  lua_State* const plain = luaL_newstate();
  ASSERT_EQ(luaL_loadstring(plain, "return 1"), LUA_OK);
  std::string compiled;
  lua_dump(
      plain,
      [](lua_State*, const void* piece, std::size_t size, void* to) {
        static_cast<std::string*>(to)->append(static_cast<const char*>(piece), size);
        return 0;
      },
      &compiled, 0);
  lua_close(plain);
  EXPECT_THAT(load_failing(compiled).message, HasSubstr("compiled Lua"));
  EXPECT_THAT(load_failing(std::string_view("return 1\0", 9)).message, HasSubstr("byte 0"));
  EXPECT_THAT(load_failing(std::string(2u << 20, ' ')).message, HasSubstr("at most 1048576"));
  EXPECT_THAT(load_failing("local _ENV <const> = 1; x = 2").message, HasSubstr("'_ENV' is not there"));
  EXPECT_EQ(load_failing("\xff").message, "the script is not UTF-8, at line 1");
  EXPECT_EQ(load_failing("return\n'ä'\n .. '\xe4'\n .. 'x'").message, "the script is not UTF-8, at line 3");
  EXPECT_EQ(load_failing("return\n'\xe2").message, "the script is not UTF-8, at line 2");
  EXPECT_TRUE(load("\xef\xbb\xbfreturn 1"));
  EXPECT_TRUE(load("local MY_ENV, _ENVIRON = 1, 2 return MY_ENV"));
}

TEST_F(LuaHostTest, GlobalsAreSetWhileLoadingOnly) {
  ASSERT_TRUE(
      load("function helper() return 'helped' end\n"
           "return function() return helper() end"));
  EXPECT_TRUE(call());
  EXPECT_EQ(answer_, "helped");
  const std::string refused =
      "the global variable 'count' cannot be set: what one call leaves behind another could see; use local";
  EXPECT_EQ(result("count = 1"), refused);
  EXPECT_EQ(result("_G.count = 1"), refused);
  EXPECT_THAT(result("pcall = nil"), HasSubstr("the global variable 'pcall' cannot be set"));
  EXPECT_EQ(result("rawset(_G, 'count', 1)"), refused);
  EXPECT_THAT(result("table.insert(_G, 1)"), HasSubstr("the global variable '1' cannot be set"));
  EXPECT_THAT(result("table.move({7}, 1, 1, 1, _G)"), HasSubstr("cannot be set"));
  ASSERT_TRUE(load("count = 1; return function() count = 2 end"));
  EXPECT_EQ(call().error().message, refused);
  ASSERT_TRUE(load("rawset(_G, 'count', 5); return function() return rawget(_G, 'count') + count end"));
  EXPECT_TRUE(call());
  EXPECT_EQ(answer_, "10");
}

TEST_F(LuaHostTest, PairsDoesNotExposeTheGlobalsTable) {
  EXPECT_EQ(
      result("local _, g = pairs(_G); g.count = 1"),
      "the global variable 'count' cannot be set: what one call leaves behind another could see; use local");
  EXPECT_EQ(result("local _, g = pairs(_G); return g == _G"), "true");
  EXPECT_EQ(result("local n = 0; for name, value in pairs(_G) do assert(_G[name] == value); n = n + 1 end; "
                   "return n > 20"),
            "true");
}

// Also when another caller passes another table.
TEST_F(LuaHostTest, AnIteratorVisitsItsOwnTable) {
  for (const char* arguments : {"", "5", "'text'", "nil", "{9}", "null", "true", "pairs"}) {
    EXPECT_EQ(result("local f = pairs({7, 8}); local k, v = f(" + std::string(arguments) +
                     "); return k .. ' ' .. v"),
              "1 7")
        << arguments;
    EXPECT_EQ(result("local f = pairs({a = 7}); local k, v = f(" + std::string(arguments) +
                     "); return k .. ' ' .. v"),
              "a 7")
        << arguments;
  }
}

TEST_F(LuaHostTest, NoKeyIsNan) {
  EXPECT_EQ(result("return next({1, 2, 2.5}, 0/0)"), "invalid key to 'next': nan is none");
  EXPECT_EQ(result("return next({}, 0/0)"), "invalid key to 'next': nan is none");
  EXPECT_EQ(result("return next({1, 2, 3}, 1.5)"), "2");
}

TEST_F(LuaHostTest, UnknownGlobalsAreNilAndWithheldOnesSayWhy) {
  EXPECT_EQ(value("nothing"), "nil");
  EXPECT_EQ(value("os.time()"), "'os' is not there for scripts: a script gives the same result on every run");
  for (const char* name : {"io", "require", "load", "loadstring", "dofile", "loadfile", "debug", "package",
                           "coroutine", "collectgarbage", "print", "warn", "setmetatable", "getmetatable"}) {
    EXPECT_THAT(value(name), HasSubstr("'" + std::string(name) + "' is not there for scripts")) << name;
  }
  EXPECT_THAT(value("math.random(3)"), HasSubstr("'math.random' is not there"));
  EXPECT_THAT(value("math.randomseed"), HasSubstr("'math.randomseed' is not there"));
  EXPECT_THAT(value("string.dump(type)"), HasSubstr("'string.dump' is not there"));
  EXPECT_EQ(value("math.nothing"), "nil");
}

TEST_F(LuaHostTest, TheListOfGlobalsIsComplete) {
  ASSERT_TRUE(
      load("local names = {}\n"
           "for name, value in pairs(_G) do\n"
           "  if type(value) == 'table' and value ~= _G then\n"
           "    for inner in pairs(value) do names[#names + 1] = name .. '.' .. inner end\n"
           "  else names[#names + 1] = name end\n"
           "end\n"
           "table.sort(names)\n"
           "return function() return table.concat(names, ' ') end"));
  ASSERT_TRUE(call());
  EXPECT_EQ(
      answer_,
      "DELETE _G _VERSION aggregate array assert error ipairs log "
      "math.abs math.acos math.asin math.atan math.ceil math.cos math.deg math.exp math.floor math.fmod "
      "math.huge math.log math.max math.maxinteger math.min math.mininteger math.modf math.pi math.rad "
      "math.sin math.sqrt math.tan math.tointeger math.type math.ult "
      "next null pairs pcall projection rawequal rawget rawlen rawset select "
      "string.byte string.char string.find string.format string.gmatch string.gsub string.len string.lower "
      "string.match string.pack string.packsize string.rep string.reverse string.sub string.unpack "
      "string.upper "
      "table.concat table.insert table.move table.pack table.remove table.sort table.unpack "
      "tonumber tostring type upcaster "
      "utf8.char utf8.charpattern utf8.codepoint utf8.codes utf8.len utf8.offset xpcall");
}

TEST_F(LuaHostTest, ValuesShowNoAddresses) {
  EXPECT_EQ(value("tostring({}) .. tostring(print == nil or type) .. tostring(DELETE) .. tostring(null)"),
            "'print' is not there for scripts: use log(text)");
  EXPECT_EQ(
      value("tostring({}) .. ' ' .. tostring(type) .. ' ' .. tostring(DELETE) .. ' ' .. tostring(null)"),
      "table function DELETE null");
  EXPECT_EQ(value("string.format('%s %5s|%-6s|%d%% %s', {}, null, true, 7, 1.5)"),
            "table  null|true  |7% 1.5");
  EXPECT_THAT(value("string.format('%p', {})"), HasSubstr("'%p' is not there"));
  EXPECT_THAT(value("('%-10p'):format({})"), HasSubstr("'%p' is not there"));
  EXPECT_THAT(value("string.format('%s')"), HasSubstr("bad argument #2 to 'format'"));
  EXPECT_EQ(value("type(null) .. ' ' .. type(nil) .. ' ' .. type(DELETE) .. ' ' .. type(type)"),
            "null nil userdata function");
  EXPECT_EQ(value("null == null and null ~= nil and DELETE ~= null"), "true");
  EXPECT_EQ(value("math.floor(null)"), "bad argument #1 to 'floor' (number expected, got null)");
}

TEST_F(LuaHostTest, MethodsOfStringsCannotBeChanged) {
  EXPECT_EQ(value("('abc'):upper() .. ('x'):rep(3, '-') .. #('äö')"), "ABCx-x-x4");
  EXPECT_EQ(value("'10' + 5"), "15");
  ASSERT_TRUE(
      load("string.upper = nil; string.lower = function() return 'mine' end\n"
           "return function() return ('aB'):upper() .. ('aB'):lower() .. tostring(string.upper) end"));
  EXPECT_TRUE(call());
  EXPECT_EQ(answer_, "ABabnil");
  EXPECT_EQ(value("string.lower('AB')"), "ab") << "another host";
}

TEST_F(LuaHostTest, DefinitionsAreMarked) {
  for (const std::string kind : {"upcaster", "projection", "aggregate"}) {
    ASSERT_TRUE(load("return " + kind + " { from = 1 }"));
    EXPECT_EQ(definition_kind(host_->state(), 1), kind);
  }
  ASSERT_TRUE(load("return { from = 1 }"));
  EXPECT_EQ(definition_kind(host_->state(), 1), "");
  ASSERT_TRUE(load("return array { 1 }"));
  EXPECT_EQ(definition_kind(host_->state(), 1), "");
  ASSERT_TRUE(load("return 'upcaster'"));
  EXPECT_EQ(definition_kind(host_->state(), 1), "");
  EXPECT_EQ(load_failing("return upcaster()").message, "upcaster takes one table");
  EXPECT_EQ(load_failing("return upcaster(1)").message, "upcaster takes one table");
  EXPECT_EQ(load_failing("return projection({}, {})").message, "projection takes one table");
  EXPECT_THAT(load_failing("return projection(upcaster {})").message, HasSubstr("already has a meaning"));
  EXPECT_THAT(load_failing("return array(upcaster {})").message, HasSubstr("already has a meaning"));
  EXPECT_THAT(load_failing("return upcaster(math)").message, HasSubstr("already has a meaning"));
}

TEST_F(LuaHostTest, ArraysAreMarked) {
  for (const char* script :
       {"return array {}", "return array {1, 2}", "return array()", "return array(array {})"}) {
    ASSERT_TRUE(load(script));
    EXPECT_TRUE(is_marked_array(host_->state(), 1)) << script;
  }
  ASSERT_TRUE(load("return {}"));
  EXPECT_FALSE(is_marked_array(host_->state(), 1));
  EXPECT_EQ(load_failing("return array('a')").message,
            "bad argument #1 to 'array' (table expected, got string)");
}

TEST_F(LuaHostTest, LoggedTextIsCutAndCounted) {
  EXPECT_EQ(result("log('one\\ntwo\\0three') log(7) log({}) log(null)"), "nil");
  EXPECT_THAT(logged_, ElementsAre("one two three", "7", "table", "null"));
  logged_.clear();
  EXPECT_EQ(result("log(('ä'):rep(1000)) log('x' .. ('ä'):rep(1000))"), "nil");
  ASSERT_THAT(logged_, SizeIs(2));
  EXPECT_EQ(logged_[0].size(), 1'000u + 3);
  EXPECT_EQ(logged_[1].size(), 999u + 3) << "no half characters";
  logged_.clear();
  EXPECT_EQ(result("log('a\\xffb') log(('\\xff'):rep(5000))"), "nil");
  ASSERT_THAT(logged_, SizeIs(2));
  EXPECT_EQ(logged_[0], "a\uFFFDb");
  EXPECT_TRUE(is_utf8(logged_[1]));
  EXPECT_LE(logged_[1].size(), 1'000u + 3);
  logged_.clear();
  EXPECT_EQ(result("for i = 1, 1000 do log(i) end"), "nil");
  EXPECT_THAT(logged_, SizeIs(100));
  EXPECT_TRUE(call());
  EXPECT_THAT(logged_, SizeIs(200)) << "each call has its own lines";
}

TEST_F(LuaHostTest, ErrorsCanBeCaught) {
  EXPECT_EQ(result("local ok, e = pcall(error, 'no'); return tostring(ok) .. e"), "falseno");
  EXPECT_EQ(result("return select('#', pcall(function(...) return ... end, 1, nil, 3))"), "4");
  EXPECT_EQ(result("local ok, e = pcall(function() local x = nil; return x.y end); return e"),
            "test.lua:1: attempt to index a nil value (local 'x')");
  EXPECT_EQ(
      result("return table.concat({select(2, xpcall(function(a, b) return b, a end, error, 1, 2))}, ',')"),
      "2,1");
  EXPECT_EQ(
      result("local ok, e = xpcall(error, function(m) return m .. '!' end, 'no'); return tostring(ok) .. e"),
      "falseno!");
  EXPECT_EQ(
      result(
          "local ok, e = xpcall(error, function(m) error('worse', 0) end, 'no'); return tostring(ok) .. e"),
      "falseworse");
  EXPECT_EQ(value("pcall()"), "bad argument #1 to 'pcall' (value expected)");
}

TEST_F(LuaHostTest, EndlessRecursionIsAnErrorLikeAnother) {
  EXPECT_THAT(result("local function f() return 1 + f() end return f()"), HasSubstr("stack overflow"));
  EXPECT_EQ(result("local function f() return 1 + f() end; local ok, e = pcall(f); return ok"), "false");
  EXPECT_EQ(result("local function f(n) if n == 0 then return 0 end return 1 + f(n - 1) end return f(9000)"),
            "9000");
}

TEST_F(LuaHostTest, AllocationsTakeSteps) {
  const std::string few = "local s = ('x'):rep(1e6) for i = 1, 100 do local t = s .. i end";
  const std::string many = "local s = ('x'):rep(1e6) for i = 1, 1000 do local t = s .. i end";
  limits_.cpu_time_max *= test::kSanitizerDivisor;  // which makes memory slower than steps
  EXPECT_EQ(result(few), "nil");
  EXPECT_THAT(result(many), HasSubstr("took more than 10000000 steps"));
}

TEST_F(LuaHostTest, AnExceptionOfTheBodyIsRethrown) {
  ASSERT_TRUE(load("return 1"));
  EXPECT_THROW((void)host_->run([](lua_State* state) {
    lua_pushnil(state);
    throw std::runtime_error("ours");
  }),
               std::runtime_error);
  EXPECT_EQ(lua_gettop(host_->state()), 1);
  EXPECT_TRUE(host_->run([](lua_State*) {}));
}

TEST_F(LuaHostTest, ABodyIsChargedForItsWork) {
  ASSERT_TRUE(load("return 1"));
  const auto ran = host_->run([](lua_State* state) {
    for (;;) LuaHost::charge(state, 100'000);
  });
  ASSERT_FALSE(ran);
  EXPECT_EQ(ran.error().fault, ScriptFault::kSteps);
  EXPECT_EQ(ran.error().message, "took more than 10000000 steps: does it loop for ever?");
  EXPECT_EQ(ran.error().line, 0);
  const auto huge = host_->run([](lua_State* state) { LuaHost::charge(state, ~std::uint64_t{0}); });
  EXPECT_EQ(huge.error().fault, ScriptFault::kSteps);
  EXPECT_TRUE(host_->run([](lua_State* state) { LuaHost::charge(state, 9'000'000); }));
}

}  // namespace
}  // namespace cairn
