#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace cairn::cli {

// The status of projections as text. A status is JSON from the server and may have any content. `colour`:
// whether the state is shown in colour.

// A table with a line per projection, and below it the reasons of those that are not running.
std::string statuses_text(const nlohmann::json& statuses, bool colour);

// All facts about one projection, one per line.
std::string status_text(const nlohmann::json& status, bool colour);

// "generation 5  [##########..........]  50 %  250 events/s  ETA 4 s  1,000 of 2,000"; `rebuild` is that
// member of a status. The most important part comes first, because narrow windows cut the line.
std::string rebuild_bar(const nlohmann::json& rebuild);

// "paused: 1,000 keys are parked", or "running".
std::string state_and_reason(const nlohmann::json& status);

}  // namespace cairn::cli
