#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "eventstore/base/result.h"
#include "eventstore/lmdb/lmdb_env.h"
#include "eventstore/snapshots.h"

// Snapshots in the index's environment. Unlike the rest of the index they cannot be made from the log by the
// store alone, but whoever made them can make them again: so damage is passed over and never reported.
//
//   key    the stream's name, a zero byte, the version (u64, big-endian)
//   value  the bytes, sealed
namespace cairn::snapshots {

// Whether there can be such a snapshot. kInvalidArgument or kTooLarge where not.
Status check(const SnapshotRecord& snapshot);

// The steps of a write transaction. Return LMDB's code.
int put(MDB_txn* txn, MDB_dbi table, const SnapshotRecord& snapshot);
int drop(MDB_txn* txn, MDB_dbi table, const SnapshotKey& key);
Result<int> prune(MDB_txn* txn, MDB_dbi table, std::string_view stream, std::uint64_t keep,
                  std::uint64_t& dropped);

Result<SnapshotSearch> find(const lmdb::ReadTxn& txn, MDB_dbi table, std::string_view stream,
                            StreamVersion at_most);
Result<std::vector<SnapshotInfo>> list(const lmdb::ReadTxn& txn, MDB_dbi table, std::string_view stream);
Result<SnapshotStreams> list_streams(const lmdb::ReadTxn& txn, MDB_dbi table,
                                     const SnapshotStreamsQuery& query);

}  // namespace cairn::snapshots
