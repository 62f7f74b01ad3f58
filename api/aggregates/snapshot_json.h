#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "projections/aggregates/snapshot_report.h"
#include "projections/aggregates/state.h"

namespace cairn::api {

// {"stream","version","fingerprint","bytes"}
std::string snapshot_json(std::string_view stream, const SnapshotMade& made, std::string_view fingerprint);

// The same for a stored snapshot, with its "state".
std::string snapshot_json(const StreamState& state, std::uint64_t bytes);

// {"stream","snapshots":[{"version","bytes","usable","reason"}]}. "reason" says why a snapshot cannot be
// used: aggregate, shapes or damaged; null when it can.
std::string snapshots_json(std::string_view stream, const std::vector<SnapshotDescription>& snapshots);

}  // namespace cairn::api
