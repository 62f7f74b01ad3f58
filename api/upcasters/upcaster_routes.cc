#include <fmt/format.h>

#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "api/http/progress_channel.h"
#include "api/serving/query_reader.h"
#include "api/serving/refusal_audit.h"
#include "api/serving/route_tools.h"
#include "api/upcasters/deploy_problem.h"
#include "api/upcasters/deploy_service.h"
#include "api/upcasters/upcaster_json.h"
#include "api/upcasters/upcaster_routes.h"
#include "eventstore/event_store.h"
#include "eventstore/json/json_cursor.h"
#include "eventstore/json/json_writer.h"
#include "upcasters/event_shapes.h"

namespace cairn::api {

namespace {

constexpr std::uint64_t kVersionMax = std::numeric_limits<std::int32_t>::max();

// Reads the path and the query.
Answered<DeployRequest> read_deployment(const HttpRequest& request) {
  const auto from = json_whole_number(request.parameters.at("from"));
  if (!from || *from == 0 || *from > kVersionMax) {
    return invalid_request(
        fmt::format("The version an upcaster starts from must be a whole number from 1 to {}.", kVersionMax),
        "from");
  }
  QueryReader query(request);
  DeployRequest wanted;
  wanted.draft.type = request.parameters.at("type");
  wanted.draft.from = static_cast<std::uint32_t>(*from);
  if (const auto to = query.number("to", 1, kVersionMax)) wanted.draft.to = static_cast<std::uint32_t>(*to);
  wanted.dry_run = query.flag("dryRun") ? DryRun::kYes : DryRun::kNo;
  if (const auto file = query.name("file")) wanted.draft.file = *file;
  CAIRN_CHECK(query.finish());
  return wanted;
}

void answer_with(const DeployOutcome& outcome, DryRun dry_run, const Responder& respond) {
  if (!outcome) return respond(deploy_problem(outcome.error()).to_response());
  const bool is_new = dry_run == DryRun::kNo && !outcome->unchanged;
  respond(json_response(is_new ? 201 : 200, to_json(*outcome, dry_run)));
}

std::string last_line(const DeployOutcome& outcome, DryRun dry_run) {
  if (!outcome) return named_json("problem", deploy_problem(outcome.error()).to_json());
  return named_json("result", to_json(*outcome, dry_run));
}

// Answers at once with a body that reports the progress and ends with the outcome.
HttpResponse with_progress(DeployRequest& wanted) {
  const auto news = std::make_shared<ProgressChannel>();
  wanted.progress = [news](const VerificationProgress& progress) {
    news->progress(named_json("progress", to_json(progress)));
    return true;
  };
  wanted.cancelled = [news] { return news->is_cancelled(); };
  wanted.done = [news, dry_run = wanted.dry_run](const DeployOutcome& outcome) {
    news->finish(last_line(outcome, dry_run));
  };
  HttpResponse response;
  response.content_type = "application/x-ndjson";
  response.stream = std::make_shared<ProgressBody>(news);
  return response;
}

void deploy(EventStore& store, DeployService& service, const HttpRequest& request, const Responder& respond) {
  auto wanted = read_deployment(request);
  if (refused(wanted, respond)) return;
  if (refused(check_script(request), respond)) return;
  // The answer may name streams and data of every category.
  if (refused(check_categories(request, {}), respond)) return;

  wanted->draft.source = request.body;
  wanted->origin = origin_of(request);
  std::optional<HttpResponse> at_once;
  if (wants_lines(request)) {
    at_once = with_progress(*wanted);
  } else {
    respond.set_cancellable();
    wanted->cancelled = [respond] { return respond.budget().is_cancelled(); };
    wanted->done = [respond, dry_run = wanted->dry_run](const DeployOutcome& outcome) {
      answer_with(outcome, dry_run, respond);
    };
  }
  if (wanted->dry_run == DryRun::kNo) {
    wanted->done = [done = std::move(wanted->done),
                    audit = RefusalAudit(store, request)](const DeployOutcome& outcome) {
      if (!outcome) audit.note(deploy_problem(outcome.error()));
      done(outcome);
    };
  }
  if (!service.submit(*std::move(wanted))) {
    return respond(overloaded("Too many deployments are waiting.").to_response());
  }
  if (at_once) respond(*std::move(at_once));
}

template <typename Range>
void write_list(JsonWriter& json, std::string& text, const Range& upcasters, WithSource with_source) {
  json.begin_array("upcasters");
  for (const auto& upcaster : upcasters) {
    json.element();
    append_upcaster_json(text, *upcaster, with_source);
  }
  json.end_array();
}

HttpResponse list_all(EventShapes& shapes, const HttpRequest&) {
  std::string text;
  JsonWriter json(text);
  json.begin_object();
  write_list(json, text, shapes.upcasters().all(), WithSource::kNo);
  json.end_object();
  return json_response(200, std::move(text));
}

HttpResponse list_type(EventShapes& shapes, const HttpRequest& request) {
  const std::string& type = request.parameters.at("type");
  std::vector<std::shared_ptr<const Upcaster>> upcasters;
  for (const auto& [from, upcaster] : shapes.upcasters().of_type(type)) upcasters.push_back(upcaster);
  if (upcasters.empty()) return not_found("upcaster", type).to_response();
  const TypeHistory history = shapes.history().history(type);
  const SubjectVersion* newest = history.newest();
  std::string text;
  JsonWriter json(text);
  json.begin_object();
  json.text("type", type);
  json.number("latestVersion",
              newest == nullptr ? std::nullopt : std::optional<std::uint64_t>(newest->version));
  write_list(json, text, upcasters, WithSource::kYes);
  json.end_object();
  return json_response(200, std::move(text));
}

}  // namespace

std::vector<Route> upcaster_routes(const RouteContext& context) {
  const StoreSlot& slot = context.store;
  const auto asking = [&slot](HttpResponse (*answer)(EventShapes&, const HttpRequest&)) {
    return with_store(slot,
                      [&slot, answer](EventStore&, const HttpRequest& request, const Responder& respond) {
                        QueryReader query(request);
                        if (refused(query.finish(), respond)) return;
                        respond(answer(*slot.shapes(), request));
                      });
  };
  const auto deploying = [&slot](EventStore& store, const HttpRequest& request, const Responder& respond) {
    deploy(store, *slot.deployments(), request, respond);
  };
  std::vector<Route> routes;
  routes.push_back({"GET", "/upcasters", asking(&list_all)});
  routes.push_back({"GET", "/upcasters/{type}", asking(&list_type)});
  routes.push_back({"PUT", "/upcasters/{type}/{from}", with_store(slot, deploying), Scope::kAdmin});
  return routes;
}

}  // namespace cairn::api
