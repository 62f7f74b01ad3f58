#pragma once

#include <cstddef>
#include <string>

namespace cairn {

// A place where a value does not fit the schema.
struct DataFault {
  std::string path;      // a JSON pointer into the data
  std::string expected;  // "long", "a symbol of Color: RED, GREEN"
  std::string found;     // the JSON, cut short; "nothing" where a field is missing
};

// The number of faults that are reported for one value.
inline constexpr std::size_t kDataFaultsMax = 100;

}  // namespace cairn
