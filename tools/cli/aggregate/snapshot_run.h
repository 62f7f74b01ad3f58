#pragma once

#include <string>
#include <string_view>

#include "api/client/client.h"
#include "eventstore/base/result.h"

namespace cairn::cli {

// Has snapshots made of all streams of a category, and shows on stderr how far that is. The body of the
// answer is the report, or with a status from 400 the problem, whichever way the server sent it.
//
// Errors are those of the client; kOutcomeUnknown too when the answer ended before there was a report.
Result<api::Answer> run_snapshots(api::Client& client, const std::string& category);

// "order: 1,234 streams: 1,000 made, 234 already there; 20,000 events folded"
std::string report_line(std::string_view report);

// How many streams failed, and a table of the first of them.
std::uint64_t failed_in(std::string_view report);
std::string snapshot_failures_text(std::string_view report);

}  // namespace cairn::cli
