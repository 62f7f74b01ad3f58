#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <memory>
#include <string_view>
#include <vector>

namespace cairn {

// Copies of many short texts, whose addresses stay valid until clear(). Not thread-safe.
class ByteArena {
 public:
  std::string_view copy(std::string_view text) {
    if (text.empty()) return {};
    if (text.size() > left_) grow(text.size());
    char* const to = at_;
    std::memcpy(to, text.data(), text.size());
    at_ += text.size();
    left_ -= text.size();
    return {to, text.size()};
  }

  std::size_t bytes() const { return bytes_; }  // taken from the system

  void clear() {
    chunks_.clear();
    at_ = nullptr;
    left_ = bytes_ = 0;
  }

 private:
  static constexpr std::size_t kChunkBytes = 256u << 10;

  void grow(std::size_t wanted) {
    // The first chunk is small: at the head of the log most batches hold a few events.
    const std::size_t size = std::max(wanted, chunks_.empty() ? kChunkBytes / 64 : kChunkBytes);
    chunks_.push_back(std::make_unique_for_overwrite<char[]>(size));
    at_ = chunks_.back().get();
    left_ = size;
    bytes_ += size;
  }

  std::vector<std::unique_ptr<char[]>> chunks_;
  char* at_ = nullptr;
  std::size_t left_ = 0;
  std::size_t bytes_ = 0;
};

}  // namespace cairn
