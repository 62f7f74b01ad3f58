#include "eventstore/append/block_planner.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "eventstore/append/append_checks.h"
#include "eventstore/append/repeat_check.h"
#include "eventstore/base/assert.h"
#include "eventstore/base/prefetch.h"
#include "eventstore/index/server_id.h"

namespace cairn {
namespace {

constexpr std::size_t kPrefetchedDataBytes = 256;  // the CPU prefetches the rest of a sequential read

}  // namespace

BlockPlanner::BlockPlanner(const PendingState::Parts& parts)
    : id_key_(parts.id_key), state_(parts, events_) {}

void BlockPlanner::begin(GlobalPosition first_position, Timestamp now) {
  first_position_ = first_position;
  now_ = now;
  state_.begin(first_position, now);
  block_streams_.clear();
  block_stream_heads_.clear();
  events_.clear();
  tags_.release();
  parts_.clear();
  terms_.clear();
  notes_.clear();
}

// Other CPUs wrote the requests, so each pointer costs a cache miss. Each loop only prefetches and does not
// wait; the next loop finds its memory in the cache. See docs/decisions.md, "The writer prefetches requests
// and stream heads".
void BlockPlanner::prefetch(std::span<const AppendQueue::Entry> appends) {
  const auto each_stream = [appends](auto look) {
    for (const auto& entry : appends) {
      for (const StreamAppend& stream : entry.pending->request.streams) look(stream);
    }
  };
  for (const auto& entry : appends) cairn::prefetch(entry.pending);
  for (const auto& entry : appends) cairn::prefetch(&entry.pending->request);
  for (const auto& entry : appends) cairn::prefetch(entry.pending->request.streams.data());
  name_hashes_.clear();
  each_stream([&](const StreamAppend& stream) {
    name_hashes_.push_back(HashedName(stream.stream).hash);
    cairn::prefetch(stream.events.data());
  });
  state_.prefetch(name_hashes_);
  each_stream([](const StreamAppend& stream) {
    if (stream.events.empty()) return;
    const std::string& data = stream.events.front().data;
    for (std::size_t at = 0; at < std::min(data.size(), kPrefetchedDataBytes); at += kCacheLineBytes)
      cairn::prefetch(data.data() + at);
  });
}

std::vector<EventTerm> BlockPlanner::terms_of(const AppendRequest& request, const SipKey& digest_key) {
  std::vector<EventTerm> terms;
  std::uint32_t index = 0;
  for (const StreamAppend& append : request.streams) {
    for (const NewEvent& event : append.events) {
      add_event_terms(terms, {index++, event.metadata, event.command_id}, event.tags, digest_key);
    }
  }
  return terms;
}

AppendResult BlockPlanner::prepared_for(const AppendRequest& request) {
  AppendResult result;
  result.streams.reserve(request.streams.size());
  for (const StreamAppend& append : request.streams) result.streams.push_back({.stream = append.stream});
  return result;
}

Status BlockPlanner::add(const AppendRequest& request, std::span<const EventTerm> terms,
                         AppendResult& result) {
  CAIRN_ASSERT(result.streams.size() == request.streams.size(), result.streams.size());
  const std::size_t events_before = events_.size();

  std::vector<Stream*>& streams = request_streams_;
  streams.clear();
  for (const StreamAppend& append : request.streams) {
    CAIRN_TRY(Stream* const stream, state_.stream(append.stream));
    if (append.events.empty()) result.streams[streams.size()].last_version = stream->head.version;
    streams.push_back(stream);
  }
  CAIRN_TRY(result.already_applied, find_repeat(request, result));
  if (result.already_applied) return {};
  if (request.only_if_repeated) return make_error(Errc::kNotFound, "the events were not appended before");
  CAIRN_CHECK(check(request, streams, state_));

  CAIRN_ASSERT(events_.size() == events_before, events_.size(), events_before);  // invariant 2
  for (std::size_t i = 0; i < streams.size(); ++i) {
    if (!request.streams[i].events.empty()) take(request.streams[i], *streams[i], result.streams[i]);
  }
  for (const EventTerm& term : terms) {
    EventTerm& added = terms_.emplace_back(term);
    added.event += static_cast<std::uint32_t>(events_before);
  }
  notes_.insert(notes_.end(), request.notes.begin(), request.notes.end());
  return {};
}

Result<bool> BlockPlanner::find_repeat(const AppendRequest& request, AppendResult& result) {
  const StreamAppendResult* repeated = nullptr;
  bool is_new = false;
  for (std::size_t i = 0; i < request.streams.size(); ++i) {
    const StreamAppend& append = request.streams[i];
    // A repeat was checked against its check-only streams when it was first applied; their versions of today do
    // not matter.
    if (append.events.empty()) continue;
    const StreamHead& head = request_streams_[i]->head;
    CAIRN_TRY(auto repeat, check_repeat(append, head, state_));
    if (repeat) {
      result.streams[i] = *std::move(repeat);
      repeated = &result.streams[i];
      continue;
    }
    if (!append.expected.accepts(head.version))
      return false;  // check() refuses it; no id need be read for that
    is_new = true;
  }
  if (repeated == nullptr || !is_new) return repeated != nullptr;
  CAIRN_TRY(const StoredEvent stored, state_.events().at(repeated->first_position));
  return id_reused(stored.event.id, stored.event);
}

void BlockPlanner::take(const StreamAppend& append, Stream& stream, StreamAppendResult& result) {
  if (!stream.block_index) {
    stream.block_index = static_cast<std::uint32_t>(block_streams_.size());
    stream.created = !stream.head.exists();
    block_streams_.push_back(stream.name.text);
    block_stream_heads_.push_back(&stream);
  }
  state_.count_events(stream, append.events.size());
  result.first_version = {stream.head.version.value + 1};
  result.last_version = {stream.head.version.value + append.events.size()};
  result.first_position = {first_position_.value + events_.size()};
  result.last_position = {first_position_.value + events_.size() + append.events.size() - 1};
  for (const NewEvent& event : append.events) {
    const GlobalPosition position{first_position_.value + events_.size()};
    BlockContents::Event& planned = events_.emplace_back();
    planned.stream = *stream.block_index;
    planned.type = state_.add_type(event.type);
    planned.stored.previous = stream.head.path.head();
    planned.stored.jump = stream.head.path.next_jump(stream.head.version.value);
    planned.stored.store_made_id = !event.id.has_value();
    state_.add(stream, position, event.id);
    planned.stored.event = {.position = position,
                            .version = stream.head.version,
                            .stream = stream.name.text,
                            .type = state_.types()[planned.type],
                            .id = event.id ? *event.id : server_id::make(id_key_, now_, position),
                            .schema = event.schema,
                            .recorded_at = now_,
                            .data = event.data,
                            .metadata = event.metadata,
                            .tags = {},
                            .content_type = event.content_type,
                            .command_id = event.command_id};
    if (!event.content_type.empty() || !event.command_id.empty()) {
      std::vector<EventPart>& parts = parts_.emplace_back();
      if (!event.content_type.empty()) parts.push_back({EventPart::kContentType, event.content_type});
      if (!event.command_id.empty()) parts.push_back({EventPart::kCommandId, event.command_id});
      planned.stored.parts = parts;
    }
    if (!event.tags.empty()) {
      auto* const tags = static_cast<std::string_view*>(
          tags_.allocate(event.tags.size() * sizeof(std::string_view), alignof(std::string_view)));
      std::uninitialized_copy(event.tags.begin(), event.tags.end(), tags);
      planned.stored.event.tags = {tags, event.tags.size()};
    }
  }
  CAIRN_ASSERT(stream.head.version == result.last_version, stream.head.version.value,
               result.last_version.value);  // invariant 3
  CAIRN_ASSERT(stream.head.last_position() == result.last_position, stream.head.last_position().value,
               result.last_position.value);  // invariant 3
}

BlockContents BlockPlanner::contents(LogFormat format, const LogEnd& end) const {
  CAIRN_ASSERT(!is_empty());
  return {.format = format,
          .first_position = first_position_,
          .epoch = end.epoch,
          .recorded_at = now_,
          .previous_hash = end.hash,
          .streams = block_streams_,
          .types = state_.types(),
          .events = events_,
          .notes = notes_,
          .number = end.number + (events_.empty() ? 1 : 0),
          .durable = end.place()};
}

BlockSummary BlockPlanner::summary(const Sha256& hash) {
  CAIRN_ASSERT(!events_.empty());
  state_.committed();
  BlockSummary summary{.first_position = first_position_, .recorded_at = now_, .hash = hash};
  summary.streams.reserve(block_stream_heads_.size());
  for (Stream* const stream : block_stream_heads_) {
    summary.streams.push_back({stream->name, std::move(stream->head), stream->created});
  }
  summary.types = state_.types();
  summary.events.reserve(events_.size());
  for (const auto& event : events_) summary.events.push_back({event.stream, event.type});
  summary.ids.reserve(state_.ids().size());
  for (const auto& [id, position] : state_.ids()) summary.ids.push_back({id, position});
  summary.terms = std::exchange(terms_, {});
  terms_.reserve(summary.terms.size());  // the next block will have about as many
  return summary;
}

}  // namespace cairn
