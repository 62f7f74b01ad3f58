#include <gtest/gtest.h>

#include <chrono>
#include <lua.hpp>
#include <memory>
#include <optional>
#include <vector>

#include "eventstore/base/names.h"
#include "tests/support/random.h"
#include "tests/support/scale.h"
#include "upcasters/lua/lua_host.h"
#include "upcasters/values/lua_event.h"

// Calls every function that scripts can reach with arguments of all kinds. Most calls fail; none may crash or
// break the host.
namespace cairn {
namespace {

// Collects the functions to call and the arguments. The functions are those reachable from _G and those that
// they return, such as iterators, which are called here with foreign arguments.
constexpr const char* kScript = R"(
  local functions, values = {}, {}
  local seen = {}
  local function gather(value)
    if seen[value] then return end
    if type(value) == 'function' then
      seen[value] = true
      functions[#functions + 1] = value
    elseif type(value) == 'table' then
      seen[value] = true
      for _, inner in pairs(value) do gather(inner) end
    end
  end
  gather(_G)
  for _, iterated in ipairs { {}, { 1, 2 }, { 1, nil, 3, x = 4 }, { a = 1, b = 2 }, _G } do gather((pairs(iterated))) end
  gather((ipairs({ 1, 2 })))
  gather((('abc'):gmatch('()(%a)')))
  gather((utf8.codes('aä')))
  gather((utf8.codes('aä', true)))
  gather(function(...) return ... end)
  gather(function() error('raised') end)

  local huge = math.maxinteger
  local list = table.pack(
    false, true, null, DELETE, 0, 1, -1, 2, 7, 100, huge, huge - 1, math.mininteger, math.mininteger + 1, 1 << 31, 1 << 32,
    -(1 << 31), 0.0, -0.0, 0.5, 1e15, 1e300, -1e300, 2^53, 2^63, -2^63, math.huge, -math.huge, 0 / 0,
    '', 'x', '1', '0x10', '1e1', 'abc', '#', '*t', 'aä€😀', '\xff', '\x80\x80', 'a\0b', 'rawset', ('x'):rep(2000),
    '%', '%%', '%s', '%d %s', '%q', '%5.2f%c', '%99d', '%i%u', '%p', '%a+', '[', '[^', '[%', '(', '()', '(a*)%1', '%b', '%bxy',
    '%f', '%f[%w]', '^$', '.-', '.*', ('a?'):rep(30), '!16i16', 'z', 's1', '<i4>d', 'c10', 'c99999999', 'Xi4', '!i99', ' <=> ', 'jnT',
    {}, { 1, 2, 3 }, { 'b', 'a', 'c' }, { a = 1 }, { 1, nil, 3, x = 4 }, { [1.5] = 1, [true] = 2, [null] = 3 },
    { [huge] = 1 }, { [math.mininteger] = 1 }, array {}, array { 1 }, upcaster {}, _G, math, string, table, utf8,
    { [1] = 1, [2] = 2, [4] = 4, [8] = 8, [16] = 16, [1 << 40] = 5 }, { {}, {} }, { n = 3 },
    pcall, pairs, error, next, string.rep, table.sort, function() end, function(...) return ... end,
    function() return true end, function() return {} end, function() error({}) end)
  for i = 1, list.n do values[i] = list[i] end
  return { functions = functions, values = values }
)";

class HostileCallTest : public ::testing::Test {
 protected:
  HostileCallTest() {
    event_.position = {7};
    event_.version = {3};
    event_.stream = "order-42";
    event_.type = "OrderPlaced";
    event_.metadata = R"({"user":"ann","roles":[]})";
  }

