#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "eventstore/base/log_throttle.h"
#include "eventstore/base/mutex.h"
#include "projections/daemon/run_queue.h"
#include "projections/daemon_options.h"
#include "projections/definitions/projection_definitions.h"
#include "projections/generation/batch_source.h"
#include "projections/projection.h"
#include "projections/runner/audit.h"
#include "projections/task_pool.h"

namespace cairn {

// What the projections of a daemon share.
struct RunningTools {
  ProjectionDefinitions& definitions;
  ProjectionAudit& audit;
  BatchSource& source;
  TaskPool& pool;
  const DaemonOptions& options;
  const std::atomic<bool>& stopping;  // the daemon stops: work under way is given up
};

// The projections that run: those of $definitions, which sync() starts, changes and ends as that stream says,
// and the native ones of the program. Thread-safe. Changes of the set exclude each other; lookups wait for
// neither changes nor steps. Lock order: sync_mutex_, then mutex_.
class RunningSet {
 public:
  using Queue = std::shared_ptr<RunQueue>;

  // `folder` holds all read models. REQUIRES: the tools outlive it.
  RunningSet(const RunningTools& tools, std::filesystem::path folder)
      : tools_(tools), folder_(std::move(folder)) {}

  // kNotFound when there is no projection of this name.
  Result<Queue> find(const std::string& name) const CAIRN_EXCLUDES(mutex_);
  std::vector<Queue> all() const CAIRN_EXCLUDES(mutex_);  // by name

  // Adds a native projection. kInvalidArgument: its name is invalid. kFailedPrecondition: its name is taken.
  Status add(std::shared_ptr<const Projection> projection) CAIRN_EXCLUDES(sync_mutex_, mutex_);

  // kFailedPrecondition when it is a native projection.
  Status check_not_native(const std::string& name) const CAIRN_EXCLUDES(sync_mutex_);

  // Starts, changes and ends projections as $definitions says.
  Status sync() CAIRN_EXCLUDES(sync_mutex_, mutex_);

  // Removes the folders of projections that no definition names, for example because they were removed while
  // another process built them. A definition whose script this program does not load keeps its folder: the
  // program that deployed it may come back. REQUIRES: all native projections are added.
  void remove_unknown_folders() const;

  // wake() has an effect between these two.
  void start() { runs_ = true; }
  void stop() { runs_ = false; }
  void wake(RunQueue& queue) const;
  void wake_all() const;

 private:
  Queue look_up(const std::string& name) const CAIRN_EXCLUDES(mutex_);  // nullptr when there is none
  std::shared_ptr<const Projection> make(const std::string& name, const std::string& fingerprint,
                                         const std::string& source) const;
  Status open(const std::string& name, RunnerDefinition definition) CAIRN_REQUIRES(sync_mutex_);
  Status apply(const ProjectionDefinition& definition) CAIRN_REQUIRES(sync_mutex_);
  void end(const std::string& name) CAIRN_REQUIRES(sync_mutex_);

  const RunningTools tools_;
  const std::filesystem::path folder_;
  mutable Mutex refused_mutex_;
  mutable KeyedLogThrottle refused_scripts_ CAIRN_GUARDED_BY(refused_mutex_){256};  // by projection

  mutable Mutex sync_mutex_;  // held while the set of projections changes
  std::uint64_t synced_changes_ CAIRN_GUARDED_BY(sync_mutex_) = 0;
  std::map<std::string, std::uint32_t> revisions_ CAIRN_GUARDED_BY(sync_mutex_);  // that were applied
  std::map<std::string, std::shared_ptr<const Projection>> native_ CAIRN_GUARDED_BY(sync_mutex_);

  mutable SharedMutex mutex_;
  std::map<std::string, Queue> queues_ CAIRN_GUARDED_BY(mutex_);
  std::atomic<bool> runs_{false};
};

}  // namespace cairn
