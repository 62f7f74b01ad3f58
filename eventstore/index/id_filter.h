#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace cairn {

// A blocked Bloom filter: all bits of one hash are in one 64-bit word, so a lookup costs one cache miss. With
// 16 bits per entry the false positive rate is about 1 %.
class IdFilter {
 public:
  explicit IdFilter(std::size_t entries) : words_(entries / 4 + 1) {}
  explicit IdFilter(std::vector<std::uint64_t> words) : words_(std::move(words)) {}

  void add(std::uint64_t hash) { words_[word_of(hash)] |= mask_of(hash); }
  bool may_hold(std::uint64_t hash) const { return (words_[word_of(hash)] & mask_of(hash)) == mask_of(hash); }
  std::span<const std::uint64_t> words() const { return words_; }

 private:
  // The high bits of the hash select the word, the low bits five bits in it.
  std::size_t word_of(std::uint64_t hash) const {
    __extension__ using Wide = unsigned __int128;
    return static_cast<std::size_t>((static_cast<Wide>(hash) * words_.size()) >> 64);
  }
  static std::uint64_t mask_of(std::uint64_t hash) {
    std::uint64_t mask = 0;
    for (unsigned shift = 0; shift < 30; shift += 6) mask |= std::uint64_t{1} << ((hash >> shift) & 63);
    return mask;
  }

  std::vector<std::uint64_t> words_;
};

}  // namespace cairn
