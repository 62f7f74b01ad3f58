#pragma once

#include <cstddef>
#include <deque>
#include <string>

namespace cairn {

// Strings that are used again for one event after the other, so that bytes made on the way need no new
// memory.
class PartBuffers {
 public:
  void clear() {
    // What one large event needed is not kept for all that follow.
    for (std::size_t i = 0; i < used_; ++i) {
      if (buffers_[i].capacity() > kKeptBytes) std::string().swap(buffers_[i]);
    }
    used_ = 0;
  }

  // The bytes in all that were taken. An event that becomes many large ones could fill the memory otherwise.
  std::size_t bytes() const {
    std::size_t sum = 0;
    for (std::size_t i = 0; i < used_; ++i) sum += buffers_[i].size();
    return sum;
  }

  // An empty one; it stays where it is until clear().
  std::string& take() {
    if (used_ == buffers_.size()) buffers_.emplace_back();
    std::string& buffer = buffers_[used_++];
    buffer.clear();
    return buffer;
  }

 private:
  static constexpr std::size_t kKeptBytes = 64u << 10;

  std::deque<std::string> buffers_;  // A deque keeps them where they are.
  std::size_t used_ = 0;
};

}  // namespace cairn
