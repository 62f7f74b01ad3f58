#include <string>
#include <utility>
#include <vector>

#include "api/registry/registry_json.h"
#include "api/registry/registry_request.h"
#include "api/registry/registry_route.h"
#include "api/registry/registry_routes.h"
#include "schemaregistry/registry/schema_registry.h"

namespace cairn::api {

namespace {

using Body = RegistryResult<std::string>;
using Verdict = RegistryResult<std::vector<std::string>>;

enum class Verbose : bool { kNo, kYes };

Verbose verbose_in(const HttpRequest& request) {
  return flag(request, "verbose") ? Verbose::kYes : Verbose::kNo;
}

// With verbose, the reason why a text is no schema is one of the messages.
Body answer(Verdict verdict, Verbose verbose) {
  if (!verdict && verbose == Verbose::kYes && verdict.error().code == 42201) {
    verdict = Verdict(std::vector<std::string>{verdict.error().message});
  }
  CAIRN_TRY(const auto messages, std::move(verdict));
  return json_object([&](JsonWriter& json) {
    json.flag("is_compatible", messages.empty());
    if (verbose == Verbose::kYes) json.raw("messages", list_json(messages));
  });
}

RegistryResult<RegistryTask> test_with_one(const HttpRequest& request) {
  CAIRN_TRY(const auto version, version_of(request));
  CAIRN_TRY(SchemaBody body, read_schema_body(request));
  return RegistryTask([subject = subject_of(request), version, schema = std::move(body.schema),
                       normalize = normalize_in(request),
                       verbose = verbose_in(request)](SchemaRegistry& registry, WorkBudget& budget) {
    return registry.read([&](const RegistryState& state) {
      return answer(test_compatibility_with(state, subject, version, schema, normalize, &budget), verbose);
    });
  });
}

RegistryResult<RegistryTask> test_with_all(const HttpRequest& request) {
  CAIRN_TRY(SchemaBody body, read_schema_body(request));
  return RegistryTask([subject = subject_of(request), schema = std::move(body.schema),
                       normalize = normalize_in(request),
                       verbose = verbose_in(request)](SchemaRegistry& registry, WorkBudget& budget) {
    return registry.read([&](const RegistryState& state) {
      return answer(test_compatibility(state, subject, schema, normalize, &budget), verbose);
    });
  });
}

}  // namespace

std::vector<Route> compatibility_routes(const StoreSlot& slot) {
  return {
      registry_route(slot, "POST", "/compatibility/subjects/{subject}/versions", Scope::kRead,
                     TaskCost::kCheck, test_with_all),
      registry_route(slot, "POST", "/compatibility/subjects/{subject}/versions/{version}", Scope::kRead,
                     TaskCost::kCheck, test_with_one),
  };
}

}  // namespace cairn::api
