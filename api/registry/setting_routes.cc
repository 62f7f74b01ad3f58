#include <string>
#include <utility>
#include <vector>

#include "api/registry/registry_json.h"
#include "api/registry/registry_request.h"
#include "api/registry/registry_route.h"
#include "api/registry/registry_routes.h"
#include "api/serving/route_tools.h"
#include "schemaregistry/registry/schema_registry.h"

namespace cairn::api {

namespace {

using Body = RegistryResult<std::string>;

// The subject in the path; all subjects when the path has none.
SettingScope scope_of(const HttpRequest& request) {
  return request.parameters.contains("subject") ? SettingScope(subject_of(request)) : std::nullopt;
}

Fallback fallback_in(const HttpRequest& request) {
  return flag(request, "defaultToGlobal") ? Fallback::kToGlobal : Fallback::kNone;
}

RegistryResult<RegistryTask> get_config_of(const HttpRequest& request) {
  return RegistryTask(
      [scope = scope_of(request), fallback = fallback_in(request)](SchemaRegistry& registry, WorkBudget&) {
        return registry.read([&](const RegistryState& state) -> Body {
          CAIRN_TRY(const RegistryConfig config, get_config(state, scope, fallback));
          return to_json(config);
        });
      });
}

// The answer repeats the request. Reads name the member compatibilityLevel, changes name it compatibility.
RegistryResult<RegistryTask> put_config(const HttpRequest& request) {
  CAIRN_TRY(const RegistryConfig config, read_config_body(request));
  return RegistryTask([scope = scope_of(request), config, origin = origin_of(request)](
                          SchemaRegistry& registry, WorkBudget&) -> Body {
    CAIRN_CHECK(registry.set_config(scope, config, origin));
    return to_json(config, "compatibility");
  });
}

RegistryResult<RegistryTask> delete_config(const HttpRequest& request) {
  return RegistryTask([scope = scope_of(request), origin = origin_of(request)](SchemaRegistry& registry,
                                                                               WorkBudget&) -> Body {
    CAIRN_TRY(const RegistryConfig before, registry.delete_config(scope, origin));
    return to_json(before);
  });
}

RegistryResult<RegistryTask> get_mode_of(const HttpRequest& request) {
  return RegistryTask(
      [scope = scope_of(request), fallback = fallback_in(request)](SchemaRegistry& registry, WorkBudget&) {
        return registry.read([&](const RegistryState& state) -> Body {
          CAIRN_TRY(const RegistryMode mode, get_mode(state, scope, fallback));
          return to_json(mode);
        });
      });
}

RegistryResult<RegistryTask> put_mode(const HttpRequest& request) {
  CAIRN_TRY(const RegistryMode mode, read_mode_body(request));
  const Force force = flag(request, "force") ? Force::kYes : Force::kNo;
  return RegistryTask([scope = scope_of(request), mode, force, origin = origin_of(request)](
                          SchemaRegistry& registry, WorkBudget&) -> Body {
    CAIRN_TRY(const RegistryMode now, registry.set_mode(scope, mode, force, origin));
    return to_json(now);
  });
}

RegistryResult<RegistryTask> delete_mode(const HttpRequest& request) {
  return RegistryTask([scope = scope_of(request), origin = origin_of(request)](SchemaRegistry& registry,
                                                                               WorkBudget&) -> Body {
    CAIRN_TRY(const RegistryMode before, registry.delete_mode(scope, origin));
    return to_json(before);
  });
}

}  // namespace

std::vector<Route> setting_routes(const StoreSlot& slot) {
  std::vector<Route> routes;
  for (const char* path : {"/config", "/config/{subject}"}) {
    routes.push_back(registry_get(slot, path, get_config_of));
    routes.push_back(registry_change(slot, "PUT", path, put_config));
    routes.push_back(registry_change(slot, "DELETE", path, delete_config));
  }
  for (const char* path : {"/mode", "/mode/{subject}"}) {
    routes.push_back(registry_get(slot, path, get_mode_of));
    routes.push_back(registry_change(slot, "PUT", path, put_mode));
    routes.push_back(registry_change(slot, "DELETE", path, delete_mode));
  }
  return routes;
}

}  // namespace cairn::api
