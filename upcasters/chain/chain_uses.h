#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "upcasters/chain/chain.h"

namespace cairn {

// One chain that events went through.
struct ChainUse {
  const Chain* chain = nullptr;
  // For what an upcaster made of events of another type: the registry's change before which that upcaster was
  // made, which decides what schema its events have.
  std::optional<std::uint64_t> made_at;
  friend bool operator==(const ChainUse&, const ChainUse&) = default;
};

// The chains that the events of a fold went through, each once. What came out depends on nothing else.
class ChainUses {
 public:
  void add(const Chain& chain, std::optional<std::uint64_t> made_at) {
    const ChainUse use{&chain, made_at};
    // Neighbours are often alike, and a stream has few types.
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

// A chain as it is remembered when it may be gone: what it was called, and what decided what came out.
struct RememberedChain {
  std::string_view type;
  SchemaId schema;  // that events were stored with
  std::string_view fingerprint;
  std::optional<std::uint64_t> made_at;
};

}  // namespace cairn
