#include "eventstore/index/index.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "eventstore/base/assert.h"
#include "eventstore/base/endian.h"
#include "eventstore/base/file.h"
#include "eventstore/base/sealed.h"
#include "eventstore/index/snapshot_table.h"
#include "eventstore/index/text_sort.h"
#include "eventstore/lmdb/cursor.h"
#include "eventstore/lmdb/file_check.h"

namespace cairn {
namespace {

// A sync of the log may have to wait until the disk has written a whole commit of the index. Few pages per
// commit keep that wait short; but each commit costs syncs of its own.
constexpr std::size_t kPagesPerCommit = 24;
constexpr std::size_t kHeadsPerCommitMin = 64;     // bounds the number of commits if heads are sparse
constexpr std::size_t kHeadsPerCommitMax = 8'192;  // also the number for an urgent flush
constexpr std::uint64_t kCheckedAtOpenBytesMax = 1u << 30;
// The records of terms per transaction, two of which fill a page; they are written to pages of their own, one
// after the other.
constexpr std::size_t kRecordsPerCommit = 128;
constexpr std::size_t kRecordsPerUrgentCommit = 4'096;
// Deleting a page of records writes nothing but the list of free pages.
constexpr std::size_t kErasedPerCommit = 1'024;
// A merge needs room for its result beside what it merges, and must not take the last space from the log.
constexpr std::uint64_t kBytesPerPair = 12;
constexpr std::uint64_t kFreeBytesMin = 256u << 20;
int put(MDB_txn* txn, MDB_dbi table, std::string_view key, std::string_view value) {
  MDB_val key_val = lmdb::to_val(key);
  MDB_val value_val = lmdb::to_val(value);
  return mdb_put(txn, table, &key_val, &value_val, 0);
}

std::string prefix_of_run(std::uint32_t number) {
  return term_records::key_of(number, {}, 0).substr(0, sizeof number);
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

}  // namespace

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
  CAIRN_CHECK(index->load_runs());
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
  using lmdb::Lack;
  const std::array<lmdb::TableHandle, 6> tables{
      {{IndexReader::name_of(Table::kStreams), &tables_.streams},
       {IndexReader::name_of(Table::kPostings), &tables_.postings, Lack::kLeave},
       {IndexReader::name_of(Table::kTerms), &tables_.terms, Lack::kLeave},  // see make_terms()
       {IndexReader::name_of(Table::kIds), &tables_.ids},
       {IndexReader::name_of(Table::kState), &tables_.state},
       // Indexes made before there were snapshots lack this table.
       {IndexReader::name_of(Table::kSnapshots), &tables_.snapshots, Lack::kMake}}};
  CAIRN_CHECK(env_->open_tables(tables));
  terms_ = tables_.terms;
  if (tables_.terms != lmdb::kNoTable) return {};
  // Read beside a process that may have made the table after this one looked for it.
  bool has_runs = false;
  {
    CAIRN_TRY(const IndexReader reader, read());
    CAIRN_TRY(const TermRuns* const runs, reader.runs());
    has_runs = !runs->runs.empty();
  }
  if (has_runs) CAIRN_CHECK(env_->open_tables(tables));
  terms_ = tables_.terms;
  return {};
}

// An index that has none yet gets a list, in memory: it is written with the first run.
Status Index::load_runs() {
  CAIRN_TRY(const IndexReader reader, read());
  CAIRN_TRY(const TermRuns* const found, reader.runs());
  TermRuns runs = *found;
  if (runs.digest_key == SipKey{}) {
    runs.digest_key = {new_event_id().low(), new_event_id().low()};
  }
  if (runs.complete() && tables_.postings != lmdb::kNoTable) {
    CAIRN_TRY(lmdb::Cursor cursor, lmdb::Cursor::open(reader.txn_, tables_.postings));
    CAIRN_TRY(const auto left, cursor.first());
    lists_left_ = left.has_value();
  }
  digest_key_ = runs.digest_key;
  std::size_t found_runs = 0;
  if (tables_.terms != lmdb::kNoTable) {
    // Visits the first record of each run.
    CAIRN_TRY(lmdb::Cursor cursor, lmdb::Cursor::open(reader.txn_, tables_.terms));
    CAIRN_TRY(auto record, cursor.first());
    while (record) {
      CAIRN_TRY(const auto first, term_records::Decoder::open(record->key, record->value));
      const std::uint32_t number = first.run();
      const bool listed = std::any_of(runs.runs.begin(), runs.runs.end(),
                                      [number](const TermRun& run) { return run.number == number; });
      listed ? static_cast<void>(++found_runs) : unlisted_.push_back(number);
      runs.next_number = std::max(runs.next_number, number + 1);
      CAIRN_TRY(record, cursor.at_or_after(prefix_of_run(number + 1)));
    }
  }
  const bool lacks_lists = !runs.complete() && tables_.postings == lmdb::kNoTable;
  if (found_runs != runs.runs.size() || lacks_lists)
    return make_error(Errc::kCorruption,
                      fmt::format("the index lists {} runs and has {} of them{}", runs.runs.size(),
                                  found_runs, lacks_lists ? ", and lacks its posting lists" : ""));
  set_runs(std::move(runs));
  return {};
}

void Index::set_runs(TermRuns runs) {
  runs_ = std::move(runs);
  filled_through_ = runs_.filled_through().value;
  lists_through_ = runs_.lists_through.value;
}

Result<IndexReader> Index::read() const {
  CAIRN_TRY(lmdb::ReadTxn txn, env_->begin_read());
  IndexReader::Tables tables = tables_;
  tables.terms = terms_;
  return IndexReader(std::move(txn), tables);
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
  for (const auto table : {IndexReader::Table::kStreams, IndexReader::Table::kPostings,
                           IndexReader::Table::kTerms, IndexReader::Table::kIds}) {
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
  std::vector<TextItem> heads;
  heads.reserve(generation.heads.entries().size());
  for (const HeadTable::Entry* const entry : generation.heads.entries())
    heads.push_back({.text = entry->name, .object = entry});
  sort_by_text(heads);

  CAIRN_TRY(const std::size_t few, heads_per_commit(heads.size()));
  for (std::size_t from = 0, to = 0; from < heads.size(); from = to) {
    to = std::min(from + (urgent() ? kHeadsPerCommitMax : few), heads.size());
    CAIRN_CHECK(commit([&](MDB_txn* txn) -> Result<int> {
      for (std::size_t i = from; i < to; ++i) {
        const auto& entry = *static_cast<const HeadTable::Entry*>(heads[i].object);
        const std::string sealed = record::seal(entry.name, record::encode_head(entry.head));
        if (const int code = put(txn, tables_.streams, entry.name, sealed); code != 0) return code;
      }
      return 0;
    }));
  }

  CAIRN_TRY(const TermRun run,
            write_run(generation.terms, generation.first_position, generation.last_position, urgent));
  TermRuns runs = runs_;
  runs.add(run);
  const IdsByDay ids = ids_by_day(generation, id_seed(store_id), first_id_day);
  const auto write = [&](MDB_txn* txn) -> Result<int> {
    CAIRN_TRY(int code, ids_->drop_before(txn, first_id_day));
    for (auto day = ids.begin(); code == 0 && day != ids.end(); ++day) {
      CAIRN_TRY(code, ids_->add(txn, day->first, day->second));
    }
    if (code != 0) return code;
    ids_->prepare(txn);
    if (plain_server_ids_) {
      code = put(txn, tables_.state, kPlainServerIdsKey, record::seal(kPlainServerIdsKey, ""));
      if (code != 0) return code;
    }
    code = put_runs(txn, runs);
    if (code != 0) return code;
    return put(txn, tables_.state, kStateKey,
               encode_state({kIndexFormat, store_id, generation.last_position, generation.last_hash}));
  };
  const Status written = commit(
      write, [this](Outcome outcome) { outcome == Outcome::kCommitted ? ids_->publish() : ids_->discard(); });
  if (!written.ok()) {
    erase_run(run.number);
    return written;
  }
  set_runs(std::move(runs));
  return {};
}

int Index::put_runs(MDB_txn* txn, const TermRuns& runs) const {
  return put(txn, tables_.state, kRunsKey, record::seal(kRunsKey, encode_term_runs(runs)));
}

// The table of terms is made by the first flush, so that a store can be opened on a full disk.
Status Index::make_terms() {
  if (terms_ != lmdb::kNoTable) return {};
  MDB_dbi table = 0;
  const char* const name = IndexReader::name_of(IndexReader::Table::kTerms);
  CAIRN_CHECK(
      commit([&](MDB_txn* txn) -> Result<int> { return mdb_dbi_open(txn, name, MDB_CREATE, &table); }));
  terms_ = table;
  return {};
}

Status Index::put_records(const std::vector<term_records::Record>& records) {
  if (records.empty()) return {};
  return commit([&](MDB_txn* txn) -> Result<int> {
    for (const term_records::Record& record : records) {
      if (const int code = put(txn, terms_, record.key, record.value); code != 0) return code;
    }
    return 0;
  });
}

Result<TermRun> Index::write_run(const TermTable& terms, GlobalPosition first, GlobalPosition last,
                                 const Urgent& urgent) {
  CAIRN_CHECK(make_terms());
  const TermRun run{.number = runs_.next_number++, .first = first, .last = last, .pairs = terms.pairs()};
  term_records::Encoder encoder(run.number);
  const auto write = [&]() -> Status {
    for (SortedTerms sorted(terms); sorted.next();) {
      encoder.begin(sorted.term(), sorted.size());
      for (std::size_t i = 0; i < sorted.size(); ++i) encoder.add(sorted.position(i));
      if (encoder.complete() < kRecordsPerCommit) continue;
      if (encoder.complete() < kRecordsPerUrgentCommit && urgent()) continue;
      CAIRN_CHECK(put_records(encoder.take()));
    }
    encoder.finish();
    return put_records(encoder.take());
  };
  if (const Status written = write(); !written.ok()) {
    erase_run(run.number);
    return written.error();
  }
  return run;
}

Result<bool> Index::erase_some(MDB_dbi table, std::string_view prefix) {
  bool more = false;
  const auto erase = [&](MDB_txn* txn) -> Result<int> {
    MDB_cursor* cursor = nullptr;
    if (const int code = mdb_cursor_open(txn, table, &cursor); code != 0) return code;
    MDB_val key = lmdb::to_val(prefix), value{};
    int code = mdb_cursor_get(cursor, &key, &value, prefix.empty() ? MDB_FIRST : MDB_SET_RANGE);
    std::size_t erased = 0;
    while (code == 0 && erased < kErasedPerCommit && lmdb::to_view(key).starts_with(prefix)) {
      code = mdb_cursor_del(cursor, 0);
      ++erased;
      if (code == 0) code = mdb_cursor_get(cursor, &key, &value, MDB_NEXT);
    }
    more = code == 0 && erased == kErasedPerCommit;
    mdb_cursor_close(cursor);
    return code == MDB_NOTFOUND ? 0 : code;
  };
  CAIRN_CHECK(commit(erase));
  return more;
}

void Index::erase_run(std::uint32_t number) {
  for (;;) {
    const auto more = erase_some(terms_, prefix_of_run(number));
    if (!more.ok()) unlisted_.push_back(number);
    if (!more.ok() || !*more) return;
  }
}

Result<bool> Index::tidy() {
  if (!unlisted_.empty()) {
    CAIRN_TRY(const bool more, erase_some(terms_, prefix_of_run(unlisted_.back())));
    if (!more) unlisted_.pop_back();
    return true;
  }
  if (lists_left_) {
    CAIRN_TRY(lists_left_, erase_some(tables_.postings, {}));
    return true;
  }
  if (merge_) return step_merge();
  return start_merge();
}

Result<bool> Index::start_merge() {
  const auto range = choose_merge(runs_.runs, damaged_runs_);
  if (!range) return false;
  const auto inputs = std::span<const TermRun>(runs_.runs).subspan(range->from, range->to - range->from);
  std::uint64_t pairs = 0;
  for (const TermRun& run : inputs) pairs += run.pairs;
  std::error_code error;
  const auto space = std::filesystem::space(folder_, error);
  if (error || space.available < kFreeBytesMin + 2 * pairs * kBytesPerPair) return false;
  merge_.emplace(inputs, runs_.next_number++);
  return true;
}

// Reads in a transaction that ends before the one that writes begins: to enlarge the map waits for readers.
Result<bool> Index::step_merge() {
  const auto give_up = [this](const Error& why) {
    if (why.code == Errc::kCorruption) {
      for (const TermRun& run : merge_->inputs()) damaged_runs_.push_back(run.number);
    }
    const std::uint32_t number = merge_->output().number;
    merge_.reset();
    erase_run(number);
    return why;
  };
  auto records = [this]() -> Result<std::vector<term_records::Record>> {
    CAIRN_TRY(const lmdb::ReadTxn txn, env_->begin_read());
    return merge_->next(txn, terms_, kRecordsPerCommit);
  }();
  if (!records.ok()) return give_up(records.error());
  if (!records->empty()) {
    const Status written = put_records(*records);
    if (!written.ok()) return give_up(written.error());
    return true;
  }
  TermRuns runs = runs_;
  for (const TermRun& input : merge_->inputs()) std::erase(runs.runs, input);
  runs.add(merge_->output());
  const Status written = commit([&](MDB_txn* txn) -> Result<int> { return put_runs(txn, runs); });
  if (!written.ok()) return give_up(written.error());
  for (const TermRun& input : merge_->inputs()) unlisted_.push_back(input.number);
  merge_.reset();
  set_runs(std::move(runs));
  return true;
}

Status Index::fill(const TermTable& terms, GlobalPosition first, GlobalPosition last, const Urgent& urgent) {
  CAIRN_ASSERT(first.value == runs_.filled_through().value + 1, first.value, runs_.filled_through().value);
  CAIRN_ASSERT(last <= runs_.lists_through, last.value, runs_.lists_through.value);
  std::optional<IndexState> state;
  {
    CAIRN_TRY(const IndexReader reader, read());
    CAIRN_TRY(state, reader.state());
  }
  CAIRN_ASSERT(state.has_value());
  state->format = kIndexFormat;
  CAIRN_TRY(const TermRun run, write_run(terms, first, last, urgent));
  TermRuns runs = runs_;
  runs.add(run);
  if (last == runs.lists_through) runs.lists_through = {0};
  const Status written = commit([&](MDB_txn* txn) -> Result<int> {
    const int code = put_runs(txn, runs);
    return code != 0 ? code : put(txn, tables_.state, kStateKey, encode_state(*state));
  });
  if (!written.ok()) {
    erase_run(run.number);
    return written;
  }
  if (runs.complete()) lists_left_ = true;
  set_runs(std::move(runs));
  return {};
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
