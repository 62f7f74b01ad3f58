#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "eventstore/types.h"
#include "upcasters/chain/chain_uses.h"

namespace cairn {

// What a snapshot says: the state, and all that made it what it is. docs/format.md shows the bytes. The views
// live as long as the bytes.
struct Snapshot {
  GlobalPosition position;     // of the last event in it
  Timestamp recorded_at;       // of the last event in it
  std::string_view aggregate;  // its fingerprint
  std::vector<RememberedChain> chains;
  std::string_view state;  // as the aggregate saved it
};

std::string encode_snapshot(const Snapshot& snapshot);

// nullopt for what is no snapshot, or one of a format this program does not read.
std::optional<Snapshot> decode_snapshot(std::string_view bytes);

}  // namespace cairn
