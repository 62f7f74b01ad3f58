#include "upcasters/lua/lua_pattern.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <lua.hpp>

#include "upcasters/lua/byte_classes.h"
#include "upcasters/lua/lua_account.h"

namespace cairn {

namespace {

constexpr std::uint64_t kBytesPassedPerStep = 16;  // of those that are only passed over

}  // namespace

LuaPattern::LuaPattern(lua_State* state, std::string_view pattern, Caret caret)
    : state_(state),
      account_(LuaAccount::of(state)),
      memory_(first_memory_.data(), first_memory_.size()),
      items_(&memory_),
      sets_(&memory_),
      choices_(&memory_) {
  if (pattern.size() > kPatternBytesMax) {
    luaL_error(state, "pattern too long: it has %d bytes and may have %d", static_cast<int>(pattern.size()),
               static_cast<int>(kPatternBytesMax));
  }
  account_.charge(1 + pattern.size() / 4);
  is_anchored_ = caret == Caret::kAnchors && pattern.starts_with('^');
  if (is_anchored_) pattern.remove_prefix(1);
  compile(pattern);
}

void LuaPattern::compile(std::string_view pattern) {
  items_.reserve(pattern.size());
  // Items point to the sets, which therefore must not move.
  sets_.reserve(static_cast<std::size_t>(std::count(pattern.begin(), pattern.end(), '[')));
  for (std::size_t at = 0; at < pattern.size();) at = compile_item(pattern, at);
  if (open_captures_ != 0) luaL_error(state_, "unfinished capture");
  choices_.reserve(static_cast<std::size_t>(std::count_if(
      items_.begin(), items_.end(), [](const Item& item) { return item.repeat != Repeat::kOnce; })));
}

// Each of these compiles what begins at `at` and returns where the rest begins.
std::size_t LuaPattern::compile_item(std::string_view pattern, std::size_t at) {
  switch (pattern[at]) {
    case '(': {
      const bool is_position = pattern.substr(at + 1).starts_with(')');
      open_capture(is_position);
      return at + (is_position ? 2 : 1);
    }
    case ')':
      close_capture();
      return at + 1;
    case '$':
      if (at + 1 < pattern.size()) return compile_single(pattern, at);
      items_.push_back({.kind = Kind::kEnd});
      return at + 1;
    case '%':
      return compile_escape(pattern, at);
    default:
      return compile_single(pattern, at);
  }
}

std::size_t LuaPattern::compile_escape(std::string_view pattern, std::size_t at) {
  const char escaped = at + 1 < pattern.size() ? pattern[at + 1] : '\0';
  if (escaped == 'b') {
    if (at + 3 >= pattern.size()) luaL_error(state_, "malformed pattern (missing arguments to '%%b')");
    items_.push_back({.kind = Kind::kBalanced,
                      .first = static_cast<unsigned char>(pattern[at + 2]),
                      .second = static_cast<unsigned char>(pattern[at + 3])});
    return at + 4;
  }
  if (escaped == 'f') {
    if (!pattern.substr(at + 2).starts_with('[')) luaL_error(state_, "missing '[' after '%%f' in pattern");
    Item item{.kind = Kind::kFrontier};
    at = compile_set(pattern, at + 2, item.set);
    items_.push_back(item);
    return at;
  }
  if (escaped >= '0' && escaped <= '9') {
    const int number = escaped - '1';
    const bool is_known = number >= 0 && static_cast<std::size_t>(number) < capture_count_;
    if (!is_known || (open_captures_ >> number & 1) != 0) {
      luaL_error(state_, "invalid capture index %%%d", number + 1);
    }
    items_.push_back({.kind = Kind::kSameAs, .first = static_cast<unsigned char>(number)});
    return at + 2;
  }
  return compile_single(pattern, at);
}

std::size_t LuaPattern::compile_single(std::string_view pattern, std::size_t at) {
  Item item{.first = static_cast<unsigned char>(pattern[at])};
  switch (pattern[at]) {
    case '.':
      item.set = &kAllBytes;
      ++at;
      break;
    case '[':
      at = compile_set(pattern, at, item.set);
      break;
    case '%':
      if (at + 1 == pattern.size()) luaL_error(state_, "malformed pattern (ends with '%%')");
      item.set = byte_class(pattern[at + 1]);
      item.first = static_cast<unsigned char>(pattern[at + 1]);
      at += 2;
      break;
    default:
      ++at;
  }
  if (item.set != nullptr) item.kind = Kind::kSet;
  const char repeat = at < pattern.size() ? pattern[at] : '\0';
  if (repeat == '?') item.repeat = Repeat::kMaybe;
  if (repeat == '*') item.repeat = Repeat::kMany;
  if (repeat == '+') item.repeat = Repeat::kSome;
  if (repeat == '-') item.repeat = Repeat::kFew;
  items_.push_back(item);
  return item.repeat == Repeat::kOnce ? at : at + 1;
}

// The first byte after the bracket (and '^') belongs to the set even if it is a bracket.
std::size_t LuaPattern::compile_set(std::string_view pattern, std::size_t at, const ByteSet*& set) {
  const bool is_complement = pattern.substr(at + 1).starts_with('^');
  const std::size_t begin = at + (is_complement ? 2 : 1);
  std::size_t end = begin;
  do {
    if (end >= pattern.size()) luaL_error(state_, "malformed pattern (missing ']')");
    end += pattern[end] == '%' ? 2 : 1;
  } while (end >= pattern.size() || pattern[end] != ']');

  ByteSet& bytes = sets_.emplace_back();
  for (std::size_t i = begin; i < end; ++i) {
    const auto byte = static_cast<unsigned char>(pattern[i]);
    if (byte == '%') {
      const char escaped = pattern[++i];
      if (const ByteSet* const known = byte_class(escaped)) {
        bytes.add(*known);
      } else {
        bytes.add(static_cast<unsigned char>(escaped));
      }
    } else if (i + 2 < end && pattern[i + 1] == '-') {
      const auto last = static_cast<unsigned char>(pattern[i + 2]);
      for (unsigned int each = byte; each <= last; ++each) bytes.add(static_cast<unsigned char>(each));
      i += 2;
    } else {
      bytes.add(byte);
    }
  }
  if (is_complement) bytes.complement();
  set = &bytes;
  return end + 1;
}

void LuaPattern::open_capture(bool is_position) {
  if (capture_count_ == kCapturesMax) luaL_error(state_, "too many captures");
  captures_[capture_count_].is_position = is_position;
  if (!is_position) open_captures_ |= std::uint32_t{1} << capture_count_;
  items_.push_back({.kind = Kind::kOpen, .first = static_cast<unsigned char>(capture_count_)});
  ++capture_count_;
}

void LuaPattern::close_capture() {
  if (open_captures_ == 0) luaL_error(state_, "invalid pattern capture");
  const int last = std::bit_width(open_captures_) - 1;
  open_captures_ &= ~(std::uint32_t{1} << last);
  items_.push_back({.kind = Kind::kClose, .first = static_cast<unsigned char>(last)});
}

const char* LuaPattern::match(std::string_view subject, const char* at) {
  subject_ = subject;
  choices_.clear();
  std::size_t item = 0;
  while (item < items_.size()) {
    account_.charge(1);
    if (advance(item, at)) {
      ++item;
    } else if (!retreat(item, at)) {
      return nullptr;
    }
  }
  return at;
}

// Whether the item takes the byte at `at`, which may be the end of the subject.
bool LuaPattern::takes(const Item& item, const char* at) const {
  if (at == subject_.data() + subject_.size()) return false;
  const auto byte = static_cast<unsigned char>(*at);
  return item.kind == Kind::kSet ? item.set->has(byte) : item.first == byte;
}

// Lets an item take its first choice, and moves `at` past it. Backtracking need not restore captures: those
// before a choice stay valid, and those after it are set again.
bool LuaPattern::advance(std::size_t index, const char*& at) {
  const Item& item = items_[index];
  const char* const begin = subject_.data();
  const char* const end = begin + subject_.size();
  switch (item.kind) {
    case Kind::kByte:
    case Kind::kSet:
      if (item.repeat != Repeat::kOnce) return advance_repeated(index, at);
      if (!takes(item, at)) return false;
      ++at;
      return true;
    case Kind::kOpen:
      captures_[item.first].begin = at;
      return true;
    case Kind::kClose:
      captures_[item.first].end = at;
      return true;
    case Kind::kSameAs:
      return advance_same(captures_[item.first], at);
    case Kind::kBalanced:
      return advance_balanced(item, at);
    case Kind::kFrontier: {
      // As in Lua, the bytes before the beginning and after the end count as zero.
      const auto before = static_cast<unsigned char>(at == begin ? '\0' : at[-1]);
      const auto after = static_cast<unsigned char>(at == end ? '\0' : *at);
      return !item.set->has(before) && item.set->has(after);
    }
    case Kind::kEnd:
      return at == end;
  }
  return false;
}

bool LuaPattern::advance_repeated(std::size_t index, const char*& at) {
  const Item& item = items_[index];
  if (item.repeat == Repeat::kFew) {
    choices_.push_back({index, at, at});
    return true;
  }
  const char* const from = at;
  const std::ptrdiff_t most = item.repeat == Repeat::kMaybe ? 1 : subject_.data() + subject_.size() - from;
  while (at - from < most && takes(item, at)) ++at;
  account_.charge(static_cast<std::uint64_t>(at - from) / kBytesPassedPerStep);
  const char* const least = item.repeat == Repeat::kSome ? from + 1 : from;
  if (at < least) return false;
  if (at > least) choices_.push_back({index, least, at});
  return true;
}

bool LuaPattern::advance_balanced(const Item& item, const char*& at) {
  const char* const end = subject_.data() + subject_.size();
  if (at == end || static_cast<unsigned char>(*at) != item.first) return false;
  std::size_t depth = 1;
  for (const char* next = at + 1; next < end; ++next) {
    if ((next - at) % static_cast<std::ptrdiff_t>(kBytesPassedPerStep) == 0) account_.charge(1);
    const auto byte = static_cast<unsigned char>(*next);
    if (byte == item.second) {
      if (--depth == 0) {
        at = next + 1;
        return true;
      }
    } else if (byte == item.first) {
      ++depth;
    }
  }
  return false;
}

bool LuaPattern::advance_same(const Capture& capture, const char*& at) const {
  if (capture.is_position) return false;  // as in Lua: a position capture has no text
  const auto size = static_cast<std::size_t>(capture.end - capture.begin);
  if (size > static_cast<std::size_t>(subject_.data() + subject_.size() - at)) return false;
  account_.charge(size / kBytesPassedPerStep);
  if (std::memcmp(capture.begin, at, size) != 0) return false;
  at += size;
  return true;
}

// Backtracks to the last item that can take one byte less, or more. False if there is none.
bool LuaPattern::retreat(std::size_t& index, const char*& at) {
  while (!choices_.empty()) {
    Choice& choice = choices_.back();
    const Item& item = items_[choice.item];
    const bool can = item.repeat == Repeat::kFew ? takes(item, choice.now) : choice.now > choice.least;
    if (can) {
      choice.now += item.repeat == Repeat::kFew ? 1 : -1;
      at = choice.now;
      index = choice.item + 1;
      return true;
    }
    choices_.pop_back();
  }
  return false;
}

}  // namespace cairn
