#pragma once

#include <optional>
#include <string>
#include <vector>

#include "projections/daemon/projection_daemon.h"
#include "upcasters/trial/trial_report.h"

namespace cairn::api {

// Appends the status of a projection as docs/http.md describes it, with "source" when it is given.
void append_status_json(std::string& to, const ProjectionStatus& status, const std::string* source = nullptr);
std::string to_json(const ProjectionStatus& status);

// {"generation","position","target","eventsPerSecond","etaSeconds","eventsPerSecondMax","parkedKeys","rows",
// "holds"}
std::string to_json(const RebuildStatus& rebuild);

// {"name","revision","fingerprint","position","deployedAt","unchanged","status","warnings"}; "status" is null
// when the projection was removed in the meantime.
std::string to_json(const ProjectionDeployment& deployment, const std::optional<ProjectionStatus>& status,
                    const std::vector<ScriptWarning>& warnings);

// {"name","stage","equal","position","target","rows","missing","extra","different","differences":[{"key",
// "live","rebuilt"}],"error","startedAt","seconds"}; "equal" is null before the end.
std::string to_json(const std::string& name, const RowsVerification& report);

}  // namespace cairn::api
