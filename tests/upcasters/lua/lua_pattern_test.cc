#include "upcasters/lua/lua_pattern.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <lua.hpp>
#include <memory>
#include <string>
#include <vector>

#include "tests/support/random.h"
#include "upcasters/lua/byte_classes.h"
#include "upcasters/lua/lua_host.h"

namespace cairn {
namespace {

using ::testing::HasSubstr;

// Lua functions that call one string function and return all its results as one text. They run in a host and
// in plain Lua, which must agree.
constexpr const char* kAsk = R"(
local function show(...)
  local shown = {}
  for i = 1, select('#', ...) do
    local value = select(i, ...)
    shown[i] = type(value) == 'string' and '<' .. value .. '>' or tostring(value)
  end
  return table.concat(shown, ' ')
end
local function try(f, ...)
  local function tail(ok, ...)
    return ok and show(...) or 'error: ' .. tostring((...)):gsub('^[^:]*:%d+: ', '')
  end
  return (tail(pcall(f, ...)))
end
local function each(s, p, init)
  local all = {}
  for a, b, c in string.gmatch(s, p, init) do all[#all + 1] = show(a, b, c) end
  return table.unpack(all)
end
return {
  find = function(s, p, init) return try(string.find, s, p, init) end,
  match = function(s, p, init) return try(string.match, s, p, init) end,
  gmatch = function(s, p, init) return try(each, s, p, init) end,
  gsub = function(s, p, r) return try(string.gsub, s, p, r) end,
  gsub_table = function(s, p, r) return try(string.gsub, s, p, {a = 'A', b = false, [1] = 'one', ab = 12}) end,
  gsub_function = function(s, p, r)
    return try(string.gsub, s, p, function(x, y) if y then return x .. '|' .. y end return x ~= 'a' and r end, 3)
  end,
}
)";

// Calls one of the functions above in the state on top of whose stack they are.
std::string ask(lua_State* state, const char* function, std::string_view subject, std::string_view pattern,
                std::string_view third) {
  lua_getfield(state, -1, function);
  lua_pushlstring(state, subject.data(), subject.size());
  lua_pushlstring(state, pattern.data(), pattern.size());
  if (third.empty()) {
    lua_pushnil(state);
  } else {
    lua_pushlstring(state, third.data(), third.size());
  }
  lua_call(state, 3, 1);
  std::size_t size = 0;
  const char* const text = lua_tolstring(state, -1, &size);
  std::string answer(text, size);
  lua_pop(state, 1);
  return answer;
}

class LuaPatternTest : public ::testing::Test {
 protected:
  // The time limit must not stop a pattern on a slow machine.
  LuaPatternTest()
      : host_(LuaHost::make({.cpu_time_max = std::chrono::minutes(1)})), plain_(luaL_newstate()) {
    EXPECT_TRUE(host_->load(kAsk, "ask.lua"));
    luaL_openlibs(plain_);
    EXPECT_EQ(luaL_loadbuffer(plain_, kAsk, std::string_view(kAsk).size(), "=ask.lua"), LUA_OK);
    EXPECT_EQ(lua_pcall(plain_, 0, 1, 0), LUA_OK);
  }
  ~LuaPatternTest() override { lua_close(plain_); }

  std::string ours(const char* function, std::string_view subject, std::string_view pattern,
                   std::string_view third = {}) {
    std::string answer;
    const auto ran =
        host_->run([&](lua_State* state) { answer = ask(state, function, subject, pattern, third); });
    return ran ? answer : "stopped: " + ran.error().message;
  }

  std::string lua_s(const char* function, std::string_view subject, std::string_view pattern,
                    std::string_view third = {}) {
    return ask(plain_, function, subject, pattern, third);
  }

