#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tools/cli/aggregate/state_diff.h"
#include "tools/cli/aggregate/state_history.h"
#include "tools/cli/aggregate/state_request.h"

namespace cairn::cli {

// "order-1 at version 7, recorded 2026-11-16T20:55:35.123456Z: 2 events folded after the snapshot at version
// 5"
std::string state_line(const std::string& stream, const StateAnswer& state);

// Tables for a terminal.
std::string diff_text(const std::vector<StateChange>& changes);
std::string history_text(const std::vector<FieldChange>& changes);

// {"stream","from","to","changes":[{"path","before","after"}]}; a value that did not exist is left out.
std::string diff_json(const std::string& stream, std::uint64_t from, std::uint64_t to,
                      const std::vector<StateChange>& changes);

// {"stream","field","from","to","changes":[{"version","position","recordedAt","type","value"}]}; "value" is
// left out where the field was removed.
std::string history_json(const std::string& stream, const std::string& field, const FieldHistory& history);

}  // namespace cairn::cli
