#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <optional>

#include "api/http/worker_thread.h"
#include "api/metrics/metrics.h"
#include "upcasters/event_shapes.h"

namespace cairn::api {

// An upcaster that a client wants to deploy, alone or with a schema.
struct DeployRequest {
  UpcasterDraft draft;
  std::optional<Registration> schema = {};
  DryRun dry_run = DryRun::kNo;
  OnVerificationProgress progress = {};
  IsCancelled cancelled = {};  // once true, always true

  // Told what became of it, once: from the thread that does it, or from the one that stops the service.
  std::function<void(const DeployOutcome& outcome)> done;
};

// The thread that tries upcasters on all history, which may take minutes: one at a time, while reads and
// appends go on. Any thread.
class DeployService {
 public:
  // REQUIRES: both outlive it.
  DeployService(EventShapes& shapes, Metrics& metrics) : shapes_(shapes), metrics_(metrics) {}
  ~DeployService() { stop(); }

  // False when too many wait already, or it was stopped: then `done` is not told.
  bool submit(DeployRequest request);

  // Gives up what is under way, which changes nothing, and refuses what waits or comes later.
  void stop();

 private:
  class Run;

  // Each holds a script of at most 1 MiB.
  static constexpr std::size_t kWaitingMax = 16;

  EventShapes& shapes_;
  Metrics& metrics_;
  std::atomic<bool> stopping_{false};
  WorkerThread worker_{kWaitingMax};
};

}  // namespace cairn::api
