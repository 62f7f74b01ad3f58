#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "eventstore/base/result.h"
#include "eventstore/index/index_state.h"
#include "eventstore/index/run_reader.h"
#include "eventstore/index/stream_head.h"
#include "eventstore/index/term_runs.h"
#include "eventstore/lmdb/lmdb_env.h"
#include "eventstore/queries.h"
#include "eventstore/snapshots.h"

namespace cairn {

// A snapshot of the index. Keep it short: it contains an LMDB read transaction. One thread at a time.
class IndexReader {
 public:
  Result<std::optional<StreamHead>> find(std::string_view stream) const;

  // Up to `limit` names, sorted, of streams that begin with `prefix` and are not below `from`.
  Result<std::vector<std::string>> names(std::string_view prefix, std::string_view from,
                                         std::size_t limit) const;

  // Positions of events that have the term, ascending: around the first one at or above `position`, or around
  // the last one at or below it; nullopt when there is none. Adds the number of runs that were searched to
  // `searched`. kNotYet while the index has no such terms of older events.
  Result<std::optional<PositionChunk>> positions_from(const TermView& term, std::uint64_t position,
                                                      std::size_t& searched) const;
  Result<std::optional<PositionChunk>> positions_down_to(const TermView& term, std::uint64_t position,
                                                         std::size_t& searched) const;

  // How many events have each term of a kind: the first `limit` terms that begin with `prefix` and are not below
  // `from`. REQUIRES: no digests. kNotYet as above.
  using Counts = std::map<std::string, std::uint64_t, std::less<>>;
  Result<Counts> counts(TermKind kind, std::string_view prefix, std::string_view from,
                        std::size_t limit) const;

  Result<const TermRuns*> runs() const;

  // nullopt when the index was never flushed.
  Result<std::optional<IndexState>> state() const;

  // Whether the index has the ids that the store made before its ids named their position (server_id.h). An
  // index has all of them or none: it has them if it was begun by a program that knows of it.
  Result<bool> has_plain_server_ids() const;

  // See EventStore. A damaged table is treated as empty.
  Result<SnapshotSearch> find_snapshot(std::string_view stream, StreamVersion at_most) const;
  Result<std::vector<SnapshotInfo>> list_snapshots(std::string_view stream) const;
  Result<SnapshotStreams> list_snapshot_streams(const SnapshotStreamsQuery& query) const;

  // The records of one run, in their order.
  Result<RunCursor> walk_run(std::uint32_t number) const {
    return RunCursor::open(txn_, tables_.terms, number);
  }

  enum class Table { kStreams, kPostings, kTerms, kIds, kState, kSnapshots };
  // The table's name in the LMDB environment.
  static const char* name_of(Table table);

  // Calls `visit` for each record of a table.
  Status for_each(Table table,
                  const std::function<void(std::string_view key, std::string_view value)>& visit) const;

  // The same, and stops at the first failure of `visit`, which it returns.
  Status walk(Table table,
              const std::function<Status(std::string_view key, std::string_view value)>& visit) const;

 private:
  friend class Index;
  struct Tables {
    MDB_dbi streams = 0, postings = 0, terms = 0, ids = 0, state = 0, snapshots = 0;
    MDB_dbi handle_of(Table table) const;
  };
  IndexReader(lmdb::ReadTxn txn, const Tables& tables) : txn_(std::move(txn)), tables_(tables) {}
  Status check_has(const TermRuns& runs, TermKind kind) const;

  lmdb::ReadTxn txn_;
  Tables tables_;
  mutable std::optional<TermRuns> runs_;  // read when first asked for
};

}  // namespace cairn
