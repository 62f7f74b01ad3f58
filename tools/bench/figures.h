#pragma once

#include <string>

namespace cairn::bench {

// Numbers with three or four significant digits and a unit.
std::string rate_text(double per_second);      // "61.2 k/s", "1.25 M/s"
std::string micros_text(double microseconds);  // "37.4 µs", "1.20 ms"
std::string bytes_text(double bytes);          // "412 MiB"
std::string ratio_text(double ratio);          // "12.3x"

}  // namespace cairn::bench
