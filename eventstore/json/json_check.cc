#include "eventstore/json/json_check.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <deque>
#include <vector>

#include <fmt/format.h>

#include "eventstore/base/names.h"
#include "eventstore/json/json_text.h"

namespace cairn {

namespace {

// In objects up to this size duplicate names are found by comparing all pairs; larger ones are sorted.
constexpr std::size_t kFewNames = 12;

// Bytes that end the fast scan of a string: the quote, an escape, a control character.
constexpr std::array<bool, 256> make_string_stops() {
  std::array<bool, 256> stops{};
  for (std::size_t c = 0; c < 0x20; ++c) stops[c] = true;
  stops['"'] = true;
  stops['\\'] = true;
  return stops;
}
constexpr std::array<bool, 256> kStringStops = make_string_stops();

constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }

class Checker {
 public:
  Checker(std::string_view text, std::size_t depth_max) : text_(text), depth_max_(depth_max) {}

  std::optional<JsonFault> run() {
    const std::size_t valid = utf8_prefix(text_);
    if (valid < text_.size()) return JsonFault{valid, "the text is not valid UTF-8"};
    if (check()) return std::nullopt;
    return std::move(fault_);
  }

 private:
  struct Open {
    bool is_object;
    std::size_t first_name;  // in names_
  };

  // All checks below return false when there is a fault.
  bool fail(std::string message) {
    fault_ = JsonFault{at_, std::move(message)};
    return false;
  }

  bool check() {
    while (true) {
      // A value begins here.
      bool whole = false;
      if (!begin_value(whole)) return false;
      if (!whole) continue;
      // A value ends here, perhaps several nested ones.
      bool next = false;
      while (!next) {
        skip_space();
        if (open_.empty()) return at_ == text_.size() || fail("there is more text after the value");
        if (!after_member(next)) return false;
      }
    }
  }

  // Skips a scalar or an empty object or array (`whole`), or enters one that is not empty.
  bool begin_value(bool& whole) {
    skip_space();
    whole = true;
    switch (peek()) {
      case '{':
        return open(true, '}', whole) && (whole || name());
      case '[':
        return open(false, ']', whole);
      case '"':
        ++at_;
        return string_body();
      case 't':
        return word("true");
      case 'f':
        return word("false");
      case 'n':
        return word("null");
      default:
        return number();
    }
  }

  bool open(bool is_object, char end, bool& whole) {
    if (open_.size() == depth_max_) {
      return fail(fmt::format("the value is nested more than {} deep", depth_max_));
    }
    ++at_;
    skip_space();
    if (peek() == end) {
      ++at_;
      return true;
    }
    whole = false;
    open_.push_back({is_object, names_.size()});
    return true;
  }

  // After a member: a comma and the next member (`next`), or the end of the enclosing object or array.
  bool after_member(bool& next) {
    const Open& top = open_.back();
    const char c = peek();
    if (c == ',') {
      ++at_;
      next = true;
      return !top.is_object || name();
    }
    if (c != (top.is_object ? '}' : ']')) {
      return fail(top.is_object ? "expected ',' or '}'" : "expected ',' or ']'");
    }
    ++at_;
    if (top.is_object && !names_differ(top.first_name)) return false;
    names_.resize(top.first_name);
    open_.pop_back();
    return true;
  }

  bool name() {
    skip_space();
    if (peek() != '"') return fail("expected a name in quotes");
    const std::size_t begin = ++at_;
    if (!string_body()) return false;
    const std::string_view raw = text_.substr(begin, at_ - 1 - begin);
    if (raw.find('\\') == std::string_view::npos) {
      names_.push_back(raw);
    } else {
      names_.push_back(unescaped_.emplace_back(json_unescaped(raw)));
    }
    skip_space();
    if (peek() != ':') return fail("expected ':'");
    ++at_;
    return true;
  }

  bool names_differ(std::size_t first) {
    const auto begin = names_.begin() + static_cast<std::ptrdiff_t>(first);
    if (names_.size() - first <= kFewNames) {
      for (auto name = begin; name != names_.end(); ++name) {
        if (std::find(begin, name, *name) != name) return fail_double(*name);
      }
      return true;
    }
    std::sort(begin, names_.end());
    const auto twice = std::adjacent_find(begin, names_.end());
    return twice == names_.end() || fail_double(*twice);
  }

  bool fail_double(std::string_view name) {
    return fail("the name '" + std::string(name.substr(0, 100)) + "' appears twice in one object");
  }

  // After the opening quote.
  bool string_body() {
    while (true) {
      while (at_ < text_.size() && !kStringStops[static_cast<unsigned char>(text_[at_])]) ++at_;
      if (at_ == text_.size()) return fail("a string has no end");
      const char c = text_[at_];
      if (c == '"') {
        ++at_;
        return true;
      }
      if (c != '\\') return fail("a string has a control character in it");
      ++at_;
      if (!escape()) return false;
    }
  }

  bool escape() {
    const char c = peek();
    if (c != 'u') {
      if (std::string_view("\"\\/bfnrt").find(c) == std::string_view::npos || at_ == text_.size()) {
        return fail("a string has an unknown escape in it");
      }
      ++at_;
      return true;
    }
    const std::optional<std::uint32_t> unit = json_escape_unit(text_.substr(at_ - 1));
    if (!unit) return fail("\\u is not followed by four hexadecimal digits");
    if (is_low_surrogate(*unit)) return fail("a string has half a character in it");
    at_ += 5;
    if (!is_high_surrogate(*unit)) return true;
    const std::optional<std::uint32_t> low = json_escape_unit(text_.substr(at_));
    if (!low || !is_low_surrogate(*low)) return fail("a string has half a character in it");
    at_ += 6;
    return true;
  }

  bool number() {
    const std::size_t begin = at_;
    if (peek() == '-') ++at_;
    if (!is_digit(peek())) {
      at_ = begin;
      return fail(begin == text_.size() ? "the text ends too early" : "expected a value");
    }
    if (peek() == '0') {
      ++at_;
    } else {
      digits();
    }
    if (peek() == '.') {
      ++at_;
      if (!digits()) return fail("a number has no digits after its point");
    }
    if (peek() == 'e' || peek() == 'E') {
      ++at_;
      if (peek() == '+' || peek() == '-') ++at_;
      if (!digits()) return fail("a number has no digits in its exponent");
    }
    return !is_digit(peek()) || fail("a number begins with 0");
  }

  bool digits() {
    const std::size_t begin = at_;
    while (is_digit(peek())) ++at_;
    return at_ > begin;
  }

  bool word(std::string_view expected) {
    if (text_.substr(at_, expected.size()) != expected) return fail("expected a value");
    at_ += expected.size();
    return true;
  }

  void skip_space() {
    while (at_ < text_.size() && is_json_space(text_[at_])) ++at_;
  }

  // The current byte; at the end 0, which no value begins with.
  char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }

  const std::string_view text_;
  const std::size_t depth_max_;
  std::size_t at_ = 0;
  std::vector<Open> open_;
  std::vector<std::string_view> names_;  // of all objects that are open, outermost first
  std::deque<std::string> unescaped_;    // the text of names with escapes, which names_ points to
  std::optional<JsonFault> fault_;
};

}  // namespace

std::optional<JsonFault> check_json(std::string_view text, std::size_t depth_max) {
  return Checker(text, depth_max).run();
}

}  // namespace cairn
