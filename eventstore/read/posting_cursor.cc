#include "eventstore/read/posting_cursor.h"

#include <algorithm>
#include <string>
#include <utility>

namespace cairn {
namespace {

constexpr std::size_t kTailBatch = 1'024;

// Two lookups in the index, or one in the tail under its lock, take about as long as looking at so many
// positions.
constexpr std::size_t kFillSteps = 100;

// A term given twice is searched once.
std::vector<std::string> unique(std::vector<std::string> names) {
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

}  // namespace

Result<std::optional<std::uint64_t>> TermCursor::seek(std::uint64_t from) {
  for (int refills = 0;; ++refills) {
    const std::size_t first = next_;
    while (next_ < buffer_.size() && !beyond(buffer_[next_], from)) ++next_;
    static_cast<void>(budget_.charge(1 + next_ - first));
    if (next_ < buffer_.size()) return std::optional(buffer_[next_]);
    exhausted_ = exhausted_ || refills > 0;
    if (exhausted_) return std::optional<std::uint64_t>();
    CAIRN_CHECK(fill(from));
    static_cast<void>(budget_.charge(kFillSteps + buffer_.size()));
  }
}

// Fills the buffer with positions at or beyond `from`, if there are any.
Status TermCursor::fill(std::uint64_t from) {
  buffer_.clear();
  next_ = 0;
  return direction_ == Direction::kForward ? fill_forward(from) : fill_backward(from);
}

Status TermCursor::fill_forward(std::uint64_t from) {
  if (from <= through_.value) {
    CAIRN_TRY(auto chunk, index_.chunk_at(term_, {from}));
    if (!chunk || chunk->back() < from) {
      CAIRN_TRY(chunk, index_.chunk_after(term_, {from}));
    }
    if (chunk) {
      buffer_ = *std::move(chunk);
      return {};
    }
    from = through_.value + 1;
  }
  buffer_ = tail_.postings(snapshot_, term_, {from}, Direction::kForward, kTailBatch);
  return {};
}

Status TermCursor::fill_backward(std::uint64_t from) {
  if (from > through_.value) {
    buffer_ = tail_.postings(snapshot_, term_, {from}, Direction::kBackward, kTailBatch);
    // A generation of the snapshot may have been flushed since; positions that the index has come from the
    // index.
    while (!buffer_.empty() && buffer_.back() <= through_.value) buffer_.pop_back();
    if (!buffer_.empty()) return {};
    from = through_.value;
  }
  CAIRN_TRY(auto chunk, index_.chunk_at(term_, {from}));
  if (!chunk) return {};
  buffer_ = *std::move(chunk);
  std::reverse(buffer_.begin(), buffer_.end());
  return {};
}

FilterCursor::FilterCursor(const IndexReader& index, GlobalPosition through, const Tail& tail,
                           const Tail::Snapshot& snapshot, const EventFilter& filter, Direction direction,
                           WorkBudget& budget)
    : direction_(direction), budget_(budget) {
  for (std::string& name : unique(filter.categories)) {
    categories_.emplace_back(index, through, tail, snapshot,
                             PostingTerm{PostingTerm::Kind::kCategory, std::move(name)}, direction, budget);
  }
  for (std::string& name : unique(filter.types)) {
    types_.emplace_back(index, through, tail, snapshot,
                        PostingTerm{PostingTerm::Kind::kType, std::move(name)}, direction, budget);
  }
}

Result<std::optional<std::uint64_t>> FilterCursor::nearest(std::vector<TermCursor>& terms,
                                                           std::uint64_t from) const {
  std::optional<std::uint64_t> best;
  for (TermCursor& term : terms) {
    CAIRN_TRY(const auto found, term.seek(from));
    if (!found) continue;
    if (!best || (direction_ == Direction::kForward ? *found < *best : *found > *best)) best = found;
  }
  return best;
}

// A merge join: each side in turn seeks to the position of the other, until both are at the same position.
Result<std::optional<FilterCursor::Place>> FilterCursor::seek(std::uint64_t from) {
  const auto at_match = [](std::optional<std::uint64_t> position) {
    return position ? std::optional(Place{*position, true}) : std::nullopt;
  };
  for (;;) {
    std::optional<std::uint64_t> at = from;
    if (!categories_.empty()) {
      CAIRN_TRY(at, nearest(categories_, from));
      if (!at || types_.empty()) return at_match(at);
    }
    CAIRN_TRY(const auto type, nearest(types_, *at));
    if (!type || *type == *at || categories_.empty()) return at_match(type);
    from = *type;  // strictly beyond, so that the next page gets further
    if (budget_.has_ended()) return std::optional(Place{from, false});
  }
}

}  // namespace cairn