  // A new host, with an event and its iterator in addition.
  void make_host() {
    lua_event_.reset();
    LuaLimits limits;
    limits.memory_bytes_max = 1u << 20;
    limits.steps_max = 20'000;
    limits.cpu_time_max = std::chrono::seconds(10);
    host_ = LuaHost::make(limits);
    const auto loaded = host_->load(kScript, "gather.lua");
    ASSERT_TRUE(loaded) << loaded.error().text();
    lua_event_ = std::make_unique<LuaEvent>(*host_);
    const auto added = host_->run([&](lua_State* state) {
      lua_pushnil(state);
      lua_event_->push(event_, event_.type, -1);
      append(state, "values", -1);
      luaL_getmetafield(state, -1, "__pairs");
      lua_pushvalue(state, -2);
      lua_call(state, 1, 1);
      append(state, "functions", -1);
    });
    ASSERT_TRUE(added) << added.error().text();
    functions_ = length("functions");
    values_ = length("values");
    ASSERT_GT(functions_, 80);
    ASSERT_GT(values_, 90);
  }

  // Calls a function by its number; arguments are numbers of values, and 0 is nil. Functions that it returns
  // are added to the list. False when the host reached a limit.
  bool call(lua_Integer function, const std::vector<lua_Integer>& arguments) {
    const auto called = host_->run([&](lua_State* state) {
      luaL_checkstack(state, 10, "arguments");
      lua_getfield(state, 1, "functions");
      lua_getfield(state, 1, "values");
      lua_rawgeti(state, 2, function);
      for (const lua_Integer value : arguments) lua_rawgeti(state, 3, value);
      lua_call(state, static_cast<int>(arguments.size()), 1);
      if (lua_isfunction(state, -1) && functions_ < kFunctionsMax) {
        append(state, "functions", -1);
        ++functions_;
      }
    });
    if (called) return true;
    const ScriptError& error = called.error();
    EXPECT_TRUE(is_utf8(error.message)) << error.message;
    EXPECT_LT(error.message.size(), 2'100u);
    return error.fault == ScriptFault::kError;
  }

  void expect_good() {
    const auto ran = host_->run([](lua_State* state) {
      lua_pushliteral(state, "ab");
      lua_getfield(state, -1, "upper");
      lua_insert(state, -2);
      lua_call(state, 1, 1);
      EXPECT_STREQ(lua_tostring(state, -1), "AB");
    });
    EXPECT_TRUE(ran) << ran.error().text();
  }

  std::unique_ptr<LuaHost> host_;
  std::unique_ptr<LuaEvent> lua_event_;
  EventView event_;
  lua_Integer functions_ = 0;
  lua_Integer values_ = 0;

 private:
  static constexpr lua_Integer kFunctionsMax = 400;

  static void append(lua_State* state, const char* list, int index) {
    index = lua_absindex(state, index);
    lua_getfield(state, 1, list);
    lua_pushvalue(state, index);
    lua_rawseti(state, -2, static_cast<lua_Integer>(lua_rawlen(state, -2)) + 1);
    lua_pop(state, 1);
  }

  lua_Integer length(const char* list) {
    lua_Integer length = 0;
    const auto ran = host_->run([&](lua_State* state) {
      lua_getfield(state, 1, list);
      length = static_cast<lua_Integer>(lua_rawlen(state, -1));
    });
    EXPECT_TRUE(ran);
    return length;
  }
};

TEST_F(HostileCallTest, NoSingleArgumentBreaksTheHost) {
  make_host();
  const lua_Integer functions = functions_;
  const lua_Integer values = values_;
  for (lua_Integer function = 1; function <= functions; ++function) {
    make_host();
    call(function, {});
    for (lua_Integer value = 0; value <= values; ++value) call(function, {value});
    expect_good();
  }
}

TEST_F(HostileCallTest, NoCombinationOfArgumentsBreaksTheHost) {
  test::Random random("arguments of library functions");
  const std::size_t rounds = test::rounds(60, 3'000);
  for (std::size_t round = 0; round < rounds; ++round) {
    make_host();
    for (int i = 0; i < 1'000; ++i) {
      std::vector<lua_Integer> arguments(random.between(0, 4));
      for (lua_Integer& value : arguments)
        value = static_cast<lua_Integer>(random.between(0, static_cast<std::uint64_t>(values_)));
      const auto function =
          static_cast<lua_Integer>(random.between(1, static_cast<std::uint64_t>(functions_)));
      if (!call(function, arguments) && random.one_in(4)) break;
    }
  }
}

}  // namespace
}  // namespace cairn
