#pragma once

#include <string>
#include <string_view>

#include "api/client/client.h"
#include "eventstore/base/result.h"

namespace cairn::cli {

// Makes the server create snapshots of all streams of a category, and shows progress on stderr. The body of
// the answer is the report, or the problem when the status is 400 or above, however the server sent it.
//
// Fails with the client's errors, and with kOutcomeUnknown when the answer ends without a report.
Result<api::Answer> run_snapshots(api::Client& client, const std::string& category);

// "order: 1,234 streams: 1,000 made, 234 already there; 20,000 events folded"
std::string report_line(std::string_view report);

// The number of failed streams, and a table of the first ones.
std::uint64_t failed_in(std::string_view report);
std::string snapshot_failures_text(std::string_view report);

}  // namespace cairn::cli
