#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "eventstore/event_store.h"
#include "projections/daemon_options.h"
#include "projections/definitions/projection_definitions.h"
#include "projections/projection.h"
#include "projections/projection_status.h"
#include "upcasters/event_shapes.h"

namespace cairn {

// A row, and through which position of the log the rows were known when it was read.
struct RowAnswer {
  GlobalPosition position;
  std::uint64_t generation = 0;
  bool partial = false;             // the generation is still being built
  std::optional<std::string> json;  // nullopt = no such row
};

struct RowsQuery {
  std::string prefix;
  std::string after;  // keys strictly greater than this
  std::size_t limit = 100;
  bool partial = false;  // answer from a generation that is still being built when there is no other
};

struct RowsAnswer {
  struct Row {
    std::string key;
    std::string json;
  };
  GlobalPosition position;
  std::uint64_t generation = 0;
  bool partial = false;
  std::vector<Row> rows;            // all as of one commit, rising by key
  std::optional<std::string> next;  // pass as `after` to go on
};

struct ParkedList {
  std::vector<ParkedKey> keys;      // rising by key
  std::optional<std::string> next;  // pass as `after` to go on
};

struct RetryReport {
  std::uint64_t keys = 0;      // that were tried
  std::uint64_t released = 0;  // that are parked no more
  std::uint64_t events = 0;    // that were applied
};

// Keeps the read models of one event store up to date: follows the log with every projection of
// $definitions and those the program itself brings along, builds new generations beside the live ones, and
// answers queries. Any thread.
//
// What holds:
//  1. Rows and the checkpoint they stand for are committed together: whatever happens, each event counts
//  once.
//  2. Queries see rows of one generation, as of one commit.
//  3. A generation takes over only when it is at least as far as the one it replaces.
//  4. An event that cannot be applied holds up its own key and nothing else.
class ProjectionDaemon {
 public:
  // Opens what is there under `folder`/readmodels, removes what was half-made, and knows the definitions of
  // the store. Nothing moves before start() or run_once(). Fails when another process builds the read models
  // of this folder. REQUIRES: store and shapes outlive it.
  static Result<std::unique_ptr<ProjectionDaemon>> open(EventStore& store, EventShapes& shapes,
                                                        const std::filesystem::path& folder,
                                                        DaemonOptions options = {});
  virtual ~ProjectionDaemon() = default;

  // Starts the workers. stop() ends them after the batch under way; what was not committed is done again.
  virtual void start() = 0;
  virtual void stop() = 0;

  // Takes each projection one batch further, on this thread, without start(). True when there was anything to
  // do: call it until it is false. Projections that wait for a timer are due when DaemonOptions::clock says
  // so.
  virtual bool run_once() = 0;

  // Adds one of the program's own. REQUIRES: before start(); no other has its name.
  virtual Status add(std::shared_ptr<const Projection> projection) = 0;

  // Checks a script and makes it the projection of that name: a new one starts, a changed one is rebuilt
  // beside the live one, the same source changes nothing.
  virtual ProjectionOutcome deploy(const ProjectionDraft& draft) = 0;

  // Ends a projection and removes its rows. kNotFound; kFailedPrecondition for one of the program's own.
  virtual Status remove(const std::string& name) = 0;

  virtual std::vector<ProjectionStatus> list() const = 0;  // by name
  virtual std::optional<ProjectionStatus> status(const std::string& name) const = 0;
  virtual std::optional<ProjectionDefinition> definition(const std::string& name) const = 0;

  // Each returns at once with the status after it. kNotFound: no such projection. kFailedPrecondition: not in
  // this state (nothing to cancel, no generation to go back to), and the message says which.
  virtual Result<ProjectionStatus> rebuild(const std::string& name,
                                           std::optional<std::uint64_t> events_per_second_max) = 0;
  virtual Result<ProjectionStatus> cancel(const std::string& name) = 0;
  virtual Result<ProjectionStatus> rollback(const std::string& name) = 0;
  virtual Result<ProjectionStatus> pause(const std::string& name) = 0;
  virtual Result<ProjectionStatus> resume(const std::string& name) = 0;

  // Builds the rows anew beside the live ones and compares, in the background; verify_report() tells how far
  // it is. nullopt when none was asked for since the start.
  virtual Result<ProjectionStatus> verify(const std::string& name) = 0;
  virtual std::optional<RowsVerification> verify_report(const std::string& name) const = 0;

  // kNotFound: no such projection. kFailedPrecondition: its first generation is still being built and the
  // query does not take what there is.
  virtual Result<RowAnswer> row(const std::string& name, const std::string& key, bool partial) = 0;
  virtual Result<RowsAnswer> rows(const std::string& name, const RowsQuery& query) = 0;

  // Calls `done` once: true as soon as the rows have the log through `position`, at once if they do; false
  // when `timeout` passed first, when there is no such projection, or when the daemon stops. From this thread
  // or one of the daemon's; it must not block.
  virtual void wait_for(const std::string& name, GlobalPosition position, std::chrono::milliseconds timeout,
                        std::function<void(bool reached)> done) = 0;

  // What is parked, in the live generation and the one being built. kNotFound: no such projection.
  virtual Result<ParkedList> parked(const std::string& name, const std::string& after, std::size_t limit) = 0;
  virtual Result<std::vector<ParkedKeyDetail>> parked_key(const std::string& name,
                                                          const std::string& key) = 0;

  // Tries again what is parked: one key, or all. skip() leaves out the event that failed, for as long as the
  // definition stays the same, also when it is rebuilt, and goes on with those behind it. All are written to
  // $audit first. These do their work before they return. kNotFound: nothing is parked there.
  virtual Result<RetryReport> retry(const std::string& name, const std::optional<std::string>& key) = 0;
  virtual Result<RetryReport> skip(const std::string& name, const std::string& key,
                                   const std::string& reason) = 0;
};

}  // namespace cairn
