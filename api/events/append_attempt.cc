#include "api/events/append_attempt.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "api/access/token_file.h"
#include "api/serving/store_problem.h"

namespace cairn::api {

namespace {

// Most scripts are done with a whole request in a few milliseconds. What takes longer must not hold a thread
// of the server, nor for ever the one where it goes on.
constexpr std::chrono::milliseconds kCheckHereMax{20};
constexpr std::chrono::milliseconds kCheckMax{2'000};

// The ids a client gave its events, to send again what may or may not have been stored.
std::vector<Uuid> client_ids(const AppendRequest& request) {
  std::vector<Uuid> ids;
  for (const StreamAppend& append : request.streams) {
    for (const NewEvent& event : append.events) {
      if (event.id) ids.push_back(*event.id);
    }
  }
  return ids;
}

bool has_client_ids(const AppendRequest& request) {
  return std::any_of(request.streams.begin(), request.streams.end(), [](const StreamAppend& append) {
    return std::any_of(append.events.begin(), append.events.end(),
                       [](const NewEvent& event) { return event.id.has_value(); });
  });
}

std::string to_json(const std::vector<Uuid>& ids) {
  std::string json = "[";
  for (const Uuid& id : ids) json += (json.size() > 1 ? ",\"" : "\"") + id.to_string() + "\"";
  return json + "]";
}

// What may be told to whoever shows `token`: not in which stream beyond its reach an id stands.
Error told_to(const Token* token, Error error) {
  const bool hidden =
      error.code == Errc::kEventIdReused && token != nullptr && !token->may_touch(category_of(error.stream));
  if (!hidden) return error;
  error.message = "the id stands for an event that this token does not reach";
  error.stream.clear();
  error.version.reset();
  return error;
}

}  // namespace

void AppendAttempt::start(AppendBody parsed, std::string_view body) {
  if (auto problem = apply_schemas(parsed, parts_.registry.codecs(), parts_.policy)) {
    return parts_.respond(problem->to_response());
  }
  if (has_client_ids(parsed.request)) body_ = body;
  if (!DoorCheck::concerns(parsed, parts_.shapes)) return append(std::move(parsed));
  check(std::move(parsed));
}

void AppendAttempt::check(AppendBody body) {
  const auto door = std::make_shared<DoorCheck>(parts_.shapes, std::move(body));
  const auto outcome = door->run(kCheckHereMax);
  if (outcome != DoorCheck::Outcome::kNotYet) return leave_door(*door, outcome);
  const bool taken = parts_.registry.worker().submit(
      [self = shared_from_this(), door] { self->leave_door(*door, door->run(kCheckMax)); });
  if (!taken) parts_.respond(overloaded("Too many events wait to be tried on upcasters.").to_response());
}

void AppendAttempt::leave_door(DoorCheck& door, DoorCheck::Outcome outcome) {
  switch (outcome) {
    case DoorCheck::Outcome::kPassed:
      return append(door.take_body());
    case DoorCheck::Outcome::kRefused:
      return parts_.respond(door.problem().to_response());
    case DoorCheck::Outcome::kNotYet:
      return parts_.respond(
          overloaded("The upcasters take too long over the events; send fewer at once.").to_response());
  }
}

void AppendAttempt::append(AppendBody body) {
  // Only a failed commit needs the ids, and then the request is gone.
  auto ids = client_ids(body.request);
  parts_.store.append_async(std::move(body.request), [self = shared_from_this(),
                                                      ids = std::move(ids)](Result<AppendResult> result) {
    if (result.ok()) return self->parts_.respond(self->parts_.manner.success(*result));
    // This thread is the store's and must not wait for it.
    const Error& error = result.error();
    if (error.code != Errc::kEventIdReused || self->body_.empty()) return self->answer(error, ids);
    if (self->parts_.registry.worker().submit([self, error] { self->try_again(error); })) return;
    self->answer(make_error(Errc::kOverloaded, "the id has to be looked at once more; try again"), ids);
  });
}

void AppendAttempt::answer(const Error& error, const std::vector<Uuid>& ids) {
  Problem problem = parts_.manner.failure(told_to(parts_.token, error));
  if (error.code == Errc::kOutcomeUnknown) problem.with_json("eventIds", to_json(ids));
  parts_.respond(problem.to_response());
}

void AppendAttempt::try_again(const Error& error) {
  auto parsed = parts_.parse(body_);
  auto* body = std::get_if<AppendBody>(&parsed);
  if (body == nullptr || !pin_schema_of(error, *body) ||
      apply_schemas(*body, parts_.registry.codecs(), parts_.policy, pins_)) {
    return answer(error, {});
  }
  append(std::move(*body));
}

bool AppendAttempt::pin_schema_of(const Error& error, const AppendBody& body) {
  if (!error.event_id || !error.version) return false;
  const auto page =
      parts_.store.read_stream(error.stream, {.from = StreamVersion{*error.version}, .limit = 1});
  if (!page || page->events.size() != 1) return false;
  const EventView& stored = page->events[0];
  std::size_t index = 0;
  for (const StreamAppend& append : body.request.streams) {
    for (const NewEvent& event : append.events) {
      const bool version_is_named = body.schema_versions[index++] != 0;
      if (event.id != stored.id || event.type != stored.type) continue;
      const auto taken = parts_.registry.codecs().for_type(event.type, 0);
      const SchemaId used = taken && *taken ? (*taken)->schema().id : SchemaId{};
      if (version_is_named || used == stored.schema) return false;
      return pins_.emplace(event.type, stored.schema).second;  // A type is pinned once, so this ends.
    }
  }
  return false;
}

}  // namespace cairn::api
