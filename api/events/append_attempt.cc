#include "api/events/append_attempt.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "api/access/token_file.h"
#include "api/serving/route_tools.h"
#include "api/serving/store_problem.h"
#include "eventstore/json/json_writer.h"

namespace cairn::api {

namespace {

// Most scripts need a few milliseconds for a whole request. A slower one must not hold a thread of the
// server, and must not hold the registry's thread for long either.
constexpr std::chrono::milliseconds kTrialOnServerThreadMax{20};
constexpr std::chrono::milliseconds kTrialMax{2'000};

// The ids that a client gave its events. It needs them to repeat an append whose outcome is unknown.
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
  std::string text;
  JsonWriter json(text);
  json.begin_array();
  for (const Uuid& id : ids) json.uuid(id);
  json.end_array();
  return text;
}

// The error without the stream and version of an event in a category that `token` does not reach.
Error visible_to(const Token* token, Error error) {
  const bool hidden =
      error.code == Errc::kEventIdReused && token != nullptr && !token->may_touch(category_of(error.stream));
  if (!hidden) return error;
  error.message = "the id is in use by an event that this token does not reach";
  error.stream.clear();
  error.version.reset();
  return error;
}

}  // namespace

void AppendAttempt::start(AppendBody parsed, std::string_view body) {
  if (refused(apply_schemas(parsed, parts_.registry.codecs(), parts_.policy), parts_.respond)) return;
  if (has_client_ids(parsed.request)) body_ = body;
  if (!UpcastTrial::needed_for(parsed, parts_.shapes)) return append(std::move(parsed));
  check(std::move(parsed));
}

void AppendAttempt::check(AppendBody body) {
  const auto trial = std::make_shared<UpcastTrial>(parts_.shapes, std::move(body));
  const auto outcome = trial->run(kTrialOnServerThreadMax);
  if (outcome != UpcastTrial::Outcome::kNotYet) return finish(*trial, outcome);
  const bool taken = parts_.registry.worker().submit(
      [self = shared_from_this(), trial] { self->finish(*trial, trial->run(kTrialMax)); });
  if (!taken) parts_.respond(overloaded("Too many appends wait for their upcasters.").to_response());
}

void AppendAttempt::finish(UpcastTrial& trial, UpcastTrial::Outcome outcome) {
  switch (outcome) {
    case UpcastTrial::Outcome::kPassed:
      return append(trial.take_body());
    case UpcastTrial::Outcome::kRefused:
      return parts_.respond(trial.problem().to_response());
    case UpcastTrial::Outcome::kNotYet:
      return parts_.respond(
          overloaded("The upcasters take too long for these events; send fewer at once.").to_response());
  }
}

void AppendAttempt::append(AppendBody body) {
  // Copied, because an unknown outcome is answered with the ids after the request was moved.
  auto ids = client_ids(body.request);
  parts_.store.append_async(std::move(body.request), [self = shared_from_this(),
                                                      ids = std::move(ids)](Result<AppendResult> result) {
    if (result.ok()) return self->parts_.respond(self->parts_.reply.success(*result));
    // This is a thread of the store, so it must not read from the store.
    const Error& error = result.error();
    if (error.code != Errc::kEventIdReused || self->body_.empty()) return self->answer(error, ids);
    if (self->parts_.registry.worker().submit([self, error] { self->try_again(error); })) return;
    self->answer(make_error(Errc::kOverloaded, "the event that has the id must be read first; try again"),
                 ids);
  });
}

void AppendAttempt::answer(const Error& error, const std::vector<Uuid>& ids) {
  Problem problem = parts_.reply.failure(visible_to(parts_.token.get(), error));
  if (error.code == Errc::kOutcomeUnknown) problem.with_json("eventIds", to_json(ids));
  parts_.respond(problem.to_response());
}

void AppendAttempt::try_again(const Error& error) {
  auto body = parts_.parse(body_);
  if (!body || !pin_schema_of(error, *body) ||
      !apply_schemas(*body, parts_.registry.codecs(), parts_.policy, pins_)) {
    return answer(error, {});
  }
  append(*std::move(body));
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
      return pins_.emplace(event.type, stored.schema).second;  // Each type is pinned once, so retries end.
    }
  }
  return false;
}

}  // namespace cairn::api
