#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "eventstore/base/seeded_hash.h"
#include "eventstore/index/block_summary.h"
#include "eventstore/index/created_names.h"
#include "eventstore/index/head_table.h"
#include "eventstore/index/posting_term.h"

namespace cairn {

// Days since 1970; the partitions in which event ids are remembered.
constexpr std::uint32_t day_of(Timestamp time) {
  return time.micros < 0 ? 0 : static_cast<std::uint32_t>(time.micros / 86'400'000'000);
}

// A run of blocks as the index will have them.
struct TailGeneration {
  template <typename Value>
  using ByName = std::unordered_map<std::string, Value, SeededHash, std::equal_to<>>;
  struct IdPlace {
    GlobalPosition position;
    std::uint32_t day = 0;
  };

  HeadTable heads;
  CreatedNames created;  // the names are those in `heads`
  ByName<std::vector<std::uint64_t>> categories;
  ByName<std::vector<std::uint64_t>> types;
  std::unordered_map<Uuid, IdPlace, SeededHash> ids;
  GlobalPosition last_position;
  Sha256 last_hash{};
  std::size_t events = 0;
};

// The part of the index that is not on disk yet, in two generations: the active one takes new blocks, the
// frozen one is being written by the flusher. What was flushed last is kept as a cache of stream heads. Any
// thread; block by block, changes are seen whole.
class Tail {
 public:
  // Generations that stay readable through this snapshot when the flusher lets go of them.
  struct Snapshot {
    std::shared_ptr<const TailGeneration> frozen;  // may be null
    std::shared_ptr<const TailGeneration> active;
  };

  Tail();

  // Takes the block in; its stream heads are moved from.
  void apply(BlockSummary& block);

  // Copies the stream's head as the tail knows it; false = the index has the truth.
  bool find(const HashedName& stream, StreamHead& head) const;
  // The same for the head as the snapshot's generations know it.
  bool find_in(const Snapshot& snapshot, const HashedName& stream, StreamHead& head) const;
  std::optional<TailGeneration::IdPlace> find_id(const Uuid& id) const;

  // Brings into the cache what find() will need for these streams: many waits for memory at once instead of
  // one after the other.
  void prefetch(std::span<const std::uint64_t> name_hashes) const;

  Snapshot snapshot() const;

  // Up to `limit` positions of `term` in rising order from `from` on, or in falling order from `from` down.
  std::vector<std::uint64_t> postings(const Snapshot& snapshot, const PostingTerm& term, GlobalPosition from,
                                      Direction direction, std::size_t limit) const;

  // Up to `limit` names of streams that began in the snapshot's generations: those with `prefix`, from `from`
  // on.
  std::vector<std::string> created(const Snapshot& snapshot, std::string_view prefix, std::string_view from,
                                   std::size_t limit) const;

  // Turns the active generation into the frozen one, if there is none, and returns the frozen one; null when
  // there is nothing to flush.
  std::shared_ptr<const TailGeneration> freeze();

  // The frozen generation is on disk.
  void drop_frozen();

  std::size_t active_events() const;
  std::size_t events() const;

 private:
  mutable std::mutex mutex_;
  std::shared_ptr<TailGeneration> active_;
  std::shared_ptr<const TailGeneration> frozen_;
  std::shared_ptr<const TailGeneration> flushed_;
};

}  // namespace cairn
