#include "eventstore/read/event_source.h"

#include <string>

#include "eventstore/base/assert.h"

namespace cairn {
namespace {

Error not_in_log(GlobalPosition position) {
  Error error =
      make_error(Errc::kCorruption, "the log has no event at position " + std::to_string(position.value));
  error.position = position.value;
  return error;
}

}  // namespace

Result<StoredEvent> LogEvents::at(GlobalPosition position) {
  if (!block_.contains(position)) CAIRN_CHECK(turn_to(position));
  return block_.read(position);
}

Status LogEvents::turn_to(GlobalPosition position) {
  if (cursor_ == nullptr) {
    CAIRN_TRY(cursor_, log_.cursor());
  }
  const bool follows = block_.is_open() && position.value == block_.header().last_position().value + 1;
  block_.close();
  CAIRN_TRY(const auto found, follows ? cursor_->next() : cursor_->seek(position));
  if (!found) return not_in_log(position);
  CAIRN_CHECK(block_.open(found->bytes, BlockCheck::kEachEvent));
  if (block_.header().first_position != found->first_position) {
    block_.close();
    return make_error(Errc::kCorruption, "log block " + std::to_string(found->first_position.value) +
                                             " says it begins elsewhere");
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
    Error error =
        make_error(Errc::kCorruption, "position " + std::to_string(position.value) + " should be version " +
                                          std::to_string(version.value) + " of '" + std::string(stream) +
                                          "' and is version " + std::to_string(stored.event.version.value) +
                                          " of '" + std::string(stored.event.stream) + "'");
    error.position = position.value;
    return error;
  }
  return stored;
}

Result<GlobalPosition> position_of(EventSource& events, std::string_view stream, const StreamHead& head,
                                   StreamVersion version) {
  CAIRN_ASSERT(version.value >= 1 && version <= head.version, version.value, head.version.value);
  // The head's own path saves the first reads: go along it while it does not lead past the version.
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
