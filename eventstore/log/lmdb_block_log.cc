#include "eventstore/log/lmdb_block_log.h"

#include <array>
#include <cstring>
#include <string>

#include "eventstore/base/endian.h"
#include "eventstore/base/file.h"
#include "eventstore/format/block_header.h"
#include "eventstore/lmdb/file_check.h"

namespace cairn {
namespace {

struct PositionKey {
  explicit PositionKey(GlobalPosition position) { store_be64(bytes, position.value); }
  MDB_val val() { return {sizeof bytes, bytes}; }
  unsigned char bytes[8];
};

class LmdbBlockCursor final : public BlockCursor {
 public:
  LmdbBlockCursor(lmdb::ReadTxn txn, MDB_cursor* cursor) : txn_(std::move(txn)), cursor_(cursor) {}
  ~LmdbBlockCursor() override { mdb_cursor_close(cursor_); }

  Result<std::optional<RawBlock>> seek(GlobalPosition position) override {
    PositionKey key(position);
    MDB_val found = key.val();
    MDB_val value{};
    const int code = get(found, value, MDB_SET_RANGE);
    if (code == MDB_NOTFOUND) return last();  // all blocks start before it
    if (code != 0) return failed(code);
    if (found.mv_size == sizeof key.bytes && std::memcmp(found.mv_data, key.bytes, sizeof key.bytes) == 0) {
      return block(found, value);
    }
    return move(MDB_PREV);
  }

  Result<std::optional<RawBlock>> last() override { return move(MDB_LAST); }
  Result<std::optional<RawBlock>> next() override { return move(MDB_NEXT); }
  Result<std::optional<RawBlock>> previous() override { return move(MDB_PREV); }

 private:
  int get(MDB_val& key, MDB_val& value, MDB_cursor_op op) {
    try {
      return mdb_cursor_get(cursor_, &key, &value, op);
    } catch (const lmdb::BrokenStructure&) {
      return MDB_CORRUPTED;
    }
  }

  Result<std::optional<RawBlock>> move(MDB_cursor_op op) {
    MDB_val key{};
    MDB_val value{};
    const int code = get(key, value, op);
    if (code == MDB_NOTFOUND) return std::optional<RawBlock>();
    if (code != 0) return failed(code);
    return block(key, value);
  }

  Error failed(int code) const { return lmdb::lmdb_error("reading the log " + txn_.env().name(), code); }

  Result<std::optional<RawBlock>> block(const MDB_val& key, const MDB_val& value) const {
    if (key.mv_size != 8 || !txn_.env().holds(key) || !txn_.env().holds(value)) {
      return make_error(Errc::kCorruption, "the log " + txn_.env().name() + " has a record outside its file");
    }
    const std::span bytes(static_cast<const std::byte*>(value.mv_data), value.mv_size);
    return std::optional(RawBlock{{load_be64(key.mv_data)}, bytes});
  }

