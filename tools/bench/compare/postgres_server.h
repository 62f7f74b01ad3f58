#pragma once

#include <sys/types.h>

#include <filesystem>
#include <memory>
#include <string>

#include "eventstore/base/result.h"

namespace cairn::bench {

// A PostgreSQL server of our own with the settings initdb gives it (fsync and synchronous_commit on, 128 MB
// of shared buffers), reached through a socket in its folder and no port. Stopped when this object goes, and
// also when the process dies without a chance to do so.
class PostgresServer {
 public:
  // Makes a cluster in `folder` and starts it. As root it runs as the user `postgres`, because PostgreSQL
  // refuses root. Fails with kFailedPrecondition when the programs or that user are missing, or the folder
  // cannot be reached by that user.
  static Result<std::unique_ptr<PostgresServer>> start(const std::filesystem::path& folder);

  PostgresServer(const PostgresServer&) = delete;
  PostgresServer& operator=(const PostgresServer&) = delete;
  ~PostgresServer();

  // What libpq needs to connect.
  std::string connection_string() const;

 private:
  PostgresServer(std::filesystem::path folder, pid_t process);
  Status wait_until_ready() const;

  std::filesystem::path folder_;
  pid_t process_;
  std::string user_;
};

}  // namespace cairn::bench
