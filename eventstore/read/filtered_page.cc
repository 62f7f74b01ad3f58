#include "eventstore/read/filtered_page.h"

#include <fmt/format.h>

#include <chrono>
#include <memory>

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

}  // namespace

Result<LogPage> read_filtered_page(BlockSource& log, const LogQuery& query, GlobalPosition head) {
  CAIRN_ASSERT(query.limit > 0, query.limit);
  const PageRange range(query, head);
  LogPage page{.head = head, .events = {}, .next = {}};
  BlockFilter filter(query.filter);
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
      if (!full || query.filter.looks_at_events()) CAIRN_CHECK(block->read_into({at}, stored));
      if (query.filter.looks_at_events()) {
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
