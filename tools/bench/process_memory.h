#pragma once

#include <cstdint>

namespace cairn::bench {

// What this process has resident, in bytes.
struct ProcessMemory {
  std::uint64_t anonymous = 0;  // its own: heap and stacks
  std::uint64_t file = 0;       // pages of mapped files, which the system takes back when it needs them
};

// From /proc/self/status; zeros where there is none.
ProcessMemory process_memory();

}  // namespace cairn::bench
