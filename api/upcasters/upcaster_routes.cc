#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "api/http/progress_feed.h"
#include "api/serving/query_reader.h"
#include "api/serving/route_tools.h"
#include "api/upcasters/deploy_problem.h"
#include "api/upcasters/deploy_service.h"
#include "api/upcasters/upcaster_json.h"
#include "api/upcasters/upcaster_routes.h"
#include "eventstore/event_store.h"
#include "eventstore/json/json_cursor.h"
#include "eventstore/json/json_text.h"
#include "upcasters/event_shapes.h"

namespace cairn::api {

namespace {

constexpr std::uint64_t kVersionMax = std::numeric_limits<std::int32_t>::max();

// What stands in the path and the query.
std::variant<DeployRequest, Problem> read_deployment(const HttpRequest& request) {
  const auto from = json_whole_number(request.parameters.at("from"));
  if (!from || *from == 0 || *from > kVersionMax) {
    return invalid_request("The version an upcaster starts from must be a whole number from 1 to " +
                               std::to_string(kVersionMax) + ".",
                           "from");
  }
  QueryReader query(request);
  DeployRequest wanted;
  wanted.draft.type = request.parameters.at("type");
  wanted.draft.from = static_cast<std::uint32_t>(*from);
  if (const auto to = query.number("to", 1, kVersionMax)) wanted.draft.to = static_cast<std::uint32_t>(*to);
  wanted.dry_run = query.flag("dryRun") ? DryRun::kYes : DryRun::kNo;
  if (const auto file = query.name("file")) wanted.draft.file = *file;
  if (auto problem = query.problem()) return *std::move(problem);
  return wanted;
}

void answer_with(const DeployOutcome& outcome, DryRun dry_run, const Responder& respond) {
  if (const auto* refusal = std::get_if<DeployRefusal>(&outcome)) {
    return respond(deploy_problem(*refusal).to_response());
  }
  const auto& deployed = std::get<Deployed>(outcome);
  const bool is_new = dry_run == DryRun::kNo && !deployed.unchanged;
  respond(json_response(is_new ? 201 : 200, to_json(deployed, dry_run)));
}

std::string last_line(const DeployOutcome& outcome, DryRun dry_run) {
  if (const auto* refusal = std::get_if<DeployRefusal>(&outcome)) {
    return R"({"problem":)" + deploy_problem(*refusal).to_json() + "}";
  }
  return R"({"result":)" + to_json(std::get<Deployed>(outcome), dry_run) + "}";
}

// Answers at once, and goes on telling how far it has come.
HttpResponse with_news(DeployRequest& wanted) {
  const auto news = std::make_shared<ProgressNews>();
  wanted.progress = [news](const VerificationProgress& progress) {
    news->progress(R"({"progress":)" + to_json(progress) + "}");
    return true;
  };
  wanted.cancelled = [news] { return news->is_left(); };
  wanted.done = [news, dry_run = wanted.dry_run](const DeployOutcome& outcome) {
    news->finish(last_line(outcome, dry_run));
  };
  HttpResponse response;
  response.content_type = "application/x-ndjson";
  response.stream = std::make_shared<ProgressFeed>(news);
  return response;
}

void deploy(DeployService& service, const HttpRequest& request, const Responder& respond) {
  auto read = read_deployment(request);
  if (const auto* problem = std::get_if<Problem>(&read)) return respond(problem->to_response());
  if (const auto problem = check_script(request)) return respond(problem->to_response());
  // What it fails on is told, with streams and data of every category.
  if (const auto problem = check_categories(request, {})) return respond(problem->to_response());

  auto& wanted = std::get<DeployRequest>(read);
  wanted.draft.source = request.body;
  std::optional<HttpResponse> at_once;
  if (wants_lines(request)) {
    at_once = with_news(wanted);
  } else {
    wanted.done = [respond, dry_run = wanted.dry_run](const DeployOutcome& outcome) {
      answer_with(outcome, dry_run, respond);
    };
  }
  if (!service.submit(std::move(wanted))) {
    return respond(overloaded("Too many upcasters wait to be tried.").to_response());
  }
  if (at_once) respond(*std::move(at_once));
}

template <typename Range>
void append_list(std::string& json, const Range& upcasters, WithSource with_source) {
  json += R"("upcasters":[)";
  bool first = true;
  for (const auto& upcaster : upcasters) {
    if (!std::exchange(first, false)) json += ',';
    append_upcaster_json(json, *upcaster, with_source);
  }
  json += ']';
}

HttpResponse list_all(EventShapes& shapes, const HttpRequest&) {
  std::string json = "{";
  append_list(json, shapes.upcasters().all(), WithSource::kNo);
  return json_response(200, json + "}");
}

HttpResponse list_type(EventShapes& shapes, const HttpRequest& request) {
  const std::string& type = request.parameters.at("type");
  std::vector<std::shared_ptr<const Upcaster>> upcasters;
  for (const auto& [from, upcaster] : shapes.upcasters().of_type(type)) upcasters.push_back(upcaster);
  if (upcasters.empty()) return not_found("upcaster", type).to_response();
  const TypeHistory history = shapes.history().history(type);
  const SubjectVersion* newest = history.newest();
  std::string json = R"({"type":)";
  append_json_string(json, type);
  json += R"(,"latestVersion":)" + (newest == nullptr ? "null" : std::to_string(newest->version)) + ",";
  append_list(json, upcasters, WithSource::kYes);
  return json_response(200, json + "}");
}

}  // namespace

std::vector<Route> upcaster_routes(const RouteContext& context) {
  const StoreSlot& slot = context.store;
  const auto asking = [&slot](HttpResponse (*answer)(EventShapes&, const HttpRequest&)) {
    return with_store(slot,
                      [&slot, answer](EventStore&, const HttpRequest& request, const Responder& respond) {
                        QueryReader query(request);
                        if (const auto problem = query.problem()) return respond(problem->to_response());
                        respond(answer(*slot.shapes(), request));
                      });
  };
  const auto deploying = [&slot](EventStore&, const HttpRequest& request, const Responder& respond) {
    deploy(*slot.deployments(), request, respond);
  };
  std::vector<Route> routes;
  routes.push_back({"GET", "/upcasters", asking(&list_all)});
  routes.push_back({"GET", "/upcasters/{type}", asking(&list_type)});
  routes.push_back({"PUT", "/upcasters/{type}/{from}", with_store(slot, deploying), Scope::kAdmin});
  return routes;
}

}  // namespace cairn::api
