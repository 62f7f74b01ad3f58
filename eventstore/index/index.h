#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "eventstore/base/checksum.h"
#include "eventstore/base/fair_mutex.h"
#include "eventstore/base/result.h"
#include "eventstore/index/id_runs.h"
#include "eventstore/index/postings.h"
#include "eventstore/index/stream_head.h"
#include "eventstore/index/tail.h"
#include "eventstore/lmdb/lmdb_env.h"
#include "eventstore/snapshots.h"

namespace cairn {

// How far the index goes, and which log it was made from.
struct IndexState {
  Uuid store_id;
  GlobalPosition through;  // every event up to here is in the index
  Sha256 hash{};           // of the block that ends there
  friend bool operator==(const IndexState&, const IndexState&) = default;
};

struct IndexOptions {
  std::uint64_t map_bytes = 64ull << 30;
  unsigned readers_max = 1'000;
  lmdb::Access access = lmdb::Access::kReadWrite;
};

// One look at the index. Short-lived, like the read transaction in it.
class IndexReader {
 public:
  Result<std::optional<StreamHead>> find(std::string_view stream) const;

  // Up to `limit` names of streams with `prefix`, from `from` on, in order.
  Result<std::vector<std::string>> names(std::string_view prefix, std::string_view from,
                                         std::size_t limit) const;

  Result<std::optional<postings::Chunk>> chunk_at(const PostingTerm& term, GlobalPosition position) const;
  Result<std::optional<postings::Chunk>> chunk_after(const PostingTerm& term, GlobalPosition position) const;

  // nullopt when the index was never flushed.
  Result<std::optional<IndexState>> state() const;

  // See EventStore. Damage is as if there were nothing.
  Result<SnapshotSearch> find_snapshot(std::string_view stream, StreamVersion at_most) const;
  Result<std::vector<SnapshotInfo>> list_snapshots(std::string_view stream) const;
  Result<SnapshotStreams> list_snapshot_streams(const SnapshotStreamsQuery& query) const;

  enum class Table { kStreams, kPostings, kIds, kState, kSnapshots };
  // What the table is called in the environment.
  static const char* name_of(Table table);

  // Visits all records of a table, for verify.
  Status for_each(Table table,
                  const std::function<void(std::string_view key, std::string_view value)>& visit) const;

  // The same, and ends with the first failure of `visit`.
  Status walk(Table table,
              const std::function<Status(std::string_view key, std::string_view value)>& visit) const;

 private:
  friend class Index;
  struct Tables {
    MDB_dbi streams = 0, postings = 0, ids = 0, state = 0, snapshots = 0;
    MDB_dbi handle_of(Table table) const;
  };
  IndexReader(lmdb::ReadTxn txn, const Tables& tables) : txn_(std::move(txn)), tables_(tables) {}

  lmdb::ReadTxn txn_;
  Tables tables_;
};

// The index on disk: everything here can be made again from the log. Any thread; flush() from one at a time.
//
//   streams   name -> head                 ids        remembered event ids, see id_runs.h
//   postings  see postings.h               snapshots  see snapshot_table.h
//   state     "state" -> IndexState
class Index {
 public:
  // Opens or makes the index in `folder`. Fails with kCorruption for a damaged file.
  static Result<std::unique_ptr<Index>> open(const std::filesystem::path& folder,
                                             const IndexOptions& options);

  Result<IndexReader> read() const;

  // Writes a generation. Stream heads go first, in slices, each a transaction of its own so that no commit is
  // large; everything that must not be applied twice goes last, together with the new state. Ids of days
  // before `first_id_day` are dropped. While `hurry()` the slices are large: faster, and harder on whoever
  // else writes to the disk. kDiskFull can be tried again.
  Status flush(const TailGeneration& generation, const Uuid& store_id, std::uint32_t first_id_day,
               const std::function<bool()>& hurry);

  // See EventStore. Each is a transaction of its own, between two of a flush.
  Status put_snapshots(std::span<const SnapshotRecord> snapshots, std::span<const SnapshotKey> drop);
  Result<std::uint64_t> prune_snapshots(std::string_view stream, std::uint64_t keep);

  // Where the id may stand; see IdRuns.
  Result<std::vector<GlobalPosition>> find_id(std::uint64_t hash, std::uint32_t first_day) const {
    return ids_->find(hash, first_day);
  }

  static std::uint64_t id_seed(const Uuid& store_id) { return store_id.low(); }

  std::uint64_t used_bytes() const { return env_->used_bytes(); }
  unsigned open_readers() const { return env_->open_readers(); }
  void tidy() { env_->clear_dead_readers(); }

 private:
  Index() = default;
  Status open_tables();
  // So many that a commit changes few pages, if `heads` heads are to be written.
  Result<std::size_t> heads_per_commit(std::size_t heads) const;
  // Looks over every page and record, once: a stream whose record is damaged would seem not to be there, and
  // a damaged page must not be written to. At open; for a very large index before the first flush, which is
  // no part of opening. REQUIRES: at open, or write_mutex_ is held.
  Status check();
  Status check_all() const;
  // Runs `write` in a transaction and commits, making the map larger when it is full: `write` then runs
  // again. One at a time; others wait.
  Status commit(const std::function<Result<int>(MDB_txn*)>& write);

  std::filesystem::path folder_;
  std::unique_ptr<lmdb::Env> env_;
  IndexReader::Tables tables_;
  std::unique_ptr<IdRuns> ids_;
  FairMutex write_mutex_;          // held by whoever writes; fair, as a flush asks for it thousands of times
  std::optional<Status> checked_;  // what check() found
};

}  // namespace cairn
