#pragma once

#include <cstdint>

namespace cairn::bench {

// The resident memory of this process, in bytes.
struct ProcessMemory {
  std::uint64_t anonymous = 0;  // heap and stacks
  std::uint64_t file = 0;       // pages of mapped files, which the kernel can evict
};

// From /proc/self/status; zeros where there is none.
ProcessMemory process_memory();

}  // namespace cairn::bench
