#include <algorithm>
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

// The subject and version in the path, and whether deleted versions count.
struct WantedVersion {
  std::string subject;
  std::optional<std::uint32_t> version;
  Deleted hidden = Deleted::kLeftOut;
};

RegistryResult<WantedVersion> wanted_version(const HttpRequest& request) {
  WantedVersion wanted{subject_of(request), std::nullopt, deleted_in(request)};
  CAIRN_TRY(wanted.version, version_of(request));
  return wanted;
}

Permanent permanent_in(const HttpRequest& request) {
  return flag(request, "permanent") ? Permanent::kYes : Permanent::kNo;
}

// ":*:" means all contexts and ":.:" the default one, which is the only one: both are dropped.
std::string subject_prefix(const HttpRequest& request) {
  std::string prefix = query_text(request, "subjectPrefix").value_or("");
  for (const std::string_view context : {":*:", ":.:"}) {
    if (prefix.starts_with(context)) return prefix.substr(context.size());
  }
  return prefix;
}

RegistryResult<RegistryTask> list_all_subjects(const HttpRequest& request) {
  return RegistryTask([prefix = subject_prefix(request), shown = shown_in(request),
                       window = window_of(request)](SchemaRegistry& registry, WorkBudget&) {
    return registry.read([&](const RegistryState& state) -> Body {
      return list_json(list_subjects(state, prefix, shown), window);
    });
  });
}

RegistryResult<RegistryTask> look_up_schema(const HttpRequest& request) {
  CAIRN_TRY(SchemaBody body, read_schema_body(request));
  return RegistryTask([subject = subject_of(request), schema = std::move(body.schema),
                       normalize = normalize_in(request),
                       hidden = deleted_in(request)](SchemaRegistry& registry, WorkBudget& budget) {
    return registry.read([&](const RegistryState& state) -> Body {
      CAIRN_TRY(const FoundVersion found, look_up(state, subject, schema, normalize, hidden, &budget));
      return to_json(found);
    });
  });
}

RegistryResult<RegistryTask> delete_subject(const HttpRequest& request) {
  return RegistryTask([subject = subject_of(request), permanent = permanent_in(request),
                       origin = origin_of(request)](SchemaRegistry& registry, WorkBudget&) {
    const auto deleted = registry.delete_subject(subject, permanent, origin);
    return deleted.ok() ? Body(list_json(*deleted)) : Body(deleted.error());
  });
}

RegistryResult<RegistryTask> list_versions_of_subject(const HttpRequest& request) {
  return RegistryTask([subject = subject_of(request), shown = shown_in(request), window = window_of(request),
                       negative = flag(request, "deletedAsNegative")](SchemaRegistry& registry, WorkBudget&) {
    return registry.read([&](const RegistryState& state) -> Body {
      CAIRN_TRY(const auto versions, list_versions(state, subject, shown));
      return list_json(versions, window, [negative](JsonWriter& json, const FoundVersion& one) {
        json.raw((negative && one.deleted ? "-" : "") + std::to_string(one.version));
      });
    });
  });
}

RegistryResult<RegistryTask> get_version(const HttpRequest& request) {
  CAIRN_TRY(WantedVersion wanted, wanted_version(request));
  return RegistryTask([wanted = std::move(wanted)](SchemaRegistry& registry, WorkBudget&) {
    return registry.read([&](const RegistryState& state) -> Body {
      CAIRN_TRY(const FoundVersion found, find_version(state, wanted.subject, wanted.version, wanted.hidden));
      return to_json(found);
    });
  });
}

RegistryResult<RegistryTask> get_text_of_version(const HttpRequest& request) {
  CAIRN_TRY(WantedVersion wanted, wanted_version(request));
  return RegistryTask([wanted = std::move(wanted)](SchemaRegistry& registry, WorkBudget&) {
    return registry.read([&](const RegistryState& state) -> Body {
      CAIRN_TRY(const FoundVersion found, find_version(state, wanted.subject, wanted.version, wanted.hidden));
      return found.schema->text;
    });
  });
}

RegistryResult<RegistryTask> get_referring(const HttpRequest& request) {
  CAIRN_TRY(WantedVersion wanted, wanted_version(request));
  return RegistryTask(
      [wanted = std::move(wanted), window = window_of(request)](SchemaRegistry& registry, WorkBudget&) {
        return registry.read([&](const RegistryState& state) -> Body {
          CAIRN_TRY(const FoundVersion found,
                    find_version(state, wanted.subject, wanted.version, Deleted::kIncluded));
          std::vector<std::uint32_t> ids;
          for (const FoundVersion& one : referring_to(state, found.subject, found.version, wanted.hidden)) {
            ids.push_back(one.schema->id.value);
          }
          std::sort(ids.begin(), ids.end());
          ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
          return list_json(ids, window);
        });
      });
}

RegistryResult<RegistryTask> delete_version(const HttpRequest& request) {
  CAIRN_TRY(WantedVersion wanted, wanted_version(request));
  return RegistryTask([wanted = std::move(wanted), permanent = permanent_in(request),
                       origin = origin_of(request)](SchemaRegistry& registry, WorkBudget&) -> Body {
    CAIRN_TRY(const std::uint32_t version,
              registry.delete_version(wanted.subject, wanted.version, permanent, origin));
    return std::to_string(version);
  });
}

}  // namespace

std::vector<Route> subject_routes(const StoreSlot& slot) {
  return {
      registry_get(slot, "/subjects", list_all_subjects),
      registry_route(slot, "POST", "/subjects/{subject}", Scope::kRead, TaskCost::kCheck, look_up_schema),
      registry_change(slot, "DELETE", "/subjects/{subject}", delete_subject),
      registry_get(slot, "/subjects/{subject}/versions", list_versions_of_subject),
      register_route(slot),
      registry_get(slot, "/subjects/{subject}/versions/{version}", get_version),
      registry_change(slot, "DELETE", "/subjects/{subject}/versions/{version}", delete_version),
      registry_get(slot, "/subjects/{subject}/versions/{version}/schema", get_text_of_version),
      registry_get(slot, "/subjects/{subject}/versions/{version}/referencedby", get_referring),
  };
}

}  // namespace cairn::api
