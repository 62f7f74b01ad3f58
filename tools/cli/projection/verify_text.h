#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace cairn::cli {

// The report of `cairn projection verify` as text: the live rows compared with rows rebuilt from the log. A
// report is JSON from the server.

// "comparing  [##########..........]  50 %  1,000 of 2,000"
std::string verify_bar(const nlohmann::json& report);

// Whether the live rows match the log.
bool is_equal(const nlohmann::json& report);

// A table of the differing rows that the server lists; JSON is cut to `value_width`.
std::string differences_text(const std::string& report, std::size_t value_width);

// "1,234 rows are what the log says", or
// "3 rows are not what the log says: 1 missing, 1 too many, 1 different (1,234 compared)"
std::string verdict_text(const nlohmann::json& report);

}  // namespace cairn::cli
