#pragma once

#include <array>
#include <cstddef>
#include <string_view>

#include "upcasters/lua/lua_account.h"

struct lua_State;

namespace cairn::sandbox {

// A string builder for library functions. Its memory is charged to the script. Unlike luaL_Buffer it runs a
// collection before memory is refused, and a script cannot catch the error then. Adding may collect garbage,
// so the text that is added must belong to a value on the stack.
class TextBuffer {
 public:
  // REQUIRES: it is destroyed before the library function returns.
  explicit TextBuffer(lua_State* state) : state_(state), account_(LuaAccount::of(state)) {}
  ~TextBuffer() {
    if (bytes_ != first_.data()) account_.free(bytes_, capacity_);
  }
  TextBuffer(const TextBuffer&) = delete;
  TextBuffer& operator=(const TextBuffer&) = delete;

  void add(std::string_view text);
  // The string or number on top of the stack, which is popped.
  void add_value();
  // Adds bytes that the caller fills in before it calls anything else.
  char* extend(std::size_t bytes);

  // Pushes the text.
  void push() const;

 private:
  void grow(std::size_t bytes_wanted);

  lua_State* const state_;
  LuaAccount& account_;
  std::array<char, 1'024> first_;  // enough for most texts
  char* bytes_ = first_.data();
  std::size_t size_ = 0;
  std::size_t capacity_ = first_.size();
};

}  // namespace cairn::sandbox
