#include "eventstore/index/id_runs.h"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "eventstore/base/assert.h"
#include "eventstore/base/checksum.h"
#include "eventstore/base/endian.h"
#include "eventstore/base/sealed.h"
#include "eventstore/index/id_filter.h"
#include "eventstore/lmdb/cursor.h"

namespace cairn {
namespace {

constexpr std::size_t kChunkEntries = 118;               // two chunks fill an LMDB page
constexpr std::uint32_t kFirstFilterChunk = 0xF0000000;  // version 0.1: 0xFFFFFFFF for all of a filter
constexpr std::size_t kFilterWords = 236;                // two pieces fill an LMDB page, too
constexpr std::size_t kMergedEntriesMax = 1u << 20;

std::string key_of(std::uint32_t day, std::uint32_t run, std::uint32_t chunk) {
  std::string key(12, '\0');
  std::uint32_t parts[3] = {__builtin_bswap32(day), __builtin_bswap32(run), __builtin_bswap32(chunk)};
  std::memcpy(key.data(), parts, sizeof parts);
  return key;
}

struct RunKey {
  std::uint32_t day, run, chunk;
};

Result<RunKey> parse_key(std::string_view key) {
  if (key.size() != 12) return make_error(Errc::kCorruption, "index id run with an invalid key");
  return RunKey{__builtin_bswap32(load_le<std::uint32_t>(key.data())),
                __builtin_bswap32(load_le<std::uint32_t>(key.data() + 4)),
                __builtin_bswap32(load_le<std::uint32_t>(key.data() + 8))};
}

template <typename Item>
Result<std::vector<Item>> unseal_items(std::string_view key, std::string_view value) {
  CAIRN_TRY(const std::string_view payload, record::unseal(key, value));
  std::vector<Item> items(payload.size() / sizeof(Item));
  std::memcpy(items.data(), payload.data(), items.size() * sizeof(Item));
  return items;
}

template <typename Item>
int put_items(MDB_txn* txn, MDB_dbi table, const std::string& key, std::span<const Item> items) {
  const std::string_view bytes(reinterpret_cast<const char*>(items.data()), items.size_bytes());
  const std::string sealed = record::seal(key, std::string(bytes));
  MDB_val key_val = lmdb::to_val(key);
  MDB_val value = lmdb::to_val(sealed);
  return mdb_put(txn, table, &key_val, &value, 0);
}

Error lacks_chunk(std::uint32_t day, std::uint32_t run, std::size_t chunk) {
  return make_error(Errc::kCorruption,
                    fmt::format("index id run {} of day {} lacks chunk {}", run, day, chunk));
}

}  // namespace

struct IdRuns::Run {
  std::uint32_t day = 0;
  std::uint32_t number = 0;
  std::size_t entries = 0;
  std::vector<std::uint64_t> fences;  // the first hash of each chunk (fence pointers)
  IdFilter filter{std::size_t{0}};
};

std::uint64_t IdRuns::hash(const Uuid& id, std::uint64_t seed) {
  return checksum64(id.bytes.data(), id.bytes.size(), seed);
}

Status IdRuns::load() {
  CAIRN_TRY(const lmdb::ReadTxn txn, env_.begin_read());
  CAIRN_TRY(lmdb::Cursor cursor, lmdb::Cursor::open(txn, table_));
  Runs runs;
  std::shared_ptr<Run> run;
  std::shared_ptr<Run> filtered;     // the run to which `words` belong
  std::vector<std::uint64_t> words;  // of its filter
  CAIRN_TRY(auto found, cursor.first());
  while (found) {
    CAIRN_TRY(const RunKey key, parse_key(found->key));
    if (run == nullptr || run->day != key.day || run->number != key.run) {
      if (filtered != nullptr) filtered->filter = IdFilter(std::exchange(words, {}));
      filtered.reset();
      run = std::make_shared<Run>(Run{.day = key.day, .number = key.run});
      runs.push_back(run);
    }
    if (key.chunk >= kFirstFilterChunk) {
      CAIRN_TRY(const auto piece, unseal_items<std::uint64_t>(found->key, found->value));
      if (piece.empty()) return make_error(Errc::kCorruption, "index id run with an empty filter");
      if (key.chunk == kFirstFilterChunk || key.chunk == ~std::uint32_t{0}) words.clear();
      if (key.chunk != ~std::uint32_t{0} && key.chunk - kFirstFilterChunk != words.size() / kFilterWords)
        return lacks_chunk(key.day, key.run, key.chunk);
      words.insert(words.end(), piece.begin(), piece.end());
      filtered = run;
    } else {
      CAIRN_TRY(const auto entries, unseal_items<Entry>(found->key, found->value));
      if (entries.empty() || key.chunk != run->fences.size()) {
        return lacks_chunk(key.day, key.run, run->fences.size());
      }
      run->fences.push_back(entries.front().hash);
      run->entries += entries.size();
    }
    CAIRN_TRY(found, cursor.next());
  }
  if (filtered != nullptr) filtered->filter = IdFilter(std::move(words));
  const MutexLock lock(mutex_);
  lists_ = {.published = std::make_shared<const Runs>(std::move(runs))};
  return {};
}

IdRuns::Lists IdRuns::lists() const {
  const MutexLock lock(mutex_);
  return lists_;
}

// The published filters are enough to tell that there is nothing: what a flush adds stays in the tail, where
// callers look first, until it is published.
Result<std::vector<GlobalPosition>> IdRuns::find(std::uint64_t hash, std::uint32_t first_day) const {
  Lists lists = this->lists();
  for (;;) {
    const bool possible = std::any_of(lists.published->begin(), lists.published->end(), [&](const auto& run) {
      return run->day >= first_day && run->filter.may_hold(hash);
    });
    if (!possible) return std::vector<GlobalPosition>();
    CAIRN_TRY(const lmdb::ReadTxn txn, env_.begin_read());
    // With the same lists before and after the transaction began, it sees at most the one commit that was
    // prepared. Otherwise a flush has made progress in between; this loop never waits for one.
    Lists now = this->lists();
    if (now != lists) {
      lists = std::move(now);
      continue;
    }
    const bool sees_prepared = lists.prepared != nullptr && mdb_txn_id(txn.get()) >= lists.prepared_txn;
    return find_in(txn, sees_prepared ? *lists.prepared : *lists.published, hash, first_day);
  }
}

Result<std::vector<GlobalPosition>> IdRuns::find_in(const lmdb::ReadTxn& txn, const Runs& runs,
                                                    std::uint64_t hash, std::uint32_t first_day) const {
  std::vector<GlobalPosition> positions;
  for (const auto& run : runs) {
    if (run->day < first_day || !run->filter.may_hold(hash)) continue;
    // Entries with this hash may begin at the end of the chunk before the first one that begins with it.
    const auto fence = std::lower_bound(run->fences.begin(), run->fences.end(), hash);
    auto chunk = static_cast<std::size_t>(fence - run->fences.begin());
    if (chunk > 0) --chunk;
    for (; chunk < run->fences.size() && run->fences[chunk] <= hash; ++chunk) {
      const std::string key = key_of(run->day, run->number, static_cast<std::uint32_t>(chunk));
      CAIRN_TRY(const auto value, lmdb::get(txn, table_, key));
      if (!value) return lacks_chunk(run->day, run->number, chunk);
      CAIRN_TRY(const auto entries, unseal_items<Entry>(key, *value));
      auto at = std::lower_bound(entries.begin(), entries.end(), Entry{hash, 0});
      for (; at != entries.end() && at->hash == hash; ++at) positions.push_back({at->position});
    }
  }
  return positions;
}

Result<int> IdRuns::add(MDB_txn* txn, std::uint32_t day, std::vector<Entry> entries) {
  CAIRN_ASSERT(!entries.empty(), day);
  if (!pending_) pending_ = *lists().published;
  std::uint32_t number = 0;
  for (const auto& run : *pending_) {
    if (run->day == day) number = std::max(number, run->number + 1);
  }
  // Merge as long as the last run of the day has less than twice the entries of the new one. A day then has
  // O(log n) runs, and an id is rewritten O(log n) times.
  for (;;) {
    const auto last = std::find_if(pending_->rbegin(), pending_->rend(),
                                   [day](const auto& run) { return run->day == day; });
    if (last == pending_->rend() || (*last)->entries >= 2 * entries.size() ||
        (*last)->entries + entries.size() > kMergedEntriesMax) {
      break;
    }
    CAIRN_TRY(const std::vector<Entry> older, read_run(txn, **last));
    std::vector<Entry> merged;
    merged.reserve(older.size() + entries.size());
    std::merge(older.begin(), older.end(), entries.begin(), entries.end(), std::back_inserter(merged));
    entries = std::move(merged);
    CAIRN_TRY(const int code, erase_run(txn, **last));
    if (code != 0) return code;
    pending_->erase(std::next(last).base());
  }
  return write_run(txn, day, number, entries);
}

Result<int> IdRuns::write_run(MDB_txn* txn, std::uint32_t day, std::uint32_t number,
                              std::span<const Entry> entries) {
  auto run = std::make_shared<Run>(
      Run{.day = day, .number = number, .entries = entries.size(), .filter = IdFilter(entries.size())});
  for (std::size_t from = 0; from < entries.size(); from += kChunkEntries) {
    const auto chunk = entries.subspan(from, std::min(kChunkEntries, entries.size() - from));
    const std::string key = key_of(day, number, static_cast<std::uint32_t>(run->fences.size()));
    if (const int code = put_items(txn, table_, key, chunk); code != 0) return code;
    run->fences.push_back(chunk.front().hash);
    for (const Entry& entry : chunk) run->filter.add(entry.hash);
  }
  const std::span<const std::uint64_t> words = run->filter.words();
  for (std::size_t from = 0; from < words.size(); from += kFilterWords) {
    const auto piece = words.subspan(from, std::min(kFilterWords, words.size() - from));
    const auto chunk = kFirstFilterChunk + static_cast<std::uint32_t>(from / kFilterWords);
    if (const int code = put_items(txn, table_, key_of(day, number, chunk), piece); code != 0) return code;
  }
  pending_->push_back(std::move(run));
  return 0;
}

Result<std::vector<IdRuns::Entry>> IdRuns::read_run(MDB_txn* txn, const Run& run) const {
  std::vector<Entry> all;
  all.reserve(run.entries);
  CAIRN_TRY(lmdb::Cursor cursor, lmdb::Cursor::open(txn, table_));
  CAIRN_TRY(auto found, cursor.at_or_after(key_of(run.day, run.number, 0)));
  while (found) {
    CAIRN_TRY(const RunKey key, parse_key(found->key));
    if (key.day != run.day || key.run != run.number || key.chunk >= kFirstFilterChunk) break;
    CAIRN_TRY(const auto entries, unseal_items<Entry>(found->key, found->value));
    all.insert(all.end(), entries.begin(), entries.end());
    CAIRN_TRY(found, cursor.next());
  }
  if (all.size() != run.entries) return lacks_chunk(run.day, run.number, all.size() / kChunkEntries);
  return all;
}

Result<int> IdRuns::erase_run(MDB_txn* txn, const Run& run) const {
  const std::string first = key_of(run.day, run.number, 0);
  const std::string_view prefix = std::string_view(first).substr(0, first.size() - sizeof(std::uint32_t));
  MDB_cursor* cursor = nullptr;
  if (const int code = mdb_cursor_open(txn, table_, &cursor); code != 0) return code;
  MDB_val key = lmdb::to_val(first), value{};
  int code = mdb_cursor_get(cursor, &key, &value, MDB_SET_RANGE);
  while (code == 0 && lmdb::to_view(key).starts_with(prefix)) {
    code = mdb_cursor_del(cursor, 0);
    if (code == 0) code = mdb_cursor_get(cursor, &key, &value, MDB_NEXT);
  }
  mdb_cursor_close(cursor);
  return code == MDB_NOTFOUND ? 0 : code;
}

Result<int> IdRuns::drop_before(MDB_txn* txn, std::uint32_t first_day) {
  if (!pending_) pending_ = *lists().published;
  for (auto run = pending_->begin(); run != pending_->end();) {
    if ((*run)->day >= first_day) {
      ++run;
      continue;
    }
    CAIRN_TRY(const int code, erase_run(txn, **run));
    if (code != 0) return code;
    run = pending_->erase(run);
  }
  return 0;
}

void IdRuns::prepare(MDB_txn* txn) {
  if (!pending_) return;
  auto runs = std::make_shared<const Runs>(*std::exchange(pending_, std::nullopt));
  const MutexLock lock(mutex_);
  lists_.prepared = std::move(runs);
  lists_.prepared_txn = mdb_txn_id(txn);
}

void IdRuns::publish() {
  const MutexLock lock(mutex_);
  if (lists_.prepared != nullptr) lists_ = {.published = std::move(lists_.prepared)};
}

void IdRuns::discard() {
  pending_.reset();
  const MutexLock lock(mutex_);
  lists_ = {.published = std::move(lists_.published)};
}

Result<IdRuns::Chunk> IdRuns::decode(std::string_view key, std::string_view value) {
  CAIRN_TRY(const RunKey parts, parse_key(key));
  if (parts.chunk >= kFirstFilterChunk) {
    CAIRN_CHECK(record::unseal(key, value));
    return Chunk{parts.day, std::nullopt};
  }
  CAIRN_TRY(auto entries, unseal_items<Entry>(key, value));
  return Chunk{parts.day, std::move(entries)};
}

}  // namespace cairn
