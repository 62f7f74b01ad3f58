#pragma once

#include <chrono>
#include <filesystem>

#include "eventstore/base/result.h"
#include "tools/bench/process_memory.h"

namespace cairn::bench {

// The memory of a process that only has a store open: after opening, and the peak under load.
struct MemoryFigures {
  ProcessMemory opened;
  ProcessMemory peak;
};

// Opens the store in `folder`, which has the streams 0 to `streams`, reads the version of each, and appends
// with 64 writers for `duration`, while it samples the memory of this process. REQUIRES: a process of its
// own.
Result<MemoryFigures> probe_memory(const std::filesystem::path& folder, std::size_t streams,
                                   std::chrono::duration<double> duration);

// Runs probe_memory() in a process of its own: `program` is this one.
Result<MemoryFigures> probe_memory_apart(const std::filesystem::path& program,
                                         const std::filesystem::path& folder, std::size_t streams,
                                         std::chrono::duration<double> duration);

}  // namespace cairn::bench
