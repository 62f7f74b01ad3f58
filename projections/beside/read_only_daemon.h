#pragma once

#include <filesystem>
#include <memory>

#include "eventstore/event_store.h"
#include "projections/daemon/read_models.h"
#include "projections/daemon_options.h"
#include "upcasters/event_shapes.h"

namespace cairn {

// Answers from read models that another process (`cairn project`) builds: rows, parked keys and statuses, as
// that process has committed them. Projections are deployed and removed through the log, where the other
// process finds them. Commands that only the builder can carry out (rebuild, pause, retry and so on) are not
// part of it. Takes no lock: it may be opened before the other process starts, and outlive it.
//
// REQUIRES: store and shapes outlive it; there is one for a folder in this process, and nothing else in this
// process opens read models there (LMDB allows one environment per process).
Result<std::unique_ptr<ReadModels>> open_read_only_daemon(EventStore& store, EventShapes& shapes,
                                                          const std::filesystem::path& folder,
                                                          DaemonOptions options = {});

}  // namespace cairn
