#include "api/registry/registry_route.h"

#include <exception>
#include <string_view>
#include <utility>

#include "api/access/token_file.h"
#include "api/http/server_log.h"
#include "api/registry/registry_service.h"
#include "eventstore/json/json_writer.h"
#include "schemaregistry/registry/schema_registry.h"

namespace cairn::api {

namespace {

constexpr const char* kRegistryType = "application/vnd.schemaregistry.v1+json";

// No caller catches exceptions of a library on the registry's thread.
RegistryResult<std::string> run_caught(const RegistryTask& task, SchemaRegistry& registry,
                                       WorkBudget& budget) {
  try {
    return task(registry, budget);
  } catch (const std::exception& exception) {
    return RegistryError{500, 500, std::string("an exception: ") + exception.what()};
  }
}

void run_later(RegistryService& service, RegistryTask task, const char* type, const Responder& respond) {
  const auto submitted =
      service.worker().submit(respond.client(), [task = std::move(task), &service, type, respond] {
        const WorkBudget::OnThread measured(respond.budget());
        WorkBudget budget({}, &respond.budget());
        budget.cancel_with(service.cancelled());
        respond(registry_response(run_caught(task, service.registry(), budget), type));
      });
  static constexpr const char* kRefusal = "Too many requests to the schema registry are waiting.";
  switch (submitted) {
    case WorkerPool::Submitted::kYes:
      return;
    case WorkerPool::Submitted::kFull:
      return respond(overloaded(kRefusal).to_response(Dialect::kSchemaRegistry));
    case WorkerPool::Submitted::kOverShare:
      return respond(too_many_requests(kRefusal).to_response(Dialect::kSchemaRegistry));
  }
}

}  // namespace

const char* registry_type_for(const HttpRequest& request) {
  const std::string_view accept = request.header("Accept").value_or("");
  for (const char* type : {kRegistryType, "application/vnd.schemaregistry+json", "application/json"}) {
    if (accept.find(type) != std::string_view::npos) return type;
  }
  return kRegistryType;
}

HttpResponse registry_response(RegistryResult<std::string> result, const char* type) {
  HttpResponse response;
  response.content_type = type;
  if (result.ok()) {
    response.body = *std::move(result);
    if (response.body.empty()) response.status = 204;
    return response;
  }
  const RegistryError& error = result.error();
  const bool took_too_long = error.code == kBudgetExceededCode;
  if (error.status >= 500 && !took_too_long) {
    server_log(LogEvent(LogLevel::kError, "registry-failed", "The schema registry failed: " + error.message)
                   .with("status", error.status)
                   .with("error", error.message));
  }
  response.status = error.status;
  response.body = json_object([&](JsonWriter& json) {
    json.number("error_code", static_cast<std::uint64_t>(error.code));
    // The message of an internal error may hold paths and payloads.
    json.text("message", error.status == 500 ? "The server's log has the reason." : error.message);
  });
  if (error.status == 503 && !took_too_long) response.headers.emplace_back("Retry-After", "1");
  return response;
}

Route registry_route(const StoreSlot& slot, std::string method, std::string path, Scope scope, TaskCost cost,
                     RegistryHandler handle) {
  RouteHandler answer = [&slot, cost, handle = std::move(handle)](const HttpRequest& request,
                                                                  const Responder& respond) {
    RegistryService* service = slot.registry_service();
    if (service == nullptr) {
      return respond(not_yet("The store is being recovered.").to_response(Dialect::kSchemaRegistry));
    }
    const char* type = registry_type_for(request);
    auto task = handle(request);
    if (!task) return respond(registry_response(std::move(task).error(), type));
    if (cost == TaskCost::kQuick) {
      return respond(registry_response((*task)(service->registry(), respond.budget()), type));
    }
    if (cost == TaskCost::kCheck) respond.set_cancellable();
    run_later(*service, *std::move(task), type, respond);
  };
  Route route{std::move(method), std::move(path), std::move(answer), scope, Dialect::kSchemaRegistry};
  if (cost == TaskCost::kCheck) route.work = WorkKind::kSchemaCheck;
  return route;
}

Route registry_get(const StoreSlot& slot, std::string path, RegistryHandler handle) {
  return registry_route(slot, "GET", std::move(path), Scope::kRead, TaskCost::kQuick, std::move(handle));
}

Route registry_change(const StoreSlot& slot, std::string method, std::string path, RegistryHandler handle,
                      TaskCost cost) {
  return for_all_categories(
      registry_route(slot, std::move(method), std::move(path), Scope::kAdmin, cost, std::move(handle)));
}

Route for_all_categories(Route route) {
  route.handle = [handle = std::move(route.handle)](const HttpRequest& request, const Responder& respond) {
    if (request.token == nullptr || !request.token->categories) return handle(request, respond);
    respond(forbidden("The token '" + request.token->name +
                      "' does not reach all categories, and schemas are for all of them.")
                .to_response(Dialect::kSchemaRegistry));
  };
  return route;
}

}  // namespace cairn::api
