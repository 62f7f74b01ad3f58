#pragma once

#include <filesystem>
#include <memory>

#include "eventstore/base/mutex.h"
#include "tools/bench/compare/peer.h"

struct sqlite3;

namespace cairn::bench {

// The same event table in SQLite: WAL mode with synchronous=FULL, so that every commit is durable. SQLite has
// one writer at a time; its sessions share one connection and take turns.
class SqlitePeer : public Peer {
 public:
  explicit SqlitePeer(std::filesystem::path folder);
  ~SqlitePeer() override;

  std::string name() const override { return "SQLite"; }
  Status start_table(ClientIds client_ids) override;
  Result<std::unique_ptr<AppendSession>> connect(const Payloads& payloads, ClientIds client_ids) override;
  Status load(const ReplaySet& set, const Payloads& payloads) override;
  Result<ReplayOutcome> replay() override;
  Status settle() override;

  static std::string version();

 private:
  std::filesystem::path folder_;
  sqlite3* database_ = nullptr;
  Mutex turn_;
};

}  // namespace cairn::bench
