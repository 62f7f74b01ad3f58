#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "eventstore/base/mutex.h"
#include "eventstore/base/result.h"
#include "eventstore/base/seeded_hash.h"
#include "eventstore/index/block_summary.h"
#include "eventstore/index/created_names.h"
#include "eventstore/index/head_table.h"
#include "eventstore/index/term_match.h"
#include "eventstore/index/term_table.h"

namespace cairn {

// Days since 1970. Remembered event ids are partitioned by day.
constexpr std::uint32_t day_of(Timestamp time) {
  return time.micros < 0 ? 0 : static_cast<std::uint32_t>(time.micros / 86'400'000'000);
}

// How much the tail holds. The memory is computed from what was added: an estimate within a third of what the
// allocator gives.
struct TailSize {
  std::size_t events = 0;
  std::size_t bytes = 0;

  bool reaches(const TailSize& bound) const { return events >= bound.events || bytes >= bound.bytes; }
};

// The index entries of consecutive blocks, in memory.
struct TailGeneration {
  struct IdPlace {
    GlobalPosition position;
    std::uint32_t day = 0;
  };

  HeadTable heads;
  CreatedNames created;  // views of the names in `heads`
  TermTable terms;
  std::vector<std::uint64_t> system;                  // the positions of events in system streams
  std::unordered_map<Uuid, IdPlace, SeededHash> ids;  // the newest event of each id
  std::vector<std::pair<Uuid, IdPlace>> older_ids;  // earlier ones, of ids used again after the dedup window
  GlobalPosition first_position;
  GlobalPosition last_position;
  Sha256 last_hash{};
  std::size_t events = 0;
  std::size_t entry_bytes = 0;  // the memory of created and ids

  TailSize size() const { return {events, entry_bytes + heads.bytes() + terms.bytes()}; }
};

// The memtable of the index: what is not on disk yet, in two generations. New blocks go to the active one;
// the flusher writes the frozen one to disk. The generation flushed last is kept as a cache of stream heads.
// Thread-safe; readers see the changes of a block all or none.
class Tail {
 public:
  // Keeps the generations readable after the flusher has dropped them.
  struct Snapshot {
    std::shared_ptr<const TailGeneration> frozen;  // may be null
    std::shared_ptr<const TailGeneration> active;
  };

  Tail();

  // Adds the block, and moves its stream heads out of `block`. Called by the writer thread and by recovery.
  // REQUIRES: `block` continues the block applied last.
  void apply(BlockSummary& block) CAIRN_EXCLUDES(mutex_);

  // Copies the stream's newest head to `head`; false if the tail has none, and the index on disk is current.
  bool find(const HashedName& stream, StreamHead& head) const CAIRN_EXCLUDES(mutex_);
  // The same, in the snapshot's generations only.
  bool find_in(const Snapshot& snapshot, const HashedName& stream, StreamHead& head) const
      CAIRN_EXCLUDES(mutex_);
  std::optional<TailGeneration::IdPlace> find_id(const Uuid& id) const CAIRN_EXCLUDES(mutex_);

  // Prefetches the cache lines that find() reads for these streams, so that the cache misses overlap.
  void prefetch(std::span<const std::uint64_t> name_hashes) const CAIRN_EXCLUDES(mutex_);

  Snapshot snapshot() const CAIRN_EXCLUDES(mutex_);

  // Up to `limit` positions of `term`: ascending from `from` on, or descending from `from` down.
  std::vector<std::uint64_t> postings(const Snapshot& snapshot, const TermView& term, GlobalPosition from,
                                      Direction direction, std::size_t limit) const CAIRN_EXCLUDES(mutex_);

  // How many events of the snapshot's generations, behind `after` and up to `through`, have each term of a
  // kind that begins with `prefix` and is not below `from`. Looks at every term in memory, in short sections
  // under the lock.
  using Counts = std::map<std::string, std::uint64_t, std::less<>>;
  Counts counts(const Snapshot& snapshot, TermKind kind, std::string_view prefix, std::string_view from,
                GlobalPosition after, GlobalPosition through) const CAIRN_EXCLUDES(mutex_);

  // The first event behind `after` that the query selects, from memory alone: nullopt if there is none.
  // kNotFound when the tail does not reach back to `after`, kBudgetExceeded when it takes more than `steps`. `end`
  // is the end of the log. REQUIRES: no item asks for a correlation.
  Result<std::optional<QueryMatch>> first_behind(const EventQuery& query, GlobalPosition after,
                                                 GlobalPosition end, std::uint64_t steps) const
      CAIRN_EXCLUDES(mutex_);

  // Up to `limit` names, sorted, of streams that began in the snapshot's generations, begin with `prefix` and
  // are not below `from`.
  std::vector<std::string> created(const Snapshot& snapshot, std::string_view prefix, std::string_view from,
                                   std::size_t limit) const;

  // Freezes the active generation, unless there is a frozen one already, and returns the frozen one; null
  // when the tail is empty. One caller at a time.
  std::shared_ptr<const TailGeneration> freeze() CAIRN_EXCLUDES(mutex_);

  // Turns the frozen generation into a cache, or frees it if it takes more memory than `cache_bytes_max`. Call
  // it when the generation is durable in the index.
  void drop_frozen(std::size_t cache_bytes_max) CAIRN_EXCLUDES(mutex_);

  struct Sizes {
    TailSize active;
    TailSize all;  // events that are not in the index yet; memory of all generations, the cache included
  };
  Sizes sizes() const CAIRN_EXCLUDES(mutex_);

 private:
  mutable Mutex mutex_;  // also guards the content of the active generation, except `created`
  std::shared_ptr<TailGeneration> active_ CAIRN_GUARDED_BY(mutex_);
  std::shared_ptr<const TailGeneration> frozen_ CAIRN_GUARDED_BY(mutex_);
  std::shared_ptr<const TailGeneration> flushed_ CAIRN_GUARDED_BY(mutex_);
};

}  // namespace cairn
