#include "eventstore/append/append_checks.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>

namespace cairn {
namespace {

Error failed(AppendCheck check, Errc code, std::string message) {
  Error error = make_error(code, std::move(message));
  error.check = check;
  return error;
}

Error version_conflict(const StreamAppend& append, StreamVersion current) {
  Error error = failed(AppendCheck::kVersions, Errc::kVersionConflict,
                       fmt::format("stream '{}' is at version {}, expected {}", append.stream, current.value,
                                   append.expected.to_string()));
  error.stream = append.stream;
  error.expected_version = append.expected.to_string();
  error.version = current.value;
  return error;
}

Status check_versions(std::span<const StreamAppend> appends, std::span<PendingState::Stream* const> streams) {
  for (std::size_t i = 0; i < appends.size(); ++i) {
    const StreamVersion current = streams[i]->head.version;
    if (!appends[i].expected.accepts(current)) return version_conflict(appends[i], current);
  }
  return {};
}

Status check_revision(SchemaRevision checked_at, SchemaRevision now) {
  if (checked_at == now) return {};
  return failed(AppendCheck::kRevision, Errc::kStale,
                fmt::format("the events were checked at revision {} of schemas and upcasters, which are at "
                            "revision {}",
                            checked_at.value, now.value));
}

// What needs a search of the index goes back to the caller, who verifies up to a newer position. The stream and the
// type of the event in the way are on disk: the caller adds them.
Status check_condition(const AppendCondition& condition, PendingState& state) {
  if (condition.in_the_way) return *condition.in_the_way;
  const GlobalPosition known = std::max(condition.after, *condition.verified_through);
  const auto found = state.first_behind(condition.items, known);
  if (!found.ok()) {
    return failed(AppendCheck::kCondition, Errc::kStale,
                  fmt::format("the condition was verified up to position {}, and {}", known.value,
                              found.error().message));
  }
  if (!*found) return {};
  Error error = failed(AppendCheck::kCondition, condition.failure,
                       fmt::format("the event at position {} stands behind position {}, and item {} of the "
                                   "condition selects it",
                                   (*found)->position.value, condition.after.value, (*found)->item));
  error.position = (*found)->position.value;
  error.item = (*found)->item;
  return error;
}

}  // namespace

// The order of AppendCheck; each later check is one more line at its place. A fence and expected versions do not
// depend on schemas, so they are answered at any revision. The others do: types of a condition are widened
// through upcasters, and states are folded through them.
Status check(const AppendRequest& request, std::span<PendingState::Stream* const> streams,
             PendingState& state) {
  const AppendChecks& checks = request.checks;
  CAIRN_CHECK(check_versions(request.streams, streams));
  if (checks.revision) CAIRN_CHECK(check_revision(*checks.revision, state.revision()));
  if (checks.condition) CAIRN_CHECK(check_condition(*checks.condition, state));
  return {};
}

}  // namespace cairn
