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

// Questions to the state. Pure; what they answer does not depend on the state afterwards.

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

// One version (nullopt: the latest). Refused with 40401 when no version of the subject can be seen, 40402
// when only this one cannot.
RegistryResult<FoundVersion> find_version(const RegistryState& state, const std::string& subject,
                                          std::optional<std::uint32_t> version, Deleted hidden);

// A schema that some version has, live or hidden; refused with 40403.
RegistryResult<std::shared_ptr<const StoredSchema>> find_schema(const RegistryState& state, SchemaId id);

// Versions with that id, by subject and version; refused with 40403 when there is none, live or hidden.
RegistryResult<std::vector<FoundVersion>> versions_with(const RegistryState& state, SchemaId id,
                                                        Deleted hidden);

enum class LatestOnly : bool { kNo, kYes };

// Versions of all subjects that begin with `prefix`, by subject and version.
std::vector<FoundVersion> list_schemas(const RegistryState& state, std::string_view prefix, Deleted hidden,
                                       LatestOnly latest);

// Versions whose schemas refer to this version themselves, by subject and version.
std::vector<FoundVersion> referring_to(const RegistryState& state, const std::string& subject,
                                       std::uint32_t version, Deleted hidden);

// The version of the subject that has this schema. Refused with 40401 when no version of the subject can be
// seen, 40403 when none has it, 42201 when it is no schema.
RegistryResult<FoundVersion> look_up(const RegistryState& state, const std::string& subject,
                                     const SchemaInput& schema, Normalize normalize, Deleted hidden);

// Why the schema may not become the subject's next version at the subject's level; empty when it may.
RegistryResult<std::vector<std::string>> test_compatibility(const RegistryState& state,
                                                            const std::string& subject,
                                                            const SchemaInput& schema, Normalize normalize);

// The same, as if only this version (nullopt: the latest, if there is one) were there.
RegistryResult<std::vector<std::string>> test_compatibility_with(const RegistryState& state,
                                                                 const std::string& subject,
                                                                 std::optional<std::uint32_t> version,
                                                                 const SchemaInput& schema,
                                                                 Normalize normalize);

enum class Fallback { kNone, kToGlobal };

// What is set for a subject, or with kToGlobal what holds for it; for all subjects what holds. Refused with
// 40408, and 40409, when nothing is.
RegistryResult<RegistryConfig> get_config(const RegistryState& state, const SettingScope& scope,
                                          Fallback fallback);
RegistryResult<RegistryMode> get_mode(const RegistryState& state, const SettingScope& scope,
                                      Fallback fallback);

}  // namespace cairn
