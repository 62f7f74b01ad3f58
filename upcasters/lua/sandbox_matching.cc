#include <string.h>

#include <algorithm>
#include <cstdint>
#include <lua.hpp>
#include <string_view>

#include "upcasters/lua/lua_pattern.h"
#include "upcasters/lua/sandbox.h"
#include "upcasters/lua/text_buffer.h"

// The functions of `string` that take patterns. They do what Lua's own do, and take steps for it.
namespace cairn::sandbox {

namespace {

std::string_view check_string(lua_State* state, int index) {
  std::size_t size = 0;
  const char* const text = luaL_checklstring(state, index, &size);
  return {text, size};
}

// Where to begin, as an offset, from an argument that counts from 1, or from the end if negative. May lie
// behind the end.
std::size_t check_start(lua_State* state, int index, std::size_t size) {
  const lua_Integer place = luaL_optinteger(state, index, 1);
  if (place > 0) return static_cast<std::size_t>(place) - 1;
  const std::size_t from_end = std::size_t{0} - static_cast<std::size_t>(place);
  return place == 0 || from_end > size ? 0 : size - from_end;
}

void push_view(lua_State* state, const char* begin, const char* end) {
  lua_pushlstring(state, begin, static_cast<std::size_t>(end - begin));
}

void push_capture(lua_State* state, const LuaPattern& pattern, std::size_t index, std::string_view subject) {
  const LuaPattern::Capture& capture = pattern.capture(index);
  if (capture.is_position) {
    lua_pushinteger(state, capture.begin - subject.data() + 1);
  } else {
    push_view(state, capture.begin, capture.end);
  }
}

int push_captures(lua_State* state, const LuaPattern& pattern, std::string_view subject) {
  const std::size_t count = pattern.capture_count();
  luaL_checkstack(state, static_cast<int>(count), "too many captures");
  for (std::size_t i = 0; i < count; ++i) push_capture(state, pattern, i, subject);
  return static_cast<int>(count);
}

// The captures, or where there are none the whole match.
int push_match(lua_State* state, const LuaPattern& pattern, std::string_view subject, const char* begin,
               const char* end) {
  if (pattern.capture_count() > 0) return push_captures(state, pattern, subject);
  push_view(state, begin, end);
  return 1;
}

int find_plain(lua_State* state, std::string_view subject, std::string_view wanted, std::size_t start) {
  charge(state, (subject.size() - start) / 16 + wanted.size() / 16);
  // Unlike std::string_view::find, it takes no longer for what nearly fits everywhere.
  const void* const found =
      memmem(subject.data() + start, subject.size() - start, wanted.data(), wanted.size());
  if (found == nullptr) {
    lua_pushnil(state);
    return 1;
  }
  const lua_Integer place = static_cast<const char*>(found) - subject.data() + 1;
  lua_pushinteger(state, place);
  lua_pushinteger(state, place + static_cast<lua_Integer>(wanted.size()) - 1);
  return 2;
}

enum class Answer : std::uint8_t { kPlaces, kTexts };

template <Answer kAnswer>
int search(lua_State* state) {
  const std::string_view subject = check_string(state, 1);
  const std::string_view text = check_string(state, 2);
  const std::size_t start = check_start(state, 3, subject.size());
  if (start > subject.size()) {
    lua_pushnil(state);
    return 1;
  }
  if (kAnswer == Answer::kPlaces &&
      (lua_toboolean(state, 4) != 0 || text.find_first_of("^$*+?.([%-") == std::string_view::npos)) {
    return find_plain(state, subject, text, start);
  }
  LuaPattern pattern(state, text, LuaPattern::Caret::kAnchors);
  const char* const subject_end = subject.data() + subject.size();
  for (const char* begin = subject.data() + start; begin <= subject_end; ++begin) {
    charge(state, 1);
    if (const char* const end = pattern.match(subject, begin)) {
      if (kAnswer == Answer::kTexts) return push_match(state, pattern, subject, begin, end);
      lua_pushinteger(state, begin - subject.data() + 1);
      lua_pushinteger(state, end - subject.data());
      return 2 + push_captures(state, pattern, subject);
    }
    if (pattern.is_anchored()) break;
  }
  lua_pushnil(state);
  return 1;
}

// The iterator of gmatch. Upvalues: the subject, the pattern, the offset to go on from, and the offset where
// the last match ended, or -1: an empty match there would be none of its own.
int next_match(lua_State* state) {
  std::size_t subject_size = 0;
  std::size_t pattern_size = 0;
  const char* const subject_text = lua_tolstring(state, lua_upvalueindex(1), &subject_size);
  const char* const pattern_text = lua_tolstring(state, lua_upvalueindex(2), &pattern_size);
  const std::string_view subject(subject_text, subject_size);
  const lua_Integer last_end = lua_tointeger(state, lua_upvalueindex(4));
  LuaPattern pattern(state, {pattern_text, pattern_size}, LuaPattern::Caret::kMatchesItself);
  for (auto at = static_cast<std::size_t>(lua_tointeger(state, lua_upvalueindex(3))); at <= subject_size;
       ++at) {
    charge(state, 1);
    const char* const end = pattern.match(subject, subject_text + at);
    if (end == nullptr || end - subject_text == last_end) continue;
    lua_pushinteger(state, end - subject_text);
    lua_copy(state, -1, lua_upvalueindex(3));
    lua_replace(state, lua_upvalueindex(4));
    return push_match(state, pattern, subject, subject_text + at, end);
  }
  return 0;
}

int gmatch(lua_State* state) {
  const std::string_view subject = check_string(state, 1);
  check_string(state, 2);
  const std::size_t start = std::min(check_start(state, 3, subject.size()), subject.size() + 1);
  lua_settop(state, 2);
  lua_pushinteger(state, static_cast<lua_Integer>(start));
  lua_pushinteger(state, -1);
  lua_pushcclosure(state, next_match, 4);
  return 1;
}

// One gsub: its arguments are at the bottom of the stack.
class Substitution {
 public:
  Substitution(lua_State* state, std::string_view subject, LuaPattern& pattern)
      : state_(state), subject_(subject), pattern_(pattern), copied_(subject.data()), buffer_(state) {
    if (lua_type(state, 3) == LUA_TNUMBER || lua_type(state, 3) == LUA_TSTRING)
      replacement_ = check_string(state, 3);
  }

