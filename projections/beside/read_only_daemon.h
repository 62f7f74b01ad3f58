#pragma once

#include <filesystem>
#include <memory>

#include "projections/daemon/projection_daemon.h"

namespace cairn {

// Answers from read models that another process builds (`cairn project`), and builds none: rows, what is
// parked and how far projections are, as that process has committed them. Projections are deployed and
// removed as ever, since that is written to the log, where the other process finds it. What only that process
// could do (rebuild, pause, retry and so on) is kFailedPrecondition. Takes no lock: it may be there before
// the other process, and outlive it.
//
// REQUIRES: store and shapes outlive it; there is one for a folder in this process, and nothing else in it
// opens read models there.
Result<std::unique_ptr<ProjectionDaemon>> open_read_only_daemon(EventStore& store, EventShapes& shapes,
                                                                const std::filesystem::path& folder,
                                                                DaemonOptions options = {});

}  // namespace cairn
