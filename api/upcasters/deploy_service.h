#pragma once

#include <atomic>
#include <functional>
#include <optional>

#include "api/http/worker_pool.h"
#include "api/metrics/metrics.h"
#include "upcasters/event_shapes.h"

namespace cairn::api {

// An upcaster that a client wants to deploy, alone or with a schema.
struct DeployRequest {
  UpcasterDraft draft;
  std::optional<Registration> schema = {};
  DryRun dry_run = DryRun::kNo;
  RequestOrigin origin = {};
  OnVerificationProgress progress = {};
  IsCancelled cancelled = {};  // once true, always true

  // Called once with the outcome: from the thread that runs the request, or from the one that calls stop().
  std::function<void(const DeployOutcome& outcome)> done;
};

// The thread that deploys upcasters, one at a time. A deployment runs the upcaster on all stored events,
// which may take minutes; reads and appends continue meanwhile. Thread-safe.
class DeployService {
 public:
  // REQUIRES: both outlive the service.
  DeployService(EventShapes& shapes, Metrics& metrics) : shapes_(shapes), metrics_(metrics) {}
  ~DeployService() { stop(); }

  // False when the queue is full, or after stop(): then `done` is not called.
  bool submit(DeployRequest request);

  // Cancels the deployment under way, which then changes nothing, and refuses waiting and later requests.
  void stop();

 private:
  class Run;

  // One deployment at a time. Each in the queue holds a script of at most 1 MiB.
  static constexpr WorkerPool::Options kDeploying{.name = "cairn-deploy", .threads = 1, .queue_max = 16};

  EventShapes& shapes_;
  Metrics& metrics_;
  std::atomic<bool> stopping_{false};
  WorkerPool worker_{kDeploying};
};

}  // namespace cairn::api
