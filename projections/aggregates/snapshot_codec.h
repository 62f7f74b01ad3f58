#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "eventstore/types.h"
#include "upcasters/chain/chain_uses.h"

namespace cairn {

// A decoded snapshot: the state, and the fingerprints of everything it was computed with. docs/format.md
// describes the bytes; docs/decisions.md, "Snapshots are validated by fingerprint", says why. The views live
// as long as the bytes.
struct Snapshot {
  GlobalPosition position;     // of the last event in it
  Timestamp recorded_at;       // of the last event in it
  std::string_view aggregate;  // its fingerprint
  std::vector<RememberedChain> chains;
  std::string_view state;  // as the aggregate saved it
};

std::string encode_snapshot(const Snapshot& snapshot);

// nullopt for bytes that are not a snapshot, or are of a format that this program does not know.
std::optional<Snapshot> decode_snapshot(std::string_view bytes);

}  // namespace cairn
