#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include "eventstore/base/result.h"
#include "eventstore/base/uuid.h"
#include "eventstore/lmdb/lmdb_env.h"
#include "eventstore/types.h"

namespace cairn {

// Remembers which event ids were used, by day. Ids are random, and putting each where it belongs in a B+tree
// would rewrite a page per id; instead every flush writes its ids as one sorted run, small runs of a day are
// merged, and a filter in memory (two bytes an id) answers for the ids that were never seen. Only hashes are
// kept: the event at the position says whether it is the id.
//
//   key    day, run, chunk (u32 each, big-endian); the last chunk number is the run's filter
//   value  (hash u64, position u64) pairs in order of hash, sealed; the filter's words, sealed
class IdRuns {
 public:
  struct Entry {
    std::uint64_t hash = 0;
    std::uint64_t position = 0;
    friend auto operator<=>(const Entry&, const Entry&) = default;
  };

  // What an id is filed under. `seed` differs from store to store.
  static std::uint64_t hash(const Uuid& id, std::uint64_t seed);

  IdRuns(lmdb::Env& env, MDB_dbi table) : env_(env), table_(table) {}

  // Reads the runs' filters. Call once, before anything else.
  Status load();

  // Positions where the id may stand, days before `first_day` left out.
  Result<std::vector<GlobalPosition>> find(std::uint64_t hash, std::uint32_t first_day) const;

  // The steps of a flush, inside its transaction: adds a day's ids (sorted by hash), drops the days before
  // `first_day`, and once the transaction is committed makes the result visible. Return LMDB's code, or
  // damage.
  Result<int> add(MDB_txn* txn, std::uint32_t day, std::vector<Entry> entries);
  Result<int> drop_before(MDB_txn* txn, std::uint32_t first_day);
  void publish();
  void discard();  // the transaction was aborted

  // For a walk over the table: the entries of a chunk, nullopt for a filter.
  struct Chunk {
    std::uint32_t day = 0;
    std::optional<std::vector<Entry>> entries;
  };
  static Result<Chunk> decode(std::string_view key, std::string_view value);

 private:
  struct Run;
  using Runs = std::vector<std::shared_ptr<const Run>>;

  Result<std::optional<std::vector<GlobalPosition>>> find_in(const Runs& runs, std::uint64_t hash,
                                                             std::uint32_t first_day) const;
  Result<int> write_run(MDB_txn* txn, std::uint32_t day, std::uint32_t number,
                        std::span<const Entry> entries);
  Result<std::vector<Entry>> read_run(MDB_txn* txn, const Run& run) const;
  Result<int> erase_run(MDB_txn* txn, const Run& run) const;
  std::shared_ptr<const Runs> runs() const;

  lmdb::Env& env_;
  MDB_dbi table_;
  mutable std::mutex mutex_;
  std::shared_ptr<const Runs> runs_ = std::make_shared<Runs>();
  std::optional<Runs> pending_;  // the flusher's, until publish()
};

}  // namespace cairn