  // Puts in what stands for the match, or leaves it to be copied later.
  void replace(const char* begin, const char* end) {
    copy_until(begin);
    if (replacement_.data() != nullptr) {
      add_replacement(begin, end);
    } else if (!add_looked_up(begin, end)) {
      return;
    }
    copied_ = end;
    changed_ = true;
  }

  void push_result() {
    if (!changed_) {
      lua_pushvalue(state_, 1);
      return;
    }
    copy_until(subject_.data() + subject_.size());
    buffer_.push();
  }

 private:
  void add(const char* begin, const char* end) {
    buffer_.add({begin, static_cast<std::size_t>(end - begin)});
  }

  void copy_until(const char* until) {
    add(copied_, until);
    copied_ = until;
  }

  void add_replacement(const char* begin, const char* end) {
    std::string_view rest = replacement_;
    for (std::size_t at = rest.find('%'); at != std::string_view::npos; at = rest.find('%')) {
      charge(state_, 1);
      add(rest.data(), rest.data() + at);
      const char what = at + 1 < rest.size() ? rest[at + 1] : '\0';
      if (what == '%') {
        buffer_.add("%");
      } else if (what >= '0' && what <= '9') {
        add_capture(what - '0', begin, end);
      } else {
        luaL_error(state_, "invalid use of '%%' in replacement string");
      }
      rest.remove_prefix(at + 2);
    }
    add(rest.data(), rest.data() + rest.size());
  }

  // Capture 0 is the whole match, and so is 1 where there are no captures.
  void add_capture(int number, const char* begin, const char* end) {
    if (number == 0 || (number == 1 && pattern_.capture_count() == 0)) {
      add(begin, end);
    } else if (static_cast<std::size_t>(number) > pattern_.capture_count()) {
      luaL_error(state_, "invalid capture index %%%d", number);
    } else {
      push_capture(state_, pattern_, static_cast<std::size_t>(number) - 1, subject_);
      buffer_.add_value();
    }
  }

  // Asks the table or the function. False when it wants the match to stay as it is.
  bool add_looked_up(const char* begin, const char* end) {
    if (lua_istable(state_, 3)) {
      if (pattern_.capture_count() > 0) {
        push_capture(state_, pattern_, 0, subject_);
      } else {
        push_view(state_, begin, end);
      }
      lua_gettable(state_, 3);
    } else {
      lua_pushvalue(state_, 3);
      lua_call(state_, push_match(state_, pattern_, subject_, begin, end), 1);
    }
    if (lua_toboolean(state_, -1) == 0) {
      lua_pop(state_, 1);
      return false;
    }
    if (lua_isstring(state_, -1) == 0) {
      luaL_error(state_, "invalid replacement value (a %s)", type_of(state_, -1));
    }
    buffer_.add_value();
    return true;
  }

  lua_State* const state_;
  const std::string_view subject_;
  LuaPattern& pattern_;
  std::string_view replacement_;  // no view at all if it is a table or a function
  const char* copied_;            // up to here the subject is in the buffer, or was replaced
  bool changed_ = false;
  TextBuffer buffer_;
};

int gsub(lua_State* state) {
  const std::string_view subject = check_string(state, 1);
  const std::string_view text = check_string(state, 2);
  const int kind = lua_type(state, 3);
  luaL_argexpected(state,
                   kind == LUA_TNUMBER || kind == LUA_TSTRING || kind == LUA_TFUNCTION || kind == LUA_TTABLE,
                   3, "string/function/table");
  const lua_Integer most = luaL_optinteger(state, 4, static_cast<lua_Integer>(subject.size()) + 1);
  lua_settop(state, 3);
  LuaPattern pattern(state, text, LuaPattern::Caret::kAnchors);
  Substitution substitution(state, subject, pattern);
  const char* const subject_end = subject.data() + subject.size();
  const char* at = subject.data();
  const char* last_end = nullptr;
  lua_Integer count = 0;
  while (count < most) {
    charge(state, 1);
    const char* const end = pattern.match(subject, at);
    if (end != nullptr && end != last_end) {
      ++count;
      substitution.replace(at, end);
      at = last_end = end;
    } else if (at < subject_end) {
      ++at;
    } else {
      break;
    }
    if (pattern.is_anchored()) break;
  }
  substitution.push_result();
  lua_pushinteger(state, count);
  return 2;
}

constexpr luaL_Reg kMatching[] = {{"find", search<Answer::kPlaces>},
                                  {"match", search<Answer::kTexts>},
                                  {"gmatch", gmatch},
                                  {"gsub", gsub},
                                  {nullptr, nullptr}};

}  // namespace

void add_matching(lua_State* state) { luaL_setfuncs(state, kMatching, 0); }

}  // namespace cairn::sandbox
