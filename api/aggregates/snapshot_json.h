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

// The same of a snapshot that was there, with its "state".
std::string snapshot_json(const StreamState& state, std::uint64_t bytes);

// {"stream","snapshots":[{"version","bytes","usable","reason"}]}; "reason" is why one cannot be used:
// aggregate, shapes or damaged, and null for those that can.
std::string snapshots_json(std::string_view stream, const std::vector<SnapshotDescription>& snapshots);

}  // namespace cairn::api
