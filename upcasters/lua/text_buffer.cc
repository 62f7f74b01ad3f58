#include "upcasters/lua/text_buffer.h"

#include <algorithm>
#include <cstring>
#include <lua.hpp>

namespace cairn::sandbox {

void TextBuffer::add(std::string_view text) {
  if (text.empty()) return;
  std::memcpy(extend(text.size()), text.data(), text.size());
}

void TextBuffer::add_value() {
  std::size_t size = 0;
  const char* const text = lua_tolstring(state_, -1, &size);
  add({text, size});
  lua_pop(state_, 1);
}

char* TextBuffer::extend(std::size_t bytes) {
  if (bytes > capacity_ - size_) grow(size_ + bytes);
  char* const added = bytes_ + size_;
  size_ += bytes;
  return added;
}

void TextBuffer::push() const { lua_pushlstring(state_, bytes_, size_); }

void TextBuffer::grow(std::size_t bytes_wanted) {
  const std::size_t capacity = std::max(bytes_wanted, 2 * capacity_);
  const bool is_first = bytes_ == first_.data();
  auto* const grown =
      static_cast<char*>(account_.resize(is_first ? nullptr : bytes_, is_first ? 0 : capacity_, capacity));
  if (is_first) std::memcpy(grown, first_.data(), size_);
  bytes_ = grown;
  capacity_ = capacity;
}

}  // namespace cairn::sandbox
