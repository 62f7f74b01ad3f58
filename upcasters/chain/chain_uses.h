#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "upcasters/chain/chain.h"

namespace cairn {

// A chain that events have taken.
struct ChainUse {
  const Chain* chain = nullptr;
  // For events that an upcaster of another type produced: the number of changes of the registry when that
  // upcaster was deployed, which determines the schema of its events.
  std::optional<std::uint64_t> made_at;
  friend bool operator==(const ChainUse&, const ChainUse&) = default;
};

// The set of chains that the events of a fold have taken. The shaped events depend on nothing else.
class ChainUses {
 public:
  void add(const Chain& chain, std::optional<std::uint64_t> made_at) {
    const ChainUse use{&chain, made_at};
    // Consecutive events often have the same type, and a stream has few types.
    if (last_ < uses_.size() && uses_[last_] == use) return;
    const auto found = std::find(uses_.begin(), uses_.end(), use);
    last_ = static_cast<std::size_t>(found - uses_.begin());
    if (found == uses_.end()) uses_.push_back(use);
  }
  void clear() { uses_.clear(); }
  const std::vector<ChainUse>& all() const { return uses_; }

 private:
  std::vector<ChainUse> uses_;
  std::size_t last_ = 0;
};

// A chain as a snapshot stores it: its key and its fingerprint.
struct RememberedChain {
  std::string_view type;
  SchemaId schema;  // that the events were stored with
  std::string_view fingerprint;
  std::optional<std::uint64_t> made_at;
};

}  // namespace cairn
