#pragma once

#include <filesystem>
#include <memory>

#include "projections/engine/engine.h"

namespace cairn::bench {

// An engine on a new, empty data folder. No snapshots are made but those that a benchmark asks for, and
// `daemon_threads` build read models; with 0 there are none. Fails with kFailedPrecondition when the folder has
// something in it.
Result<std::unique_ptr<Engine>> make_new_engine(const std::filesystem::path& folder,
                                                unsigned daemon_threads = 0);

}  // namespace cairn::bench
