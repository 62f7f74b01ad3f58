#pragma once

#include "tools/bench/compare/peer.h"
#include "tools/bench/compare/postgres_server.h"

namespace cairn::bench {

// How a batch of events gets into the table in one transaction.
enum class BatchMethod {
  kUnnest,  // one prepared INSERT from arrays, one round trip
  kCopy,    // binary COPY, two round trips
};

// An event table in PostgreSQL as one writes it by hand: a unique (stream, version) is the optimistic check,
// prepared statements, one round trip for an append. `data` is bytea, which is cheaper for the server than
// jsonb.
class PostgresPeer : public Peer {
 public:
  // Fails as PostgresServer::start().
  static Result<std::unique_ptr<PostgresPeer>> start(const std::filesystem::path& folder);

  std::string name() const override { return "PostgreSQL"; }
  Status start_table(ClientIds client_ids) override;
  Result<std::unique_ptr<AppendSession>> connect(const Payloads& payloads, ClientIds client_ids) override;
  Status load(const ReplaySet& set, const Payloads& payloads) override;
  Result<ReplayOutcome> replay() override;
  Status settle() override;

  // For later sessions; the default is kUnnest.
  void use_batch_way(BatchMethod way) { batch_way_ = way; }

  Result<std::string> version() const;
  std::string connection_string() const { return server_->connection_string(); }

 private:
  explicit PostgresPeer(std::unique_ptr<PostgresServer> server) : server_(std::move(server)) {}

  std::unique_ptr<PostgresServer> server_;
  BatchMethod batch_way_ = BatchMethod::kUnnest;
};

}  // namespace cairn::bench
