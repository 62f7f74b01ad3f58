#pragma once

#include <bit>
#include <cstdint>
#include <utility>

#include "eventstore/base/small_vector.h"

namespace cairn {

// Finds an event of a stream by its version without an index entry per event: a skip list inside the log.
//
// Each event contains the position of the previous event of its stream and one longer jump back. The jumps
// follow the skew-binary numbers: write a version as a sum of weights 2^k - 1, greatest first; the jump goes
// back by the last, smallest weight. Version v is then reached from any later one in O(log n) steps. This
// replaces a B+tree of (stream, version) -> position, of which every flush would rewrite random pages.

// The version that the jump of `version` leads to; 0 means that there is none.
constexpr std::uint64_t jump_version(std::uint64_t version) {
  std::uint64_t rest = version;
  std::uint64_t weight = 0;
  while (rest > 0) {
    weight = std::bit_floor(rest + 1) - 1;
    rest -= weight;
  }
  return version - weight;
}

// The positions from which both pointers of a stream's next event are computed: those of the newest event, of
// its jump target, of that event's jump target, and so on to the first; about log2(version) numbers.
class JumpPath {
 public:
  using Positions = SmallVector<std::uint64_t, 4>;

  JumpPath() = default;
  explicit JumpPath(Positions positions) : positions_(std::move(positions)) {}

  // The position of the newest event, 0 for a stream without events.
  std::uint64_t head() const { return positions_.empty() ? 0 : positions_.front(); }

  // The jump of the next event. `version` is the stream's current version.
  std::uint64_t next_jump(std::uint64_t version) const {
    if (!merges(version)) return head();
    return positions_.size() > 2 ? positions_[2] : 0;
  }

  // Adds the event at `position`, which has version `version` + 1.
  void push(std::uint64_t version, std::uint64_t position) {
    if (merges(version)) positions_.erase(positions_.begin(), positions_.begin() + 2);
    positions_.insert(positions_.begin(), position);
  }

  const Positions& positions() const { return positions_; }
  friend bool operator==(const JumpPath&, const JumpPath&) = default;

 private:
  // Whether the two smallest weights of `version` are equal. They and the next event then merge into one
  // weight.
  static constexpr bool merges(std::uint64_t version) {
    const std::uint64_t first = jump_version(version);
    const std::uint64_t second = jump_version(first);
    return version > 0 && first > 0 && version - first == first - second;
  }

  Positions positions_;
};

}  // namespace cairn
