#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "eventstore/base/result.h"

struct sqlite3;
struct sqlite3_stmt;

namespace cairn::bench {

// A prepared statement. Not thread-safe. Bound values are not copied and must outlive the step; columns are
// valid until the next step.
class SqliteStatement {
 public:
  static Result<SqliteStatement> prepare(sqlite3* database, std::string_view sql);

  SqliteStatement(SqliteStatement&& other) noexcept;
  SqliteStatement& operator=(SqliteStatement&&) = delete;
  ~SqliteStatement();

  void bind_text(int parameter, std::string_view value);
  void bind_blob(int parameter, std::string_view value);
  void bind_int64(int parameter, std::uint64_t value);

  // Runs it to its end and makes it ready for the next run. A violated unique constraint is kVersionConflict.
  Status run();

  // For queries: true when there is a row.
  Result<bool> step();
  std::string_view column_bytes(int column) const;
  std::uint64_t column_int64(int column) const;

 private:
  explicit SqliteStatement(sqlite3_stmt* statement) : statement_(statement) {}

  sqlite3_stmt* statement_;
};

// Runs statements without parameters.
Status sqlite_execute(sqlite3* database, const std::string& sql);

}  // namespace cairn::bench
