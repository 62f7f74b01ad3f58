#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace cairn::cli {

// The answer of GET /status on one screen: lines of at most 80 columns, what needs attention at the end. `status` may
// be any JSON; what is missing is shown as 0 or "unknown".
std::string server_status_text(const nlohmann::json& status, const std::string& url, bool colour);

// Whether the answer names something that needs a person.
bool needs_attention(const nlohmann::json& status);

}  // namespace cairn::cli
