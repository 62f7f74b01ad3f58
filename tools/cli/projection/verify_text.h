#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace cairn::cli {

// What comparing a projection's rows with rows built anew has shown, as people read it. A report is JSON as
// the server sent it.

// "comparing  [##########..........]  50 %  1,000 of 2,000"
std::string verify_bar(const nlohmann::json& report);

// Whether the rows are what the log says.
bool is_equal(const nlohmann::json& report);

// A table of the rows that differ, as far as the server lists them; JSON at most `value_width` wide.
std::string differences_text(const std::string& report, std::size_t value_width);

// "1,234 rows are what the log says", or
// "3 rows are not what the log says: 1 missing, 1 too many, 1 different (1,234 compared)"
std::string verdict_text(const nlohmann::json& report);

}  // namespace cairn::cli
