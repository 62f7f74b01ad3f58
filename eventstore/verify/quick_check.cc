#include "eventstore/quick_check.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "eventstore/base/file.h"
#include "eventstore/format/block_reader.h"
#include "eventstore/index/index.h"
#include "eventstore/lmdb/file_check.h"
#include "eventstore/log/lmdb_block_log.h"
#include "eventstore/recovery/data_folder.h"

namespace cairn {
namespace {

constexpr unsigned kQuickReaders = 4;

using SteadyTime = std::chrono::steady_clock::time_point;

void add_finding(QuickCheck& check, std::string place, std::string what) {
  if (check.findings.size() < kVerifyFindingsMax)
    check.findings.push_back({std::move(place), std::move(what)});
}

std::string place_of(const RawBlock& raw) { return fmt::format("log block {}", raw.first_position.value); }

// The block at which the newest `count` blocks with events begin; nullopt for an empty log.
Result<std::optional<GlobalPosition>> begin_of_newest(BlockCursor& cursor, std::uint64_t count) {
  CAIRN_TRY(auto block, cursor.last());
  if (!block) return std::optional<GlobalPosition>();
  GlobalPosition first = block->first_position;
  for (std::uint64_t i = 1; i < count && first.value > 1; ++i) {
    CAIRN_TRY(block, cursor.seek({first.value - 1}));
    if (!block) break;
    first = block->first_position;
  }
  return std::optional(first);
}

// Checks one block and what it has of the chain; `previous` becomes its hash.
void check_block(const RawBlock& raw, BlockReader& block, std::optional<Sha256>& previous,
                 QuickCheck& check) {
  ++check.blocks;
  const std::optional<Sha256> expected = std::exchange(previous, std::nullopt);
  if (const Status opened = block.open(raw.bytes, BlockCheck::kWholeBlock); !opened.ok())
    return add_finding(check, place_of(raw), opened.error().message);
  const BlockHeader& header = block.header();
  if (expected && header.previous_hash != *expected)
    add_finding(check, place_of(raw), "does not continue the hash chain: it names another previous block");
  previous = sha256(raw.bytes);
  check.head = header.last_position().value;
  check.newest_at = header.recorded_at;
  check.newest_block_format = header.format;
  for (std::uint64_t p = header.first_position.value; p <= header.last_position().value; ++p) {
    if (const auto stored = block.read({p}); !stored.ok())
      return add_finding(check, fmt::format("log event at position {}", p), stored.error().message);
    ++check.events;
  }
}

// When the block at a position was recorded; nullopt when that cannot be read.
std::optional<Timestamp> recorded_at(BlockCursor& cursor, GlobalPosition position) {
  const auto block = cursor.seek(position);
  if (!block.ok() || !*block) return std::nullopt;
  const auto header = BlockHeader::read((*block)->bytes);
  return header.ok() ? std::optional(header->recorded_at) : std::nullopt;
}

// By bisection, since times never decrease in the log.
std::uint64_t events_since(BlockCursor& cursor, std::uint64_t head, Timestamp since) {
  std::uint64_t from = 1, to = head + 1;  // the first event at or after `since` is in [from, to]
  while (from < to) {
    const std::uint64_t middle = from + (to - from) / 2;
    const auto at = recorded_at(cursor, {middle});
    if (!at) return 0;
    if (*at < since) {
      from = middle + 1;
    } else {
      to = middle;
    }
  }
  return head + 1 - from;
}

void check_log(LmdbBlockLog& log, const QuickCheckOptions& options, SteadyTime until, QuickCheck& check) {
  const auto cursor = log.cursor();
  if (!cursor.ok()) return add_finding(check, "log", cursor.error().message);
  const auto first = begin_of_newest(**cursor, options.blocks_max);
  if (!first.ok()) return add_finding(check, "log", first.error().message);
  if (!*first) return;
  BlockReader block;
  std::optional<Sha256> previous;
  auto raw = (*cursor)->seek(**first);
  for (; raw.ok() && *raw; raw = (*cursor)->next()) {
    check_block(**raw, block, previous, check);
    if (std::chrono::steady_clock::now() < until) continue;
    check.in_time = false;
    // The head is the newest block's, whatever was read of those before it.
    previous.reset();
    if (const auto last = (*cursor)->last(); last.ok() && *last) check_block(**last, block, previous, check);
    break;
  }
  if (!raw.ok()) add_finding(check, fmt::format("log after position {}", check.head), raw.error().message);
  check.oldest_at = recorded_at(**cursor, {1});
  const Timestamp since{options.now.micros - std::chrono::microseconds(options.recent).count()};
  check.recent_events = events_since(**cursor, check.head, since);
}

// The hash of the block that ends at `position`; nullopt when none does.
std::optional<Sha256> hash_of_block_at(LmdbBlockLog& log, GlobalPosition position) {
  const auto cursor = log.cursor();
  if (!cursor.ok()) return std::nullopt;
  const auto raw = (*cursor)->seek(position);
  if (!raw.ok() || !*raw) return std::nullopt;
  const auto header = BlockHeader::read((*raw)->bytes);
  if (!header.ok() || header->last_position() != position) return std::nullopt;
  return sha256((*raw)->bytes);
}

void check_index(const IndexState& state, LmdbBlockLog& log, QuickCheck& check) {
  check.index_format = state.format;
  check.indexed_through = state.through.value;
  if (state.store_id.to_string() != check.store_id) {
    add_finding(check, "index state", "is that of store " + state.store_id.to_string());
  } else if (check.findings.empty() && state.through.value > check.head) {
    add_finding(check, "log",
                fmt::format("ends at position {}, but the index contains events up to {}", check.head,
                            state.through.value));
  } else if (state.through.value > 0 && check.findings.empty()) {
    const auto hash = hash_of_block_at(log, state.through);
    if (!hash || *hash != state.hash) add_finding(check, "index state", "was made from another log");
  }
}

// What LMDB trusts without a checksum, unless a process has the store open: the pages of `file` that searches go
// through, which takes seconds at most. False when they are damaged: then LMDB must not open it.
bool has_sound_pages(const DataFolder& store, const std::filesystem::path& file, const char* name,
                     QuickCheck& check) {
  const auto facts = lmdb::check_file(file);
  Status status = facts.ok() ? Status() : Status(facts.error());
  if (status.ok()) {
    // Shared, so that several checks run at once, and only for this moment.
    const auto lock = File::open(store.path() / "lock", O_RDONLY);
    const bool is_free = lock.ok() && flock(lock->descriptor(), LOCK_SH | LOCK_NB) == 0;
    check.is_open = lock.ok() && !is_free;
    if (is_free) status = lmdb::check_trees(file, lmdb::TreeCheck::kAtOpen);
  }
  if (!status.ok()) add_finding(check, std::string(name) + " pages", status.error().message);
  return status.ok();
}

}  // namespace

Result<QuickCheck> quick_check_store(const std::filesystem::path& folder, const QuickCheckOptions& options) {
  const SteadyTime until = std::chrono::steady_clock::now() + options.time_max;
  CAIRN_TRY(const DataFolder store, DataFolder::inspect(folder));
  QuickCheck check;
  check.store_id = store.store_id().to_string();

  // Before the log, as in verify_store(): the log then has every event that the index refers to.
  std::optional<IndexState> state;
  const std::filesystem::path index_file = store.index() / "data.mdb";
  if (std::filesystem::exists(index_file) && has_sound_pages(store, index_file, "index", check)) {
    const auto index = Index::open(
        store.index(),
        {.readers_max = kQuickReaders, .access = lmdb::Access::kReadOnly, .reads = lmdb::ReadPattern::kScan});
    if (!index.ok()) {
      add_finding(check, "index", index.error().message);
    } else {
      check.index_bytes = (*index)->used_bytes();
      const auto reader = (*index)->read();
      const auto found = reader.ok() ? reader->state() : Result<std::optional<IndexState>>(reader.error());
      if (!found.ok()) add_finding(check, "index state", found.error().message);
      if (found.ok()) state = *found;
    }
  }
  if (!has_sound_pages(store, store.log() / "data.mdb", "log", check)) return check;
  CAIRN_TRY(const auto log, LmdbBlockLog::open(store.log(), {.readers_max = kQuickReaders,
                                                             .access = lmdb::Access::kReadOnly}));
  check.log_bytes = log->used_bytes();
  check_log(*log, options, until, check);
  if (state) check_index(*state, *log, check);
  return check;
}

}  // namespace cairn
