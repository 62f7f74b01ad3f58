#pragma once

#include <cstdint>
#include <string>

namespace cairn::cli {

// 1234567 -> "1,234,567"
std::string grouped(std::uint64_t number);

// (1, "event") -> "1 event"; (1234, "event") -> "1,234 events"
std::string counted(std::uint64_t count, const std::string& one);

// 1234.5 -> "1,234"; 2.25 -> "2.3": one decimal below ten.
std::string rate_text(double per_second);

// 0.26 -> "0.3 s", 12.4 -> "12 s", 200 -> "3 min 20 s", 7500 -> "2 h 5 min", 90000 -> "1 d 1 h"
std::string duration_text(double seconds);

// 1234567 -> "1.2 MiB"
std::string byte_size(std::uint64_t bytes);

}  // namespace cairn::cli
