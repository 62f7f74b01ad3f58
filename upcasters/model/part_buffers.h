#pragma once

#include <cstddef>
#include <deque>
#include <string>

namespace cairn {

// Strings that are reused from event to event, so that the steps of a chain do not allocate.
class PartBuffers {
 public:
  void clear() {
    // The memory of one large event is not kept for all later ones.
    for (std::size_t i = 0; i < used_; ++i) {
      if (buffers_[i].capacity() > kKeptBytes) std::string().swap(buffers_[i]);
    }
    used_ = 0;
  }

  // The bytes in all strings taken since clear(); callers bound it, since one event can become many large
  // ones.
  std::size_t bytes() const {
    std::size_t sum = 0;
    for (std::size_t i = 0; i < used_; ++i) sum += buffers_[i].size();
    return sum;
  }

  // An empty string. The reference is valid until clear().
  std::string& take() {
    if (used_ == buffers_.size()) buffers_.emplace_back();
    std::string& buffer = buffers_[used_++];
    buffer.clear();
    return buffer;
  }

 private:
  static constexpr std::size_t kKeptBytes = 64u << 10;

  std::deque<std::string> buffers_;  // a deque, because references must stay valid
  std::size_t used_ = 0;
};

}  // namespace cairn
