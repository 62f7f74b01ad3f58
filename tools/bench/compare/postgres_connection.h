#pragma once

#include <libpq-fe.h>

#include <memory>
#include <string>
#include <string_view>

#include "eventstore/base/result.h"

namespace cairn::bench {

struct PostgresResultDeleter {
  void operator()(PGresult* result) const { PQclear(result); }
};
using PostgresResult = std::unique_ptr<PGresult, PostgresResultDeleter>;

// One connection. Not thread-safe.
class PostgresConnection {
 public:
  static Result<PostgresConnection> open(const std::string& connection_string);

  // Runs statements without parameters.
  Status execute(const std::string& sql);

  // Sends one COPY … FROM STDIN with all its rows and waits for its commit.
  Status copy_in(const std::string& sql, std::string_view bytes);

  // Ok when the result is a command's or a query's success; a violated unique constraint is kVersionConflict.
  Status check(const PGresult* result, std::string_view what) const;

  PGconn* get() const { return connection_.get(); }

 private:
  struct Closer {
    void operator()(PGconn* connection) const { PQfinish(connection); }
  };

  explicit PostgresConnection(PGconn* connection) : connection_(connection) {}

  std::unique_ptr<PGconn, Closer> connection_;
};

}  // namespace cairn::bench
