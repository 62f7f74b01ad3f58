#pragma once

#include <array>
#include <cstddef>
#include <string_view>

#include "upcasters/lua/lua_account.h"

struct lua_State;

namespace cairn::sandbox {

// A text that a library function puts together. Its memory is the script's; unlike luaL_Buffer it is not
// refused any while there is garbage, and no script catches the error when it is. Adding may collect garbage,
// so what is added belongs to values on the stack.
class TextBuffer {
 public:
  // REQUIRES: it is gone before the library function returns.
  explicit TextBuffer(lua_State* state) : state_(state), account_(LuaAccount::of(state)) {}
  ~TextBuffer() {
    if (bytes_ != first_.data()) account_.free(bytes_, capacity_);
  }
  TextBuffer(const TextBuffer&) = delete;
  TextBuffer& operator=(const TextBuffer&) = delete;

  void add(std::string_view text);
  // The string or number on top of the stack, which is popped.
  void add_value();
  // Adds bytes that the caller fills in before anything else.
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
