#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "schemaregistry/registry/decision.h"
#include "schemaregistry/registry/registry_error.h"
#include "schemaregistry/registry/registry_state.h"

namespace cairn {

enum class Permanent : bool { kNo, kYes };

// Hides a version (nullopt: the latest), or removes one that is hidden; answers its number. A version that
// other schemas refer to stays.
RegistryResult<Decision<std::uint32_t>> decide_delete_version(const RegistryState& state,
                                                              const std::string& subject,
                                                              std::optional<std::uint32_t> version,
                                                              Permanent permanent);

// Hides all versions, or removes a subject whose versions are all hidden; answers their numbers. A subject
// that schemas of other subjects refer to stays.
RegistryResult<Decision<std::vector<std::uint32_t>>> decide_delete_subject(const RegistryState& state,
                                                                           const std::string& subject,
                                                                           Permanent permanent);

}  // namespace cairn
