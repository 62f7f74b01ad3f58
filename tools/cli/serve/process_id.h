#pragma once

#include <filesystem>
#include <optional>

namespace cairn::cli {

// LMDB tells the processes that have a store open apart by their process ids. In containers a server and
// `cairn project` beside it may both be process 1, each in its own PID namespace, and the second one would be
// refused. So a process whose id is taken continues in a child, which has another one, and passes signals on
// to it.
//
// Returns nullopt in the process that continues: this one, or the child. Returns the exit code of the child in
// the process that waited for it. REQUIRES: no other thread runs.
std::optional<int> continue_with_free_process_id(const std::filesystem::path& data);

}  // namespace cairn::cli
