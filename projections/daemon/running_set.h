#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <string>
#include <vector>

#include "projections/daemon/run_queue.h"
#include "projections/daemon_options.h"
#include "projections/definitions/projection_definitions.h"
#include "projections/generation/batch_source.h"
#include "projections/projection.h"
#include "projections/runner/audit.h"
#include "projections/task_pool.h"

namespace cairn {

// What the projections of a daemon have in common.
struct RunningTools {
  ProjectionDefinitions& definitions;
  ProjectionAudit& audit;
  BatchSource& source;
  TaskPool& pool;
  const DaemonOptions& options;
};

// The projections that run: those of $definitions, which it begins, changes and ends as that stream says, and
// the program's own. Any thread; those who change what projections there are wait for each other.
class RunningSet {
 public:
  using Queue = std::shared_ptr<RunQueue>;

  // `folder` is the one of all read models. REQUIRES: the tools outlive it.
  RunningSet(const RunningTools& tools, std::filesystem::path folder)
      : tools_(tools), folder_(std::move(folder)) {}

  // kNotFound when there is none of this name.
  Result<Queue> find(const std::string& name) const;
  std::vector<Queue> all() const;  // by name

  // Adds one of the program's own. kInvalidArgument for a name that cannot be one, kFailedPrecondition when
  // there is one of its name.
  Status add(std::shared_ptr<const Projection> projection);

  // kFailedPrecondition when it is one of the program's own.
  Status check_not_own(const std::string& name) const;

  // Begins, changes and ends projections as $definitions says.
  Status sync();

  // Removes the folders of projections that ended while nobody looked.
  void remove_strangers() const;

  // From the first on wake() has an effect, from the second on it has none.
  void let_run() { runs_ = true; }
  void rest() { runs_ = false; }
  void wake(RunQueue& queue) const;
  void wake_all() const;

 private:
  Queue look_up(const std::string& name) const;  // nullptr when there is none
  std::shared_ptr<const Projection> make(const std::string& name, const std::string& fingerprint,
                                         const std::string& source) const;
  Status open(const std::string& name, RunnerDefinition definition);
  Status follow(const ProjectionDefinition& definition);
  void end(const std::string& name);
  void notice(const std::string& message) const;

  const RunningTools tools_;
  const std::filesystem::path folder_;

  mutable std::mutex sync_mutex_;  // one who changes what projections there are
  std::uint64_t synced_changes_ = 0;
  std::map<std::string, std::uint32_t> revisions_;  // that were acted upon
  std::map<std::string, std::shared_ptr<const Projection>> own_;

  mutable std::shared_mutex mutex_;
  std::map<std::string, Queue> queues_;
  std::atomic<bool> runs_{false};
};

}  // namespace cairn
