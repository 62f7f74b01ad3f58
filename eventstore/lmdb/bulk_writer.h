#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "eventstore/lmdb/lmdb_env.h"

namespace cairn::lmdb {

// Fills a new environment with records that come in the order of their keys, many in one commit. Each commit
// is synced. Belongs to one thread; nobody else may write to the environment or read it.
class BulkWriter {
 public:
  explicit BulkWriter(Env& env) : env_(env) {}

  // Adds a record. Fails with kDiskFull, and with kCorruption for a key that is not above the last one of its
  // table; after that the environment is of no use.
  Status put(MDB_dbi table, std::string_view key, std::string_view value);

  // Commits what was added since the last commit.
  Status finish();

 private:
  Status begin(std::uint64_t bytes);

  Env& env_;
  std::optional<WriteTxn> txn_;
  std::uint64_t batch_bytes_ = 0;
};

}  // namespace cairn::lmdb
