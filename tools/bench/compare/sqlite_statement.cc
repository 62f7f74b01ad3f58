#include "tools/bench/compare/sqlite_statement.h"

#include <sqlite3.h>

#include <utility>

namespace cairn::bench {
namespace {

Error sqlite_error(sqlite3* database, std::string_view what) {
  const Errc code =
      sqlite3_extended_errcode(database) == SQLITE_CONSTRAINT_UNIQUE ? Errc::kVersionConflict : Errc::kIo;
  return make_error(code, std::string(what) + ": " + sqlite3_errmsg(database));
}

}  // namespace

Result<SqliteStatement> SqliteStatement::prepare(sqlite3* database, std::string_view sql) {
  sqlite3_stmt* statement = nullptr;
  if (sqlite3_prepare_v2(database, sql.data(), static_cast<int>(sql.size()), &statement, nullptr) !=
      SQLITE_OK) {
    return sqlite_error(database, sql);
  }
  return SqliteStatement(statement);
}

SqliteStatement::SqliteStatement(SqliteStatement&& other) noexcept
    : statement_(std::exchange(other.statement_, nullptr)) {}

SqliteStatement::~SqliteStatement() { sqlite3_finalize(statement_); }

void SqliteStatement::bind_text(int parameter, std::string_view value) {
  sqlite3_bind_text(statement_, parameter, value.data(), static_cast<int>(value.size()), SQLITE_STATIC);
}

void SqliteStatement::bind_blob(int parameter, std::string_view value) {
  sqlite3_bind_blob(statement_, parameter, value.data(), static_cast<int>(value.size()), SQLITE_STATIC);
}

void SqliteStatement::bind_int64(int parameter, std::uint64_t value) {
  sqlite3_bind_int64(statement_, parameter, static_cast<sqlite3_int64>(value));
}

Status SqliteStatement::run() {
  const int code = sqlite3_step(statement_);
  Status status;
  if (code != SQLITE_DONE) status = sqlite_error(sqlite3_db_handle(statement_), sqlite3_sql(statement_));
  sqlite3_reset(statement_);
  return status;
}

Result<bool> SqliteStatement::step() {
  switch (sqlite3_step(statement_)) {
    case SQLITE_ROW:
      return true;
    case SQLITE_DONE:
      return false;
    default:
      return sqlite_error(sqlite3_db_handle(statement_), sqlite3_sql(statement_));
  }
}

std::string_view SqliteStatement::column_bytes(int column) const {
  const auto* bytes = static_cast<const char*>(sqlite3_column_blob(statement_, column));
  return {bytes, static_cast<std::size_t>(sqlite3_column_bytes(statement_, column))};
}

std::uint64_t SqliteStatement::column_int64(int column) const {
  return static_cast<std::uint64_t>(sqlite3_column_int64(statement_, column));
}

Status sqlite_execute(sqlite3* database, const std::string& sql) {
  if (sqlite3_exec(database, sql.c_str(), nullptr, nullptr, nullptr) != SQLITE_OK)
    return sqlite_error(database, sql);
  return {};
}

}  // namespace cairn::bench
