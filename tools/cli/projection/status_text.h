#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace cairn::cli {

// What a server says of its projections, as people read it. A status is JSON as it was sent, and may be
// anything. `colour` is whether the state is shown in one.

// A table with a line for each, and below it why those are not well that are not.
std::string statuses_text(const nlohmann::json& statuses, bool colour);

// All about one, a line for each thing.
std::string status_text(const nlohmann::json& status, bool colour);

// "generation 5  [##########..........]  50 %  250 events/s  ETA 4 s  1,000 of 2,000"; `rebuild` is that
// member of a status. What matters most comes first, since narrow windows cut it.
std::string rebuild_bar(const nlohmann::json& rebuild);

// "paused: 1,000 keys are parked", or "running".
std::string state_and_reason(const nlohmann::json& status);

}  // namespace cairn::cli
