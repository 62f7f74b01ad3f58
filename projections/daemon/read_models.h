#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "eventstore/base/result.h"
#include "eventstore/types.h"
#include "projections/definitions/projection_definitions.h"
#include "projections/projection.h"
#include "projections/projection_status.h"

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
  std::optional<std::string> next;  // pass as `after` for the next page
};

struct ParkedList {
  std::vector<ParkedKey> keys;      // rising by key
  std::optional<std::string> next;  // pass as `after` for the next page
};

// The read models of one event store, and the definitions they are built from: all that a server can answer
// or change without building rows itself. ProjectionDaemon builds them and adds commands;
// open_read_only_daemon() reads those that another process builds. Thread-safe.
//
// Queries see rows of one generation, as of one commit.
class ReadModels {
 public:
  virtual ~ReadModels() = default;

  // Starts the threads. stop() ends them after the batch under way and answers all waiters with false; rows
  // that were not committed are built again at the next start.
  virtual void start() = 0;
  virtual void stop() = 0;

  // Adds a native (C++) projection. kFailedPrecondition when its name is taken. REQUIRES: before start().
  virtual Status add(std::shared_ptr<const Projection> projection) = 0;

  // Checks a script and makes it the projection of that name: a new one starts, a changed one is rebuilt
  // beside the live one, the same source changes nothing.
  virtual Result<ProjectionDeployment, ProjectionRefusal> deploy(const ProjectionDraft& draft) = 0;

  // Ends a projection; the process that builds it removes its rows. kNotFound; kFailedPrecondition for a
  // native projection.
  virtual Status remove(const std::string& name, const RequestOrigin& origin = {}) = 0;

  virtual std::vector<ProjectionStatus> list() const = 0;  // by name
  virtual std::optional<ProjectionStatus> status(const std::string& name) const = 0;
  virtual std::optional<ProjectionDefinition> definition(const std::string& name) const = 0;

  // kNotFound: no such projection. kFailedPrecondition: its first generation is still being built and the
  // query does not accept a partial one.
  virtual Result<RowAnswer> row(const std::string& name, const std::string& key, bool partial) = 0;
  virtual Result<RowsAnswer> rows(const std::string& name, const RowsQuery& query) = 0;

  // Calls `done` once: true as soon as the rows have the log through `position`, at once if they do; false
  // when `timeout` passed first, when there is no such projection, or after stop(). `done` runs on the
  // calling thread or one of the pool's, and must not block.
  virtual void wait_for(const std::string& name, GlobalPosition position, std::chrono::milliseconds timeout,
                        std::function<void(bool reached)> done) = 0;

  // The parked keys of the live generation and the one being built. kNotFound: no such projection.
  virtual Result<ParkedList> parked(const std::string& name, const std::string& after, std::size_t limit) = 0;
  virtual Result<std::vector<ParkedKeyDetail>> parked_key(const std::string& name,
                                                          const std::string& key) = 0;
};

}  // namespace cairn