  std::unique_ptr<LuaHost> host_;
  lua_State* plain_;
};

struct Case {
  const char* function;
  std::string_view subject;
  std::string_view pattern;
  std::string_view third;
  std::string_view answer;
};

using namespace std::string_view_literals;

constexpr Case kCases[] = {
    {"find", "hello world", "wor", "", "7 9"},
    {"find", "hello", "xyz", "", "nil"},
    {"find", "hello", "l+", "", "3 4"},
    {"find", "hello", "(h)(e)()", "", "1 2 <h> <e> 3"},
    {"find", "hello", "", "", "1 0"},
    {"find", "hello", "", "6", "6 5"},
    {"find", "hello", "", "7", "nil"},
    {"find", "hello", "l", "-2", "4 4"},
    {"find", "hello", "h", "-100", "1 1"},
    {"find", "hello", "^l", "3", "3 3"},
    {"find", "a\0b\0c"sv, "\0c"sv, "", "4 5"},
    {"find", "a.b", ".", "2", "2 2"},
    {"match", "key = value", "^(%w+)%s*=%s*(%w+)$", "", "<key> <value>"},
    {"match", "2024-05-17", "(%d+)-(%d+)-(%d+)", "", "<2024> <05> <17>"},
    {"match", "  trim me ", "^%s*(.-)%s*$", "", "<trim me>"},
    {"match", "aaa", "a-", "", "<>"},
    {"match", "aaab", "a-b", "", "<aaab>"},
    {"match", "aaa", "^a?a?a?a?a?aaa$", "", "<aaa>"},
    {"match", "f(a(b)c)d)", "%b()", "", "<(a(b)c)>"},
    {"match", "f((", "%b()", "", "nil"},
    {"match", "xx--xx", "%bx-", "", "<xx-->"},
    {"match", "abab", "%baa", "", "<aba>"},
    {"match", "THE (quick) fox", "%f[%a]%a+%f[%A]", "5", "<quick>"},
    {"match", "THE (quick) fox", "%f[%l]%a+", "", "<quick>"},
    {"match", "fox", "%a+%f[%z\0]"sv, "", "<fox>"},
    {"match", "\"it's\"", "([\"'])(.-)%1", "", "<\"> <it's>"},
    {"match", "abcabc", "(abc)%1", "", "<abc>"},
    {"match", "a]b", "[]]", "", "<]>"},
    {"match", "a]b^", "[^]]+", "", "<a>"},
    {"match", "a-z", "[a-]+", "", "<a->"},
    {"match", "a-z", "[%a-z]+", "", "<a-z>"},
    {"match", "xyz%", "[%%z]+", "", "<z%>"},
    {"match", "cost: $5", "$%d", "", "<$5>"},
    {"match", "a$", "a$$", "", "<a$>"},
    {"match", "a^b", "a^b", "", "<a^b>"},
    {"match", "x*", "(x)*", "", "<x>"},
    {"match", "äöü", "[\x80-\xff]+", "", "<äöü>"},
    {"match", "0x1F", "%x+", "2", "<1F>"},
    {"match", "tab\there", "%c", "", "<\t>"},
    {"match", "a,b", "%p", "", "<,>"},
    {"gmatch", "one two  three", "%a+", "", "<<one> nil nil> <<two> nil nil> <<three> nil nil>"},
    {"gmatch", "a=1, b=2", "(%w+)=(%w+)", "", "<<a> <1> nil> <<b> <2> nil>"},
    {"gmatch", "abc", "", "", "<<> nil nil> <<> nil nil> <<> nil nil> <<> nil nil>"},
    {"gmatch", "abc", "()", "3", "<3 nil nil> <4 nil nil>"},
    {"gmatch", "^a^a", "^a", "", "<<^a> nil nil> <<^a> nil nil>"},
    {"gmatch", "aab", "a*", "", "<<aa> nil nil> <<> nil nil>"},
    {"gsub", "hello world", "o", "0", "<hell0 w0rld> 2"},
    {"gsub", "hello", "", "-", "<-h-e-l-l-o-> 6"},
    {"gsub", "abc", "%w", "%0%0", "<aabbcc> 3"},
    {"gsub", "hello world", "(%w+) (%w+)", "%2 %1", "<world hello> 1"},
    {"gsub", "abc", "b*", "x", "<xaxcx> 3"},
    {"gsub", "abc", "^a", "x", "<xbc> 1"},
    {"gsub", "abc", "%w", "%%", "<%%%> 3"},
    {"gsub", "abc", "b", "%1", "<abc> 1"},
    {"gsub", "abc", "()b", "%1", "<a2c> 1"},
    {"gsub_table", "a b ab c", "%w+", "", "<A b 12 c> 4"},
    {"gsub_function", "a b c d", "%w", "z", "<a z z d> 3"},
    {"gsub_function", "ab", "(a)(b)", "z", "<a|b> 1"},
    {"find", "a", "%", "", "error: malformed pattern (ends with '%')"},
    {"find", "a", "[a", "", "error: malformed pattern (missing ']')"},
    {"find", "a", "[a%", "", "error: malformed pattern (missing ']')"},
    {"find", "a", "[]", "", "error: malformed pattern (missing ']')"},
    {"find", "a", "(a", "", "error: unfinished capture"},
    {"match", "a", "a)", "", "error: invalid pattern capture"},
    {"find", "a", "%1", "", "error: invalid capture index %1"},
    {"find", "a", "(a%1)", "", "error: invalid capture index %1"},
    {"find", "a", "%b", "", "error: malformed pattern (missing arguments to '%b')"},
    {"find", "a", "%bx", "", "error: malformed pattern (missing arguments to '%b')"},
    {"find", "a", "%f", "", "error: missing '[' after '%f' in pattern"},
    {"gsub", "a", "a", "%", "error: invalid use of '%' in replacement string"},
    {"gsub", "a", "a", "%x", "error: invalid use of '%' in replacement string"},
    {"gsub", "a", "a", "%2", "error: invalid capture index %2"},
};

TEST_F(LuaPatternTest, MatchesAsLuaDoes) {
  for (const Case& one : kCases) {
    EXPECT_EQ(ours(one.function, one.subject, one.pattern, one.third), one.answer)
        << one.function << " '" << one.subject << "' '" << one.pattern << "' '" << one.third << "'";
    EXPECT_EQ(lua_s(one.function, one.subject, one.pattern, one.third), one.answer)
        << "Lua's own: " << one.function << " '" << one.subject << "' '" << one.pattern << "'";
  }
}

TEST_F(LuaPatternTest, ClassesAreThoseOfLua) {
  std::string all;
  for (int byte = 0; byte < 256; ++byte) all += static_cast<char>(byte);
  for (char letter = 'A'; letter <= 'z'; ++letter) {
    if (letter > 'Z' && letter < 'a') continue;
    if (letter == 'b' || letter == 'f') continue;
    const std::string pattern = std::string("%") + letter;
    EXPECT_EQ(ours("gsub", all, pattern, "#"), lua_s("gsub", all, pattern, "#")) << pattern;
    EXPECT_EQ(ours("gsub", all, "[^" + pattern + "x]", "#"), lua_s("gsub", all, "[^" + pattern + "x]", "#"))
        << pattern;
  }
}

// A malformed pattern is refused even where Lua's matching does not reach the mistake.
TEST_F(LuaPatternTest, MalformedPatternsAreRefusedBeforeMatching) {
  EXPECT_EQ(lua_s("find", "b", "a[", ""), "nil");
  EXPECT_EQ(ours("find", "b", "a[", ""), "error: malformed pattern (missing ']')");
  EXPECT_EQ(ours("find", "", std::string(40, '(') + std::string(40, ')'), ""), "error: too many captures");
}

TEST_F(LuaPatternTest, LongPatternsAreRefusedAndLongTextsAreNot) {
  const std::string text(5'000, 'a');
  EXPECT_THAT(ours("match", text, text, ""),
              HasSubstr("pattern too long: it has 5000 bytes and may have 1000"));
  EXPECT_EQ(ours("find", text, text, ""), "1 5000") << "no pattern but a text";
  std::string optional;
  for (int i = 0; i < 500; ++i) optional += "a?";
  EXPECT_EQ(ours("match", std::string(499, 'a'), "^" + optional.substr(0, 998) + "$", ""),
            "<" + std::string(499, 'a') + ">");
  EXPECT_EQ(ours("find", std::string(1'000'000, 'a').append("b"), ".-b", ""), "1 1000001");
}

TEST_F(LuaPatternTest, ExponentialPatternsAreStopped) {
  const std::string text(40, 'a');
  std::string stars;
  for (int i = 0; i < 20; ++i) stars += "a*";
  for (const char* function : {"find", "match", "gmatch", "gsub"}) {
    EXPECT_THAT(ours(function, text, stars + "b", "1"), HasSubstr("stopped: took more than 10000000 steps"))
        << function;
  }
  EXPECT_THAT(ours("find", std::string(100'000, '('), "%b()", ""), HasSubstr("stopped: took more than"));
}

// Random patterns from few letters, so that they match often, and from all special characters, so that some
// are malformed.
std::string random_pattern(test::Random& random) {
  static constexpr std::string_view kPieces[] = {
      "a", "b", "ab", ".",  "%a",   "%d",   "[ab]", "[^a]", "[a-c]", "*",      "+",    "-",
      "?", "(", ")",  "()", "(a*)", "(.-)", "%1",   "%bab", "%f[a]", "%f[^b]", "$",    "^",
      "%", "[", "]",  "1",  "%2",   "%W",   "[%w]", "[]a]", "a?",    "b-",     "[b]*", ".-"};
  std::string pattern = random.one_in(8) ? "^" : "";
  const std::size_t count = random.below(7);
  for (std::size_t i = 0; i < count; ++i) pattern += kPieces[random.below(std::size(kPieces))];
  return pattern;
}

std::string random_text(test::Random& random, std::string_view letters, std::size_t size_max) {
  std::string text;
  for (std::size_t size = random.below(size_max + 1); size > 0; --size)
    text += letters[random.below(letters.size())];
  return text;
}

bool is_early_error(const std::string& answer) {
  return answer.starts_with("error: ") && answer.find("replacement") == std::string::npos;
}

TEST_F(LuaPatternTest, AgreesWithLuaOnRandomPatterns) {
  test::Random random("random patterns");
  int matched = 0;
  for (int round = 0; round < 20'000 && !HasFailure(); ++round) {
    const std::string pattern = random_pattern(random);
    const std::string subject = random_text(random, "aaabbc1 (", 12);
    const std::string replacement = random_text(random, "xa%%01", 3);
    const std::string start = random.one_in(2) ? "" : std::to_string(static_cast<int>(random.below(20)) - 8);
    for (const char* function : {"find", "match", "gmatch", "gsub", "gsub_table", "gsub_function"}) {
      const std::string_view third = std::string_view(function).starts_with("gsub") ? replacement : start;
      const std::string we = ours(function, subject, pattern, third.empty() ? "1" : third);
      const std::string they = lua_s(function, subject, pattern, third.empty() ? "1" : third);
      if (we == they) {
        matched += we != "nil" && !we.starts_with("error: ");
        continue;
      }
      // The compiled pattern may report a mistake that Lua did not reach, or reached after another.
      EXPECT_TRUE(is_early_error(we)) << function << " '" << subject << "' '" << pattern << "' '" << third
                                      << "'\n ours: " << we << "\n Lua:  " << they;
    }
  }
  EXPECT_GT(matched, 20'000) << "the patterns are too random to tell anything";
}

}  // namespace
}  // namespace cairn
