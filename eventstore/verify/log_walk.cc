#include "eventstore/verify/log_walk.h"

#include <algorithm>
#include <string>
#include <utility>

#include <fmt/format.h>

namespace cairn {
namespace {

constexpr std::uint64_t kBlocksPerTransaction = 256;

std::string block_name(GlobalPosition first) { return fmt::format("log block {}", first.value); }
std::string event_name(GlobalPosition position) {
  return fmt::format("log event at position {}", position.value);
}

}  // namespace

LogWalk::LogWalk(BlockSource& log, const Uuid& store_id, const ExpectedIndex::Basis& basis,
                 VerifyReport& report, const VerifyProgress& progress)
    : log_(log),
      report_(report),
      progress_(progress),
      findings_(report),
      expected_(basis),
      hash_(chain_anchor(store_id)) {}

void LogWalk::break_off(std::string place, std::string what) {
  // BlockReader's messages begin with the block's name, which is in `place` already.
  if (const std::size_t colon = place.find(','); what.starts_with(place.substr(0, colon) + ": ")) {
    what.erase(0, std::min(colon, place.size()) + 2);
  }
  findings_.add(std::move(place), std::move(what));
  unbroken_ = false;
  hash_.reset();
}

Status LogWalk::walk_to(GlobalPosition to) {
  while (end_.position < to) {
    CAIRN_TRY(const auto cursor, log_.cursor());
    // A server may append at the same time; its new blocks are checked too.
    auto last = cursor->last();
    if (!last.ok()) {
      break_off("log", last.error().message);
      return {};
    }
    if (!*last) return {};
    log_end_ = (*last)->first_position;
    auto found = cursor->after(end_);
    std::uint64_t blocks = 0;
    for (; found.ok() && *found && end_.position < to && blocks < kBlocksPerTransaction;
         found = cursor->next(), ++blocks) {
      check_block(**found);
      if (refused_) return *refused_;
      if (progress_ && report_.blocks % 64 == 0 &&
          !progress_("log", report_.events, std::max(end_.position, log_end_).value)) {
        return verify_cancelled();
      }
    }
    if (!found.ok()) {
      break_off(fmt::format("log after position {}", end_.position.value), found.error().message);
      return {};
    }
    if (!*found) return {};
  }
  return {};
}

void LogWalk::check_order(const RawBlock& raw, const std::string& name) {
  const std::uint64_t next = end_.position.value + 1;
  if (raw.first_position.value > next) {
    break_off(name, fmt::format("positions {} to {} are missing", next, raw.first_position.value - 1));
  } else if (raw.number > 0 && raw.number != end_.number + 1) {
    break_off(name, fmt::format("is number {} behind position {}, and number {} is missing", raw.number,
                                end_.position.value, end_.number + 1));
  }
}

void LogWalk::check_block(const RawBlock& raw) {
  const std::string name = raw.number == 0 ? block_name(raw.first_position)
                                           : fmt::format("log block of notes {} behind position {}",
                                                         raw.number, raw.first_position.value - 1);
  ++report_.blocks;
  report_.log_bytes += raw.bytes.size();
  check_order(raw, name);
  const LogPlace before = end_;
  // At least; the header may be damaged.
  end_ =
      raw.number == 0 ? LogPlace{raw.first_position} : LogPlace{{raw.first_position.value - 1}, raw.number};
  const Status opened = block_.open(raw.bytes, BlockCheck::kEachEvent);
  if (!opened.ok() && opened.error().code == Errc::kFailedPrecondition) {
    refused_ = opened.error();
    return;
  }
  if (!opened.ok()) return break_off(name, opened.error().message);
  const BlockHeader& header = block_.header();
  if (header.first_position != raw.first_position || header.end().number != raw.number) {
    return break_off(name, fmt::format("its header says {}", header.first_position.value));
  }
  if (block_checksum(raw.bytes) != header.checksum) {
    // Name the damaged event, which helps an operator to repair it.
    for (std::uint64_t p = header.first_position.value; p <= header.last_position().value; ++p) {
      if (const auto stored = block_.read({p}); !stored.ok()) {
        break_off(fmt::format("{}, event at position {}", name, p), stored.error().message);
        return;
      }
    }
    return break_off(name, "checksum does not match the block's bytes");
  }
  if (unbroken_ && !header.follows(before)) {
    return break_off(
        name, fmt::format("is behind {} blocks of notes, and {} are there", header.number, before.number));
  }
  if (hash_ && *hash_ != header.previous_hash) {
    findings_.add(name, "does not continue the hash chain: it names another previous block");
  }
  hash_ = sha256(raw.bytes);
  report_.head_hash = to_hex(*hash_);
  for (std::uint64_t p = header.first_position.value; p <= header.last_position().value; ++p) {
    const auto stored = block_.read({p});
    if (!stored.ok()) return break_off(event_name({p}), stored.error().message);
    check_event(*stored);
  }
  end_ = header.end();
  report_.head = header.last_position().value;
}

void LogWalk::check_event(const StoredEvent& stored) {
  const EventView& event = stored.event;
  StreamHead& head = expected_.head(event.stream);
  ++report_.events;
  if (unbroken_) {
    if (event.version.value != head.version.value + 1) {
      findings_.add(event_name(event.position),
                    fmt::format("is version {} of '{}', which was at version {}", event.version.value,
                                event.stream, head.version.value));
    } else if (stored.previous != head.path.head() ||
               stored.jump != head.path.next_jump(head.version.value)) {
      findings_.add(event_name(event.position), "has wrong pointers to earlier events of its stream");
    }
  }
  head.advance(event.position, event.recorded_at);
  expected_.add(stored);
  if (on_event) on_event(stored);
  if (visit) visit(stored.event);
}

}  // namespace cairn
