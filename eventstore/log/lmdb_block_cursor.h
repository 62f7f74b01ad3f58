#pragma once

#include <optional>

#include "eventstore/lmdb/cursor.h"
#include "eventstore/lmdb/lmdb_env.h"
#include "eventstore/log/block_log.h"
#include "eventstore/log/young_blocks.h"

namespace cairn {

// Walks the blocks in LMDB and, behind them, the young ones. A block leaves the young ones only when it is in
// LMDB; so LMDB is asked last, in a transaction that is not older than the question.
class LmdbBlockCursor final : public BlockCursor {
 public:
  LmdbBlockCursor(lmdb::Env& env, MDB_dbi table, const YoungBlocks& young)
      : env_(env), table_(table), young_(young) {}

  Result<std::optional<RawBlock>> seek(GlobalPosition position) override;
  Result<std::optional<RawBlock>> last() override;
  Result<std::optional<RawBlock>> next() override;

 private:
  enum class Transaction { kAny, kNew };
  Status begin(Transaction which);
  RawBlock take(YoungBlocks::Block block);
  Result<std::optional<RawBlock>> take(const std::optional<lmdb::Record>& record);

  lmdb::Env& env_;
  MDB_dbi table_;
  const YoungBlocks& young_;
  std::optional<lmdb::ReadTxn> txn_;
  std::optional<lmdb::Cursor> cursor_;
  YoungBlocks::Block current_young_;  // null when the cursor stands in LMDB
  RawBlock current_;
};

}  // namespace cairn
