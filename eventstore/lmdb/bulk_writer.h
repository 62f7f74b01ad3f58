#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "eventstore/lmdb/lmdb_env.h"

namespace cairn::lmdb {

// Fills a new environment with records in ascending key order, many in one commit. Each commit is synced. Not
// thread-safe. REQUIRES: nothing else reads or writes the environment.
class BulkWriter {
 public:
  explicit BulkWriter(Env& env) : env_(env) {}

  // Adds a record. Fails with kDiskFull, or with kCorruption for a key that is not above the last one of its
  // table. After a failure the environment is unusable.
  Status put(MDB_dbi table, std::string_view key, std::string_view value);

  // Commits the records added since the last commit.
  Status finish();

 private:
  Status begin(std::uint64_t bytes);

  Env& env_;
  std::optional<WriteTxn> txn_;
  std::uint64_t batch_bytes_ = 0;
};

}  // namespace cairn::lmdb
