#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "eventstore/event_store.h"
#include "projections/daemon/read_models.h"
#include "projections/daemon_options.h"
#include "projections/redrive.h"
#include "upcasters/event_shapes.h"

namespace cairn {

struct RetryReport {
  std::uint64_t keys = 0;      // tried
  std::uint64_t released = 0;  // no longer parked
  std::uint64_t events = 0;    // applied
};

// Keeps the read models of one event store up to date: follows the log with every projection of $definitions
// and the native ones of the program, builds new generations beside the live ones, and answers queries.
// Thread-safe.
//
// Invariants:
//  1. Rows and the checkpoint they stand for are committed together: after a crash at any point, each event
//     is applied exactly once.
//  2. Queries see rows of one generation, as of one commit.
//  3. A generation takes over only when it is at least as far as the one it replaces.
//  4. An event that cannot be applied holds up its own key and nothing else.
class ProjectionDaemon : public ReadModels {
 public:
  // Opens the read models under `folder`/readmodels, drops those that are damaged or incomplete, and reads the
  // definitions of the store. Nothing advances before start() or run_once(). kFailedPrecondition when another
  // process builds the read models of this folder. Beside the process that has the store (a LogReader) it
  // builds read models too, and deploy() and remove() fail with kFailedPrecondition. REQUIRES: store and shapes
  // outlive it.
  static Result<std::unique_ptr<ProjectionDaemon>> open(StoreAccess store, EventShapes& shapes,
                                                        const std::filesystem::path& folder,
                                                        DaemonOptions options = {});

  // Applies one batch to each projection on this thread, instead of start(). True when there was anything to
  // do: call it until it is false. Retries and rate limits are due when DaemonOptions::clock says so.
  virtual bool run_once() = 0;

  // Commands. Each returns at once with the status after it. kNotFound: no such projection.
  // kFailedPrecondition: not possible in its state (nothing to cancel, no generation to go back to); the
  // message says which. Those that are carried out are written to $audit, with `origin` in the metadata.
  virtual Result<ProjectionStatus> rebuild(const std::string& name,
                                           std::optional<std::uint64_t> events_per_second_max,
                                           const RequestOrigin& origin = {}) = 0;
  virtual Result<ProjectionStatus> cancel(const std::string& name, const RequestOrigin& origin = {}) = 0;
  virtual Result<ProjectionStatus> rollback(const std::string& name, const RequestOrigin& origin = {}) = 0;
  virtual Result<ProjectionStatus> pause(const std::string& name, const RequestOrigin& origin = {}) = 0;
  virtual Result<ProjectionStatus> resume(const std::string& name, const RequestOrigin& origin = {}) = 0;

  // Builds the rows a second time beside the live ones and compares both, in the background. The report says
  // how far it is; nullopt when no verification was started since the daemon was opened.
  virtual Result<ProjectionStatus> verify(const std::string& name) = 0;
  virtual std::optional<RowsVerification> verify_report(const std::string& name) const = 0;

  // Begins to retry all that is parked, in small steps between the batches of the log, and returns at once. It is
  // written to $audit, with its outcome when it ends. kFailedPrecondition: one is under way, or the projection is
  // faulted. cancel_redrive() ends it; kFailedPrecondition: none is under way.
  virtual Result<RedriveReport> start_redrive(const std::string& name, const RedriveOptions& options,
                                              const RequestOrigin& origin = {}) = 0;
  virtual Result<RedriveReport> cancel_redrive(const std::string& name, const RequestOrigin& origin = {}) = 0;
  // The one under way, or the last one since the daemon was opened.
  virtual std::optional<RedriveReport> redrive(const std::string& name) const = 0;

  // Retries one parked key, or all by a redrive that it waits for. skip() leaves out the event that failed, for as long as the definition
  // stays the same, also in a rebuild, and continues with the events after it. Both are written to $audit
  // first and return when the work is done. kNotFound: nothing is parked there. kFailedPrecondition: it was
  // cancelled, or another redrive is under way.
  virtual Result<RetryReport> retry(const std::string& name, const std::optional<std::string>& key,
                                    const RequestOrigin& origin = {}) = 0;
  virtual Result<RetryReport> skip(const std::string& name, const std::string& key, const std::string& reason,
                                   const RequestOrigin& origin = {}) = 0;
};

}  // namespace cairn
