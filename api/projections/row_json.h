#pragma once

#include <string>
#include <string_view>

#include "projections/daemon/projection_daemon.h"

namespace cairn::api {

// {"key","row","position","generation"}, with "partial":true while the generation is being built.
// REQUIRES: there is a row.
std::string row_json(std::string_view key, const RowAnswer& answer);

// {"rows":[{"key","row"}],"next","position","generation"}, and "partial" as above.
std::string rows_json(const RowsAnswer& answer);

}  // namespace cairn::api
