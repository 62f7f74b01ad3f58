#pragma once

#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "eventstore/base/assert.h"

namespace cairn::bench {

// The streams a benchmark appends to, and the version each has reached. A stream is written by one writer
// only (see StreamShare), so every append expects an exact version without reading it first.
class StreamSet {
 public:
  explicit StreamSet(std::size_t count) : versions_(count) {}

  std::size_t size() const { return versions_.size(); }
  static std::string name(std::size_t stream) { return "account-" + std::to_string(stream); }

  std::uint64_t version(std::size_t stream) const { return versions_[stream]; }
  void advance(std::size_t stream, std::size_t events) {
    versions_[stream] += static_cast<std::uint32_t>(events);
  }

 private:
  std::vector<std::uint32_t> versions_;
};

// One writer's part of a set: every `of`-th stream. The shares of a set are disjoint.
class StreamShare {
 public:
  // REQUIRES: share < of <= set.size().
  StreamShare(const StreamSet& set, std::size_t share, std::size_t of)
      : first_(share), step_(of), count_((set.size() - share + of - 1) / of) {
    CAIRN_ASSERT(share < of && of <= set.size(), share, of, set.size());
  }

  template <typename Random>
  std::size_t pick(Random& random) const {
    return first_ + step_ * std::uniform_int_distribution<std::size_t>(0, count_ - 1)(random);
  }

 private:
  std::size_t first_;
  std::size_t step_;
  std::size_t count_;
};

}  // namespace cairn::bench
