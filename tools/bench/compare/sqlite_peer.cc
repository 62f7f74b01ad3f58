#include "tools/bench/compare/sqlite_peer.h"

#include <sqlite3.h>

#include <algorithm>
#include <chrono>

#include "eventstore/base/clock.h"
#include "eventstore/base/uuid.h"
#include "tools/bench/compare/sqlite_statement.h"
#include "tools/bench/interrupt.h"

namespace cairn::bench {
namespace {

constexpr const char* kTable = R"sql(
  PRAGMA journal_mode = WAL;
  PRAGMA synchronous = FULL;
  DROP TABLE IF EXISTS events;
  CREATE TABLE events (
    position    INTEGER PRIMARY KEY,
    stream      TEXT NOT NULL,
    version     INTEGER NOT NULL,
    id          BLOB NOT NULL,
    type        TEXT NOT NULL,
    data        BLOB NOT NULL,
    metadata    TEXT,
    recorded_at INTEGER NOT NULL,
    UNIQUE (stream, version)
  );
)sql";

constexpr const char* kIdIndex = "CREATE UNIQUE INDEX events_id ON events (id)";
constexpr const char* kInsert =
    "INSERT INTO events (stream, version, id, type, data, recorded_at) VALUES (?, ?, ?, ?, ?, ?)";
constexpr std::uint64_t kLoadRows = 10'000;

// Adds events inside whatever transaction is open.
class SqliteInserter {
 public:
  static Result<SqliteInserter> prepare(sqlite3* database) {
    CAIRN_TRY(SqliteStatement insert, SqliteStatement::prepare(database, kInsert));
    return SqliteInserter(std::move(insert));
  }

  Status add(std::string_view stream, std::uint64_t version, std::string_view type, std::string_view data) {
    const Uuid id = new_event_id();
    insert_.bind_text(1, stream);
    insert_.bind_int64(2, version);
    insert_.bind_blob(3, {reinterpret_cast<const char*>(id.bytes.data()), id.bytes.size()});
    insert_.bind_text(4, type);
    insert_.bind_blob(5, data);
    insert_.bind_int64(6, static_cast<std::uint64_t>(system_time().micros));
    return insert_.run();
  }

 private:
  explicit SqliteInserter(SqliteStatement insert) : insert_(std::move(insert)) {}

  SqliteStatement insert_;
};

class SqliteSession : public AppendSession {
 public:
  SqliteSession(sqlite3* database, Mutex& turn, SqliteInserter inserter, const Payloads& payloads)
      : database_(database), turn_(turn), inserter_(std::move(inserter)), payloads_(payloads) {}

  Status append(const AppendCall& call) override {
    const MutexLock lock(turn_);
    if (call.events == 1) return add(call, 0);  // a transaction of its own
    CAIRN_CHECK(sqlite_execute(database_, "BEGIN IMMEDIATE"));
    for (unsigned i = 0; i < call.events; ++i) CAIRN_CHECK(add(call, i));
    return sqlite_execute(database_, "COMMIT");
  }

 private:
  Status add(const AppendCall& call, unsigned i) {
    const std::uint64_t event = call.first_event + i;
    return inserter_.add(call.stream, call.expected_version + 1 + i, payloads_.type(event),
                         payloads_.data(event));
  }

  sqlite3* database_;
  Mutex& turn_;
  SqliteInserter inserter_;
  const Payloads& payloads_;
};

}  // namespace

SqlitePeer::SqlitePeer(std::filesystem::path folder) : folder_(std::move(folder)) {}

SqlitePeer::~SqlitePeer() { sqlite3_close(database_); }

Status SqlitePeer::start_table(ClientIds client_ids) {
  if (database_ == nullptr) {
    std::filesystem::create_directories(folder_);
    const std::string file = (folder_ / "events.sqlite").string();
    if (sqlite3_open(file.c_str(), &database_) != SQLITE_OK) {
      return make_error(Errc::kIo, "open " + file + ": " + sqlite3_errmsg(database_));
    }
  }
  CAIRN_CHECK(sqlite_execute(database_, kTable));
  if (client_ids == ClientIds::kYes) return sqlite_execute(database_, kIdIndex);
  return {};
}

Result<std::unique_ptr<AppendSession>> SqlitePeer::connect(const Payloads& payloads, ClientIds) {
  CAIRN_TRY(SqliteInserter inserter, SqliteInserter::prepare(database_));
  return std::unique_ptr<AppendSession>(
      std::make_unique<SqliteSession>(database_, turn_, std::move(inserter), payloads));
}

Status SqlitePeer::load(const ReplaySet& set, const Payloads& payloads) {
  CAIRN_TRY(SqliteInserter inserter, SqliteInserter::prepare(database_));
  for (std::uint64_t event = 0; event < set.events && !interrupted();) {
    CAIRN_CHECK(sqlite_execute(database_, "BEGIN IMMEDIATE"));
    for (const std::uint64_t end = std::min(event + kLoadRows, set.events); event < end; ++event) {
      CAIRN_CHECK(inserter.add(StreamSet::name(set.stream(event)), set.version(event), payloads.type(event),
                               payloads.data(event)));
    }
    CAIRN_CHECK(sqlite_execute(database_, "COMMIT"));
  }
  return settle();
}

Result<ReplayOutcome> SqlitePeer::replay() {
  CAIRN_TRY(SqliteStatement query,
            SqliteStatement::prepare(database_,
                                     "SELECT stream, version, type, data FROM events ORDER BY position"));
  ReplayOutcome outcome;
  const auto began = std::chrono::steady_clock::now();
  while (true) {
    CAIRN_TRY(const bool found, query.step());
    if (!found) break;
    outcome.fold.add(query.column_bytes(0), query.column_int64(1), query.column_bytes(2),
                     query.column_bytes(3));
  }
  outcome.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
  return outcome;
}

Status SqlitePeer::settle() { return sqlite_execute(database_, "PRAGMA wal_checkpoint(TRUNCATE)"); }

std::string SqlitePeer::version() { return sqlite3_libversion(); }

}  // namespace cairn::bench
