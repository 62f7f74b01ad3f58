#include "eventstore/recovery/recovery.h"

#include <fmt/format.h>

#include <algorithm>

#include "eventstore/base/prefetch.h"
#include "eventstore/index/indexed_id.h"
#include "eventstore/index/stream_heads.h"
#include "eventstore/read/log_scan.h"

namespace cairn {
namespace {

Error behind_index(GlobalPosition end, GlobalPosition through) {
  return make_error(Errc::kCorruption,
                    fmt::format("the log ends at position {}, but its index has seen {}: the log was cut "
                                "or replaced by an older copy",
                                end.value, through.value));
}

Error other_log(GlobalPosition position) {
  return make_error(Errc::kCorruption,
                    fmt::format("the log is not the one its index was built from: they differ at position {}",
                                position.value));
}

// The hash of the block that ends at `position`, from which the chain is checked.
Result<Sha256> hash_at(BlockSource& log, const Uuid& store_id, GlobalPosition position) {
  if (position.value == 0) return chain_anchor(store_id);
  Sha256 hash{};
  bool ends_there = false;
  const BlockVisitor look = [&](BlockReader& block, std::span<const std::byte> bytes) -> Result<bool> {
    hash = sha256(bytes);
    ends_there = block.header().last_position() == position;
    return false;
  };
  CAIRN_CHECK(scan_blocks(log, position, position, look));
  if (!ends_there) return other_log(position);
  return hash;
}

struct BlockDay {
  GlobalPosition first_position;
  std::uint32_t day = 0;
};

std::optional<BlockDay> day_of_block(const Result<std::optional<RawBlock>>& block) {
  if (!block.ok() || !*block) return std::nullopt;
  const auto header = BlockHeader::read((*block)->bytes);
  if (!header.ok()) return std::nullopt;
  return BlockDay{(*block)->first_position, day_of(header->recorded_at)};
}

// The last block of an earlier day than `newer`: times never decrease in the log, so it is found by bisection.
std::optional<BlockDay> last_of_earlier_day(BlockCursor& cursor, const BlockDay& newer) {
  std::optional<BlockDay> found;
  std::uint64_t from = 1, to = newer.first_position.value;  // the block is in [from, to)
  while (from < to) {
    const std::uint64_t middle = from + (to - from) / 2;
    const auto block = day_of_block(cursor.seek({middle}));
    if (!block) return std::nullopt;
    if (block->day < newer.day) {
      found = block;
      from = middle + 1;
    } else {
      to = block->first_position.value;
    }
  }
  return found;
}

}  // namespace

void add_recent_days(BlockSource& log, IdWindow& window) {
  const auto cursor = log.cursor();
  if (!cursor.ok()) return;
  std::vector<std::uint32_t> days;
  for (auto block = day_of_block((*cursor)->last()); block && days.size() < window.days_needed();
       block = last_of_earlier_day(**cursor, *block)) {
    days.push_back(block->day);
  }
  for (auto day = days.rbegin(); day != days.rend(); ++day) window.add(*day);
}

Result<LogEnd> read_end(BlockSource& log, const Uuid& store_id) {
  CAIRN_TRY(const auto cursor, log.cursor());
  CAIRN_TRY(const auto last, cursor->last());
  if (!last)
    return LogEnd{
        .last_position = {0}, .number = 0, .hash = chain_anchor(store_id), .epoch = 0, .recorded_at = {}};
  BlockReader block;
  CAIRN_CHECK(block.open(last->bytes, BlockCheck::kWholeBlock));
  if (block.header().first_position != last->first_position) {
    return make_error(Errc::kCorruption,
                      fmt::format("log block {} says that it begins elsewhere", last->first_position.value));
  }
  return LogEnd{.last_position = block.header().last_position(),
                .number = block.header().end().number,
                .hash = sha256(last->bytes),
                .epoch = block.header().epoch,
                .recorded_at = block.header().recorded_at};
}

Status check_owner(BlockSource& log, const Uuid& store_id) {
  CAIRN_TRY(const auto cursor, log.cursor());
  CAIRN_TRY(const auto first, cursor->after({}));
  if (!first) return make_error(Errc::kCorruption, "the log does not begin with position 1");
  CAIRN_TRY(const BlockHeader header, BlockHeader::read(first->bytes));
  if (header.previous_hash == chain_anchor(store_id)) return {};
  return make_error(Errc::kCorruption,
                    "the log belongs to another store than cairn.json, " + store_id.to_string());
}

namespace {

// The heads of a block's streams before it. The tail misses the CPU cache for most of them, so several are
// prefetched at once.
Status find_heads(const BlockReader& block, const Tail& tail, const Index& index, BlockSummary& summary) {
  StreamHeads heads(tail, index);
  std::vector<std::uint64_t> hashes;
  for (std::span<const std::string_view> left(block.streams()); !left.empty();) {
    const auto some = left.first(std::min(left.size(), kPrefetchedAtOnce));
    hashes.clear();
    const std::size_t first = summary.streams.size();
    for (const std::string_view name : some) {
      BlockSummary::Stream& stream = summary.streams.emplace_back();
      stream.name = HashedName(name);
      hashes.push_back(stream.name.hash);
    }
    tail.prefetch(hashes);
    for (std::size_t i = first; i < summary.streams.size(); ++i) {
      BlockSummary::Stream& stream = summary.streams[i];
      CAIRN_CHECK(heads.find(stream.name, stream.head));
      stream.created = !stream.head.exists();
    }
    left = left.subspan(some.size());
  }
  return {};
}

}  // namespace

Result<BlockSummary> summarize(BlockReader& block, std::span<const std::byte> bytes, const Tail& tail,
                               const Index& index) {
  BlockSummary summary{.first_position = block.header().first_position,
                       .recorded_at = block.header().recorded_at,
                       .hash = sha256(bytes)};
  summary.streams.reserve(block.streams().size());
  summary.events.reserve(block.header().event_count);
  CAIRN_CHECK(find_heads(block, tail, index, summary));
  summary.types = block.types();
  StoredEvent stored;
  for (std::uint64_t i = 0; i < block.header().event_count; ++i) {
    const GlobalPosition position{summary.first_position.value + i};
    CAIRN_CHECK(block.read_into(position, stored));
    CAIRN_TRY(const BlockReader::Names names, block.names_of(position));
    const EventView& event = stored.event;
    BlockSummary::Stream& entry = summary.streams[names.stream];
    StreamHead& head = entry.head;
    // A flush that was cut short may have left a head that has this event already.
    if (head.version < event.version) {
      if (head.version.value + 1 != event.version.value || head.path.head() != stored.previous) {
        return make_error(Errc::kCorruption,
                          fmt::format("position {} is version {} of '{}', which is at version {}",
                                      position.value, event.version.value, event.stream, head.version.value));
      }
      head.advance(position, event.recorded_at);
    }
    if (event.version.value == 1) entry.created = true;
    summary.events.push_back({names.stream, names.type});
    add_event_terms(summary.terms, {static_cast<std::uint32_t>(i), event.metadata, event.command_id},
                    event.tags, index.digest_key());
    if (id_is_indexed(stored, index.has_plain_server_ids())) summary.ids.push_back({event.id, position});
  }
  return summary;
}

Result<LogEnd> recover(BlockSource& log, const Index& index, Tail& tail, const Uuid& store_id,
                       const std::function<Status(GlobalPosition)>& applied) {
  CAIRN_TRY(LogEnd end, read_end(log, store_id));
  std::optional<IndexState> state;
  {
    CAIRN_TRY(const IndexReader reader, index.read());
    CAIRN_TRY(state, reader.state());
  }
  const GlobalPosition through = state ? state->through : GlobalPosition{0};
  if (through > end.last_position) return behind_index(end.last_position, through);
  if (end.place() == LogPlace{}) return end;
  CAIRN_CHECK(check_owner(log, store_id));

  CAIRN_TRY(Sha256 hash, hash_at(log, store_id, through));
  if (state && state->hash != hash) return other_log(through);

  const BlockVisitor take_in = [&](BlockReader& block, std::span<const std::byte> bytes) -> Result<bool> {
    if (block.header().previous_hash != hash) {
      return make_error(Errc::kCorruption,
                        fmt::format("log block {} does not continue the hash chain of the block before",
                                    block.header().first_position.value));
    }
    if (!block.header().has_events()) {
      hash = sha256(bytes);
      return true;
    }
    CAIRN_TRY(BlockSummary summary, summarize(block, bytes, tail, index));
    hash = summary.hash;
    tail.apply(summary);
    CAIRN_CHECK(applied(block.header().last_position()));
    return true;
  };
  CAIRN_CHECK(scan_between(log, {through, 0}, end.place(), take_in));
  return end;
}

}  // namespace cairn
