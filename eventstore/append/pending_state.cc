#include "eventstore/append/pending_state.h"

#include <algorithm>

#include "eventstore/base/assert.h"

namespace cairn {
namespace {

// What the writer thread may do for one condition: some 0.2 ms.
constexpr std::uint64_t kConditionStepsMax = 10'000;

}  // namespace

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
  planned_terms_.reset();
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

void PendingState::index_planned() {
  if (planned_terms_ == nullptr) planned_terms_ = std::make_unique<PlannedTerms>();
  PlannedTerms& known = *planned_terms_;
  for (; known.events < planned_.size(); ++known.events) {
    const EventView& event = planned_[known.events].stored.event;
    const std::uint64_t position = event.position.value;
    const auto add = [&](TermKind kind, std::string_view name) {
      const TermView term{kind, name};
      known.terms.add(term, hash_of(term), position);
    };
    add(TermKind::kCategory, category_of(event.stream));
    add(TermKind::kType, event.type);
    for (std::size_t i = 0; i < event.tags.size(); ++i) {
      const auto before = event.tags.first(i);  // a client may give a tag twice
      if (std::find(before.begin(), before.end(), event.tags[i]) == before.end())
        add(TermKind::kTag, event.tags[i]);
    }
    if (is_system_stream(event.stream)) known.system.push_back(position);
  }
}

Result<std::optional<QueryMatch>> PendingState::first_behind(const EventQuery& query, GlobalPosition after) {
  const GlobalPosition head{first_position_.value - 1};
  CAIRN_TRY(const auto committed, parts_.tail.first_behind(query, after, head, kConditionStepsMax));
  if (committed || planned_.empty()) return committed;
  index_planned();
  const MatchSource source{.terms = planned_terms_->terms,
                           .system = planned_terms_->system,
                           .first = first_position_,
                           .last = {head.value + planned_.size()}};
  std::uint64_t steps = kConditionStepsMax;
  return first_match(source, query, after, steps);
}

void PendingState::release_readers() {
  events_->release();
  heads_.release();
}

}  // namespace cairn
