#include "eventstore/read/log_scan.h"

#include <fmt/format.h>

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <utility>

namespace cairn {
namespace {

constexpr std::chrono::milliseconds kTransactionMax{20};

Error broken_order(GlobalPosition expected, std::optional<GlobalPosition> found) {
  Error error = make_error(Errc::kCorruption,
                           fmt::format("log block {} is missing{}", expected.value,
                                       found ? fmt::format("; the log continues at {}", found->value) : ""));
  error.position = expected.value;
  return error;
}

// Finds the first block of a scan, or of the rest of it.
using FindBlock = std::function<Result<std::optional<RawBlock>>(BlockCursor& cursor)>;

// Visits blocks up to the one that ends at `to` or holds its position. `end` is where the block before the
// first one ends, as far as that is known.
Status scan(BlockSource& log, FindBlock find, std::optional<LogPlace> end, GlobalPosition from,
            const LogPlace& to, const BlockVisitor& visit) {
  BlockReader block;
  for (;;) {
    CAIRN_TRY(const auto cursor, log.cursor());
    const auto started = std::chrono::steady_clock::now();
    CAIRN_TRY(auto found, find(*cursor));
    do {
      const GlobalPosition expected = end ? GlobalPosition{end->position.value + 1} : from;
      if (!found) return broken_order(expected, std::nullopt);
      CAIRN_CHECK(block.open(found->bytes, BlockCheck::kWholeBlock));
      const BlockHeader& header = block.header();
      if (header.first_position != found->first_position || header.end().number != found->number ||
          !(end ? header.follows(*end) : block.contains(from))) {
        return broken_order(expected, found->first_position);
      }
      CAIRN_TRY(const bool go_on, visit(block, found->bytes));
      if (!go_on) return {};
      end = header.end();
      if (*end >= to) return {};
      CAIRN_TRY(found, cursor->next());
    } while (std::chrono::steady_clock::now() - started < kTransactionMax);
    find = [&end](BlockCursor& next) { return next.after(*end); };
  }
}

}  // namespace

Status scan_blocks(BlockSource& log, GlobalPosition from, GlobalPosition to, const BlockVisitor& visit) {
  if (from > to) return {};
  const FindBlock find = [from](BlockCursor& cursor) { return cursor.seek(from); };
  return scan(log, find, std::nullopt, from, {to, 0}, visit);
}

Status scan_between(BlockSource& log, const LogPlace& from, const LogPlace& to, const BlockVisitor& visit) {
  if (from >= to) return {};
  const FindBlock find = [from](BlockCursor& cursor) { return cursor.after(from); };
  return scan(log, find, from, from.position, to, visit);
}

}  // namespace cairn
