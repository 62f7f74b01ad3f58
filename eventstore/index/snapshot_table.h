#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "eventstore/base/result.h"
#include "eventstore/lmdb/lmdb_env.h"
#include "eventstore/snapshots.h"

// Snapshots of aggregates, in the index's LMDB environment. The store cannot rebuild them from the log, but
// the code that made them can: they are a cache. So reads skip a damaged snapshot instead of failing.
//
//   key    the stream's name, a zero byte, the version (u64, big-endian)
//   value  the snapshot's bytes, with a checksum (sealed.h)
namespace cairn::snapshots {

// Fails with kInvalidArgument or kTooLarge when the snapshot cannot be stored.
Status check(const SnapshotRecord& snapshot);

// Writes, in the caller's transaction. Return LMDB's code. prune() keeps the newest `keep` snapshots.
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
