#include <fmt/format.h>

#include <string>
#include <utility>

#include "api/registry/registry_request.h"
#include "api/registry/registry_route.h"
#include "api/registry/registry_routes.h"
#include "api/serving/refusal_audit.h"
#include "api/serving/route_tools.h"
#include "api/upcasters/deploy_problem.h"
#include "api/upcasters/deploy_service.h"
#include "eventstore/base/names.h"
#include "eventstore/json/json_writer.h"
#include "schemaregistry/registry/schema_registry.h"
#include "upcasters/event_shapes.h"
#include "upcasters/script/upcaster_script.h"

namespace cairn::api {

namespace {

constexpr const char* kPath = "/subjects/{subject}/versions";
constexpr std::size_t kFileNameBytesMax = 200;

using Body = RegistryResult<std::string>;

std::string id_json(SchemaId id) {
  return json_object([&](JsonWriter& json) { json.number("id", id.value); });
}

Registration registration_of(const HttpRequest& request, SchemaBody body) {
  Registration wanted{subject_of(request), std::move(body.schema), normalize_in(request)};
  wanted.check = flag(request, "force") ? CheckCompatibility::kNo : CheckCompatibility::kYes;
  wanted.id = body.id;
  wanted.version = body.version;
  return wanted;
}

RegistryResult<RegistryTask> register_schema(const EventShapes* shapes, const HttpRequest& request) {
  CAIRN_TRY(SchemaBody body, read_schema_body(request));
  if (flag(request, "dryRun")) {
    // A client that sets dryRun does not expect a registration.
    return RegistryError{422, 422, "dryRun needs an upcaster; for a schema alone, use /compatibility"};
  }
  Registration wanted = registration_of(request, std::move(body));
  if (shapes != nullptr) wanted.lost = shapes->upcasters().lost_versions(wanted.subject);
  return RegistryTask([wanted = std::move(wanted), origin = origin_of(request)](SchemaRegistry& registry,
                                                                                WorkBudget& budget) -> Body {
    CAIRN_TRY(const SchemaId id, registry.register_schema(wanted, &budget, origin));
    return id_json(id);
  });
}

HttpResponse response_of(const DeployOutcome& outcome, const char* type) {
  if (outcome) return registry_response(id_json(outcome->schema.value_or(SchemaId{})), type);
  if (const auto* error = std::get_if<RegistryError>(&outcome.error())) {
    return registry_response(*error, type);
  }
  HttpResponse response = deploy_problem(outcome.error()).to_response(Dialect::kSchemaRegistry);
  response.content_type = type;
  return response;
}

// Registers a schema together with the upcaster that leads to it.
void register_with_upcaster(EventStore& store, DeployService& service, const HttpRequest& request,
                            SchemaBody body, const Responder& respond) {
  const char* type = registry_type_for(request);
  if (body.upcaster.size() > kScriptBytesMax) {
    return respond(registry_response(
        RegistryError{413, 413, fmt::format("An upcaster may have at most {} bytes.", kScriptBytesMax)},
        type));
  }
  if (body.upcaster_file.size() > kFileNameBytesMax || !is_printable_name(body.upcaster_file)) {
    return respond(registry_response(
        RegistryError{422, 422, "'upcasterFile' must be a name of at most 200 printable bytes"}, type));
  }
  DeployRequest wanted;
  wanted.draft.source = std::move(body.upcaster);
  if (!body.upcaster_file.empty()) wanted.draft.file = std::move(body.upcaster_file);
  wanted.schema = registration_of(request, std::move(body));
  wanted.dry_run = flag(request, "dryRun") ? DryRun::kYes : DryRun::kNo;
  wanted.origin = origin_of(request);
  respond.set_cancellable();
  wanted.cancelled = [respond] { return respond.budget().is_cancelled(); };
  wanted.done = [respond, type, dry_run = wanted.dry_run,
                 audit = RefusalAudit(store, request)](const DeployOutcome& outcome) {
    if (!outcome && dry_run == DryRun::kNo) audit.note(deploy_problem(outcome.error()));
    respond(response_of(outcome, type));
  };
  if (!service.submit(std::move(wanted))) {
    respond(overloaded("Too many deployments are waiting.").to_response(Dialect::kSchemaRegistry));
  }
}

}  // namespace

Route register_route(const StoreSlot& slot) {
  Route route = registry_change(
      slot, "POST", kPath,
      [&slot](const HttpRequest& request) { return register_schema(slot.shapes(), request); },
      TaskCost::kCheck);
  route.handle = [&slot, alone = std::move(route.handle)](const HttpRequest& request,
                                                          const Responder& respond) {
    // The plain route answers an invalid request.
    auto body = read_schema_body(request);
    if (!body || body->upcaster.empty()) return alone(request, respond);
    EventStore* store = slot.store();
    if (store == nullptr) {
      return respond(not_yet("The store is being recovered.").to_response(Dialect::kSchemaRegistry));
    }
    register_with_upcaster(*store, *slot.deployments(), request, *std::move(body), respond);
  };
  return for_all_categories(std::move(route));
}

}  // namespace cairn::api
