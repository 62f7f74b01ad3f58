#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "eventstore/base/mutex.h"
#include "eventstore/base/result.h"
#include "eventstore/base/uuid.h"
#include "eventstore/lmdb/lmdb_env.h"
#include "eventstore/types.h"

namespace cairn {

// The event ids of past appends, by day: a small LSM tree. Ids are random, so inserting each into a B+tree
// would rewrite a page per id. Instead every flush writes its ids as one sorted run, small runs of a day are
// merged, and a Bloom filter in memory (two bytes per id) rules out most ids that were never used. Only
// hashes are stored; the event at the position shows whether it has the id. find() is thread-safe; everything
// else is called by one thread at a time, the one that flushes.
//
//   key    day, run, chunk (u32 each, big-endian); chunks from 0xF0000000 on are the run's filter
//   value  pairs of hash and position (u64 each), sorted by hash; or words of the filter.
//          Both end with a checksum (sealed.h).
class IdRuns {
 public:
  struct Entry {
    std::uint64_t hash = 0;
    std::uint64_t position = 0;
    friend auto operator<=>(const Entry&, const Entry&) = default;
  };

  // The hash under which an id is stored. Each store has its own seed.
  static std::uint64_t hash(const Uuid& id, std::uint64_t seed);

  IdRuns(lmdb::Env& env, MDB_dbi table) : env_(env), table_(table) {}

  // Loads the filters of all runs. Call it once, before anything else.
  Status load();

  // The positions of events that may have the id, without those of days before `first_day`.
  Result<std::vector<GlobalPosition>> find(std::uint64_t hash, std::uint32_t first_day) const;

  // The steps of a flush. add() and drop_before() write in the flush's transaction and return LMDB's code, or
  // fail with kCorruption. prepare() comes after them and before the commit: from then on find() can read
  // what the commit replaces, before and after it. publish() follows the commit; from then on find() finds
  // what was added.
  // REQUIRES: `entries` are sorted.
  Result<int> add(MDB_txn* txn, std::uint32_t day, std::vector<Entry> entries);
  Result<int> drop_before(MDB_txn* txn, std::uint32_t first_day);
  void prepare(MDB_txn* txn);
  void publish();
  // The transaction was aborted. Call it before the next one begins, which may get the same number.
  void discard();

  // Decodes one record, for a scan of the table. `entries` is nullopt for a filter.
  struct Chunk {
    std::uint32_t day = 0;
    std::optional<std::vector<Entry>> entries;
  };
  static Result<Chunk> decode(std::string_view key, std::string_view value);

 private:
  struct Run;
  using Runs = std::vector<std::shared_ptr<const Run>>;

  // The runs in memory belong to commits of the table. Between a flush's commit and its publish() there are
  // two lists; a reader uses the one that its transaction sees.
  struct Lists {
    std::shared_ptr<const Runs> published = std::make_shared<Runs>();
    std::shared_ptr<const Runs> prepared;  // null unless a flush is about to commit, or has just done so
    std::size_t prepared_txn = 0;          // the LMDB transaction from which on `prepared` is right
    friend bool operator==(const Lists&, const Lists&) = default;
  };

  Result<std::vector<GlobalPosition>> find_in(const lmdb::ReadTxn& txn, const Runs& runs, std::uint64_t hash,
                                              std::uint32_t first_day) const;
  Result<int> write_run(MDB_txn* txn, std::uint32_t day, std::uint32_t number,
                        std::span<const Entry> entries);
  Result<std::vector<Entry>> read_run(MDB_txn* txn, const Run& run) const;
  Result<int> erase_run(MDB_txn* txn, const Run& run) const;
  Lists lists() const CAIRN_EXCLUDES(mutex_);

  lmdb::Env& env_;
  MDB_dbi table_;
  mutable Mutex mutex_;
  Lists lists_ CAIRN_GUARDED_BY(mutex_);  // copy-on-write
  std::optional<Runs> pending_;           // the runs after the current flush; used by the thread that flushes
};

}  // namespace cairn
