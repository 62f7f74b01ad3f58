#include "eventstore/follow/filtered_page.h"

#include <fmt/format.h>

#include <chrono>
#include <memory>

#include "eventstore/base/assert.h"
#include "eventstore/base/work_budget.h"
#include "eventstore/read/block_filter.h"
#include "eventstore/read/pages.h"

namespace cairn {
namespace {

constexpr std::chrono::milliseconds kTransactionMax{20};

// Moves from block to block in either direction, in short read transactions.
class BlockWalk {
 public:
  explicit BlockWalk(BlockSource& log) : log_(log) {}

  // The block that holds `position`, checked. Lives until the next call.
  Result<BlockReader*> to(std::uint64_t position) {
    const auto now = std::chrono::steady_clock::now();
    if (cursor_ == nullptr || now - begun_ > kTransactionMax) {
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
  const bool forward = query.direction == Direction::kForward;
  LogPage page{.head = head, .events = {}, .next = {}};
  BlockFilter filter(query.filter);
  BlockWalk walk(log);
  WorkBudget budget(WorkLimits{.steps = query.steps_max}, query.budget);
  std::uint64_t at = page_start(query, head);
  while (at >= 1 && at <= head.value) {
    if (budget.has_ended()) {
      page.next = GlobalPosition{at};
      break;
    }
    CAIRN_TRY(BlockReader* const block, walk.to(at));
    static_cast<void>(
        budget.charge(1 + block->types().size() + block->streams().size() + block->header().event_count));
    const std::uint64_t first = block->header().first_position.value;
    const std::uint64_t last = std::min(block->header().last_position(), head).value;
    if (!filter.prepare(*block)) {
      at = forward ? last + 1 : first - 1;
      continue;
    }
    for (; at >= first && at <= last; at = forward ? at + 1 : at - 1) {
      CAIRN_TRY(const bool wanted, filter.matches(*block, {at}));
      if (!wanted) continue;
      if (page.events.size() == query.limit || page.events.bytes() > query.bytes_max) {
        page.next = GlobalPosition{at};
        page.steps = budget.steps();
        return page;
      }
      CAIRN_TRY(const StoredEvent stored, block->read({at}));
      page.events.add(stored.event);
    }
  }
  page.steps = budget.steps();
  return page;
}

}  // namespace cairn
