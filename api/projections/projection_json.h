#pragma once

#include <optional>
#include <string>

#include "projections/daemon/projection_daemon.h"

namespace cairn::api {

// Appends how a projection is, as docs/http.md has it, with "source" when there is one.
void append_status_json(std::string& to, const ProjectionStatus& status, const std::string* source = nullptr);
std::string to_json(const ProjectionStatus& status);

// {"generation","position","target","eventsPerSecond","etaSeconds","eventsPerSecondMax","parkedKeys","rows",
// "holds"}
std::string to_json(const RebuildStatus& rebuild);

// {"name","revision","fingerprint","position","deployedAt","unchanged","status"}; "status" is null for one
// that is gone already.
std::string to_json(const ProjectionDeployment& deployment, const std::optional<ProjectionStatus>& status);

// {"name","stage","equal","position","target","rows","missing","extra","different","differences":[{"key",
// "live","rebuilt"}],"error","startedAt","seconds"}; "equal" is null before the end.
std::string to_json(const std::string& name, const RowsVerification& report);

}  // namespace cairn::api
