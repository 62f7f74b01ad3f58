#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory_resource>
#include <string_view>
#include <vector>

struct lua_State;

namespace cairn {

class LuaAccount;

// A set of bytes.
class ByteSet {
 public:
  constexpr void add(unsigned char byte) { words_[byte / 64] |= std::uint64_t{1} << (byte % 64); }
  constexpr void add(const ByteSet& other) {
    for (std::size_t i = 0; i < words_.size(); ++i) words_[i] |= other.words_[i];
  }
  constexpr void complement() {
    for (std::uint64_t& word : words_) word = ~word;
  }
  constexpr bool has(unsigned char byte) const { return (words_[byte / 64] >> (byte % 64) & 1) != 0; }

 private:
  std::array<std::uint64_t, 4> words_{};
};

// A compiled pattern of Lua's string functions. Each step of a match is charged to the call, so that
// exponential backtracking ends at the limit. Lua's patterns have no alternatives, so each item has one
// position at a time: the backtracking state is a list no longer than the pattern, and matching does not
// recurse.
class LuaPattern {
 public:
  static constexpr std::size_t kPatternBytesMax = 1'000;
  static constexpr std::size_t kCapturesMax = 32;  // as in Lua

  enum class Caret : std::uint8_t { kAnchors, kMatchesItself };  // '^' at the beginning

  // Raises an error in the state for a malformed pattern, also where Lua itself finds the mistake only when
  // matching reaches it.
  LuaPattern(lua_State* state, std::string_view pattern, Caret caret);
  LuaPattern(const LuaPattern&) = delete;
  LuaPattern& operator=(const LuaPattern&) = delete;

  bool is_anchored() const { return is_anchored_; }

  // The end of the match that begins at `at`, or nullptr if there is none.
  // REQUIRES: `at` lies in the subject or at its end.
  const char* match(std::string_view subject, const char* at);

  // What the last match captured. REQUIRES: match() found one.
  struct Capture {
    const char* begin = nullptr;
    const char* end = nullptr;
    bool is_position = false;  // "()": a position capture
  };
  std::size_t capture_count() const { return capture_count_; }
  const Capture& capture(std::size_t index) const { return captures_[index]; }

 private:
  enum class Kind : std::uint8_t { kByte, kSet, kOpen, kClose, kSameAs, kBalanced, kFrontier, kEnd };
  enum class Repeat : std::uint8_t { kOnce, kMaybe, kMany, kSome, kFew };  // "", ?, *, +, -

  struct Item {
    Kind kind = Kind::kByte;
    Repeat repeat = Repeat::kOnce;
    unsigned char first = 0;   // a byte, or the number of a capture
    unsigned char second = 0;  // the byte that closes what `first` opens
    const ByteSet* set = nullptr;
  };

  // A repeated item that could have taken another number of bytes.
  struct Choice {
    std::size_t item;
    const char* least;  // the earliest end that is possible
    const char* now;    // the end in the current attempt
  };

  void compile(std::string_view pattern);
  std::size_t compile_item(std::string_view pattern, std::size_t at);
  std::size_t compile_escape(std::string_view pattern, std::size_t at);
  std::size_t compile_single(std::string_view pattern, std::size_t at);
  std::size_t compile_set(std::string_view pattern, std::size_t at, const ByteSet*& set);
  void open_capture(bool is_position);
  void close_capture();

  bool takes(const Item& item, const char* at) const;
  bool advance(std::size_t item, const char*& at);
  bool advance_repeated(std::size_t item, const char*& at);
  bool advance_balanced(const Item& item, const char*& at);
  bool advance_same(const Capture& capture, const char*& at) const;
  bool retreat(std::size_t& item, const char*& at);

  lua_State* const state_;
  LuaAccount& account_;
  std::array<std::byte, 768> first_memory_;  // enough for most patterns
  std::pmr::monotonic_buffer_resource memory_;
  std::pmr::vector<Item> items_;
  std::pmr::vector<ByteSet> sets_;
  std::pmr::vector<Choice> choices_;
  bool is_anchored_ = false;
  std::size_t capture_count_ = 0;
  std::uint32_t open_captures_ = 0;  // a bit for each, while compiling
  std::array<Capture, kCapturesMax> captures_;
  std::string_view subject_;
};

}  // namespace cairn
