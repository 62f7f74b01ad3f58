#pragma once

#include <prometheus/metric_family.h>

#include <vector>

#include "projections/projection_status.h"

namespace cairn::api {

// The state of the projections, each with its name as the label `projection`. The names of the families are
// part of the interface: operators write alerts on them.
std::vector<prometheus::MetricFamily> projection_metrics(const std::vector<ProjectionStatus>& projections);

}  // namespace cairn::api
