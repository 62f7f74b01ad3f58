#include "eventstore/verify/log_walk.h"

#include <algorithm>
#include <string>
#include <utility>

namespace cairn {
namespace {

constexpr std::uint64_t kBlocksPerTransaction = 256;

std::string block_name(GlobalPosition first) { return "log block " + std::to_string(first.value); }
std::string event_name(GlobalPosition position) {
  return "log event at position " + std::to_string(position.value);
}

}  // namespace

LogWalk::LogWalk(BlockLog& log, const Uuid& store_id, VerifyReport& report, const VerifyProgress& progress)
    : log_(log),
      report_(report),
      progress_(progress),
      findings_(report),
      expected_(Index::id_seed(store_id)),
      hash_(chain_anchor(store_id)) {}

void LogWalk::break_off(std::string place, std::string what) {
  // A reader's message names the block itself; once is enough.
  if (const std::size_t colon = place.find(','); what.starts_with(place.substr(0, colon) + ": ")) {
    what.erase(0, std::min(colon, place.size()) + 2);
  }
  findings_.add(std::move(place), std::move(what));
  unbroken_ = false;
  hash_.reset();
}

Status LogWalk::walk_to(GlobalPosition to) {
  while (next_ <= to) {
    CAIRN_TRY(const auto cursor, log_.cursor());
    // A server may be appending beside us; what it adds is walked over too.
    auto last = cursor->last();
    if (!last.ok()) {
      break_off("log", last.error().message);
      return {};
    }
    if (!*last) return {};
    log_end_ = (*last)->first_position;
    auto found = cursor->seek(next_);
    if (found.ok() && *found && (*found)->first_position < next_) found = cursor->next();
    std::uint64_t blocks = 0;
    for (; found.ok() && *found && next_ <= to && blocks < kBlocksPerTransaction;
         found = cursor->next(), ++blocks) {
      check_block(**found);
      if (progress_ && report_.blocks % 64 == 0 &&
          !progress_("log", report_.events, std::max(next_, log_end_).value)) {
        return verify_given_up();
      }
    }
    if (!found.ok()) {
      break_off("log after position " + std::to_string(next_.value - 1), found.error().message);
      return {};
    }
    if (!*found) return {};
  }
  return {};
}

void LogWalk::check_block(const RawBlock& raw) {
  const std::string name = block_name(raw.first_position);
  ++report_.blocks;
  report_.log_bytes += raw.bytes.size();
  if (raw.first_position != next_) {
    break_off(name, "positions " + std::to_string(next_.value) + " to " +
                        std::to_string(raw.first_position.value - 1) + " are missing");
  }
  next_ = {raw.first_position.value + 1};  // at least; a damaged header cannot be asked
  const Status opened = block_.open(raw.bytes, BlockCheck::kEachEvent);
  if (!opened.ok()) return break_off(name, opened.error().message);
  const BlockHeader& header = block_.header();
  if (header.first_position != raw.first_position) {
    return break_off(name, "its header says " + std::to_string(header.first_position.value));
  }
  if (block_checksum(raw.bytes) != header.checksum) {
    // Which event it is helps whoever has to mend it.
    for (std::uint64_t p = header.first_position.value; p <= header.last_position().value; ++p) {
      if (const auto stored = block_.read({p}); !stored.ok()) {
        break_off(name + ", event at position " + std::to_string(p), stored.error().message);
        return;
      }
    }
    return break_off(name, "checksum does not match the block's bytes");
  }
  if (hash_ && *hash_ != header.previous_hash) {
    findings_.add(name, "does not continue the chain: it names another block before it");
  }
  hash_ = sha256(raw.bytes);
  report_.head_hash = to_hex(*hash_);
  for (std::uint64_t p = header.first_position.value; p <= header.last_position().value; ++p) {
    const auto stored = block_.read({p});
    if (!stored.ok()) return break_off(event_name({p}), stored.error().message);
    check_event(*stored);
  }
  next_ = {header.last_position().value + 1};
  report_.head = header.last_position().value;
}

void LogWalk::check_event(const StoredEvent& stored) {
  const EventView& event = stored.event;
  StreamHead& head = expected_.head(event.stream);
  ++report_.events;
  if (unbroken_) {
    if (event.version.value != head.version.value + 1) {
      findings_.add(event_name(event.position), "is version " + std::to_string(event.version.value) +
                                                    " of '" + std::string(event.stream) + "', which was at " +
                                                    std::to_string(head.version.value));
    } else if (stored.previous != head.path.head() ||
               stored.jump != head.path.next_jump(head.version.value)) {
      findings_.add(event_name(event.position), "does not point to the events before it in its stream");
    }
  }
  head.advance(event.position, event.recorded_at);
  expected_.add(stored);
  if (on_event) on_event(stored);
}

}  // namespace cairn
