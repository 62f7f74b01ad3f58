#pragma once

#include <filesystem>
#include <memory>

#include "eventstore/log_reader.h"
#include "projections/daemon/projection_daemon.h"
#include "projections/engine/engine_parts.h"
#include "schemaregistry/registry/schema_registry.h"
#include "upcasters/event_shapes.h"

namespace cairn {

struct FollowerEngineOptions {
  FollowOptions follow;
  DaemonOptions daemon;
  LuaHost::Log log = {};  // gets what scripts print, unless `daemon` has a log of its own
};

// What builds read models in a process beside the one that has the store: the log, read by its files, and
// schemas, upcasters and definitions as they arrive through it. The counterpart of Engine, which has the store.
// Accessors are thread-safe; add(), start() and close() are for the owner's thread.
class FollowerEngine {
 public:
  // Opens all of it; nothing is built before start(). Fails as LogReader::open_beside(), the open_reader() of
  // SchemaRegistry and EventShapes, and ProjectionDaemon::open() do. DaemonOptions::catch_up_shapes is set here.
  static Result<std::unique_ptr<FollowerEngine>> open(const std::filesystem::path& folder,
                                                      FollowerEngineOptions options = {});
  ~FollowerEngine() { close(); }
  FollowerEngine(const FollowerEngine&) = delete;
  FollowerEngine& operator=(const FollowerEngine&) = delete;

  LogReader& log() { return *log_; }
  ProjectionDaemon& daemon() { return *daemon_; }

  // As those of Engine.
  void add(EnginePart part) { parts_.add(std::move(part)); }
  Status start() { return parts_.start(); }
  void close();

 private:
  FollowerEngine() = default;

  std::unique_ptr<LogReader> log_;
  std::unique_ptr<SchemaRegistry> registry_;
  std::unique_ptr<EventShapes> shapes_;
  std::unique_ptr<ProjectionDaemon> daemon_;
  EngineParts parts_;
};

}  // namespace cairn
