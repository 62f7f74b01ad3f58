#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <string>

namespace cairn {

// "1 key is", "2 keys are".
inline std::string keys_are(std::uint64_t count) {
  return count == 1 ? "1 key is" : fmt::format("{} keys are", count);
}

}  // namespace cairn
