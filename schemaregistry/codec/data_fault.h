#pragma once

#include <cstddef>
#include <string>

namespace cairn {

// Where a value is not what the schema wants.
struct DataFault {
  std::string path;      // a JSON pointer into the data
  std::string expected;  // "long", "a symbol of Color: RED, GREEN"
  std::string found;     // the JSON, cut short; "nothing" where a field is missing
};

// Nobody reads more of them.
inline constexpr std::size_t kDataFaultsMax = 100;

}  // namespace cairn
