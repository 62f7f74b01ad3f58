#include "tools/bench/compare/postgres_peer.h"

#include <algorithm>
#include <chrono>

#include "tools/bench/compare/postgres_binary.h"
#include "tools/bench/compare/postgres_connection.h"
#include "tools/bench/compare/postgres_session.h"
#include "tools/bench/interrupt.h"

namespace cairn::bench {
namespace {

constexpr const char* kTable = R"sql(
  DROP TABLE IF EXISTS events;
  CREATE TABLE events (
    position    bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    stream      text NOT NULL,
    version     bigint NOT NULL,
    id          uuid NOT NULL DEFAULT gen_random_uuid(),
    type        text NOT NULL,
    data        bytea NOT NULL,
    metadata    jsonb,
    recorded_at timestamptz NOT NULL DEFAULT now(),
    UNIQUE (stream, version)
  );
)sql";

constexpr const char* kIdIndex = "CREATE UNIQUE INDEX events_id ON events (id)";

constexpr std::uint64_t kLoadRows = 10'000;

struct CopyBuffer {
  char* bytes = nullptr;
  ~CopyBuffer() { PQfreemem(bytes); }
};

}  // namespace

Result<std::unique_ptr<PostgresPeer>> PostgresPeer::start(const std::filesystem::path& folder) {
  CAIRN_TRY(std::unique_ptr<PostgresServer> server, PostgresServer::start(folder));
  return std::unique_ptr<PostgresPeer>(new PostgresPeer(std::move(server)));
}

Status PostgresPeer::start_table(ClientIds client_ids) {
  CAIRN_TRY(PostgresConnection connection, PostgresConnection::open(server_->connection_string()));
  CAIRN_CHECK(connection.execute(kTable));
  if (client_ids == ClientIds::kYes) return connection.execute(kIdIndex);
  return {};
}

Result<std::unique_ptr<AppendSession>> PostgresPeer::connect(const Payloads& payloads, ClientIds client_ids) {
  return open_postgres_session(server_->connection_string(), payloads, client_ids, batch_way_);
}

Status PostgresPeer::load(const ReplaySet& set, const Payloads& payloads) {
  CAIRN_TRY(PostgresConnection connection, PostgresConnection::open(server_->connection_string()));
  PostgresBinary rows;
  for (std::uint64_t event = 0; event < set.events && !interrupted();) {
    rows.clear();
    rows.start_copy();
    for (const std::uint64_t end = std::min(event + kLoadRows, set.events); event < end; ++event) {
      rows.add_int16(4);
      rows.add_field(StreamSet::name(set.stream(event)));
      rows.add_int64_field(set.version(event));
      rows.add_field(payloads.type(event));
      rows.add_field(payloads.data(event));
    }
    rows.end_copy();
    CAIRN_CHECK(connection.copy_in("COPY events (stream, version, type, data) FROM STDIN (FORMAT binary)",
                                   rows.bytes()));
  }
  // So that the planner knows the table and no reader has to set hint bits.
  return connection.execute("VACUUM ANALYZE events");
}

Result<ReplayOutcome> PostgresPeer::replay() {
  constexpr const char* kSql =
      "COPY (SELECT stream, version, type, data FROM events ORDER BY position) TO STDOUT (FORMAT binary)";
  CAIRN_TRY(const PostgresConnection connection, PostgresConnection::open(server_->connection_string()));
  ReplayOutcome outcome;
  const auto began = std::chrono::steady_clock::now();
  const PostgresResult begun(PQexec(connection.get(), kSql));
  CAIRN_CHECK(connection.check(begun.get(), kSql));
  for (bool first = true;; first = false) {
    CopyBuffer buffer;
    const int size = PQgetCopyData(connection.get(), &buffer.bytes, 0);
    if (size < 0) break;
    PostgresRow row({buffer.bytes, static_cast<std::size_t>(size)}, first);
    if (row.is_end()) continue;
    const std::string_view stream = row.text();
    const std::uint64_t version = row.int64();
    const std::string_view type = row.text();
    outcome.fold.add(stream, version, type, row.text());
  }
  const PostgresResult ended(PQgetResult(connection.get()));
  CAIRN_CHECK(connection.check(ended.get(), kSql));
  outcome.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
  return outcome;
}

Status PostgresPeer::settle() {
  CAIRN_TRY(PostgresConnection connection, PostgresConnection::open(server_->connection_string()));
  return connection.execute("CHECKPOINT");
}

Result<std::string> PostgresPeer::version() const {
  CAIRN_TRY(const PostgresConnection connection, PostgresConnection::open(server_->connection_string()));
  return std::string(PQparameterStatus(connection.get(), "server_version"));
}

}  // namespace cairn::bench
