#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "eventstore/snapshots.h"
#include "projections/aggregates/snapshot_report.h"
#include "projections/aggregates/state.h"

namespace cairn::api {

// {"stream","version","fingerprint","bytes"}
std::string snapshot_json(std::string_view stream, const SnapshotMade& made, std::string_view fingerprint);

// The same of a snapshot that was there, with its "state".
std::string snapshot_json(const StreamState& state, std::uint64_t bytes);

// {"stream","snapshots":[{"version","bytes","damaged"}]}
std::string snapshots_json(std::string_view stream, const std::vector<SnapshotInfo>& snapshots);

}  // namespace cairn::api
