#include "eventstore/read/filtered_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <vector>

#include "eventstore/base/assert.h"
#include "eventstore/base/work_budget.h"
#include "eventstore/read/block_filter.h"
#include "eventstore/read/pages.h"

namespace cairn {
namespace {

constexpr std::chrono::milliseconds kWalkTransactionMax{20};

// To look at an event takes about as long as to look at so many names.
constexpr std::uint64_t kStepsOfAnEvent = 10;

// Moves from block to block in either direction, in short read transactions.
class BlockWalk {
 public:
  explicit BlockWalk(BlockSource& log) : log_(log) {}

  // The block that holds `position`, checked. Lives until the next call.
  Result<BlockReader*> to(std::uint64_t position) {
    const auto now = std::chrono::steady_clock::now();
    if (cursor_ == nullptr || now - begun_ > kWalkTransactionMax) {
      block_.close();
      cursor_.reset();  // first, or two read transactions would be open
      CAIRN_TRY(cursor_, log_.cursor());
      begun_ = now;
    }
    CAIRN_TRY(const auto found, cursor_->seek({position}));
    if (found) CAIRN_CHECK(block_.open(found->bytes, BlockCheck::kWholeBlock));
    if (!found || !block_.contains({position})) {
      Error error =
          make_error(Errc::kCorruption, fmt::format("the log has no event at position {}", position));
      error.position = position;
      return error;
    }
    return &block_;
  }

 private:
  BlockSource& log_;
  std::unique_ptr<BlockCursor> cursor_;
  std::chrono::steady_clock::time_point begun_;
  BlockReader block_;
};

// The filters of a query: an event must match one of them.
class BlockFilters {
 public:
  explicit BlockFilters(const LogQuery& query) {
    filters_.reserve(1 + query.or_any_of.size());
    filters_.emplace_back(query.filter);
    for (const EventFilter& filter : query.or_any_of) filters_.emplace_back(filter);
    prepared_.resize(filters_.size());
    wanted_.resize(filters_.size());
    looks_at_events_ = query.filter.looks_at_events() ||
                       std::any_of(query.or_any_of.begin(), query.or_any_of.end(),
                                   [](const EventFilter& filter) { return filter.looks_at_events(); });
  }

  bool looks_at_events() const { return looks_at_events_; }

  // As BlockFilter does.
  bool prepare(const BlockReader& block) {
    bool any = false;
    for (std::size_t i = 0; i < filters_.size(); ++i)
      any = (prepared_[i] = filters_[i].prepare(block)) || any;
    return any;
  }
  Result<bool> matches(const BlockReader& block, GlobalPosition position) {
    bool any = false;
    for (std::size_t i = 0; i < filters_.size(); ++i) {
      wanted_[i] = false;
      if (!prepared_[i]) continue;
      CAIRN_TRY(const bool wanted, filters_[i].matches(block, position));
      any = (wanted_[i] = wanted) || any;
    }
    return any;
  }
  // REQUIRES: the other matches() was called for this event.
  bool matches(const EventView& event) {
    for (std::size_t i = 0; i < filters_.size(); ++i) {
      if (wanted_[i] && filters_[i].matches(event)) return true;
    }
    return false;
  }

 private:
  std::vector<BlockFilter> filters_;
  std::vector<bool> prepared_;  // by filter: whether any event of the block may match
  std::vector<bool> wanted_;    // by filter: whether the event matches by its names
  bool looks_at_events_ = false;
};

}  // namespace

Result<LogPage> read_filtered_page(BlockSource& log, const LogQuery& query, GlobalPosition head) {
  CAIRN_ASSERT(query.limit > 0, query.limit);
  const PageRange range(query, head);
  LogPage page{.head = head, .events = {}, .next = {}};
  BlockFilters filter(query);
  BlockWalk walk(log);
  StoredEvent stored;
  WorkBudget budget(WorkLimits{.steps = query.steps_max}, query.budget);
  std::uint64_t at = range.start();
  while (range.contains(at)) {
    if (budget.has_ended()) {
      page.next = GlobalPosition{at};
      break;
    }
    CAIRN_TRY(BlockReader* const block, walk.to(at));
    static_cast<void>(
        budget.charge(1 + block->types().size() + block->streams().size() + block->header().event_count));
    const std::uint64_t first = std::max(block->header().first_position.value, range.lowest());
    const std::uint64_t last = std::min(block->header().last_position().value, range.highest());
    if (!filter.prepare(*block)) {
      at = range.forward() ? last + 1 : first - 1;
      continue;
    }
    for (; at >= first && at <= last; at = range.after(at)) {
      CAIRN_TRY(const bool wanted, filter.matches(*block, {at}));
      if (!wanted) continue;
      const bool full = page.events.size() == query.limit || page.events.bytes() > query.bytes_max;
      if (!full || filter.looks_at_events()) CAIRN_CHECK(block->read_into({at}, stored));
      if (filter.looks_at_events()) {
        static_cast<void>(budget.charge(kStepsOfAnEvent));
        if (!filter.matches(stored.event)) continue;
      }
      if (full) {
        page.next = GlobalPosition{at};
        page.steps = budget.steps();
        return page;
      }
      page.events.add(stored.event);
    }
  }
  page.steps = budget.steps();
  return page;
}

}  // namespace cairn
