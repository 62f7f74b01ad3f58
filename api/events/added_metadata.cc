#include "api/events/added_metadata.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "api/serving/store_problem.h"
#include "eventstore/json/json_check.h"
#include "eventstore/json/json_cursor.h"
#include "eventstore/trace_parent.h"

namespace cairn::api {

namespace {

constexpr std::string_view kCausationId = "causationId";
constexpr std::string_view kCorrelationId = "correlationId";

std::string json_quoted(std::string_view plain) { return '"' + std::string(plain) + '"'; }

// The text of metadata.correlationId; empty when it is missing, null or too large.
std::string_view correlation_id_of(std::string_view metadata) {
  if (metadata.empty() || check_json(metadata)) return {};
  JsonCursor cursor(metadata);
  if (cursor.kind() != JsonKind::kObject) return {};
  cursor.enter_object();
  while (const auto name = cursor.next_name()) {
    const std::string_view value = cursor.take_raw();
    if (*name == kCorrelationId) return value == "null" || value.size() > kCorrelationIdBytesMax ? "" : value;
  }
  return {};
}

void add_metadata(const AddedMetadata& added, std::string& metadata) {
  // The traceparent is the last one, where check_repeat() does not compare it.
  std::array<std::pair<std::string_view, std::string_view>, 3> members = {
      {{kCausationId, added.causation_id},
       {kCorrelationId, added.correlation_id},
       {kTraceParent, added.trace_parent}}};
  if (!metadata.empty()) {
    JsonCursor cursor(metadata);
    cursor.enter_object();
    while (const auto own = cursor.next_name()) {
      cursor.take_raw();
      for (auto& [name, value] : members) {
        if (name == *own) value = {};
      }
    }
  }
  for (const auto& [name, value] : members) {
    if (value.empty()) continue;
    if (metadata.empty()) metadata = "{}";
    metadata.pop_back();
    if (metadata.size() > 1) metadata += ',';
    metadata += json_quoted(name) + ':';
    metadata += value;
    metadata += '}';
  }
}

}  // namespace

void add_metadata(const AddedMetadata& added, AppendRequest& request) {
  if (added.causation_id.empty() && added.correlation_id.empty() && added.trace_parent.empty()) return;
  for (StreamAppend& append : request.streams) {
    for (NewEvent& event : append.events) add_metadata(added, event.metadata);
  }
}

std::string trace_parent_json(const HttpRequest& request) {
  const auto is_it = [](const auto& header) { return same_header_name(header.first, kTraceParent); };
  if (std::count_if(request.headers.begin(), request.headers.end(), is_it) != 1) return "";
  const auto value = request.header(kTraceParent);
  return value && is_trace_parent(*value) ? json_quoted(*value) : "";
}

Answered<void> inherit_from(LogReader& log, GlobalPosition cause, const Token* token, AddedMetadata& added) {
  bool out_of_reach = false;
  const auto found = log.scan({.from = cause, .to = cause}, [&](const EventView& event) {
    out_of_reach = token != nullptr && !token->may_touch(category_of(event.stream));
    if (out_of_reach) return false;
    added.causation_id = json_quoted(event.id.to_string());
    added.correlation_id = correlation_id_of(event.metadata);
    if (added.correlation_id.empty()) added.correlation_id = added.causation_id;
    return false;
  });
  if (!found) return store_problem(found.error());
  if (out_of_reach) {
    return forbidden(
        fmt::format("The token '{}' does not reach the event at position {}.", token->name, cause.value));
  }
  if (added.causation_id.empty()) {
    return invalid_request(
        fmt::format("causedBy is {}, and the log ends at position {}.", cause.value, log.head().value),
        "causedBy");
  }
  return {};
}

}  // namespace cairn::api
