#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "eventstore/base/endian.h"

namespace cairn {

// Reads a Cap'n Proto message of one segment in place. A replay reads millions of fields, and the library's
// readers, which support every layout, are slower than memory. BlockBuilder writes one layout only: one
// segment, no far pointers. Anything else is reported as damage.
//
// Offsets are in words from the start of the segment. No call reads outside the segment, whatever its bytes
// are; false means that the pointer is not of the requested kind. A null pointer is an empty value.
class MessageWords {
 public:
  struct List {
    std::size_t first = 0;   // offset of the first element
    std::size_t count = 0;   // elements
    std::size_t stride = 0;  // words per element
    std::size_t at(std::size_t index) const { return first + index * stride; }
  };

  MessageWords() = default;
  explicit MessageWords(std::span<const std::byte> segment)
      : begin_(segment.data()), words_(segment.size() / 8) {}

  std::uint64_t word(std::size_t at) const { return load_le<std::uint64_t>(begin_ + at * 8); }

  // Sets `at` to the first pointer of the root, a struct with at least `pointers` pointers.
  bool find_root(std::size_t pointers, std::size_t& at) const {
    if (words_ == 0 || (word(0) & 3) != 0) return false;
    const std::size_t data_words = (word(0) >> 32) & 0xFFFF;
    const std::size_t pointer_words = word(0) >> 48;
    std::size_t target = 0;
    if (!follow(0, data_words + pointer_words, target)) return false;
    at = target + data_words;
    return pointer_words >= pointers;
  }

  // The list of pointers that the pointer at `at` refers to.
  bool find_pointers(std::size_t at, List& list) const {
    list = {};
    if (word(at) == 0) return true;
    list.count = word(at) >> 35;
    list.stride = 1;
    return is_list_of(at, kPointers) && follow(at, list.count, list.first);
  }

  // The list of structs, each of at least `struct_words` words, that the pointer at `at` refers to.
  // REQUIRES: struct_words > 0.
  bool find_structs(std::size_t at, std::size_t data_words, std::size_t struct_words, List& list) const {
    list = {};
    if (word(at) == 0) return true;
    const std::size_t words = word(at) >> 35;
    std::size_t tag_at = 0;
    if (!is_list_of(at, kStructs) || !follow(at, words + 1, tag_at)) return false;
    const std::uint64_t tag = word(tag_at);
    const std::size_t has_data_words = (tag >> 32) & 0xFFFF;
    list.first = tag_at + 1;
    list.count = (tag & 0xFFFFFFFF) >> 2;
    list.stride = has_data_words + (tag >> 48);
    return (tag & 3) == 0 && has_data_words == data_words && list.stride >= struct_words &&
           list.count <= words / list.stride;
  }

  // The bytes that the pointer at `at` refers to.
  bool read_data(std::size_t at, std::string_view& bytes) const {
    bytes = {};
    if (word(at) == 0) return true;
    const std::size_t size = word(at) >> 35;
    std::size_t target = 0;
    if (!is_list_of(at, kBytes) || !follow(at, (size + 7) / 8, target)) return false;
    bytes = {reinterpret_cast<const char*>(begin_ + target * 8), size};
    return true;
  }

  // The same for a text, without its terminating zero.
  bool read_text(std::size_t at, std::string_view& text) const {
    if (!read_data(at, text)) return false;
    if (word(at) == 0) return true;
    if (text.empty() || text.back() != '\0') return false;
    text.remove_suffix(1);
    return true;
  }

 private:
  static constexpr unsigned kBytes = 2, kPointers = 6, kStructs = 7;

  bool is_list_of(std::size_t at, unsigned elements) const {
    return (word(at) & 3) == 1 && ((word(at) >> 32) & 7) == elements;
  }

  // The target of the pointer at `at`; false unless `words` words from there on are in the segment.
  bool follow(std::size_t at, std::size_t words, std::size_t& target) const {
    const auto offset = static_cast<std::int32_t>(word(at) & 0xFFFFFFFF) >> 2;
    const std::int64_t to = static_cast<std::int64_t>(at) + 1 + offset;
    target = static_cast<std::size_t>(to);
    return to >= 0 && target <= words_ && words <= words_ - target;
  }

  const std::byte* begin_ = nullptr;
  std::size_t words_ = 0;
};

}  // namespace cairn
