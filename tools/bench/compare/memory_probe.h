#pragma once

#include <chrono>
#include <filesystem>

#include "eventstore/base/result.h"
#include "tools/bench/process_memory.h"

namespace cairn::bench {

// What a process that does nothing but keep a store open needs: after opening, and at most while it works.
struct MemoryFigures {
  ProcessMemory opened;
  ProcessMemory peak;
};

// Opens the store in `folder`, which has the streams 0 to `streams`, asks for each of them, and appends with
// 64 writers for `duration`, looking at this process's memory all the time. To be run in a process of its
// own.
Result<MemoryFigures> probe_memory(const std::filesystem::path& folder, std::size_t streams,
                                   std::chrono::duration<double> duration);

// Runs probe_memory() in a process of its own: `program` is this one.
Result<MemoryFigures> probe_memory_apart(const std::filesystem::path& program,
                                         const std::filesystem::path& folder, std::size_t streams,
                                         std::chrono::duration<double> duration);

}  // namespace cairn::bench
