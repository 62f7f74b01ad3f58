#include "eventstore/lmdb/bulk_writer.h"

#include <cstring>

#include "eventstore/lmdb/file_check.h"

namespace cairn::lmdb {
namespace {

// Large, for few syncs, but far below the number of dirty pages that LMDB allows in one transaction.
constexpr std::uint64_t kBulkCommitBytes = 16u << 20;
// Branch pages, the list of free pages, and unused space on leaf pages.
constexpr std::uint64_t kBulkSlackBytes = 1u << 20;

}  // namespace

Status BulkWriter::put(MDB_dbi table, std::string_view key, std::string_view value) {
  // An upper bound: the record is alone on its pages.
  const std::uint64_t bytes = key.size() + value.size() + kPageBytes;
  if (txn_ && batch_bytes_ + bytes > kBulkCommitBytes) CAIRN_CHECK(finish());
  if (!txn_) CAIRN_CHECK(begin(bytes));
  batch_bytes_ += key.size() + value.size();
  MDB_val key_val = to_val(key);
  MDB_val place{value.size(), nullptr};
  const int code = mdb_put(txn_->get(), table, &key_val, &place, MDB_APPEND | MDB_RESERVE);
  if (code == MDB_KEYEXIST)
    return make_error(Errc::kCorruption, "records of " + env_.name() + " are not in key order");
  if (code != 0) return lmdb_error("writing " + env_.name(), meant_code(code, env_.name()));
  std::memcpy(place.mv_data, value.data(), value.size());
  return {};
}

Status BulkWriter::finish() {
  if (!txn_) return {};
  const int code = txn_->commit();
  txn_.reset();
  batch_bytes_ = 0;
  if (code != 0) return lmdb_error("writing " + env_.name(), meant_code(code, env_.name()));
  return {};
}

// The map cannot grow during a transaction, so it gets room for a whole one before the transaction begins.
Status BulkWriter::begin(std::uint64_t bytes) {
  const std::uint64_t need = 2 * (kBulkCommitBytes + bytes) + kBulkSlackBytes;
  while (env_.used_bytes() + need > env_.map_bytes()) CAIRN_CHECK(env_.grow());
  CAIRN_TRY(WriteTxn txn, env_.begin_write());
  txn_.emplace(std::move(txn));
  return {};
}

}  // namespace cairn::lmdb
