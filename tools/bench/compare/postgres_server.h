#pragma once

#include <sys/types.h>

#include <filesystem>
#include <memory>
#include <string>

#include "eventstore/base/result.h"

namespace cairn::bench {

// A private PostgreSQL server with the settings of initdb (fsync and synchronous_commit on, 128 MB of shared
// buffers), on a Unix socket in its folder and no port. The destructor stops it; it is also stopped when this
// process dies.
class PostgresServer {
 public:
  // Makes a cluster in `folder` and starts it. As root it runs as the user `postgres`, because PostgreSQL
  // refuses root. Fails with kFailedPrecondition when the programs or that user are missing, or the folder
  // cannot be reached by that user.
  static Result<std::unique_ptr<PostgresServer>> start(const std::filesystem::path& folder);

  PostgresServer(const PostgresServer&) = delete;
  PostgresServer& operator=(const PostgresServer&) = delete;
  ~PostgresServer();

  // The connection string for libpq.
  std::string connection_string() const;

 private:
  PostgresServer(std::filesystem::path folder, pid_t process);
  Status wait_until_ready() const;

  std::filesystem::path folder_;
  pid_t process_;
  std::string user_;
};

}  // namespace cairn::bench
