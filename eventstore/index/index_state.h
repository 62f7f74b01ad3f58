#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "eventstore/base/checksum.h"
#include "eventstore/base/result.h"
#include "eventstore/types.h"

namespace cairn {

// Up to where the index is complete, and which log it was made from.
struct IndexState {
  std::uint32_t format = 0;
  Uuid store_id;
  GlobalPosition through;  // every event up to this position is in the index
  Sha256 hash{};           // of the block that ends there
  friend bool operator==(const IndexState&, const IndexState&) = default;
};

// Format 1, of version 0.1, has posting lists and no runs.
inline constexpr std::uint32_t kIndexFormat = 2;
inline constexpr std::uint32_t kOldestIndexFormat = 1;

// The keys of the table "state".
inline constexpr std::string_view kStateKey = "state";
inline constexpr std::string_view kPlainServerIdsKey = "plain-server-ids";
inline constexpr std::string_view kRunsKey = "runs";

std::string encode_state(const IndexState& state);

// kCorruption for damage, and for a format that this program does not read.
Result<IndexState> decode_state(std::string_view sealed);

}  // namespace cairn
