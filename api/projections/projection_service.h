#pragma once

#include <string>

#include "api/http/answer_workers.h"
#include "projections/daemon/daemon_errors.h"
#include "projections/daemon/projection_daemon.h"

namespace cairn::api {

// The read models of a server, and the threads for the slow work with them. Thread-safe.
class ProjectionService {
 public:
  // A server that builds its read models itself. REQUIRES: `daemon` outlives it.
  explicit ProjectionService(ProjectionDaemon& daemon) : ProjectionService(daemon, &daemon) {}

  // `builder` carries out commands; nullptr when another process builds the read models.
  // REQUIRES: both outlive it.
  ProjectionService(ReadModels& models, ProjectionDaemon* builder) : models_(models), builder_(builder) {}

  ReadModels& models() { return models_; }

  // The daemon that carries out a command for this projection. When this server only reads: kNotFound for an
  // unknown projection, else kFailedPrecondition.
  Result<ProjectionDaemon*> builder(const std::string& name) const {
    if (builder_ != nullptr) return builder_;
    if (!models_.status(name)) return no_projection(name);
    return built_by_another_process();
  }

  // Two pools, because reads must not wait for changes: a retry of parked events may take minutes.
  AnswerWorkers& readers() { return readers_; }
  AnswerWorkers& changes() { return changes_; }

  // Stops the read models, finishes the answers under way, and refuses waiting and later requests.
  void stop() {
    models_.stop();  // First: the readers answer the clients that wait for a position.
    readers_.stop();
    changes_.stop();
  }

 private:
  // Two threads, because building rows needs the other processors. A queued read holds little more than
  // names.
  static constexpr WorkerPool::Options kReaders{.name = "cairn-rows", .threads = 2, .queue_max = 1'024};
  // Two, so that a projection can be paused while parked events are retried. Some changes hold a script of 1
  // MiB.
  static constexpr WorkerPool::Options kChanges{.name = "cairn-change", .threads = 2, .queue_max = 64};

  ReadModels& models_;
  ProjectionDaemon* const builder_;
  AnswerWorkers readers_{kReaders, "Too many rows are asked for."};
  AnswerWorkers changes_{kChanges, "Too many changes of projections wait."};
};

}  // namespace cairn::api
