#pragma once

#include <optional>
#include <string>

#include "eventstore/lmdb/cursor.h"
#include "eventstore/lmdb/lmdb_env.h"
#include "eventstore/log/block_log.h"
#include "eventstore/log/unsettled_blocks.h"

namespace cairn {

// Iterates over the blocks in LMDB and then over the unsettled ones. A block is removed from the unsettled
// blocks only after the commit that puts it into LMDB. So every search looks at the unsettled blocks first
// and at LMDB second, in a read transaction that began after that; then it misses no block.
class LmdbBlockCursor final : public BlockCursor {
 public:
  LmdbBlockCursor(lmdb::Env& env, MDB_dbi table, const UnsettledBlocks& unsettled)
      : env_(env), table_(table), unsettled_(unsettled) {}

  Result<std::optional<RawBlock>> seek(GlobalPosition position) override;
  Result<std::optional<RawBlock>> last() override;
  Result<std::optional<RawBlock>> next() override;
  Result<std::optional<RawBlock>> after(const LogPlace& place) override;

  // The key of the block in LMDB. A block of events has its first position; a block without events has the
  // end of the log and its number. So keys are in the order of the log.
  static std::string key_of(const BlockHeader& header);

 private:
  enum class Transaction { kAny, kNew };
  Status begin(Transaction which);
  RawBlock take(UnsettledBlocks::Block block);
  void read_ahead();
  Result<std::optional<RawBlock>> take(const std::optional<lmdb::Record>& record);

  lmdb::Env& env_;
  MDB_dbi table_;
  const UnsettledBlocks& unsettled_;
  std::optional<lmdb::ReadTxn> txn_;
  std::optional<lmdb::Cursor> cursor_;
  UnsettledBlocks::Block current_unsettled_;  // null when the cursor is in LMDB
  RawBlock current_;
  unsigned steps_ = 0;                // of next() in LMDB since the last search
  const std::byte* ahead_ = nullptr;  // the file is read ahead up to here
};

}  // namespace cairn
