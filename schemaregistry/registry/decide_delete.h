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

// Soft-deletes a version (nullopt: the latest), or permanently deletes a soft-deleted one; answers its
// number. Refused for a version that other schemas refer to.
RegistryResult<Decision<std::uint32_t>> decide_delete_version(const RegistryState& state,
                                                              const std::string& subject,
                                                              std::optional<std::uint32_t> version,
                                                              Permanent permanent);

// Soft-deletes all versions, or permanently deletes a subject whose versions are all soft-deleted; answers
// their numbers. Refused for a subject that schemas of other subjects refer to.
RegistryResult<Decision<std::vector<std::uint32_t>>> decide_delete_subject(const RegistryState& state,
                                                                           const std::string& subject,
                                                                           Permanent permanent);

}  // namespace cairn
