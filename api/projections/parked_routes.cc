#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <optional>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "api/projections/parked_event.h"
#include "api/projections/parked_json.h"
#include "api/projections/projection_problem.h"
#include "api/projections/projection_route.h"
#include "api/projections/projection_routes.h"
#include "api/projections/projection_service.h"
#include "api/serving/query_reader.h"
#include "api/serving/route_tools.h"
#include "eventstore/base/limits.h"
#include "eventstore/json/json_check.h"
#include "eventstore/json/json_cursor.h"

namespace cairn::api {

namespace {

constexpr std::size_t kLimit = 100;

// Of the event that failed: in a list of keys, and of one key.
constexpr std::size_t kListedDataBytesMax = 1u << 10;
constexpr std::size_t kShownDataBytesMax = 64u << 10;
constexpr std::ptrdiff_t kReasonCharactersMax = 1'000;
constexpr std::uint64_t kKeysPerSecondMax = 1'000'000;
constexpr std::uint64_t kFailuresMax = 1'000'000'000;

// The characters of valid UTF-8: the bytes that do not continue a character.
std::ptrdiff_t characters(std::string_view text) {
  return std::count_if(text.begin(), text.end(),
                       [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; });
}

Problem wrong_reason() {
  return invalid_request("reason must be a text of 1 to 1,000 characters that says why the event is skipped.",
                         "reason");
}

// Reads {"reason":"…"}: why an event is skipped, in 1 to 1,000 characters.
Answered<std::string> read_skip_reason(std::string_view body) {
  if (const auto fault = check_json(body)) {
    return invalid_request(
        fmt::format("The body is not valid JSON: {}, at byte {}.", fault->message, fault->offset), "body");
  }
  JsonCursor cursor(body);
  if (cursor.kind() != JsonKind::kObject) {
    return invalid_request("The body must be an object with a reason.", "body");
  }
  std::optional<std::string> reason;
  cursor.enter_object();
  while (const auto name = cursor.next_name()) {
    if (*name != "reason") return invalid_request(*name + " is not a field of a skip.", *name);
    if (cursor.kind() != JsonKind::kString) return wrong_reason();
    reason = cursor.take_string();
  }
  if (!reason || reason->empty() || characters(*reason) > kReasonCharactersMax) return wrong_reason();
  return *std::move(reason);
}

void list(const StoreSlot& slot, ProjectionService& service, const HttpRequest& request,
          const Responder& respond) {
  QueryReader query(request);
  auto after = query.text("after").value_or("");
  const std::size_t limit = query.number("limit", 1, limits::kPageEventsMax).value_or(kLimit);
  if (refused(query.finish(), respond)) return;
  service.readers().answer(respond, [&slot, &service, name = request.parameters.at("name"),
                                     after = std::move(after), limit, &budget = respond.budget()] {
    const auto parked = service.models().parked(name, after, limit);
    if (!parked) return projection_problem(service.models(), name, parked.error(), "after").to_response();
    return json_response(200, to_json(*parked, parked_event_json(slot, kListedDataBytesMax, budget)));
  });
}

void show(const StoreSlot& slot, ProjectionService& service, const HttpRequest& request,
          const Responder& respond) {
  QueryReader query(request);
  if (refused(query.finish(), respond)) return;
  service.readers().answer(respond, [&slot, &service, name = request.parameters.at("name"),
                                     key = request.parameters.at("key"), &budget = respond.budget()] {
    const auto entries = service.models().parked_key(name, key);
    if (!entries) return parked_problem(service.models(), name, key, entries.error()).to_response();
    if (entries->empty()) return not_found("parked", key).to_response();
    return json_response(200,
                         parked_key_json(key, *entries, parked_event_json(slot, kShownDataBytesMax, budget)));
  });
}

Result<RetryReport> retry(ProjectionService& service, const std::string& name,
                          const std::optional<std::string>& key, const RequestOrigin& origin) {
  CAIRN_TRY(ProjectionDaemon * daemon, service.builder(name));
  return daemon->retry(name, key, origin);
}

Result<RetryReport> skip(ProjectionService& service, const std::string& name, const std::string& key,
                         const std::string& reason, const RequestOrigin& origin) {
  CAIRN_TRY(ProjectionDaemon * daemon, service.builder(name));
  return daemon->skip(name, key, reason, origin);
}

// A number of 1 to `most`, or null.
Answered<std::optional<std::uint64_t>> read_count(JsonCursor& cursor, const std::string& name,
                                                  std::uint64_t most) {
  const std::string_view raw = cursor.take_raw();
  if (raw == "null") return std::optional<std::uint64_t>();
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(raw.data(), raw.data() + raw.size(), value);
  if (error != std::errc() || end != raw.data() + raw.size() || value < 1 || value > most) {
    return invalid_request(fmt::format("{} must be a whole number from 1 to {}.", name, most), name);
  }
  return std::optional(value);
}

// Reads {"keysPerSecond":10,"stopAfterFailures":3,"dryRun":true}, all optional.
Answered<RedriveOptions> read_redrive_options(std::string_view body) {
  if (const auto fault = check_json(body)) {
    return invalid_request(
        fmt::format("The body is not valid JSON: {}, at byte {}.", fault->message, fault->offset), "body");
  }
  JsonCursor cursor(body);
  if (cursor.kind() != JsonKind::kObject) return invalid_request("The body must be an object.", "body");
  RedriveOptions options;
  cursor.enter_object();
  while (const auto name = cursor.next_name()) {
    if (*name == "keysPerSecond") {
      CAIRN_TRY(options.keys_per_second, read_count(cursor, *name, kKeysPerSecondMax));
    } else if (*name == "stopAfterFailures") {
      CAIRN_TRY(options.stop_after_failures, read_count(cursor, *name, kFailuresMax));
    } else if (*name == "dryRun") {
      const std::string_view raw = cursor.take_raw();
      if (raw != "true" && raw != "false") return invalid_request("dryRun must be true or false.", "dryRun");
      options.dry_run = raw == "true";
    } else {
      return invalid_request(*name + " is not a field of a retry.", *name);
    }
  }
  return options;
}

// 202: the redrive has begun, and GET …/redrive shows its progress.
void start_redrive(ProjectionService& service, const HttpRequest& request, const Responder& respond) {
  if (!has_content_type(request, "application/json")) {
    return respond(wrong_content_type("application/json").to_response());
  }
  const auto options = read_redrive_options(request.body);
  if (refused(options, respond)) return;
  service.changes().answer(respond, [&service, name = request.parameters.at("name"), options = *options,
                                     origin = origin_of(request)] {
    const auto start = [&]() -> Result<RedriveReport> {
      CAIRN_TRY(ProjectionDaemon * daemon, service.builder(name));
      return daemon->start_redrive(name, options, origin);
    };
    const auto report = start();
    if (!report) return projection_problem(service.models(), name, report.error()).to_response();
    return json_response(202, to_json(*report));
  });
}

void show_redrive(ProjectionService& service, const HttpRequest& request, const Responder& respond) {
  QueryReader query(request);
  if (refused(query.finish(), respond)) return;
  const std::string& name = request.parameters.at("name");
  if (!service.models().status(name)) return respond(not_found("projection", name).to_response());
  const auto daemon = service.builder(name);
  const auto report = daemon ? (*daemon)->redrive(name) : std::nullopt;
  if (!report) return respond(not_found("redrive", name).to_response());
  respond(json_response(200, to_json(*report)));
}

// On a thread of the readers: retries that are waited for may hold all of those for changes.
void cancel_redrive(ProjectionService& service, const HttpRequest& request, const Responder& respond) {
  QueryReader query(request);
  if (refused(query.finish(), respond)) return;
  service.readers().answer(
      respond, [&service, name = request.parameters.at("name"), origin = origin_of(request)] {
        const auto cancel = [&]() -> Result<RedriveReport> {
          CAIRN_TRY(ProjectionDaemon * daemon, service.builder(name));
          return daemon->cancel_redrive(name, origin);
        };
        const auto report = cancel();
        if (!report) return projection_problem(service.models(), name, report.error()).to_response();
        return json_response(200, to_json(*report));
      });
}

void retry_all(ProjectionService& service, const HttpRequest& request, const Responder& respond) {
  QueryReader query(request);
  if (refused(query.finish(), respond)) return;
  if (!request.body.empty()) return start_redrive(service, request, respond);
  service.changes().answer(
      respond, [&service, name = request.parameters.at("name"), origin = origin_of(request)] {
        const auto report = retry(service, name, std::nullopt, origin);
        if (report) return json_response(200, to_json(*report));
        // A retry of everything succeeds when nothing is parked.
        const bool is_nothing = report.error().code == Errc::kNotFound && service.models().status(name);
        if (is_nothing) return json_response(200, to_json(RetryReport{}));
        return projection_problem(service.models(), name, report.error()).to_response();
      });
}

void retry_key(ProjectionService& service, const HttpRequest& request, const Responder& respond) {
  QueryReader query(request);
  if (refused(query.finish(), respond)) return;
  service.changes().answer(respond, [&service, name = request.parameters.at("name"),
                                     key = request.parameters.at("key"), origin = origin_of(request)] {
    const auto report = retry(service, name, key, origin);
    if (!report) return parked_problem(service.models(), name, key, report.error()).to_response();
    return json_response(200, to_json(*report));
  });
}

void skip_key(ProjectionService& service, const HttpRequest& request, const Responder& respond) {
  QueryReader query(request);
  if (refused(query.finish(), respond)) return;
  if (!has_content_type(request, "application/json")) {
    return respond(wrong_content_type("application/json").to_response());
  }
  auto reason = read_skip_reason(request.body);
  if (refused(reason, respond)) return;
  service.changes().answer(
      respond, [&service, name = request.parameters.at("name"), key = request.parameters.at("key"),
                reason = *std::move(reason), origin = origin_of(request)] {
        const auto report = skip(service, name, key, reason, origin);
        if (!report) return parked_problem(service.models(), name, key, report.error()).to_response();
        return json_response(200, to_json(*report));
      });
}

}  // namespace

std::vector<Route> parked_routes(const RouteContext& context) {
  const auto route = [&slot = context.store](std::string method, const std::string& what,
                                             ProjectionHandler handle, Scope scope) {
    return Route{std::move(method), "/projections/{name}/parked" + what, with_projections(slot, handle),
                 scope};
  };
  const auto redrive = [&slot = context.store](std::string method, ProjectionHandler handle, Scope scope) {
    return Route{std::move(method), "/projections/{name}/redrive", with_projections(slot, handle), scope};
  };
  const auto with_slot = [&slot = context.store](auto* handle) {
    return [&slot, handle](ProjectionService& service, const HttpRequest& request, const Responder& respond) {
      handle(slot, service, request, respond);
    };
  };
  return {redrive("GET", &show_redrive, Scope::kRead),
          redrive("DELETE", &cancel_redrive, Scope::kAdmin),
          route("GET", "", with_slot(&list), Scope::kRead),
          route("GET", "/{key}", with_slot(&show), Scope::kRead),
          route("POST", "/retry", &retry_all, Scope::kAdmin),
          route("POST", "/{key}/retry", &retry_key, Scope::kAdmin),
          route("POST", "/{key}/skip", &skip_key, Scope::kAdmin)};
}

}  // namespace cairn::api
