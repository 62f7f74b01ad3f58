#include "eventstore/index/index.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <map>
#include <utility>

#include "eventstore/base/assert.h"
#include "eventstore/base/endian.h"
#include "eventstore/base/file.h"
#include "eventstore/base/limits.h"
#include "eventstore/base/sealed.h"
#include "eventstore/index/snapshot_table.h"
#include "eventstore/lmdb/cursor.h"
#include "eventstore/lmdb/file_check.h"

namespace cairn {
namespace {

constexpr std::string_view kStateKey = "state";
constexpr std::string_view kPlainServerIdsKey = "plain-server-ids";
constexpr std::uint32_t kIndexFormat = 1;
constexpr std::size_t kStateBytes = 4 + 16 + 8 + 32;
// A sync of the log may have to wait until the disk has written a whole commit of the index. Few pages per
// commit keep that wait short; but each commit costs syncs of its own.
constexpr std::size_t kPagesPerCommit = 24;
constexpr std::size_t kHeadsPerCommitMin = 64;     // bounds the number of commits if heads are sparse
constexpr std::size_t kHeadsPerCommitMax = 8'192;  // also the number for an urgent flush
constexpr std::uint64_t kCheckedAtOpenBytesMax = 1u << 30;

std::string encode_state(const IndexState& state) {
  std::string payload(kStateBytes, '\0');
  store_le(payload.data(), kIndexFormat);
  std::memcpy(payload.data() + 4, state.store_id.bytes.data(), 16);
  store_le(payload.data() + 20, state.through.value);
  std::memcpy(payload.data() + 28, state.hash.data(), 32);
  return record::seal(kStateKey, std::move(payload));
}

Result<IndexState> decode_state(std::string_view sealed) {
  CAIRN_TRY(const std::string_view payload, record::unseal(kStateKey, sealed));
  if (payload.size() != kStateBytes || load_le<std::uint32_t>(payload.data()) != kIndexFormat) {
    return make_error(Errc::kCorruption, "the index has a format that this program does not read");
  }
  IndexState state;
  std::memcpy(state.store_id.bytes.data(), payload.data() + 4, 16);
  state.through = {load_le<std::uint64_t>(payload.data() + 20)};
  std::memcpy(state.hash.data(), payload.data() + 28, 32);
  return state;
}

int put(MDB_txn* txn, MDB_dbi table, std::string_view key, std::string_view value) {
  MDB_val key_val = lmdb::to_val(key);
  MDB_val value_val = lmdb::to_val(value);
  return mdb_put(txn, table, &key_val, &value_val, 0);
}

Result<int> put_postings(MDB_txn* txn, MDB_dbi table, PostingTerm::Kind kind,
                         const TailGeneration::ByName<std::vector<std::uint64_t>>& lists) {
  for (const auto& [name, positions] : lists) {
    CAIRN_TRY(const int code, postings::append(txn, table, {kind, name}, positions));
    if (code != 0) return code;
  }
  return 0;
}

using IdsByDay = std::map<std::uint32_t, std::vector<IdRuns::Entry>>;

IdsByDay ids_by_day(const TailGeneration& generation, std::uint64_t seed, std::uint32_t first_day) {
  IdsByDay days;
  const auto add = [&](const Uuid& id, const TailGeneration::IdPlace& place) {
    if (place.day >= first_day) days[place.day].push_back({IdRuns::hash(id, seed), place.position.value});
  };
  for (const auto& [id, place] : generation.ids) add(id, place);
  for (const auto& [id, place] : generation.older_ids) add(id, place);
  for (auto& [day, entries] : days) std::sort(entries.begin(), entries.end());
  return days;
}

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

Result<std::optional<postings::Chunk>> IndexReader::chunk_at(const PostingTerm& term,
                                                             GlobalPosition position) const {
  if (term.name.size() > limits::kTypeNameBytesMax) return std::optional<postings::Chunk>();
  return postings::chunk_at(txn_, tables_.postings, term, position.value);
}

Result<std::optional<postings::Chunk>> IndexReader::chunk_after(const PostingTerm& term,
                                                                GlobalPosition position) const {
  if (term.name.size() > limits::kTypeNameBytesMax) return std::optional<postings::Chunk>();
  return postings::chunk_after(txn_, tables_.postings, term, position.value);
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

Result<std::unique_ptr<Index>> Index::open(const std::filesystem::path& folder, const IndexOptions& options) {
  const std::filesystem::path file = folder / "data.mdb";
  if (options.access == lmdb::Access::kReadWrite && std::filesystem::exists(file)) {
    CAIRN_CHECK(lmdb::check_file(file));
    CAIRN_CHECK(lmdb::check_trees(file, lmdb::TreeCheck::kAtOpen));
  }
  std::unique_ptr<Index> index(new Index);
  index->folder_ = folder;
  CAIRN_TRY(index->env_, lmdb::Env::open(folder, {.map_bytes = options.map_bytes,
                                                  .tables_max = 8,
                                                  .readers_max = options.readers_max,
                                                  .access = options.access,
                                                  .reads = options.reads}));
  CAIRN_CHECK(index->open_tables());
  index->ids_ = std::make_unique<IdRuns>(*index->env_, index->tables_.ids);
  if (options.access == lmdb::Access::kReadWrite) {
    CAIRN_CHECK(index->ids_->load());
    CAIRN_TRY(const IndexReader reader, index->read());
    CAIRN_TRY(const auto state, reader.state());
    CAIRN_TRY(const bool plain_ids, reader.has_plain_server_ids());
    index->plain_server_ids_ = !state || plain_ids;
    const FairMutexLock writing(index->write_mutex_);
    if (index->used_bytes() <= kCheckedAtOpenBytesMax) CAIRN_CHECK(index->check());
  }
  return index;
}

Status Index::open_tables() {
  using Table = IndexReader::Table;
  const std::array<lmdb::TableHandle, 5> tables{
      {{IndexReader::name_of(Table::kStreams), &tables_.streams},
       {IndexReader::name_of(Table::kPostings), &tables_.postings},
       {IndexReader::name_of(Table::kIds), &tables_.ids},
       {IndexReader::name_of(Table::kState), &tables_.state},
       // Indexes made before there were snapshots lack this table.
       {IndexReader::name_of(Table::kSnapshots), &tables_.snapshots, true}}};
  return env_->open_tables(tables);
}

Result<IndexReader> Index::read() const {
  CAIRN_TRY(lmdb::ReadTxn txn, env_->begin_read());
  return IndexReader(std::move(txn), tables_);
}

Status Index::commit(const std::function<Result<int>(MDB_txn*)>& write,
                     const std::function<void(Outcome)>& ended) {
  const FairMutexLock writing(write_mutex_);
  CAIRN_CHECK(check());
  for (;;) {
    int code = 0;
    try {
      CAIRN_TRY(lmdb::WriteTxn txn, env_->begin_write());
      const auto written = write(txn.get());
      code = written.ok() ? *written : 0;
      if (written.ok() && code == 0) code = txn.commit();
      if (ended) ended(written.ok() && code == 0 ? Outcome::kCommitted : Outcome::kAborted);
      if (!written.ok()) return written.error();
    } catch (const lmdb::BrokenStructure& broken) {
      if (ended) ended(Outcome::kAborted);
      return make_error(Errc::kCorruption,
                        "the index in " + folder_.string() + " is damaged: " + broken.what());
    }
    if (code == 0) return {};
    if (code != MDB_MAP_FULL) {
      return lmdb::lmdb_error("writing the index in " + folder_.string(), lmdb::meant_code(code, folder_));
    }
    CAIRN_CHECK(env_->grow());
  }
}

Status Index::check() {
  if (!checked_) checked_ = check_all();
  return *checked_;
}

Status Index::check_all() const {
  CAIRN_CHECK(lmdb::check_trees(folder_ / "data.mdb", lmdb::TreeCheck::kAll));
  CAIRN_TRY(const IndexReader reader, read());
  Status status;
  for (const auto table :
       {IndexReader::Table::kStreams, IndexReader::Table::kPostings, IndexReader::Table::kIds}) {
    CAIRN_CHECK(reader.for_each(table, [&](std::string_view key, std::string_view value) {
      const auto payload = record::unseal(key, value);
      if (status.ok() && !payload.ok()) status = payload.error();
    }));
  }
  return status;
}

// Heads are written in the order of their names, so the heads of one page are written one after the other.
Result<std::size_t> Index::heads_per_commit(std::size_t heads) const {
  CAIRN_TRY(const lmdb::ReadTxn txn, env_->begin_read());
  MDB_stat stat{};
  if (const int code = mdb_stat(txn.get(), tables_.streams, &stat); code != 0)
    return lmdb::lmdb_error("reading the statistics of the index in " + folder_.string(), code);
  const std::size_t per_page = heads / std::max<std::size_t>(stat.ms_leaf_pages, 1);
  return std::clamp(kPagesPerCommit * per_page, kHeadsPerCommitMin, kHeadsPerCommitMax);
}

Status Index::flush(const TailGeneration& generation, const Uuid& store_id, std::uint32_t first_id_day,
                    const std::function<bool()>& urgent) {
  CAIRN_ASSERT(generation.events > 0);
  const auto entries = generation.heads.entries();
  std::vector<const HeadTable::Entry*> heads(entries.begin(), entries.end());
  std::sort(heads.begin(), heads.end(), [](const auto* a, const auto* b) { return a->name < b->name; });

  CAIRN_TRY(const std::size_t few, heads_per_commit(heads.size()));
  for (std::size_t from = 0, to = 0; from < heads.size(); from = to) {
    to = std::min(from + (urgent() ? kHeadsPerCommitMax : few), heads.size());
    CAIRN_CHECK(commit([&](MDB_txn* txn) -> Result<int> {
      for (std::size_t i = from; i < to; ++i) {
        const std::string sealed = record::seal(heads[i]->name, record::encode_head(heads[i]->head));
        if (const int code = put(txn, tables_.streams, heads[i]->name, sealed); code != 0) return code;
      }
      return 0;
    }));
  }

  const IdsByDay ids = ids_by_day(generation, id_seed(store_id), first_id_day);
  const auto write = [&](MDB_txn* txn) -> Result<int> {
    CAIRN_TRY(int code,
              put_postings(txn, tables_.postings, PostingTerm::Kind::kCategory, generation.categories));
    if (code != 0) return code;
    CAIRN_TRY(code, put_postings(txn, tables_.postings, PostingTerm::Kind::kType, generation.types));
    if (code != 0) return code;
    CAIRN_TRY(code, ids_->drop_before(txn, first_id_day));
    for (auto day = ids.begin(); code == 0 && day != ids.end(); ++day) {
      CAIRN_TRY(code, ids_->add(txn, day->first, day->second));
    }
    if (code != 0) return code;
    ids_->prepare(txn);
    if (plain_server_ids_) {
      code = put(txn, tables_.state, kPlainServerIdsKey, record::seal(kPlainServerIdsKey, ""));
      if (code != 0) return code;
    }
    return put(txn, tables_.state, kStateKey,
               encode_state({store_id, generation.last_position, generation.last_hash}));
  };
  return commit(
      write, [this](Outcome outcome) { outcome == Outcome::kCommitted ? ids_->publish() : ids_->discard(); });
}

Status Index::put_snapshots(std::span<const SnapshotRecord> snapshots, std::span<const SnapshotKey> drop) {
  for (const SnapshotRecord& snapshot : snapshots) CAIRN_CHECK(snapshots::check(snapshot));
  return commit([&](MDB_txn* txn) -> Result<int> {
    int code = 0;
    for (auto key = drop.begin(); code == 0 && key != drop.end(); ++key) {
      code = snapshots::drop(txn, tables_.snapshots, *key);
    }
    for (auto one = snapshots.begin(); code == 0 && one != snapshots.end(); ++one) {
      code = snapshots::put(txn, tables_.snapshots, *one);
    }
    return code;
  });
}

Result<std::uint64_t> Index::prune_snapshots(std::string_view stream, std::uint64_t keep) {
  std::uint64_t dropped = 0;
  CAIRN_CHECK(
      commit([&](MDB_txn* txn) { return snapshots::prune(txn, tables_.snapshots, stream, keep, dropped); }));
  return dropped;
}

}  // namespace cairn
