#include "eventstore/read/event_source.h"

#include <fmt/format.h>

#include "eventstore/base/assert.h"

namespace cairn {
namespace {

Error not_in_log(GlobalPosition position) {
  Error error =
      make_error(Errc::kCorruption, fmt::format("the log has no event at position {}", position.value));
  error.position = position.value;
  return error;
}

}  // namespace

Result<StoredEvent> LogEvents::at(GlobalPosition position) {
  if (!block_.contains(position)) CAIRN_CHECK(open_block(position));
  return block_.read(position);
}

Status LogEvents::open_block(GlobalPosition position) {
  if (cursor_ == nullptr) {
    CAIRN_TRY(cursor_, log_.cursor());
  }
  const bool follows = block_.is_open() && position.value == block_.header().last_position().value + 1;
  block_.close();
  CAIRN_TRY(auto found, follows ? cursor_->next() : cursor_->seek(position));
  if (found && found->number > 0) {  // a block without events stands between
    CAIRN_TRY(found, cursor_->seek(position));
  }
  if (!found) return not_in_log(position);
  CAIRN_CHECK(block_.open(found->bytes, BlockCheck::kEachEvent));
  if (block_.header().first_position != found->first_position) {
    block_.close();
    return make_error(Errc::kCorruption,
                      fmt::format("log block {} says that it begins elsewhere", found->first_position.value));
  }
  if (!block_.contains(position)) {
    block_.close();
    return not_in_log(position);
  }
  return {};
}

Result<StoredEvent> event_of(EventSource& events, GlobalPosition position, std::string_view stream,
                             StreamVersion version) {
  CAIRN_TRY(const StoredEvent stored, events.at(position));
  if (stored.event.stream != stream || stored.event.version != version) {
    Error error = make_error(
        Errc::kCorruption,
        fmt::format("position {} should be version {} of '{}' and is version {} of '{}'", position.value,
                    version.value, stream, stored.event.version.value, stored.event.stream));
    error.position = position.value;
    return error;
  }
  return stored;
}

Result<GlobalPosition> position_of(EventSource& events, std::string_view stream, const StreamHead& head,
                                   StreamVersion version) {
  CAIRN_ASSERT(version.value >= 1 && version <= head.version, version.value, head.version.value);
  // The path in the head saves the first reads: follow it while it does not lead below the version.
  std::uint64_t at = head.version.value;
  std::uint64_t position = head.path.head();
  for (std::size_t i = 1; i < head.path.positions().size() && jump_version(at) >= version.value; ++i) {
    at = jump_version(at);
    position = head.path.positions()[i];
  }
  while (at > version.value) {
    CAIRN_TRY(const StoredEvent stored, event_of(events, {position}, stream, {at}));
    if (jump_version(at) >= version.value) {
      position = stored.jump;
      at = jump_version(at);
    } else {
      position = stored.previous;
      --at;
    }
  }
  return GlobalPosition{position};
}

}  // namespace cairn
