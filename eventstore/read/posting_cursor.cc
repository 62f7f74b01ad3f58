#include "eventstore/read/posting_cursor.h"

#include <algorithm>
#include <string>
#include <utility>

#include "eventstore/read/event_match.h"

namespace cairn {
namespace {

constexpr std::size_t kTailBatch = 1'024;

// To look into a run of the index, or into the tail under its lock, takes about as long as to look at so many
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
    std::size_t searched = 1;
    CAIRN_CHECK(fill(from, searched));
    static_cast<void>(budget_.charge(searched * kFillSteps + buffer_.size()));
  }
}

// Fills the buffer with positions at or beyond `from`, if there are any.
Status TermCursor::fill(std::uint64_t from, std::size_t& searched) {
  buffer_.clear();
  next_ = 0;
  return direction_ == Direction::kForward ? fill_forward(from, searched) : fill_backward(from, searched);
}

Status TermCursor::fill_forward(std::uint64_t from, std::size_t& searched) {
  if (from <= through_.value) {
    CAIRN_TRY(auto chunk, index_.positions_from(term_.view(), from, searched));
    if (chunk) {
      buffer_ = *std::move(chunk);
      return {};
    }
    from = through_.value + 1;
  }
  buffer_ = tail_.postings(snapshot_, term_.view(), {from}, Direction::kForward, kTailBatch);
  return {};
}

Status TermCursor::fill_backward(std::uint64_t from, std::size_t& searched) {
  if (from > through_.value) {
    buffer_ = tail_.postings(snapshot_, term_.view(), {from}, Direction::kBackward, kTailBatch);
    // A generation of the snapshot may have been flushed since; positions that the index has come from the
    // index.
    while (!buffer_.empty() && buffer_.back() <= through_.value) buffer_.pop_back();
    if (!buffer_.empty()) return {};
    from = through_.value;
  }
  CAIRN_TRY(auto chunk, index_.positions_down_to(term_.view(), from, searched));
  if (!chunk) return {};
  buffer_ = *std::move(chunk);
  std::reverse(buffer_.begin(), buffer_.end());
  return {};
}

FilterCursor::FilterCursor(const IndexReader& index, GlobalPosition through, const Tail& tail,
                           const Tail::Snapshot& snapshot, const EventFilter& filter,
                           const SipKey& digest_key, Direction direction, WorkBudget& budget)
    : direction_(direction), budget_(budget) {
  const auto add = [&](AnyOf& any_of, TermKind kind, std::string bytes) {
    any_of.emplace_back(index, through, tail, snapshot, Term{kind, std::move(bytes)}, direction, budget);
  };
  const auto add_group = [&](TermKind kind, std::vector<std::string> names) {
    if (names.empty()) return;
    AnyOf& any_of = all_of_.emplace_back();
    for (std::string& name : unique(std::move(names))) add(any_of, kind, std::move(name));
  };
  // Those with few events first: the others are only asked about positions that these have.
  if (!filter.correlation.empty()) {
    const TermDigest digest = digest_of(filter.correlation, digest_key);
    add(all_of_.emplace_back(), TermKind::kCorrelation, std::string(digest.data(), digest.size()));
  }
  for (std::string& tag : unique(filter.tags)) add(all_of_.emplace_back(), TermKind::kTag, std::move(tag));
  add_group(TermKind::kCategory, filter.categories);
  add_group(TermKind::kType, filter.types);
}

Result<std::optional<std::uint64_t>> FilterCursor::nearest(AnyOf& terms, std::uint64_t from) const {
  std::optional<std::uint64_t> best;
  for (TermCursor& term : terms) {
    CAIRN_TRY(const auto found, term.seek(from));
    if (!found) continue;
    if (!best || (direction_ == Direction::kForward ? *found < *best : *found > *best)) best = found;
  }
  return best;
}

// A leapfrog join: each group in turn moves to the position of the others, until all are at the same one.
Result<std::optional<FilterCursor::Place>> FilterCursor::seek(std::uint64_t from) {
  std::size_t agreeing = 0;
  bool moved = false;
  for (std::size_t at = 0; agreeing < all_of_.size(); at = (at + 1) % all_of_.size()) {
    CAIRN_TRY(const auto found, nearest(all_of_[at], from));
    if (!found) return std::optional<Place>();
    if (*found == from) {
      ++agreeing;
      continue;
    }
    agreeing = 1;
    from = *found;
    // Strictly beyond the start, so that the next page gets further.
    if (moved && budget_.has_ended()) return std::optional(Place{from, false});
    moved = true;
  }
  return std::optional(Place{from, true});
}

QueryCursor::QueryCursor(const IndexReader& index, GlobalPosition through, const Tail& tail,
                         const Tail::Snapshot& snapshot, const EventQuery& query, const SipKey& digest_key,
                         Direction direction, WorkBudget& budget)
    : query_(query), direction_(direction) {
  for (const EventFilter& item : query)
    items_.push_back({FilterCursor(index, through, tail, snapshot, item, digest_key, direction, budget)});
}

Result<std::optional<FilterCursor::Place>> QueryCursor::seek(std::uint64_t from) {
  std::optional<FilterCursor::Place> best;
  for (Item& item : items_) {
    if (item.exhausted) continue;
    const bool is_there =
        item.place && item.place->matches &&
        (direction_ == Direction::kForward ? item.place->position >= from : item.place->position <= from);
    if (!is_there) {
      CAIRN_TRY(item.place, item.cursor.seek(from));
      item.exhausted = !item.place;
    }
    if (item.place && (!best || is_nearer(*item.place, *best))) best = item.place;
    // At the nearest place, an item that matches counts.
    if (item.place && best->position == item.place->position)
      best->matches = best->matches || item.place->matches;
  }
  return best;
}

std::optional<std::size_t> QueryCursor::item_of(const EventView& event) {
  for (std::size_t item = 0; item < query_.size(); ++item) {
    if (selects(query_[item], event, scratch_)) return item;
  }
  return std::nullopt;
}

}  // namespace cairn
