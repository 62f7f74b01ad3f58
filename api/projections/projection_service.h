#pragma once

#include <cstddef>

#include "api/http/answer_workers.h"
#include "projections/daemon/projection_daemon.h"

namespace cairn::api {

// The read models of a server, and the threads for what takes long with them. Any thread.
class ProjectionService {
 public:
  // REQUIRES: `daemon` outlives it.
  explicit ProjectionService(ProjectionDaemon& daemon) : daemon_(daemon) {}

  ProjectionDaemon& daemon() { return daemon_; }

  // Those who read do not wait for those who change something: trying again what is parked may take minutes.
  AnswerWorkers& readers() { return readers_; }
  AnswerWorkers& changes() { return changes_; }

  // Stops the daemon, finishes what is under way, and refuses what waits or comes later. Whoever waits is
  // told.
  void stop() {
    daemon_.stop();  // First: who waits for a position is answered by the readers.
    readers_.stop();
    changes_.stop();
  }

 private:
  // Those who build rows need the other processors.
  static constexpr std::size_t kReaders = 2;
  static constexpr std::size_t kReadersWaitingMax = 1'024;  // each holds little more than names
  // Two, so that a projection can be paused while what is parked is tried again.
  static constexpr std::size_t kChanges = 2;
  static constexpr std::size_t kChangesWaitingMax = 64;  // some hold a script of at most 1 MiB

  ProjectionDaemon& daemon_;
  AnswerWorkers readers_{kReaders, kReadersWaitingMax, "Too many rows are asked for."};
  AnswerWorkers changes_{kChanges, kChangesWaitingMax, "Too many changes of projections wait."};
};

}  // namespace cairn::api
