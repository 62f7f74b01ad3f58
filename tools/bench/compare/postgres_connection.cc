#include "tools/bench/compare/postgres_connection.h"

#include <optional>

namespace cairn::bench {
namespace {

constexpr std::string_view kUniqueViolation = "23505";

}  // namespace

Result<PostgresConnection> PostgresConnection::open(const std::string& connection_string) {
  PostgresConnection connection(PQconnectdb(connection_string.c_str()));
  if (PQstatus(connection.get()) != CONNECTION_OK) {
    return make_error(Errc::kIo, std::string("connect to PostgreSQL: ") + PQerrorMessage(connection.get()));
  }
  // Notices ("table does not exist, skipping") would disturb the output.
  PQsetNoticeProcessor(
      connection.get(), [](void*, const char*) {}, nullptr);
  return connection;
}

Status PostgresConnection::execute(const std::string& sql) {
  const PostgresResult result(PQexec(get(), sql.c_str()));
  return check(result.get(), sql);
}

Status PostgresConnection::copy_in(const std::string& sql, std::string_view bytes) {
  const PostgresResult begun(PQexec(get(), sql.c_str()));
  CAIRN_CHECK(check(begun.get(), sql));
  if (PQputCopyData(get(), bytes.data(), static_cast<int>(bytes.size())) != 1 ||
      PQputCopyEnd(get(), nullptr) != 1) {
    return make_error(Errc::kIo, sql + ": " + PQerrorMessage(get()));
  }
  std::optional<Error> first_error;
  while (const PostgresResult result{PQgetResult(get())}) {
    if (Status status = check(result.get(), sql); !status && !first_error)
      first_error = std::move(status).error();
  }
  if (first_error) return *std::move(first_error);
  return {};
}

Status PostgresConnection::check(const PGresult* result, std::string_view what) const {
  switch (PQresultStatus(result)) {
    case PGRES_COMMAND_OK:
    case PGRES_TUPLES_OK:
    case PGRES_COPY_IN:
    case PGRES_COPY_OUT:
      return {};
    default:
      break;
  }
  const char* state = PQresultErrorField(result, PG_DIAG_SQLSTATE);
  const Errc code = state != nullptr && state == kUniqueViolation ? Errc::kVersionConflict : Errc::kIo;
  return make_error(code, std::string(what.substr(0, 200)) + ": " + PQerrorMessage(get()));
}

}  // namespace cairn::bench
