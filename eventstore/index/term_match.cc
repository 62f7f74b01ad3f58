#include "eventstore/index/term_match.h"

#include <algorithm>
#include <string>

#include "eventstore/base/assert.h"
#include "eventstore/base/small_vector.h"

namespace cairn {
namespace {

// Most items have one tag or two.
using AnyOf = SmallVector<const TermPositions*, 4>;

// The positions of one item of a query, ascending: those that each group of terms has in one of its lists.
class ItemPositions {
 public:
  ItemPositions(const MatchSource& source, const EventFilter& item, std::uint64_t& steps)
      : source_(source), skips_system_(!item.system), steps_(steps) {
    CAIRN_ASSERT(item.correlation.empty());
    // Those with few events first: the others are only asked about positions that these have.
    for (const std::string& tag : item.tags) add_group(TermKind::kTag, std::span(&tag, 1));
    add_group(TermKind::kCategory, item.categories);
    add_group(TermKind::kType, item.types);
  }

  // The first one at or above `from` and up to `last`; 0 when there is none or the steps have ended.
  std::uint64_t seek(std::uint64_t from, std::uint64_t last) {
    while (matches_some_ && from <= last) {
      const std::uint64_t found = agreed(from);
      if (found == 0 || found > last) return 0;
      if (!skips_system_ || !std::binary_search(source_.system.begin(), source_.system.end(), found))
        return found;
      if (!charge()) return 0;
      from = found + 1;
    }
    return 0;
  }

 private:
  void add_group(TermKind kind, std::span<const std::string> names) {
    if (names.empty()) return;
    AnyOf& any_of = all_of_.emplace_back();
    for (const std::string& name : names) {
      static_cast<void>(charge());
      const TermView term{kind, name};
      if (const TermPositions* const found = source_.terms.find(term, hash_of(term))) any_of.push_back(found);
    }
    matches_some_ = matches_some_ && !any_of.empty();
  }

  bool charge() {
    if (steps_ > 0) --steps_;
    return steps_ > 0;
  }

  std::uint64_t nearest(const AnyOf& any_of, std::uint64_t from) const {
    std::uint64_t best = 0;
    for (const TermPositions* const positions : any_of) {
      const std::size_t at = positions->below(from);
      if (at == positions->size()) continue;
      const std::uint64_t position = (*positions)[at];
      if (best == 0 || position < best) best = position;
    }
    return best;
  }

  // A leapfrog join: each group in turn moves to the position of the others, until all are at the same one.
  std::uint64_t agreed(std::uint64_t from) {
    for (std::size_t at = 0, agreeing = 0; agreeing < all_of_.size(); at = (at + 1) % all_of_.size()) {
      const std::uint64_t found = nearest(all_of_[at], from);
      if (found == 0 || !charge()) return 0;
      agreeing = found == from ? agreeing + 1 : 1;
      from = found;
    }
    return from;
  }

  const MatchSource& source_;
  const bool skips_system_;
  bool matches_some_ = true;
  std::uint64_t& steps_;
  SmallVector<AnyOf, 4> all_of_;
};

}  // namespace

Result<std::optional<QueryMatch>> first_match(const MatchSource& source, const EventQuery& query,
                                              GlobalPosition after, std::uint64_t& steps) {
  const std::uint64_t from = std::max(after.value + 1, source.first.value);
  std::uint64_t last = source.last.value;
  std::optional<QueryMatch> best;
  for (std::size_t item = 0; item < query.size() && from <= last; ++item) {
    const std::uint64_t found = ItemPositions(source, query[item], steps).seek(from, last);
    if (steps == 0) return make_error(Errc::kBudgetExceeded, "the query selects too many events in memory");
    if (found == 0) continue;
    best = QueryMatch{{found}, item};
    last = found - 1;  // an item behind this one counts if it selects an earlier event
  }
  return best;
}

}  // namespace cairn
