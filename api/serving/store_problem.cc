#include "api/serving/store_problem.h"

#include <string>
#include <utility>

#include "api/http/server_log.h"

namespace cairn::api {

namespace {

// A message of the store begins with the name of the field it is about.
std::string field_of(const std::string& message) { return message.substr(0, message.find_first_of(" :")); }

// Names the check of an append that failed.
Problem with_check(Problem problem, const Error& error) {
  if (error.check) problem.with("check", to_string(*error.check));
  return problem;
}

void log_store_failure(const Error& error) {
  LogEvent event(LogLevel::kError, "read-failed", "The store failed: " + error.message);
  event.add("error", error.message);
  if (error.position) event.add("position", *error.position);
  server_log(std::move(event));
}

Problem wrong_version(const Error& error) {
  Problem problem(409, "wrong-version", "The stream is at another version", sentence(error.message));
  problem.with("stream", error.stream);
  const std::string& expected = error.expected_version;
  const bool exact = expected.find_first_not_of("0123456789") == std::string::npos && !expected.empty();
  if (exact) {
    problem.with_json("expectedVersion", expected);
  } else {
    problem.with("expectedVersion", expected);
  }
  problem.with("currentVersion", error.version.value_or(0));
  return with_check(std::move(problem), error);
}

Problem event_id_reused(const Error& error) {
  Problem problem(409, "event-id-reused", "The id stands for another event", sentence(error.message));
  if (error.event_id) problem.with("eventId", error.event_id->to_string());
  if (!error.stream.empty()) problem.with("stream", error.stream).with("version", error.version.value_or(0));
  return problem;
}

Problem condition_failed(const Error& error) {
  Problem problem(409, "condition-failed", "An event stands where the condition wants none",
                  sentence(error.message));
  problem.with("item", error.item.value_or(0)).with("position", error.position.value_or(0));
  if (!error.stream.empty()) problem.with("stream", error.stream).with("eventType", error.event_type);
  if (error.head) problem.with("head", *error.head);
  return with_check(std::move(problem), error);
}

}  // namespace

// The store calls "streams" what the API calls "appends", and omits the index when there is only one.
Problem store_problem_of_several(Error error) {
  if (error.code == Errc::kInvalidArgument || error.code == Errc::kTooLarge) {
    std::string& message = error.message;
    if (message.starts_with("streams")) {
      message.replace(0, 7, "appends");
    } else if (message.starts_with("stream ") || message.starts_with("events[")) {
      message.insert(0, "appends[0].");
    }
  }
  return store_problem(error);
}

Problem store_problem(const Error& error) {
  switch (error.code) {
    case Errc::kInvalidArgument:
      return invalid_request(sentence(error.message), field_of(error.message));
    case Errc::kNotFound:
      return not_found("stream", error.stream);
    case Errc::kVersionConflict:
      return wrong_version(error);
    case Errc::kEventIdReused:
      return event_id_reused(error);
    case Errc::kTooLarge:
      return Problem(413, "too-large", "Too large", sentence(error.message))
          .with("limit", error.limit.value_or(0));
    case Errc::kConditionFailed:
      return condition_failed(error);
    case Errc::kConditionTooBroad:
      return Problem(422, "condition-too-broad", "The condition selects too much", sentence(error.message))
          .with("limit", error.limit.value_or(0));
    case Errc::kStale:
      return with_check(overloaded(sentence(error.message)), error);
    case Errc::kOverloaded:
      return overloaded(sentence(error.message));
    case Errc::kNotYet:
      return not_yet(sentence(error.message))
          .with("indexed", error.position.value_or(0))
          .with("head", error.limit.value_or(0));
    case Errc::kTooManyRequests:
      return too_many_requests(sentence(error.message));
    case Errc::kBudgetExceeded:
    case Errc::kCancelled:  // the server stops; a client that has left gets nothing
      return {503, "budget-exceeded", "The request takes too long", sentence(error.message)};
    case Errc::kDiskFull:
      return {507, "disk-full", "The disk is full",
              "Nothing was written. Appends are accepted again when there is space."};
    case Errc::kOutcomeUnknown:
      server_log(LogEvent(LogLevel::kError, "commit-failed",
                          "A commit failed, and whether it is stored is not known: " + error.message)
                     .with("error", error.message));
      return {
          500, "outcome-unknown", "It is not known whether the events were stored",
          "The commit failed half-way. When the server is back, send the events again with the same ids, or "
          "read the stream."};
    case Errc::kFailedPrecondition:
      return not_yet("The store accepts no appends until the server is restarted.");
    case Errc::kCorruption:
    case Errc::kIo:
      log_store_failure(error);
      return internal_error();
  }
  return internal_error();
}

}  // namespace cairn::api
