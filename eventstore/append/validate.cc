#include "eventstore/append/validate.h"

#include <fmt/format.h>

#include <string>
#include <unordered_set>

#include "eventstore/base/limits.h"
#include "eventstore/base/names.h"
#include "eventstore/base/seeded_hash.h"

namespace cairn {
namespace {

// About what an event takes in a block beside its data, metadata, type and tags.
constexpr std::size_t kEventOverheadBytes = 128;

Error invalid(const std::string& message) { return make_error(Errc::kInvalidArgument, message); }

Error too_large(const std::string& field, std::size_t is, std::size_t limit) {
  Error error = make_error(Errc::kTooLarge, fmt::format("{}: {} is over the limit of {}", field, is, limit));
  error.limit = limit;
  return error;
}

Status check_name(const std::string& field, std::string_view name, std::size_t bytes_max) {
  if (name.empty()) return invalid(field + " is empty");
  if (name.size() > bytes_max) {
    return invalid(fmt::format("{} has {} bytes, at most {} are allowed", field, name.size(), bytes_max));
  }
  if (!is_printable_name(name)) return invalid(field + " must be printable UTF-8 without control characters");
  return {};
}

Status check_stream(const StreamAppend& append, Origin origin, const std::string& field) {
  CAIRN_CHECK(check_name(field, append.stream, limits::kStreamNameBytesMax));
  if (append.stream.find('/') != std::string::npos)
    return invalid(field + " '" + append.stream + "' has a '/'");
  if (is_system_stream(append.stream) && origin != Origin::kSystem) {
    return invalid(field + " '" + append.stream +
                   "' is reserved: names that begin with '$' are system streams");
  }
  return {};
}

Result<std::size_t> check_event(const NewEvent& event, const std::string& field) {
  CAIRN_CHECK(check_name(field + ".type", event.type, limits::kTypeNameBytesMax));
  const std::size_t body = event.data.size() + event.metadata.size();
  if (body > limits::kEventBytesMax) return too_large(field + " bytes", body, limits::kEventBytesMax);
  if (event.tags.size() > limits::kTagsPerEventMax) {
    return too_large(field + ".tags", event.tags.size(), limits::kTagsPerEventMax);
  }
  if (!event.content_type.empty()) {
    CAIRN_CHECK(check_name(field + ".contentType", event.content_type, limits::kContentTypeBytesMax));
    if (event.schema.value != 0) return invalid(field + " has opaque bytes and a schema");
  }
  if (!event.command_id.empty())
    CAIRN_CHECK(check_name(field + ".commandId", event.command_id, limits::kCommandIdBytesMax));
  std::size_t tag_bytes = 0;
  for (std::size_t i = 0; i < event.tags.size(); ++i) {
    CAIRN_CHECK(check_name(field + ".tags[" + std::to_string(i) + "]", event.tags[i], limits::kTagBytesMax));
    tag_bytes += event.tags[i].size() + 16;
  }
  return body + event.type.size() + event.content_type.size() + event.command_id.size() + tag_bytes +
         kEventOverheadBytes;
}

Status check_condition(const AppendCondition& condition) {
  if (condition.items.empty()) return invalid("condition.items is empty: a condition has at least one item");
  if (condition.items.size() > limits::kQueryItemsMax)
    return too_large("condition.items", condition.items.size(), limits::kQueryItemsMax);
  for (const EventFilter& item : condition.items) {
    const std::size_t terms = item.types.size() + item.tags.size() + item.categories.size();
    if (terms > limits::kItemTermsMax)
      return too_large("terms of an item of the condition", terms, limits::kItemTermsMax);
    if (!item.correlation.empty()) return invalid("a condition cannot ask for a correlation");
  }
  if (!condition.verified_through && !condition.in_the_way)
    return make_error(Errc::kFailedPrecondition, "the condition has not been verified");
  return {};
}

}  // namespace

Result<std::size_t> validate(const AppendRequest& request) {
  if (request.checks.condition) CAIRN_CHECK(check_condition(*request.checks.condition));
  if (!request.notes.empty() && request.origin != Origin::kSystem)
    return invalid("notes are written by the program only");
  if (request.streams.empty() && request.notes.empty())
    return invalid("streams is empty: an append names at least one stream");
  if (request.streams.size() > limits::kRequestStreamsMax) {
    return too_large("streams", request.streams.size(), limits::kRequestStreamsMax);
  }
  for (const Note& note : request.notes) {
    if (note.bytes.size() > limits::kNoteBytesMax)
      return too_large("note bytes", note.bytes.size(), limits::kNoteBytesMax);
  }
  const bool several = request.streams.size() > 1;
  std::unordered_set<std::string_view, SeededHash> names;
  std::unordered_set<Uuid, SeededHash> ids;
  std::size_t bytes = 0;
  std::size_t events = 0;
  for (const Note& note : request.notes) bytes += note.bytes.size() + 32;
  for (std::size_t s = 0; s < request.streams.size(); ++s) {
    const StreamAppend& append = request.streams[s];
    const std::string at = several ? "streams[" + std::to_string(s) + "]." : "";
    CAIRN_CHECK(check_stream(append, request.origin, at + "stream"));
    if (several && !names.insert(append.stream).second) {
      return invalid(at + "stream '" + append.stream + "' occurs twice in the request");
    }
    events += append.events.size();
    if (events > limits::kRequestEventsMax) return too_large("events", events, limits::kRequestEventsMax);
    bytes += append.stream.size();
    const bool ids_may_repeat = several || append.events.size() > 1;
    for (std::size_t e = 0; e < append.events.size(); ++e) {
      const NewEvent& event = append.events[e];
      const std::string field = at + "events[" + std::to_string(e) + "]";
      CAIRN_TRY(const std::size_t event_bytes, check_event(event, field));
      bytes += event_bytes;
      if (event.id && ids_may_repeat && !ids.insert(*event.id).second) {
        return invalid(field + ".id " + event.id->to_string() + " occurs twice in the request");
      }
    }
  }
  if (bytes > limits::kRequestBytesMax) return too_large("request bytes", bytes, limits::kRequestBytesMax);
  return bytes;
}

}  // namespace cairn
