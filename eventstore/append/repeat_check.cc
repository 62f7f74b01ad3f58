#include "eventstore/append/repeat_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "eventstore/trace_parent.h"

namespace cairn {
namespace {

// A repeat may be sent in another trace than the first request, or in none.
bool same_metadata(std::string_view given, std::string_view stored) {
  return given == stored || members_before_trace_parent(given) == members_before_trace_parent(stored);
}

bool same_body(const NewEvent& event, const EventView& stored) {
  return event.type == stored.type && event.data == stored.data &&
         same_metadata(event.metadata, stored.metadata) && event.schema == stored.schema &&
         event.content_type == stored.content_type &&
         std::equal(event.tags.begin(), event.tags.end(), stored.tags.begin(), stored.tags.end());
}

StreamAppendResult result_for(const StreamAppend& append, StreamVersion first,
                              GlobalPosition first_position) {
  const std::uint64_t more = append.events.size() - 1;
  return {append.stream, first, {first.value + more}, first_position, {first_position.value + more}};
}

// Compares the events of the request with those stored from version `first` on, the first of which is at
// `position`. The events of one append are adjacent in the log.
// REQUIRES: the event at `position` has the id of the first event.
Result<std::optional<StreamAppendResult>> compare(const StreamAppend& append, const StreamHead& head,
                                                  StreamVersion first, GlobalPosition position,
                                                  EventSource& events) {
  for (std::uint64_t i = 0; i < append.events.size(); ++i) {
    const NewEvent& event = append.events[i];
    const bool there = first.value + i <= head.version.value;
    if (there) {
      CAIRN_TRY(const StoredEvent stored, events.at({position.value + i}));
      if (stored.event.stream == append.stream && stored.event.version.value == first.value + i &&
          event.id == stored.event.id && same_body(event, stored.event)) {
        continue;
      }
      if (event.id == stored.event.id) return id_reused(*event.id, stored.event);
    }
    // The first events were appended before, but not together with this one.
    CAIRN_TRY(const StoredEvent stored, events.at(position));
    return id_reused(stored.event.id, stored.event);
  }
  return std::optional(result_for(append, first, position));
}

// Fails with kEventIdReused when an event of the request has an id that another event has.
Status check_unused(const StreamAppend& append, PendingState& state) {
  for (const NewEvent& event : append.events) {
    if (!event.id) continue;
    CAIRN_TRY(const auto place, state.find_id(*event.id));
    if (!place) continue;
    CAIRN_TRY(const StoredEvent stored, state.events().at(*place));
    return id_reused(*event.id, stored.event);
  }
  return {};
}

Result<std::optional<StreamAppendResult>> check_exact(const StreamAppend& append, std::uint64_t expected,
                                                      const StreamHead& head, PendingState& state) {
  if (head.version.value == expected) {
    CAIRN_CHECK(check_unused(append, state));
    return std::optional<StreamAppendResult>();
  }
  if (head.version.value < expected || !append.events.front().id) return std::optional<StreamAppendResult>();
  const StreamVersion first{expected + 1};
  EventSource& events = state.events();
  CAIRN_TRY(const GlobalPosition position, position_of(events, append.stream, head, first));
  CAIRN_TRY(const StoredEvent stored, event_of(events, position, append.stream, first));
  if (stored.event.id != *append.events.front().id) return std::optional<StreamAppendResult>();
  return compare(append, head, first, position, events);
}

Result<std::optional<StreamAppendResult>> check_by_id(const StreamAppend& append, const StreamHead& head,
                                                      PendingState& state) {
  const NewEvent& front = append.events.front();
  if (front.id) {
    CAIRN_TRY(const auto place, state.find_id(*front.id));
    if (place) {
      CAIRN_TRY(const StoredEvent stored, state.events().at(*place));
      if (stored.event.stream != append.stream) return id_reused(*front.id, stored.event);
      return compare(append, head, stored.event.version, *place, state.events());
    }
  }
  if (!append.expected.accepts(head.version)) return std::optional<StreamAppendResult>();
  CAIRN_CHECK(check_unused(append, state));
  return std::optional<StreamAppendResult>();
}

}  // namespace

Result<std::optional<StreamAppendResult>> check_repeat(const StreamAppend& append, const StreamHead& head,
                                                       PendingState& state) {
  if (const auto expected = append.expected.exact()) return check_exact(append, *expected, head, state);
  return check_by_id(append, head, state);
}

Error id_reused(const Uuid& id, const EventView& place) {
  Error error =
      make_error(Errc::kEventIdReused, fmt::format("event id {} already belongs to version {} of stream '{}'",
                                                   id.to_string(), place.version.value, place.stream));
  error.stream = place.stream;
  error.version = place.version.value;
  error.event_id = id;
  return error;
}

}  // namespace cairn
