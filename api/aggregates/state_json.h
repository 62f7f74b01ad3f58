#pragma once

#include <string>

#include "projections/aggregates/aggregate_event.h"
#include "projections/aggregates/aggregates.h"
#include "projections/aggregates/snapshot_report.h"
#include "projections/aggregates/state.h"

namespace cairn::api {

// {"category","revision","fingerprint","snapshotEvery","unchanged"}
std::string to_json(const AggregateDeployment& deployment);

// Appends {"category","revision","fingerprint","snapshotEvery","position","deployedAt"}, with "source" when
// there is one.
void append_aggregate_json(std::string& to, const AggregateDefinition& definition, const std::string* source);

// {"stream","version","position","recordedAt","state","fingerprint","snapshotVersion","eventsFolded"}
std::string to_json(const StreamState& state);

// {"done","total","eventsFolded"}
std::string to_json(const SnapshotProgress& progress);

// {"category","streams","made","fresh","unsavable","failed","eventsFolded","failures":[{"stream","position",
// "version","error"}]}
std::string to_json(const std::string& category, const SnapshotReport& report);

}  // namespace cairn::api
