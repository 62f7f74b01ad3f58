#include <algorithm>
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

RegistryResult<RegistryTask> list_types(const HttpRequest&) {
  return RegistryTask([](SchemaRegistry&, WorkBudget&) -> Body { return std::string(R"(["AVRO"])"); });
}

RegistryResult<RegistryTask> list_all(const HttpRequest& request) {
  std::string prefix = query_text(request, "subjectPrefix").value_or("");
  if (prefix.starts_with(":*:") || prefix.starts_with(":.:")) prefix.erase(0, 3);
  const LatestOnly latest = flag(request, "latestOnly") ? LatestOnly::kYes : LatestOnly::kNo;
  return RegistryTask([prefix = std::move(prefix), latest, hidden = deleted_in(request),
                       window = window_of(request)](SchemaRegistry& registry, WorkBudget&) {
    return registry.read([&](const RegistryState& state) -> Body {
      return list_json(list_schemas(state, prefix, hidden, latest), window,
                       [](JsonWriter& json, const FoundVersion& one) { json.raw(to_json(one)); });
    });
  });
}

// The newest of `versions` that belongs to the subject.
std::optional<FoundVersion> newest_of(const std::vector<FoundVersion>& versions, const std::string& subject) {
  std::optional<FoundVersion> newest;
  for (const FoundVersion& one : versions) {
    if (one.subject == subject) newest = one;
  }
  return newest;
}

RegistryResult<RegistryTask> get_by_id(const HttpRequest& request) {
  CAIRN_TRY(const SchemaId id, id_of(request));
  return RegistryTask([id, subject = query_text(request, "subject"), with_max = flag(request, "fetchMaxId")](
                          SchemaRegistry& registry, WorkBudget&) {
    return registry.read([&](const RegistryState& state) -> Body {
      CAIRN_TRY(const auto schema, find_schema(state, id));
      std::optional<FoundVersion> version;
      if (subject && !subject->empty()) {
        CAIRN_TRY(const auto versions, versions_with(state, id, Deleted::kIncluded));
        version = newest_of(versions, *subject);
      }
      return to_json(*schema, version, with_max ? std::optional(state.id_max()) : std::nullopt);
    });
  });
}

RegistryResult<RegistryTask> get_text(const HttpRequest& request) {
  CAIRN_TRY(const SchemaId id, id_of(request));
  return RegistryTask([id](SchemaRegistry& registry, WorkBudget&) {
    return registry.read([&](const RegistryState& state) -> Body {
      CAIRN_TRY(const auto schema, find_schema(state, id));
      return schema->text;
    });
  });
}

// The parameters of the routes that list the versions of an id.
struct WantedVersions {
  SchemaId id;
  std::optional<std::string> subject;
  Deleted hidden = Deleted::kLeftOut;
  Window window;
};

RegistryResult<WantedVersions> wanted_versions(const HttpRequest& request) {
  CAIRN_TRY(const SchemaId id, id_of(request));
  return WantedVersions{id, query_text(request, "subject"), deleted_in(request), window_of(request)};
}

RegistryResult<std::vector<FoundVersion>> find(const RegistryState& state, const WantedVersions& wanted) {
  CAIRN_TRY(auto versions, versions_with(state, wanted.id, wanted.hidden));
  if (wanted.subject && !wanted.subject->empty()) {
    std::erase_if(versions, [&](const FoundVersion& one) { return one.subject != *wanted.subject; });
  }
  return versions;
}

RegistryResult<RegistryTask> list_subjects_of(const HttpRequest& request) {
  CAIRN_TRY(WantedVersions wanted, wanted_versions(request));
  return RegistryTask([wanted = std::move(wanted)](SchemaRegistry& registry, WorkBudget&) {
    return registry.read([&](const RegistryState& state) -> Body {
      CAIRN_TRY(const auto versions, find(state, wanted));
      std::vector<std::string> subjects;
      for (const FoundVersion& one : versions) {
        if (subjects.empty() || subjects.back() != one.subject) subjects.push_back(one.subject);
      }
      return list_json(subjects, wanted.window);
    });
  });
}

RegistryResult<RegistryTask> list_versions_of(const HttpRequest& request) {
  CAIRN_TRY(WantedVersions wanted, wanted_versions(request));
  return RegistryTask([wanted = std::move(wanted)](SchemaRegistry& registry, WorkBudget&) {
    return registry.read([&](const RegistryState& state) -> Body {
      CAIRN_TRY(const auto versions, find(state, wanted));
      return list_json(versions, wanted.window, [](JsonWriter& json, const FoundVersion& one) {
        json.begin_object();
        json.text("subject", one.subject);
        json.number("version", one.version);
        json.end_object();
      });
    });
  });
}

// Schemas have ids and no GUIDs, so no GUID is known.
RegistryResult<RegistryTask> get_by_guid(const HttpRequest& request) {
  return schema_not_found(request.parameters.at("guid"));
}

}  // namespace

std::vector<Route> schema_routes(const StoreSlot& slot) {
  return {
      registry_get(slot, "/schemas", list_all),
      registry_get(slot, "/schemas/types", list_types),
      registry_get(slot, "/schemas/ids/{id}", get_by_id),
      registry_get(slot, "/schemas/ids/{id}/schema", get_text),
      registry_get(slot, "/schemas/ids/{id}/subjects", list_subjects_of),
      registry_get(slot, "/schemas/ids/{id}/versions", list_versions_of),
      registry_get(slot, "/schemas/guids/{guid}", get_by_guid),
      registry_get(slot, "/schemas/guids/{guid}/ids", get_by_guid),
  };
}

}  // namespace cairn::api
