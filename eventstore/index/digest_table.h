#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "eventstore/base/prefetch.h"
#include "eventstore/index/term.h"

namespace cairn {

// The digests of ids of a part of the log, with the positions of their events. Most ids have one event: a pair
// is appended to one of many lists, by the first bits of its digest, which costs less than an entry of a hash
// table, and a reader looks through that list. Digests are keyed, so clients cannot choose the list; that of an
// id with many events is long, and is read from a position on. Not thread-safe.
class DigestTable {
 public:
  struct Pair {
    std::uint64_t digest = 0;  // its bytes, big-endian
    std::uint64_t position = 0;
    friend auto operator<=>(const Pair&, const Pair&) = default;
  };

  // REQUIRES: kDigestBytes bytes.
  static std::uint64_t number_of(std::string_view digest);
  static std::array<char, kDigestBytes> bytes_of(std::uint64_t digest);

  // Prepares for about `pairs` pairs, so that add() does not move lists.
  void reserve(std::size_t pairs);

  void prefetch(std::uint64_t digest) const { cairn::prefetch(&lists_[list_of(digest)]); }

  // REQUIRES: `position` is above the last one of the table, or the same with another digest.
  void add(std::uint64_t digest, std::uint64_t position) {
    auto& list = lists_[list_of(digest)];
    const std::size_t capacity = list.capacity();
    list.push_back({digest, position});
    bytes_ += (list.capacity() - capacity) * sizeof(Pair);
    ++pairs_;
  }

  // Appends positions of `digest` to `out`, until it has `limit`: ascending from `from` on, or descending from
  // `from` down.
  void append_from(std::uint64_t digest, std::uint64_t from, std::size_t limit,
                   std::vector<std::uint64_t>& out) const;
  void append_down_from(std::uint64_t digest, std::uint64_t from, std::size_t limit,
                        std::vector<std::uint64_t>& out) const;

  std::size_t pairs() const { return pairs_; }
  std::size_t bytes() const { return sizeof *this + bytes_; }

  // The pairs in lists, each list below the next one. sorted() is one list by digest and position.
  static constexpr std::size_t kLists = 1'024;
  std::vector<Pair> sorted(std::size_t list) const;

 private:
  static constexpr unsigned kListBits = 10;
  static_assert(kLists == 1u << kListBits);
  static constexpr std::size_t list_of(std::uint64_t digest) {
    return static_cast<std::size_t>(digest >> (8 * kDigestBytes - kListBits));
  }

  std::array<std::vector<Pair>, kLists> lists_;
  std::size_t pairs_ = 0;
  std::size_t bytes_ = 0;  // of the lists
};

}  // namespace cairn
