#include "eventstore/append/pending_state.h"

#include <algorithm>

#include "eventstore/base/assert.h"

namespace cairn {

// The events of the block being planned, and all earlier ones from the log.
class PendingState::Events final : public EventSource {
 public:
  explicit Events(const PendingState& state) : state_(state) {}

  Result<StoredEvent> at(GlobalPosition position) override {
    if (position >= state_.first_position_) {
      const std::uint64_t index = position.value - state_.first_position_.value;
      if (index < state_.planned_.size()) return state_.planned_[index].stored;
    }
    if (!log_) log_.emplace(state_.parts_.log);
    return log_->at(position);
  }

  void release() { log_.reset(); }

 private:
  const PendingState& state_;
  std::optional<LogEvents> log_;
};

PendingState::PendingState(const Parts& parts, const std::vector<BlockContents::Event>& planned)
    : parts_(parts),
      planned_(planned),
      heads_(parts.tail, parts.index),
      id_lookup_(parts.tail, parts.index, parts.store_id, parts.id_key),
      events_(std::make_unique<Events>(*this)),
      committed_revision_(parts.revision.value) {}

PendingState::~PendingState() = default;

void PendingState::begin(GlobalPosition first_position, Timestamp now) {
  first_position_ = first_position;
  now_ = now;
  added_revision_ = 0;
  streams_used_ = 0;
  stream_by_name_.clear();
  type_by_name_.clear();
  types_.clear();
  ids_.clear();
}

Result<PendingState::Stream*> PendingState::stream(std::string_view name) {
  const HashedName hashed(name);
  const auto is_it = [name](const Stream& stream) { return stream.name.text == name; };
  if (Stream* const known = stream_by_name_.find(hashed.hash, is_it)) return known;
  if (streams_used_ == streams_.size()) streams_.emplace_back();
  Stream& added = streams_[streams_used_];
  added.name = hashed;
  added.block_index.reset();
  added.created = false;
  CAIRN_CHECK(heads_.find(hashed, added.head));
  CAIRN_ASSERT(added.head.last_position() < first_position_, added.head.last_position().value,
               first_position_.value);  // the head has no event of this block, or of a failed one
  ++streams_used_;
  stream_by_name_.insert(hashed.hash, &added);
  return &added;
}

Result<std::optional<GlobalPosition>> PendingState::find_id(const Uuid& id) {
  if (const auto found = ids_.find(id); found != ids_.end()) return std::optional(found->second);
  return id_lookup_.find(id, parts_.id_window.first_day(now_), first_position_, *events_);
}

EventSource& PendingState::events() { return *events_; }

Result<std::optional<GlobalPosition>> PendingState::newest_behind(std::span<const std::string> types,
                                                                  GlobalPosition position) const {
  const auto is_wanted = [types](std::string_view type) {
    return std::find(types.begin(), types.end(), type) != types.end();
  };
  if (std::any_of(types_.begin(), types_.end(), is_wanted)) {
    const auto newest = std::find_if(planned_.rbegin(), planned_.rend(),
                                     [&](const auto& event) { return is_wanted(event.stored.event.type); });
    CAIRN_ASSERT(newest != planned_.rend());
    if (newest->stored.event.position > position) return std::optional(newest->stored.event.position);
  }
  return parts_.tail.newest_behind(types, position, {first_position_.value - 1});
}

void PendingState::release_readers() {
  events_->release();
  heads_.release();
}

}  // namespace cairn
