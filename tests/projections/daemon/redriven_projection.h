#pragma once

#include <cstddef>
#include <string>

// Shared by the process that is killed during a redrive and the test that kills it.
namespace cairn::test {

inline constexpr const char* kRedriven = "customers";
inline constexpr std::size_t kRedrivenKeys = 60;
inline constexpr std::size_t kRedrivenEvents = 20;         // of each key
inline constexpr std::size_t kRedrivenLongEvents = 1'500;  // of one key

// The first one fails on negative cents.
inline std::string redriven_source(bool is_fixed) {
  return "return projection {\n"
         "  key = function(event) return event.data.customer end,\n"
         "  on = { Added = function(row, event)\n"
         "    row.n = (row.n or 0) + 1\n" +
         std::string(is_fixed ? "" : "    assert(event.data.cents >= 0)\n") +
         "    row.sum = (row.sum or 0) + event.data.cents\n"
         "  end },\n"
         "}\n";
}

}  // namespace cairn::test
