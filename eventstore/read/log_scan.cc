#include "eventstore/read/log_scan.h"

#include <fmt/format.h>

#include <chrono>
#include <memory>

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

}  // namespace

Status scan_blocks(BlockSource& log, GlobalPosition from, GlobalPosition to, const BlockVisitor& visit) {
  BlockReader block;
  GlobalPosition expected = from;
  while (expected <= to) {
    CAIRN_TRY(const auto cursor, log.cursor());
    const auto started = std::chrono::steady_clock::now();
    CAIRN_TRY(auto found, cursor->seek(expected));
    do {
      if (!found) return broken_order(expected, std::nullopt);
      CAIRN_CHECK(block.open(found->bytes, BlockCheck::kWholeBlock));
      if (block.header().first_position != found->first_position || !block.contains(expected) ||
          (expected != from && block.header().first_position != expected)) {
        return broken_order(expected, found->first_position);
      }
      CAIRN_TRY(const bool go_on, visit(block, found->bytes));
      if (!go_on) return {};
      expected = {block.header().last_position().value + 1};
      if (expected > to) return {};
      CAIRN_TRY(found, cursor->next());
    } while (std::chrono::steady_clock::now() - started < kTransactionMax);
  }
  return {};
}

}  // namespace cairn
