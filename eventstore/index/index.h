#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "eventstore/base/fair_mutex.h"
#include "eventstore/base/result.h"
#include "eventstore/index/id_runs.h"
#include "eventstore/index/index_reader.h"
#include "eventstore/index/run_merge.h"
#include "eventstore/index/tail.h"
#include "eventstore/index/term_runs.h"
#include "eventstore/lmdb/lmdb_env.h"
#include "eventstore/snapshots.h"

namespace cairn {

struct IndexOptions {
  std::uint64_t map_bytes = 64ull << 30;
  unsigned readers_max = 1'000;
  lmdb::Access access = lmdb::Access::kReadWrite;
  lmdb::ReadPattern reads = lmdb::ReadPattern::kRandom;
};

// The index on disk. Everything but the snapshots can be rebuilt from the log. Thread-safe; flush(), tidy() and
// fill() from one thread at a time.
//
//   streams   name -> head                 ids        remembered event ids, see id_runs.h
//   terms     see term_records.h           snapshots  see snapshot_table.h
//   state     "state" -> IndexState, "runs" -> TermRuns, "plain-server-ids" -> nothing
//   postings  of version 0.1 only, see postings.h
class Index {
 public:
  // Opens the index in `folder`, or makes an empty one. Fails with kCorruption for a damaged file.
  static Result<std::unique_ptr<Index>> open(const std::filesystem::path& folder,
                                             const IndexOptions& options);

  Result<IndexReader> read() const;

  // Writes a generation of the tail. Stream heads come first, in several transactions, because a large commit
  // would delay the log's syncs; writing them is idempotent. Then the records of its terms, likewise, as a run
  // that counts once the last transaction adds it to the list of runs, together with the ids and the new state.
  // Ids of days before `first_id_day` are dropped. While `urgent()` the transactions are large: the flush is
  // faster and delays appends more. After kDiskFull the flush may be tried again.
  Status flush(const TailGeneration& generation, const Uuid& store_id, std::uint32_t first_id_day,
               const std::function<bool()>& urgent) CAIRN_EXCLUDES(write_mutex_);

  // Does a part of what flushes leave to be done, in one transaction or without any: deletes records that no
  // list names, merges runs. False when nothing is left. Fails as flush() does; nothing depends on it then.
  Result<bool> tidy() CAIRN_EXCLUDES(write_mutex_);

  // Adds the terms of events from `first` to `last`, which the posting lists of version 0.1 have, or lack.
  // REQUIRES: `first` follows progress().done, and `last` is not beyond progress().total.
  Status fill(const TermTable& terms, GlobalPosition first, GlobalPosition last,
              const std::function<bool()>& urgent) CAIRN_EXCLUDES(write_mutex_);

  // How far fill() has come. Any thread.
  IndexProgress progress() const { return {{filled_through_.load()}, {lists_through_.load()}}; }

  // The key of digest_of() in this index.
  const SipKey& digest_key() const { return digest_key_; }

  // See EventStore. Each is one transaction; during a flush, it runs between two of the flush's.
  Status put_snapshots(std::span<const SnapshotRecord> snapshots, std::span<const SnapshotKey> drop)
      CAIRN_EXCLUDES(write_mutex_);
  Result<std::uint64_t> prune_snapshots(std::string_view stream, std::uint64_t keep)
      CAIRN_EXCLUDES(write_mutex_);

  // The positions of events that may have the id; see IdRuns::find().
  Result<std::vector<GlobalPosition>> find_id(std::uint64_t hash, std::uint32_t first_day) const {
    return ids_->find(hash, first_day);
  }

  // See IndexReader; true for an index that was never flushed.
  bool has_plain_server_ids() const { return plain_server_ids_; }

  static std::uint64_t id_seed(const Uuid& store_id) { return store_id.low(); }

  std::uint64_t used_bytes() const { return env_->used_bytes(); }
  unsigned open_readers() const { return env_->open_readers(); }
  void clear_dead_readers() { env_->clear_dead_readers(); }

 private:
  Index() = default;
  Status open_tables();
  Status load_runs();

  using Urgent = std::function<bool()>;
  // Writes the records of a run, which no list names yet.
  Result<TermRun> write_run(const TermTable& terms, GlobalPosition first, GlobalPosition last,
                            const Urgent& urgent);
  Status make_terms();
  Status put_records(const std::vector<term_records::Record>& records);
  int put_runs(MDB_txn* txn, const TermRuns& runs) const;
  void set_runs(TermRuns runs);
  // Deletes some records of a run, or of the posting lists of version 0.1; false when there are none left.
  Result<bool> erase_some(MDB_dbi table, std::string_view prefix);
  // Deletes what was written of a run that will not be listed. What is left is deleted by tidy().
  void erase_run(std::uint32_t number);
  Result<bool> start_merge();
  Result<bool> step_merge();

  // The number of stream heads per transaction at which a commit changes few pages, for a flush of `heads`
  // heads.
  Result<std::size_t> heads_per_commit(std::size_t heads) const;

  // Checks every page and every record, once: a stream whose record is damaged would seem not to exist, and a
  // commit must not change a damaged page. Called by open(), or for an index over 1 GiB by the first commit,
  // to keep open() short.
  Status check() CAIRN_REQUIRES(write_mutex_);
  Status check_all() const;

  // Runs `write` in a transaction and commits it. If the map is full, it enlarges the map and runs `write`
  // again. Calls `ended`, if given, after each transaction and before any other can begin.
  enum class Outcome { kCommitted, kAborted };
  Status commit(const std::function<Result<int>(MDB_txn*)>& write,
                const std::function<void(Outcome)>& ended = {}) CAIRN_EXCLUDES(write_mutex_);

  std::filesystem::path folder_;
  std::unique_ptr<lmdb::Env> env_;
  IndexReader::Tables tables_;  // but for terms
  std::atomic<MDB_dbi> terms_ = lmdb::kNoTable;
  std::unique_ptr<IdRuns> ids_;
  bool plain_server_ids_ = false;  // set by open()
  SipKey digest_key_;              // set by open()

  // Of the thread that flushes.
  TermRuns runs_;                        // as on disk, once something was flushed
  std::vector<std::uint32_t> unlisted_;  // runs to delete
  bool lists_left_ = false;              // posting lists to delete
  std::optional<RunMerge> merge_;
  std::vector<std::uint32_t> damaged_runs_;  // are not merged
  std::atomic<std::uint64_t> filled_through_ = 0;
  std::atomic<std::uint64_t> lists_through_ = 0;

  // Held during a write transaction. Fair, because a flush locks it thousands of times in a row and would
  // starve put_snapshots().
  FairMutex write_mutex_;
  std::optional<Status> checked_ CAIRN_GUARDED_BY(write_mutex_);  // the result of check()
};

}  // namespace cairn
