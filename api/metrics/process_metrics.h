#pragma once

#include <prometheus/metric_family.h>

#include <vector>

namespace cairn::api {

// What the kernel says about this process, under the names that Prometheus's client libraries use: processor time,
// memory, open files. What cannot be read is left out.
std::vector<prometheus::MetricFamily> process_metrics();

}  // namespace cairn::api
