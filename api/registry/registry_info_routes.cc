#include <string>
#include <utility>
#include <vector>

#include "api/registry/registry_json.h"
#include "api/registry/registry_request.h"
#include "api/registry/registry_route.h"
#include "api/registry/registry_routes.h"
#include "eventstore/json/json_text.h"
#include "schemaregistry/registry/schema_registry.h"

namespace cairn::api {

namespace {

using Body = RegistryResult<std::string>;

// There is one context, which has no name of its own.
constexpr const char* kDefaultContext = ".";

RegistryHandler always(std::string json) {
  return [json = std::move(json)](const HttpRequest&) -> RegistryResult<RegistryTask> {
    return RegistryTask([json](SchemaRegistry&) -> Body { return json; });
  };
}

// Other contexts than the default are only the beginning of a name here, so there is nothing to remove; but
// what has subjects must not be said to be gone.
RegistryResult<RegistryTask> delete_context(const HttpRequest& request) {
  std::string context = request.parameters.at("context");
  while (context.starts_with(':')) context.erase(0, 1);
  while (context.ends_with(':')) context.pop_back();
  if (!context.starts_with('.')) context.insert(0, 1, '.');
  return RegistryTask([context = std::move(context)](SchemaRegistry& registry) {
    return registry.read([&](const RegistryState& state) -> Body {
      const std::string prefix = context == kDefaultContext ? "" : ":" + context + ":";
      if (!list_subjects(state, prefix, Shown::kAll).empty()) return context_not_empty(context);
      return std::string();
    });
  });
}

std::string store_json(const StoreSlot& slot) {
  std::string json = R"({"scope":{"path":[],"clusters":{"kafka-cluster":)";
  append_json_string(json, slot.store()->store_id());
  json += R"(,"schema-registry-cluster":"schema-registry"}},"id":""})";
  return json;
}

std::string version_json(const std::string& version) {
  std::string json = R"({"version":)";
  append_json_string(json, version);
  return json + R"(,"commitId":""})";
}

}  // namespace

std::vector<Route> registry_info_routes(const StoreSlot& slot, const std::string& version) {
  return {
      registry_get(slot, "/", always("{}")),
      registry_get(slot, "/contexts", always(R"(["."])")),
      registry_route(slot, "DELETE", "/contexts/{context}", Scope::kAdmin, TaskCost::kQuick, delete_context),
      registry_get(slot, "/v1/metadata/id",
                   [&slot](const HttpRequest&) -> RegistryResult<RegistryTask> {
                     return RegistryTask([&slot](SchemaRegistry&) -> Body { return store_json(slot); });
                   }),
      registry_get(slot, "/v1/metadata/version", always(version_json(version))),
  };
}

}  // namespace cairn::api
