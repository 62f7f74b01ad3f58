#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

// Shared by the process that is killed and the test that kills it.
namespace cairn::test {

inline constexpr const char* kKilledProjection = "customers";
inline constexpr std::size_t kKilledVariants = 3;

// The same rows, each with the number of the script that made them.
inline std::string killed_source(std::size_t variant) {
  return "return projection {\n"
         "  key = function(event) return event.data.customer end,\n"
         "  on = { Added = function(row, event)\n"
         "    row.n = (row.n or 0) + 1\n"
         "    row.sum = (row.sum or 0) + event.data.cents\n"
         "    row.variant = " +
         std::to_string(variant) +
         "\n"
         "  end },\n"
         "}\n";
}

// The points that DaemonOptions::at_point reports, where the process can end.
inline const std::vector<std::string> kPoints = {"commit.before",  "commit.after",     "rebuild.before",
                                                 "rebuild.made",   "rebuild.recorded", "swap.before",
                                                 "swap.committed", "swap.recorded",    "swap.switched",
                                                 "swap.swept",     "rollback.before",  "rollback.recorded"};

}  // namespace cairn::test
