#include <string>
#include <utility>
#include <vector>

#include "api/registry/registry_json.h"
#include "api/registry/registry_request.h"
#include "api/registry/registry_route.h"
#include "api/registry/registry_routes.h"
#include "eventstore/json/json_writer.h"
#include "schemaregistry/registry/schema_registry.h"

namespace cairn::api {

namespace {

using Body = RegistryResult<std::string>;

// The name of the only context.
constexpr const char* kDefaultContext = ".";

RegistryHandler always(std::string json) {
  return [json = std::move(json)](const HttpRequest&) -> RegistryResult<RegistryTask> {
    return RegistryTask([json](SchemaRegistry&, WorkBudget&) -> Body { return json; });
  };
}

// A context other than the default is only a prefix of subject names, so there is nothing to remove. A
// context with subjects is refused.
RegistryResult<RegistryTask> delete_context(const HttpRequest& request) {
  std::string context = request.parameters.at("context");
  while (context.starts_with(':')) context.erase(0, 1);
  while (context.ends_with(':')) context.pop_back();
  if (!context.starts_with('.')) context.insert(0, 1, '.');
  return RegistryTask([context = std::move(context)](SchemaRegistry& registry, WorkBudget&) {
    return registry.read([&](const RegistryState& state) -> Body {
      const std::string prefix = context == kDefaultContext ? "" : ":" + context + ":";
      if (!list_subjects(state, prefix, Shown::kAll).empty()) return context_not_empty(context);
      return std::string();
    });
  });
}

std::string store_json(const StoreSlot& slot) {
  return json_object([&](JsonWriter& json) {
    json.begin_object("scope");
    json.begin_array("path");
    json.end_array();
    json.begin_object("clusters");
    json.text("kafka-cluster", slot.store()->store_id());
    json.text("schema-registry-cluster", "schema-registry");
    json.end_object();
    json.end_object();
    json.text("id", "");
  });
}

std::string version_json(const std::string& version) {
  return json_object([&](JsonWriter& json) {
    json.text("version", version);
    json.text("commitId", "");
  });
}

}  // namespace

std::vector<Route> registry_info_routes(const StoreSlot& slot, const std::string& version) {
  return {
      registry_get(slot, "/contexts", always(R"(["."])")),
      for_all_categories(registry_route(slot, "DELETE", "/contexts/{context}", Scope::kAdmin,
                                        TaskCost::kQuick, delete_context)),
      registry_get(slot, "/v1/metadata/id",
                   [&slot](const HttpRequest&) -> RegistryResult<RegistryTask> {
                     return RegistryTask(
                         [&slot](SchemaRegistry&, WorkBudget&) -> Body { return store_json(slot); });
                   }),
      registry_get(slot, "/v1/metadata/version", always(version_json(version))),
  };
}

}  // namespace cairn::api