  lmdb::ReadTxn txn_;
  MDB_cursor* cursor_;
};

// Whether the log, seen from inside the write transaction, is where the writer believes it is.
Status check_end(MDB_cursor* cursor, GlobalPosition first_position, std::uint64_t epoch) {
  MDB_val key{};
  MDB_val value{};
  const int code = mdb_cursor_get(cursor, &key, &value, MDB_LAST);
  std::uint64_t end = 0;
  if (code == 0) {
    const std::span bytes(static_cast<const std::byte*>(value.mv_data), value.mv_size);
    CAIRN_TRY(const BlockHeader last, BlockHeader::read(bytes));
    if (last.epoch > epoch) {
      return make_error(Errc::kFailedPrecondition, "another writer has taken over: the log is at epoch " +
                                                       std::to_string(last.epoch) + ", this writer at " +
                                                       std::to_string(epoch));
    }
    end = last.last_position().value;
  } else if (code != MDB_NOTFOUND) {
    return lmdb::lmdb_error("reading the end of the log", code);
  }
  if (end + 1 != first_position.value) {
    return make_error(Errc::kFailedPrecondition, "the log ends at position " + std::to_string(end) +
                                                     ", a block for " + std::to_string(first_position.value) +
                                                     " does not follow");
  }
  return {};
}

// Adds the block inside `txn`. MDB_MAP_FULL is for the caller to mend.
Result<int> put_block(MDB_txn* txn, MDB_dbi table, GlobalPosition first_position, std::uint64_t epoch,
                      std::span<const std::byte> block) {
  MDB_cursor* cursor = nullptr;
  if (const int code = mdb_cursor_open(txn, table, &cursor); code != 0) return code;
  const std::unique_ptr<MDB_cursor, decltype(&mdb_cursor_close)> guard(cursor, mdb_cursor_close);
  CAIRN_CHECK(check_end(cursor, first_position, epoch));
  PositionKey key(first_position);
  MDB_val key_val = key.val();
  MDB_val value{block.size(), nullptr};
  const int code = mdb_cursor_put(cursor, &key_val, &value, MDB_APPEND | MDB_RESERVE);
  if (code == 0) std::memcpy(value.mv_data, block.data(), block.size());
  return code;
}

}  // namespace

Result<std::unique_ptr<LmdbBlockLog>> LmdbBlockLog::open(const std::filesystem::path& folder,
                                                         const LmdbBlockLogOptions& options) {
  const std::filesystem::path file = folder / "data.mdb";
  const bool writable = options.access == lmdb::Access::kReadWrite;
  if (writable && std::filesystem::exists(file)) {
    CAIRN_CHECK(lmdb::check_file(file));
    CAIRN_CHECK(lmdb::check_trees(file, lmdb::TreeCheck::kAtOpen));
  }
  std::unique_ptr<LmdbBlockLog> log(new LmdbBlockLog);
  CAIRN_TRY(log->env_, lmdb::Env::open(folder, {.map_bytes = options.map_bytes,
                                                .tables_max = 0,
                                                .readers_max = options.readers_max,
                                                .access = options.access}));
  const std::array<lmdb::TableHandle, 1> table{{{nullptr, &log->table_}}};
  CAIRN_CHECK(log->env_->open_tables(table));
  if (writable) {
    CAIRN_TRY(const std::uint64_t file_bytes, file_size(log->env_->file_descriptor(), file));
    log->space_ = std::make_unique<LogFileSpace>(log->env_->file_descriptor(), file.string(), file_bytes,
                                                 options.fill_bytes);
    CAIRN_CHECK(sync_folder(folder));
  }
  return log;
}

Status LmdbBlockLog::append(GlobalPosition first_position, std::uint64_t epoch, std::span<const std::byte> block) {
  const std::uint64_t need = block.size() + LogFileSpace::kCommitSlackBytes;
  while (env_->used_bytes() + need > env_->map_bytes()) CAIRN_CHECK(env_->grow());
  CAIRN_CHECK(space_->reserve(env_->used_bytes(), block.size()));
  try {
    CAIRN_TRY(lmdb::WriteTxn txn, env_->begin_write());
    CAIRN_TRY(int code, put_block(txn.get(), table_, first_position, epoch, block));
    if (code != 0) return lmdb::lmdb_error("writing the log " + env_->name(), code);
    code = txn.commit();
    if (code != 0) {
      Error error = lmdb::lmdb_error("committing to the log " + env_->name(), code);
      error.code = Errc::kOutcomeUnknown;
      return error;
    }
  } catch (const lmdb::BrokenStructure& broken) {
    return make_error(Errc::kOutcomeUnknown, "the log " + env_->name() + " is damaged: " + broken.what());
  }
  return {};
}

Result<std::unique_ptr<BlockCursor>> LmdbBlockLog::cursor() {
  CAIRN_TRY(lmdb::ReadTxn txn, env_->begin_read());
  MDB_cursor* cursor = nullptr;
  if (const int code = mdb_cursor_open(txn.get(), table_, &cursor); code != 0) {
    return lmdb::lmdb_error("reading the log " + env_->name(), code);
  }
  return std::unique_ptr<BlockCursor>(std::make_unique<LmdbBlockCursor>(std::move(txn), cursor));
}

}  // namespace cairn
