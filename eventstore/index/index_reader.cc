#include "eventstore/index/index_reader.h"

#include <algorithm>
#include <iterator>

#include <fmt/format.h>

#include "eventstore/base/limits.h"
#include "eventstore/base/sealed.h"
#include "eventstore/index/postings.h"
#include "eventstore/index/snapshot_table.h"
#include "eventstore/lmdb/cursor.h"

namespace cairn {
namespace {

// Of names; LMDB takes keys of 511 bytes.
constexpr std::size_t kTermBytesMax =
    std::max({limits::kTypeNameBytesMax, limits::kTagBytesMax, limits::kStreamNameBytesMax});

Error not_yet(const TermRuns& runs) {
  const std::uint64_t done = runs.filled_through().value, total = runs.lists_through.value;
  Error error =
      make_error(Errc::kNotYet,
                 fmt::format("the index of an older version is being extended, and has done {} of {} events",
                             done, total));
  error.position = done;
  error.limit = total;
  return error;
}

bool has_posting_lists(TermKind kind) { return kind == TermKind::kCategory || kind == TermKind::kType; }

// An empty result in place of kCorruption. Snapshots are a cache; damage of the index itself is reported by
// the reads that need it.
template <typename T>
Result<T> empty_if_damaged(Result<T> read) {
  if (!read.ok() && read.error().code == Errc::kCorruption) return T{};
  return read;
}

}  // namespace

Result<std::optional<StreamHead>> IndexReader::find(std::string_view stream) const {
  // LMDB does not take such keys, and no stream has such a name.
  if (stream.empty() || stream.size() > limits::kStreamNameBytesMax) return std::optional<StreamHead>();
  CAIRN_TRY(const auto value, lmdb::get(txn_, tables_.streams, stream));
  if (!value) return std::optional<StreamHead>();
  CAIRN_TRY(const std::string_view payload, record::unseal(stream, *value));
  auto head = record::decode_head(payload);
  if (!head)
    return make_error(Errc::kCorruption, "index stream '" + std::string(stream) + "' cannot be read");
  return head;
}

Result<std::vector<std::string>> IndexReader::names(std::string_view prefix, std::string_view from,
                                                    std::size_t limit) const {
  std::vector<std::string> names;
  if (prefix.size() > limits::kStreamNameBytesMax) return names;
  // A truncated `from` still sorts after every name that the whole one sorts after.
  from = from.substr(0, limits::kStreamNameBytesMax + 1);
  CAIRN_TRY(lmdb::Cursor cursor, lmdb::Cursor::open(txn_, tables_.streams));
  // LMDB does not take an empty key.
  const std::string_view start = std::max(prefix, from);
  CAIRN_TRY(auto found, start.empty() ? cursor.first() : cursor.at_or_after(start));
  while (found && names.size() < limit && found->key.starts_with(prefix)) {
    names.emplace_back(found->key);
    CAIRN_TRY(found, cursor.next());
  }
  return names;
}

Result<const TermRuns*> IndexReader::runs() const {
  if (runs_) return &*runs_;
  CAIRN_TRY(const auto value, lmdb::get(txn_, tables_.state, kRunsKey));
  if (!value) {
    // An index that was never flushed, or that version 0.1 wrote.
    CAIRN_TRY(const auto state, this->state());
    if (state && state->format != kOldestIndexFormat)
      return make_error(Errc::kCorruption, "the index lacks its list of runs");
    runs_.emplace();
    if (state) runs_->lists_through = state->through;
    return &*runs_;
  }
  CAIRN_TRY(const std::string_view payload, record::unseal(kRunsKey, *value));
  runs_ = decode_term_runs(payload);
  if (!runs_) return make_error(Errc::kCorruption, "the list of runs in the index cannot be read");
  return &*runs_;
}

Status IndexReader::check_has(const TermRuns& runs, TermKind kind) const {
  if (runs.complete() || has_posting_lists(kind)) return {};
  return not_yet(runs);
}

Result<std::optional<PositionChunk>> IndexReader::positions_from(const TermView& term, std::uint64_t position,
                                                                 std::size_t& searched) const {
  if (term.bytes.size() > kTermBytesMax) return std::optional<PositionChunk>();
  CAIRN_TRY(const TermRuns* const runs, this->runs());
  CAIRN_CHECK(check_has(*runs, term.kind));
  if (position <= runs->lists_through.value) {
    ++searched;
    CAIRN_TRY(auto chunk, postings::chunk_at(txn_, tables_.postings, term, position));
    if (!chunk || chunk->back() < position) {
      CAIRN_TRY(chunk, postings::chunk_after(txn_, tables_.postings, term, position));
    }
    if (chunk) return chunk;
    position = runs->lists_through.value + 1;
  }
  for (const TermRun& run : runs->runs) {
    if (run.last.value < position || run.first <= runs->lists_through) continue;
    ++searched;
    CAIRN_TRY(auto chunk, chunk_from(txn_, tables_.terms, run.number, term, position));
    if (chunk) return chunk;
  }
  return std::optional<PositionChunk>();
}

Result<std::optional<PositionChunk>> IndexReader::positions_down_to(const TermView& term,
                                                                    std::uint64_t position,
                                                                    std::size_t& searched) const {
  if (term.bytes.size() > kTermBytesMax) return std::optional<PositionChunk>();
  CAIRN_TRY(const TermRuns* const runs, this->runs());
  CAIRN_CHECK(check_has(*runs, term.kind));
  for (auto run = runs->runs.rbegin(); run != runs->runs.rend(); ++run) {
    if (run->first.value > position || run->first <= runs->lists_through) continue;
    ++searched;
    CAIRN_TRY(auto chunk, chunk_down_to(txn_, tables_.terms, run->number, term, position));
    if (chunk) return chunk;
  }
  if (runs->complete()) return std::optional<PositionChunk>();
  ++searched;
  return postings::chunk_at(txn_, tables_.postings, term, position);
}

Result<IndexReader::Counts> IndexReader::counts(TermKind kind, std::string_view prefix, std::string_view from,
                                                std::size_t limit) const {
  Counts counts;
  if (prefix.size() > kTermBytesMax) return counts;
  CAIRN_TRY(const TermRuns* const runs, this->runs());
  if (!runs->complete()) return not_yet(*runs);
  from = std::max(prefix, from.substr(0, kTermBytesMax + 1));
  for (const TermRun& run : runs->runs) {
    CAIRN_TRY(RunCursor cursor, walk_run(run.number));
    CAIRN_TRY(const RunCursor::Entry* entry, cursor.seek({kind, from}, 0));
    while (entry != nullptr && entry->term.kind == kind && entry->term.bytes.starts_with(prefix)) {
      // A term behind `limit` others is not among the first.
      if (counts.size() >= limit && entry->term.bytes > std::next(counts.begin(), limit - 1)->first) break;
      counts[entry->term.bytes] += entry->total;
      if (counts.size() > limit) counts.erase(std::prev(counts.end()));
      CAIRN_TRY(entry, cursor.next_term());
    }
  }
  return counts;
}

Result<std::optional<IndexState>> IndexReader::state() const {
  CAIRN_TRY(const auto value, lmdb::get(txn_, tables_.state, kStateKey));
  if (!value) return std::optional<IndexState>();
  CAIRN_TRY(const IndexState state, decode_state(*value));
  return std::optional(state);
}

Result<bool> IndexReader::has_plain_server_ids() const {
  CAIRN_TRY(const auto value, lmdb::get(txn_, tables_.state, kPlainServerIdsKey));
  if (value) CAIRN_CHECK(record::unseal(kPlainServerIdsKey, *value));
  return value.has_value();
}

Result<SnapshotSearch> IndexReader::find_snapshot(std::string_view stream, StreamVersion at_most) const {
  return empty_if_damaged(snapshots::find(txn_, tables_.snapshots, stream, at_most));
}

Result<std::vector<SnapshotInfo>> IndexReader::list_snapshots(std::string_view stream) const {
  return empty_if_damaged(snapshots::list(txn_, tables_.snapshots, stream));
}

Result<SnapshotStreams> IndexReader::list_snapshot_streams(const SnapshotStreamsQuery& query) const {
  return empty_if_damaged(snapshots::list_streams(txn_, tables_.snapshots, query));
}

const char* IndexReader::name_of(Table table) {
  switch (table) {
    case Table::kStreams:
      return "streams";
    case Table::kPostings:
      return "postings";
    case Table::kTerms:
      return "terms";
    case Table::kIds:
      return "ids";
    case Table::kState:
      return "state";
    case Table::kSnapshots:
      break;
  }
  return "snapshots";
}

MDB_dbi IndexReader::Tables::handle_of(Table table) const {
  switch (table) {
    case Table::kStreams:
      return streams;
    case Table::kPostings:
      return postings;
    case Table::kTerms:
      return terms;
    case Table::kIds:
      return ids;
    case Table::kState:
      return state;
    case Table::kSnapshots:
      break;
  }
  return snapshots;
}

Status IndexReader::for_each(Table table,
                             const std::function<void(std::string_view, std::string_view)>& visit) const {
  return walk(table, [&visit](std::string_view key, std::string_view value) -> Status {
    visit(key, value);
    return {};
  });
}

Status IndexReader::walk(Table table,
                         const std::function<Status(std::string_view, std::string_view)>& visit) const {
  const MDB_dbi handle = tables_.handle_of(table);
  if (handle == lmdb::kNoTable) return {};
  CAIRN_TRY(lmdb::Cursor cursor, lmdb::Cursor::open(txn_, handle));
  CAIRN_TRY(auto found, cursor.first());
  while (found) {
    CAIRN_CHECK(visit(found->key, found->value));
    CAIRN_TRY(found, cursor.next());
  }
  return {};
}

}  // namespace cairn
