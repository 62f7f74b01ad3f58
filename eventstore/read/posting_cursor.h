#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "eventstore/base/result.h"
#include "eventstore/base/work_budget.h"
#include "eventstore/index/index.h"
#include "eventstore/index/tail.h"
#include "eventstore/queries.h"

namespace cairn {

// The positions of one term, from the runs of the index and from the tail, in one direction. Lives within one
// read; not thread-safe.
class TermCursor {
 public:
  TermCursor(const IndexReader& index, GlobalPosition through, const Tail& tail,
             const Tail::Snapshot& snapshot, Term term, Direction direction, WorkBudget& budget)
      : index_(index),
        through_(through),
        tail_(tail),
        snapshot_(snapshot),
        term_(std::move(term)),
        direction_(direction),
        budget_(budget) {}

  // The first position at or beyond `from`, in the cursor's direction; nullopt when there is none.
  // REQUIRES: `from` does not move against the direction between calls.
  Result<std::optional<std::uint64_t>> seek(std::uint64_t from);

 private:
  bool beyond(std::uint64_t position, std::uint64_t from) const {
    return direction_ == Direction::kForward ? position >= from : position <= from;
  }
  Status fill(std::uint64_t from, std::size_t& searched);
  Status fill_forward(std::uint64_t from, std::size_t& searched);
  Status fill_backward(std::uint64_t from, std::size_t& searched);

  const IndexReader& index_;
  GlobalPosition through_;
  const Tail& tail_;
  const Tail::Snapshot& snapshot_;
  Term term_;
  Direction direction_;
  WorkBudget& budget_;
  std::vector<std::uint64_t> buffer_;  // in the cursor's direction
  std::size_t next_ = 0;
  bool exhausted_ = false;  // neither index nor tail has more; what is appended later is not in the snapshot
};

// The positions that match an EventFilter, as far as its terms tell: any of its categories, any of its types,
// each of its tags, and the digest of its correlation id. Each position that is looked at is a step of the
// budget.
class FilterCursor {
 public:
  // REQUIRES: the filter has a term.
  FilterCursor(const IndexReader& index, GlobalPosition through, const Tail& tail,
               const Tail::Snapshot& snapshot, const EventFilter& filter, const SipKey& digest_key,
               Direction direction, WorkBudget& budget);

  struct Place {
    std::uint64_t position = 0;
    bool matches = true;  // false: the budget has ended, and nothing before the position matches
  };
  // The first position at or beyond `from` that matches; nullopt when there is none. REQUIRES: see
  // TermCursor::seek().
  Result<std::optional<Place>> seek(std::uint64_t from);

 private:
  using AnyOf = std::vector<TermCursor>;
  Result<std::optional<std::uint64_t>> nearest(AnyOf& terms, std::uint64_t from) const;

  Direction direction_;
  WorkBudget& budget_;
  std::vector<AnyOf> all_of_;  // an event matches one term of each
};

// The positions that match a query: one of its items.
class QueryCursor {
 public:
  // REQUIRES: there is an item, and each has a term; `query` outlives the cursor.
  QueryCursor(const IndexReader& index, GlobalPosition through, const Tail& tail,
              const Tail::Snapshot& snapshot, const EventQuery& query, const SipKey& digest_key,
              Direction direction, WorkBudget& budget);

  // See FilterCursor.
  Result<std::optional<FilterCursor::Place>> seek(std::uint64_t from);

  // The first item that selects the event; nullopt when none does, as digests may be those of other ids.
  // REQUIRES: seek() has found the event.
  std::optional<std::size_t> item_of(const EventView& event);

 private:
  struct Item {
    FilterCursor cursor;
    std::optional<FilterCursor::Place> place = {};  // where it was found to be
    bool exhausted = false;
  };
  bool is_nearer(const FilterCursor::Place& a, const FilterCursor::Place& b) const {
    return direction_ == Direction::kForward ? a.position < b.position : a.position > b.position;
  }

  const EventQuery& query_;
  const Direction direction_;
  std::vector<Item> items_;
  std::string scratch_;
};

}  // namespace cairn
