#include "tools/bench/compare/postgres_session.h"

#include <array>

#include "eventstore/base/uuid.h"
#include "tools/bench/compare/postgres_binary.h"
#include "tools/bench/compare/postgres_connection.h"

namespace cairn::bench {
namespace {

// The statements, without client ids and with them.
struct Statements {
  const char* one;
  const char* unnest;
  const char* copy;
};

constexpr Statements kWithoutIds = {
    "INSERT INTO events (stream, version, type, data) VALUES ($1, $2, $3, $4)",
    "INSERT INTO events (stream, version, type, data)"
    " SELECT $1, u.version, u.type, u.data FROM unnest($2::bigint[], $3::text[], $4::bytea[]) AS u (version, "
    "type, data)",
    "COPY events (stream, version, type, data) FROM STDIN (FORMAT binary)",
};

constexpr Statements kWithIds = {
    "INSERT INTO events (stream, version, type, data, id) VALUES ($1, $2, $3, $4, $5)",
    "INSERT INTO events (stream, version, type, data, id)"
    " SELECT $1, u.version, u.type, u.data, u.id"
    " FROM unnest($2::bigint[], $3::text[], $4::bytea[], $5::uuid[]) AS u (version, type, data, id)",
    "COPY events (stream, version, type, data, id) FROM STDIN (FORMAT binary)",
};

std::string_view bytes_of(const Uuid& id) {
  return {reinterpret_cast<const char*>(id.bytes.data()), id.bytes.size()};
}

class PostgresSession : public AppendSession {
 public:
  PostgresSession(PostgresConnection connection, const Payloads& payloads, ClientIds client_ids,
                  BatchMethod way)
      : connection_(std::move(connection)),
        payloads_(payloads),
        with_ids_(client_ids == ClientIds::kYes),
        statements_(with_ids_ ? kWithIds : kWithoutIds),
        way_(way) {}

  Status prepare() {
    CAIRN_CHECK(prepare("one", statements_.one));
    return prepare("unnest", statements_.unnest);
  }

  Status append(const AppendCall& call) override {
    if (call.events == 1) return append_one(call);
    return way_ == BatchMethod::kCopy ? append_copy(call) : append_unnest(call);
  }

 private:
  using Parameters = std::array<std::string_view, 5>;

  Status prepare(const char* name, const char* sql) {
    const PostgresResult result(PQprepare(connection_.get(), name, sql, 0, nullptr));
    return connection_.check(result.get(), sql);
  }

  // All parameters are in binary form; the fifth is the ids.
  Status run_prepared(const char* name, const Parameters& parameters) {
    std::array<const char*, 5> values;
    std::array<int, 5> lengths;
    constexpr std::array<int, 5> kBinary = {1, 1, 1, 1, 1};
    for (std::size_t i = 0; i < parameters.size(); ++i) {
      values[i] = parameters[i].data();
      lengths[i] = static_cast<int>(parameters[i].size());
    }
    const PostgresResult result(PQexecPrepared(connection_.get(), name, with_ids_ ? 5 : 4, values.data(),
                                               lengths.data(), kBinary.data(), 1));
    return connection_.check(result.get(), "append to the event table");
  }

  Status append_one(const AppendCall& call) {
    versions_.clear();
    versions_.add_int64(call.expected_version + 1);
    const Uuid id = with_ids_ ? new_event_id() : Uuid{};
    return run_prepared("one", {call.stream, versions_.bytes(), payloads_.type(call.first_event),
                                payloads_.data(call.first_event), bytes_of(id)});
  }

  Status append_unnest(const AppendCall& call) {
    for (PostgresBinary* array : {&versions_, &types_, &data_, &ids_}) array->clear();
    versions_.start_array(kInt8Oid, call.events);
    types_.start_array(kTextOid, call.events);
    data_.start_array(kByteaOid, call.events);
    ids_.start_array(kUuidOid, call.events);
    for (unsigned i = 0; i < call.events; ++i) {
      versions_.add_int64_field(call.expected_version + 1 + i);
      types_.add_field(payloads_.type(call.first_event + i));
      data_.add_field(payloads_.data(call.first_event + i));
      if (with_ids_) ids_.add_field(bytes_of(new_event_id()));
    }
    return run_prepared("unnest",
                        {call.stream, versions_.bytes(), types_.bytes(), data_.bytes(), ids_.bytes()});
  }

  Status append_copy(const AppendCall& call) {
    data_.clear();
    data_.start_copy();
    for (unsigned i = 0; i < call.events; ++i) {
      data_.add_int16(with_ids_ ? 5 : 4);
      data_.add_field(call.stream);
      data_.add_int64_field(call.expected_version + 1 + i);
      data_.add_field(payloads_.type(call.first_event + i));
      data_.add_field(payloads_.data(call.first_event + i));
      if (with_ids_) data_.add_field(bytes_of(new_event_id()));
    }
    data_.end_copy();
    return connection_.copy_in(statements_.copy, data_.bytes());
  }

  PostgresConnection connection_;
  const Payloads& payloads_;
  bool with_ids_;
  const Statements& statements_;
  BatchMethod way_;

  // Kept from append to append for their memory.
  PostgresBinary versions_;
  PostgresBinary types_;
  PostgresBinary data_;
  PostgresBinary ids_;
};

}  // namespace

Result<std::unique_ptr<AppendSession>> open_postgres_session(const std::string& connection_string,
                                                             const Payloads& payloads, ClientIds client_ids,
                                                             BatchMethod way) {
  CAIRN_TRY(PostgresConnection connection, PostgresConnection::open(connection_string));
  auto session = std::make_unique<PostgresSession>(std::move(connection), payloads, client_ids, way);
  CAIRN_CHECK(session->prepare());
  return std::unique_ptr<AppendSession>(std::move(session));
}

}  // namespace cairn::bench
