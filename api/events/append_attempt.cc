#include "api/events/append_attempt.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "api/access/token_file.h"
#include "api/events/query_items.h"
#include "api/serving/route_tools.h"
#include "api/serving/store_problem.h"
#include "eventstore/json/json_writer.h"

namespace cairn::api {

namespace {

// Most scripts need a few milliseconds for a whole request. A slower one must not hold a thread of the
// server, and must not hold the registry's thread for long either.
constexpr std::chrono::milliseconds kTrialOnServerThreadMax{20};
constexpr std::chrono::milliseconds kTrialMax{2'000};

// Each recheck follows a change of schemas or definitions, which take longer than an append.
constexpr int kRechecksMax = 8;

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

void AppendAttempt::start(AppendBody parsed, std::string_view text) {
  body_ = std::move(parsed);
  if (has_client_ids(body_.request)) text_ = text;
  if (!body_.caused_by) return begin();
  submit_read([self = shared_from_this()] { self->read_cause(); });
}

void AppendAttempt::submit_read(std::function<void()> read) {
  switch (parts_.registry.causes().submit(parts_.respond.client(), std::move(read))) {
    case WorkerPool::Submitted::kYes:
      return;
    case WorkerPool::Submitted::kFull:
      return parts_.respond(
          overloaded("Too many appends wait for their cause or condition to be read.").to_response());
    case WorkerPool::Submitted::kOverShare:
      return parts_.respond(
          too_many_requests("Too many appends of this client wait for their cause or condition to be read.")
              .to_response());
  }
}

void AppendAttempt::read_cause() {
  if (refused(inherit_from(parts_.store, *body_.caused_by, parts_.token.get(), added_), parts_.respond))
    return;
  begin();
}

void AppendAttempt::begin() {
  add_metadata(added_, body_.request);
  if (held()) return;
  if (const auto applied = apply_schemas(body_, parts_.registry.codecs(), parts_.policy); !applied) {
    if (text_.empty() || applied.error().status() != 422)
      return parts_.respond(applied.error().to_response());
    refusal_ = applied.error();
    return ask_for_repeat();
  }
  check();
}

// Ids of the client are compared before data is. What apply_schemas() could not encode differs from what is
// stored, and the store then names the event that has the id.
void AppendAttempt::ask_for_repeat() {
  body_.request.only_if_repeated = true;
  append();
}

bool AppendAttempt::held() {
  AppendHold& hold = parts_.shapes.hold();
  if (!hold.active() || was_held_) return false;
  std::vector<std::string_view> types;
  for (const StreamAppend& append : body_.request.streams) {
    for (const NewEvent& event : append.events) types.push_back(event.type);
  }
  was_held_ = true;  // before wait(): the hold may end at once, and recheck() run on another thread
  if (hold.wait(types, [self = shared_from_this()] { self->submit_recheck(); })) return true;
  was_held_ = false;
  return false;
}

void AppendAttempt::check() {
  if (!UpcastTrial::needed_for(body_, parts_.shapes)) return append();
  const auto trial = std::make_shared<UpcastTrial>(parts_.shapes, body_);
  const auto outcome = trial->run(kTrialOnServerThreadMax);
  if (outcome != UpcastTrial::Outcome::kNotYet) return finish(*trial, outcome);
  const bool taken = parts_.registry.worker().submit(
      [self = shared_from_this(), trial] { self->finish(*trial, trial->run(kTrialMax)); });
  if (!taken) parts_.respond(overloaded("Too many appends wait for their upcasters.").to_response());
}

void AppendAttempt::finish(UpcastTrial& trial, UpcastTrial::Outcome outcome) {
  switch (outcome) {
    case UpcastTrial::Outcome::kPassed:
      return append();
    case UpcastTrial::Outcome::kRefused:
      return parts_.respond(trial.problem().to_response());
    case UpcastTrial::Outcome::kNotYet:
      return parts_.respond(
          overloaded("The upcasters take too long for these events; send fewer at once.").to_response());
  }
}

void AppendAttempt::append() {
  auto& condition = body_.request.checks.condition;
  condition.reset();
  // Of a repeat nothing is checked.
  if (body_.condition && !body_.request.only_if_repeated) {
    condition = body_.condition;
    condition->items = stored_items(parts_.shapes, std::move(condition->items), Shape::latest());
    if (!parts_.store.verify_in_memory(*condition))
      return submit_read([self = shared_from_this()] { self->verify(); });
  }
  enqueue();
}

void AppendAttempt::verify() {
  const Status verified = parts_.store.verify(*body_.request.checks.condition, &parts_.respond.budget());
  if (!verified.ok()) return answer(verified.error());
  enqueue();
}

// The store shares the request with this object and does not copy it: it is needed again after kStale, and
// its ids after an unknown outcome.
void AppendAttempt::enqueue() {
  body_.request.checks.revision = checked_at_;
  body_.request.client = parts_.respond.client();
  auto self = shared_from_this();
  std::shared_ptr<const AppendRequest> request(self, &body_.request);
  parts_.store.append_async(std::move(request), [self = std::move(self)](Result<AppendResult> result) {
    self->answered(std::move(result));
  });
}

void AppendAttempt::answer_failed_condition() {
  AppendCondition& condition = *body_.request.checks.condition;
  const Status verified = parts_.store.verify(condition, &parts_.respond.budget());
  answer(condition.in_the_way ? *condition.in_the_way : verified.error());
}

// Runs on a thread of the store, so it must not read from the store.
void AppendAttempt::answered(Result<AppendResult> result) {
  if (result.ok()) return parts_.respond(parts_.reply.success(*result));
  const Error& error = result.error();
  if (error.code == Errc::kStale) {
    stale_check_ = error.check;
    return submit_recheck();
  }
  if (error.code == Errc::kConditionFailed && error.stream.empty())
    return submit_read([self = shared_from_this()] { self->answer_failed_condition(); });
  const bool may_be_repeat = error.code == Errc::kEventIdReused && !text_.empty();
  if (refusal_ && error.code == Errc::kNotFound) return parts_.respond(refusal_->to_response());
  if (!may_be_repeat) return answer(error);
  if (parts_.registry.worker().submit([self = shared_from_this(), error] { self->try_again(error); })) return;
  answer(make_error(Errc::kOverloaded, "the event that has the id must be read first; try again"));
}

void AppendAttempt::answer(const Error& error) {
  Problem problem = parts_.reply.failure(visible_to(parts_.token.get(), error));
  if (error.code == Errc::kOutcomeUnknown) problem.with_json("eventIds", to_json(client_ids(body_.request)));
  parts_.respond(problem.to_response());
}

void AppendAttempt::submit_recheck() {
  if (parts_.registry.rechecks().submit([self = shared_from_this()] { self->recheck(); })) return;
  parts_.respond(overloaded("Too many appends wait for a change of the schemas.").to_response());
}

// An event that named no version keeps the version it was encoded with, which may be an old one by now: it is
// stored as if it had come a moment earlier, once the new upcasters have passed it.
void AppendAttempt::recheck() {
  if (held()) return;
  if (++rechecks_ > kRechecksMax) {
    Problem problem = overloaded("The schemas keep changing; send the events again.");
    if (stale_check_) problem.with("check", to_string(*stale_check_));
    return parts_.respond(problem.to_response());
  }
  if (const Status status = parts_.shapes.catch_up(); !status) return answer(status.error());
  checked_at_ = parts_.shapes.revision();
  if (!find_versions()) return;
  if (refused(apply_schemas(body_, parts_.registry.codecs(), parts_.policy, pins_), parts_.respond)) return;
  check();
}

bool AppendAttempt::find_versions() {
  std::size_t index = 0;
  for (const StreamAppend& append : body_.request.streams) {
    for (const NewEvent& event : append.events) {
      std::uint32_t& version = body_.schema_versions[index++];
      if (event.schema.value == 0) continue;
      version = parts_.registry.codecs().version_of(event.type, event.schema);
      if (version != 0 || pins_.contains(event.type)) continue;
      parts_.respond(overloaded("The schema of " + event.type +
                                " was deleted while the events were being checked; send them again.")
                         .to_response());
      return false;
    }
  }
  return true;
}

void AppendAttempt::try_again(const Error& error) {
  auto body = parts_.parse(text_);
  if (body) add_metadata(added_, body->request);
  checked_at_ = parts_.shapes.revision();
  const bool pinned = body && pin_schema_of(error, *body);
  const bool fits = pinned && apply_schemas(*body, parts_.registry.codecs(), parts_.policy, pins_).ok();
  // An event of another type, whose data does not fit either, is pinned by the next answer of the store.
  if (!pinned || (!fits && !refusal_)) {
    return refusal_ ? parts_.respond(refusal_->to_response()) : answer(error);
  }
  body_ = *std::move(body);
  if (refusal_) return ask_for_repeat();
  append();
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
