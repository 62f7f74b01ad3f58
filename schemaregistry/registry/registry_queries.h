#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "schemaregistry/registry/candidate.h"
#include "schemaregistry/registry/decide_settings.h"
#include "schemaregistry/registry/registry_error.h"
#include "schemaregistry/registry/registry_state.h"

namespace cairn {

// Queries of the state. Pure functions; their results stay valid when the state changes.

struct FoundVersion {
  std::string subject;
  std::uint32_t version = 0;
  bool deleted = false;
  std::shared_ptr<const StoredSchema> schema;
};

enum class Shown { kLive, kAll, kDeletedOnly };

// Subjects that begin with `prefix`, sorted. A subject counts as deleted when all its versions are.
std::vector<std::string> list_subjects(const RegistryState& state, std::string_view prefix, Shown shown);

// Rising versions; refused with 40401 when none is shown.
RegistryResult<std::vector<FoundVersion>> list_versions(const RegistryState& state,
                                                        const std::string& subject, Shown shown);

// One version (nullopt: the latest). Refused with 40401 when the subject has no visible version, 40402 when
// it has others.
RegistryResult<FoundVersion> find_version(const RegistryState& state, const std::string& subject,
                                          std::optional<std::uint32_t> version, Deleted hidden);

// The schema of a live or soft-deleted version; refused with 40403.
RegistryResult<std::shared_ptr<const StoredSchema>> find_schema(const RegistryState& state, SchemaId id);

// Versions with that id, by subject and version; refused with 40403 when there is none, live or soft-deleted.
RegistryResult<std::vector<FoundVersion>> versions_with(const RegistryState& state, SchemaId id,
                                                        Deleted hidden);

enum class LatestOnly : bool { kNo, kYes };

// Versions of all subjects that begin with `prefix`, by subject and version.
std::vector<FoundVersion> list_schemas(const RegistryState& state, std::string_view prefix, Deleted hidden,
                                       LatestOnly latest);

// Versions whose schemas refer directly to this version, by subject and version.
std::vector<FoundVersion> referring_to(const RegistryState& state, const std::string& subject,
                                       std::uint32_t version, Deleted hidden);

// The work of the following functions is charged to `budget`, unless that is nullptr; when it ends, they are
// refused with kBudgetExceededCode, and the message says how far they got.

// The version of the subject that has this schema. Refused with 40401 when the subject has no visible
// version, 40403 when none has the schema, 42201 when it is invalid.
RegistryResult<FoundVersion> look_up(const RegistryState& state, const std::string& subject,
                                     const SchemaInput& schema, Normalize normalize, Deleted hidden,
                                     WorkBudget* budget = nullptr);

// Why the schema may not become the subject's next version at its compatibility level; empty when it may.
RegistryResult<std::vector<std::string>> test_compatibility(const RegistryState& state,
                                                            const std::string& subject,
                                                            const SchemaInput& schema, Normalize normalize,
                                                            WorkBudget* budget = nullptr);

// The same, compared with this version only (nullopt: the latest, if there is one).
RegistryResult<std::vector<std::string>> test_compatibility_with(
    const RegistryState& state, const std::string& subject, std::optional<std::uint32_t> version,
    const SchemaInput& schema, Normalize normalize, WorkBudget* budget = nullptr);

enum class Fallback { kNone, kToGlobal };

// The settings of a subject, or with kToGlobal the effective ones; for all subjects the effective ones.
// Refused with 40408, and 40409, when there are none.
RegistryResult<RegistryConfig> get_config(const RegistryState& state, const SettingScope& scope,
                                          Fallback fallback);
RegistryResult<RegistryMode> get_mode(const RegistryState& state, const SettingScope& scope,
                                      Fallback fallback);

}  // namespace cairn
