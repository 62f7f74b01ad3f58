#pragma once

#include <bit>
#include <cstdint>
#include <utility>

#include <boost/container/small_vector.hpp>

namespace cairn {

// How an event of a stream is found by its version without an index entry per event.
//
// Each event carries the position of the event before it in its stream and one longer jump back. The jumps
// follow the skew-binary numbers: write a version as a sum of weights 2^k - 1, greatest first; the jump goes
// back by the last, smallest one. Version v is then reached from any later one in O(log n) steps, and the
// whole table of (stream, version) -> position that a B+tree would have to rewrite at random for every flush
// is not needed.

// The version an event's jump leads to; 0 = before the first.
constexpr std::uint64_t jump_version(std::uint64_t version) {
  std::uint64_t rest = version;
  std::uint64_t weight = 0;
  while (rest > 0) {
    weight = std::bit_floor(rest + 1) - 1;
    rest -= weight;
  }
  return version - weight;
}

// The positions a stream's head needs to give its next event both pointers: those of the head, of its jump,
// of the jump's jump, and so on to the first; about log2(version) numbers.
class JumpPath {
 public:
  using Positions = boost::container::small_vector<std::uint64_t, 4>;

  JumpPath() = default;
  explicit JumpPath(Positions positions) : positions_(std::move(positions)) {}

  // The position of the newest event, 0 for a stream without events.
  std::uint64_t head() const { return positions_.empty() ? 0 : positions_.front(); }

  // The jump of the event that follows `version`, the present head.
  std::uint64_t next_jump(std::uint64_t version) const {
    if (!merges(version)) return head();
    return positions_.size() > 2 ? positions_[2] : 0;
  }

  // Makes the event at `position`, of version `version` + 1, the head.
  void push(std::uint64_t version, std::uint64_t position) {
    if (merges(version)) positions_.erase(positions_.begin(), positions_.begin() + 2);
    positions_.insert(positions_.begin(), position);
  }

  const Positions& positions() const { return positions_; }
  friend bool operator==(const JumpPath&, const JumpPath&) = default;

 private:
  // Whether the two smallest weights of `version` are equal, so that they and the new event become one.
  static constexpr bool merges(std::uint64_t version) {
    const std::uint64_t first = jump_version(version);
    const std::uint64_t second = jump_version(first);
    return version > 0 && first > 0 && version - first == first - second;
  }

  Positions positions_;
};

}  // namespace cairn
