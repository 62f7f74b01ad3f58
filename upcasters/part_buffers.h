#pragma once

#include <cstddef>
#include <deque>
#include <string>

namespace cairn {

// Strings that are used again for one event after the other, so that bytes made on the way need no new
// memory.
class PartBuffers {
 public:
  void clear() { used_ = 0; }

  // An empty one; it stays where it is until clear().
  std::string& take() {
    if (used_ == buffers_.size()) buffers_.emplace_back();
    std::string& buffer = buffers_[used_++];
    buffer.clear();
    return buffer;
  }

 private:
  std::deque<std::string> buffers_;  // A deque keeps them where they are.
  std::size_t used_ = 0;
};

}  // namespace cairn
